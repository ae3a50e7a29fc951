// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA harness: a program that calls one candidate on the cases of a plan file and says, in
// JSON lines on a pipe of its own, what happened. Compiled by the host compiler; the candidate and
// a generated thunk (ridgeline_call) are linked to it. It never sees a reference answer.
//
// usage: harness PLAN   (the report goes to fd $RIDGELINE_REPORT_FD, each line led by the plan's
//                        nonce; PLAN is removed once read)
//
// Plan lines: nonce HEX | guard BYTES | flush BYTES | then per case:
//   case INDEX check|bench WARMUP REPS ; label TEXT
//   scalar HEXBYTES
//   in NAME BYTES FILE..                   one file per input set
//   out NAME BYTES PATTERNHEX FILE
//   inout NAME BYTES FILE.. FILE           the last one is the output's
//   dump REP..                             repetitions whose outputs are kept
//   end
#include <cuda_runtime_api.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" void ridgeline_call(void** arguments);

namespace {

enum class Kind { Scalar, In, Out, InOut };

struct Argument {
    Kind kind = Kind::Scalar;
    std::string name;
    std::size_t bytes = 0;
    std::vector<unsigned char> scalar;
    std::vector<unsigned char> pattern; // poison of an output, repeated
    std::vector<std::string> files;     // input sets
    std::string outFile;
};

struct Case {
    int index = 0;
    bool bench = false;
    int warmup = 0, reps = 1;
    std::string label;
    std::vector<Argument> arguments;
    std::set<int> dump;
};

struct Plan {
    std::string nonce;
    std::size_t guard = 0, flush = 0;
    std::vector<Case> cases;
};

int reportFd = 3;
std::string nonce;

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

void report(const std::string& json)
{
    const std::string line = nonce + " " + json + "\n";
    std::size_t done = 0;
    while (done < line.size()) {
        const ssize_t wrote = ::write(reportFd, line.data() + done, line.size() - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            std::_Exit(97);
        done += std::size_t(wrote);
    }
}

[[noreturn]] void give_up(const std::string& why)
{
    report("{\"event\":\"harness_error\",\"message\":" + quoted(why) + "}");
    std::exit(98);
}

std::vector<unsigned char> fromHex(const std::string& hex)
{
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

Plan readPlan(const char* path)
{
    Plan plan;
    std::FILE* file = std::fopen(path, "r");
    if (file == nullptr)
        give_up(std::string("cannot read the plan ") + path);
    std::string text;
    char buffer[65536];
    std::size_t got = 0;
    while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0)
        text.append(buffer, got);
    std::fclose(file);
    std::istringstream lines(text);
    std::string line;
    Case current;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        Argument argument;
        if (word == "nonce") {
            words >> plan.nonce;
        } else if (word == "guard") {
            words >> plan.guard;
        } else if (word == "flush") {
            words >> plan.flush;
        } else if (word == "case") {
            std::string mode;
            current = Case();
            words >> current.index >> mode >> current.warmup >> current.reps;
            current.bench = mode == "bench";
        } else if (word == "label") {
            current.label = line.size() > 6 ? line.substr(6) : std::string();
        } else if (word == "scalar") {
            std::string hex;
            words >> hex;
            argument.scalar = fromHex(hex);
            argument.scalar.resize(16); // room for any scalar type
            current.arguments.push_back(argument);
        } else if (word == "in" || word == "out" || word == "inout") {
            argument.kind = word == "in" ? Kind::In : word == "out" ? Kind::Out : Kind::InOut;
            words >> argument.name >> argument.bytes;
            if (argument.kind == Kind::Out) {
                std::string hex;
                words >> hex;
                argument.pattern = fromHex(hex);
            }
            std::string name;
            while (words >> name)
                argument.files.push_back(name);
            if (argument.kind != Kind::In && !argument.files.empty()) {
                argument.outFile = argument.files.back();
                argument.files.pop_back();
            }
            current.arguments.push_back(argument);
        } else if (word == "dump") {
            int rep = 0;
            while (words >> rep)
                current.dump.insert(rep);
        } else if (word == "end") {
            plan.cases.push_back(current);
        } else if (!word.empty()) {
            give_up("unknown plan line: " + line);
        }
    }
    return plan;
}

std::vector<unsigned char> readWhole(const std::string& path, std::size_t bytes)
{
    std::vector<unsigned char> data(bytes);
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr || std::fread(data.data(), 1, bytes, file) != bytes)
        give_up("cannot read the input " + path);
    std::fclose(file);
    return data;
}

void writeWhole(const std::string& path, const std::vector<unsigned char>& data)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(data.data(), 1, data.size(), file) != data.size() ||
        std::fclose(file) != 0)
        give_up("cannot write the output " + path + ": " + std::strerror(errno));
}

/// FNV-1a over 8-byte words: tells equal outputs apart from different ones, nothing more.
std::uint64_t hashOf(const std::vector<unsigned char>& data, std::uint64_t hash)
{
    std::size_t i = 0;
    for (; i + 8 <= data.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, data.data() + i, 8);
        hash = (hash ^ word) * 0x100000001b3ULL;
        hash ^= hash >> 29;
    }
    for (; i < data.size(); ++i)
        hash = (hash ^ data[i]) * 0x100000001b3ULL;
    return hash;
}

/// One device buffer with a guard zone on both sides (none when guard is 0).
struct Buffer {
    unsigned char* base = nullptr;
    std::size_t bytes = 0;
};

class Runner {
public:
    explicit Runner(const Plan& plan) : m_plan(plan) {}

    /// False when the device can no longer be used.
    bool runCase(const Case& c);
    void describeDevice();

private:
    static constexpr unsigned char guardByte = 0xA5;

    bool check(cudaError_t status, const char* what)
    {
        if (status == cudaSuccess)
            return true;
        const char* name = cudaGetErrorName(status);
        const char* text = cudaGetErrorString(status);
        report("{\"event\":\"cuda_error\",\"case\":" + std::to_string(m_index) +
               ",\"rep\":" + std::to_string(m_rep) + ",\"where\":" + quoted(what) + ",\"code\":" +
               std::to_string(int(status)) + ",\"name\":" + quoted(name ? name : "") +
               ",\"text\":" + quoted(text ? text : "") + "}");
        return false;
    }
    bool prepare(const Case& c);
    bool fill(const Case& c, int set);
    bool fetch(std::size_t i, std::size_t bytes, std::vector<unsigned char>& data)
    {
        data.resize(bytes);
        return bytes == 0 || check(cudaMemcpy(data.data(), m_buffers[i].base + m_plan.guard, bytes,
                                              cudaMemcpyDeviceToHost),
                                   "copying a result back");
    }
    bool saveOutputs(const Case& c, const std::string& suffix);
    bool hashOutputs(const Case& c, std::uint64_t& hash, bool& hashed);
    std::string changedInputs(const Case& c, int set, bool& ok);
    std::string brokenGuards(const Case& c, bool& ok);
    bool callOnce(const Case& c);
    bool runCheck(const Case& c);
    bool runBench(const Case& c);
    bool timedCall(const Case& c, int set, bool timed);

    const Plan& m_plan;
    int m_index = 0;
    int m_rep = -1;
    std::vector<Buffer> m_buffers;
    std::vector<std::vector<std::vector<unsigned char>>> m_inputs; // [argument][set]
    std::vector<void*> m_values;
    std::vector<void*> m_pointers;
    void* m_flush = nullptr;
    cudaEvent_t m_events[3] = {};
};

void Runner::describeDevice()
{
    int count = 0;
    if (!check(cudaGetDeviceCount(&count), "looking for a device") || count == 0)
        give_up("no CUDA device");
    int major = 0, minor = 0, l2 = 0, processors = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaGetLastError();
    report("{\"event\":\"device\",\"compute_capability\":\"" + std::to_string(major) + "." +
           std::to_string(minor) + "\",\"l2_bytes\":" + std::to_string(l2) +
           ",\"multiprocessors\":" + std::to_string(processors) + "}");
}

bool Runner::prepare(const Case& c)
{
    m_buffers.resize(c.arguments.size());
    m_inputs.assign(c.arguments.size(), {});
    m_values.assign(c.arguments.size(), nullptr);
    m_pointers.assign(c.arguments.size(), nullptr);
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
        const Argument& a = c.arguments[i];
        if (a.kind == Kind::Scalar) {
            m_pointers[i] = const_cast<unsigned char*>(a.scalar.data());
            continue;
        }
        // Same sizes keep their addresses from case to case: results remembered by address show.
        Buffer& buffer = m_buffers[i];
        if (buffer.base == nullptr || buffer.bytes != a.bytes) {
            if (buffer.base != nullptr && !check(cudaFree(buffer.base), "freeing a buffer"))
                return false;
            buffer = {};
            void* base = nullptr;
            const std::size_t size = a.bytes + 2 * m_plan.guard;
            if (!check(cudaMalloc(&base, size > 0 ? size : 1), "allocating a buffer"))
                return false;
            buffer = {static_cast<unsigned char*>(base), a.bytes};
        }
        if (m_plan.guard > 0 &&
            (!check(cudaMemset(buffer.base, guardByte, m_plan.guard), "setting a guard") ||
             !check(cudaMemset(buffer.base + m_plan.guard + a.bytes, guardByte, m_plan.guard),
                    "setting a guard")))
            return false;
        for (const std::string& file : a.files)
            m_inputs[i].push_back(readWhole(file, a.bytes));
        m_values[i] = buffer.base + m_plan.guard;
        m_pointers[i] = &m_values[i];
    }
    return true;
}

/// Rewrites inputs in place and poisons outputs.
bool Runner::fill(const Case& c, int set)
{
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
        const Argument& a = c.arguments[i];
        if (a.kind == Kind::Scalar || a.bytes == 0)
            continue;
        std::vector<unsigned char> poison;
        const unsigned char* from = nullptr;
        if (a.kind == Kind::Out) {
            poison.resize(a.bytes);
            for (std::size_t b = 0; b < a.bytes; ++b)
                poison[b] = a.pattern[b % a.pattern.size()];
            from = poison.data();
        } else {
            from = m_inputs[i][std::size_t(set) % m_inputs[i].size()].data();
        }
        if (!check(
                cudaMemcpy(m_buffers[i].base + m_plan.guard, from, a.bytes, cudaMemcpyHostToDevice),
                "filling a buffer"))
            return false;
    }
    return true;
}

bool Runner::saveOutputs(const Case& c, const std::string& suffix)
{
    std::vector<unsigned char> data;
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
        const Argument& a = c.arguments[i];
        if (a.outFile.empty())
            continue;
        if (!fetch(i, a.bytes, data))
            return false;
        writeWhole(a.outFile + suffix, data);
    }
    return true;
}

bool Runner::hashOutputs(const Case& c, std::uint64_t& hash, bool& hashed)
{
    std::size_t total = 0;
    for (const Argument& a : c.arguments)
        total += a.outFile.empty() ? 0 : a.bytes;
    hashed = total <= (std::size_t(256) << 20);
    hash = 0xcbf29ce484222325ULL;
    std::vector<unsigned char> data;
    for (std::size_t i = 0; hashed && i < c.arguments.size(); ++i) {
        if (c.arguments[i].outFile.empty())
            continue;
        if (!fetch(i, c.arguments[i].bytes, data))
            return false;
        hash = hashOf(data, hash);
    }
    return true;
}

std::string Runner::changedInputs(const Case& c, int set, bool& ok)
{
    std::string names;
    std::vector<unsigned char> data;
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
        const Argument& a = c.arguments[i];
        if (a.kind != Kind::In)
            continue;
        if (!fetch(i, a.bytes, data)) {
            ok = false;
            return names;
        }
        if (data != m_inputs[i][std::size_t(set) % m_inputs[i].size()])
            names += (names.empty() ? "" : ",") + quoted(a.name);
    }
    return names;
}

std::string Runner::brokenGuards(const Case& c, bool& ok)
{
    std::string names;
    std::vector<unsigned char> data(m_plan.guard);
    for (std::size_t i = 0; m_plan.guard > 0 && i < c.arguments.size(); ++i) {
        if (c.arguments[i].kind == Kind::Scalar)
            continue;
        bool intact = true;
        for (const std::size_t at : {std::size_t(0), m_plan.guard + c.arguments[i].bytes}) {
            if (!check(cudaMemcpy(data.data(), m_buffers[i].base + at, m_plan.guard,
                                  cudaMemcpyDeviceToHost),
                       "reading a guard")) {
                ok = false;
                return names;
            }
            for (const unsigned char byte : data)
                intact = intact && byte == guardByte;
        }
        if (!intact)
            names += (names.empty() ? "" : ",") + quoted(c.arguments[i].name);
    }
    return names;
}

/// The emulated device labels its counters: "LABEL" for a check, "LABEL#REP" in a benchmark.
void mark(const std::string& label)
{
    using Mark = void (*)(const char*);
    static const auto function =
        reinterpret_cast<Mark>(::dlsym(RTLD_DEFAULT, "ridgeline_emu_mark"));
    if (function != nullptr)
        function(label.c_str());
}

bool Runner::callOnce(const Case& c)
{
    mark(c.bench ? c.label + "#" + std::to_string(m_rep) : c.label);
    ridgeline_call(m_pointers.data());
    return check(cudaGetLastError(), "launching");
}

bool Runner::runCheck(const Case& c)
{
    m_rep = 0;
    if (!fill(c, 0) || !check(cudaDeviceSynchronize(), "preparing"))
        return false;
    if (!callOnce(c) || !check(cudaDeviceSynchronize(), "running"))
        return false;
    bool ok = true;
    const std::string changed = changedInputs(c, 0, ok);
    const std::string guards = ok ? brokenGuards(c, ok) : std::string();
    if (!ok || !saveOutputs(c, ""))
        return false;
    report("{\"event\":\"done\",\"case\":" + std::to_string(c.index) + ",\"inputs_changed\":[" +
           changed + "],\"guards_broken\":[" + guards + "]}");
    return true;
}

bool Runner::timedCall(const Case& c, int set, bool timed)
{
    if (!fill(c, set))
        return false;
    if (m_flush != nullptr && !check(cudaMemset(m_flush, 0, m_plan.flush), "flushing the cache"))
        return false;
    if (!check(cudaDeviceSynchronize(), "preparing"))
        return false;
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    if (!check(cudaEventRecord(m_events[0], nullptr), "recording an event"))
        return false;
    if (!callOnce(c) || !check(cudaEventRecord(m_events[1], nullptr), "recording an event") ||
        !check(cudaDeviceSynchronize(), "running"))
        return false;
    const auto stop = Clock::now();
    // Work on other streams ends before this event and not before the one above.
    if (!check(cudaEventRecord(m_events[2], nullptr), "recording an event") ||
        !check(cudaEventSynchronize(m_events[2]), "running"))
        return false;
    if (!timed)
        return true;
    float event = 0, full = 0;
    if (!check(cudaEventElapsedTime(&event, m_events[0], m_events[1]), "reading the time") ||
        !check(cudaEventElapsedTime(&full, m_events[0], m_events[2]), "reading the time"))
        return false;
    std::uint64_t hash = 0;
    bool hashed = false;
    if (!hashOutputs(c, hash, hashed))
        return false;
    char line[400];
    std::snprintf(line, sizeof line,
                  "{\"event\":\"sample\",\"case\":%d,\"rep\":%d,\"set\":%d,\"event_ns\":%.1f,"
                  "\"full_ns\":%.1f,\"host_ns\":%lld,\"hash\":\"%s%016llx\"}",
                  c.index, m_rep, set, double(event) * 1e6, double(full) * 1e6,
                  static_cast<long long>(
                      std::chrono::duration_cast<std::chrono::nanoseconds>(stop - start).count()),
                  hashed ? "" : "-", static_cast<unsigned long long>(hash));
    report(line);
    static std::map<int, std::set<std::uint64_t>> seen;
    if (m_rep == 0)
        seen.clear();
    // A result not seen before for this input is kept for comparison, besides those chosen.
    const bool fresh = hashed && seen[set].size() < 8 && seen[set].insert(hash).second;
    if (fresh || c.dump.count(m_rep) > 0) {
        if (!saveOutputs(c, ".rep" + std::to_string(m_rep)))
            return false;
        report("{\"event\":\"dumped\",\"case\":" + std::to_string(c.index) +
               ",\"rep\":" + std::to_string(m_rep) + ",\"set\":" + std::to_string(set) + "}");
    }
    return true;
}

bool Runner::runBench(const Case& c)
{
    if (m_plan.flush > 0 && m_flush == nullptr &&
        !check(cudaMalloc(&m_flush, m_plan.flush), "allocating the flush buffer"))
        return false;
    for (cudaEvent_t& event : m_events) {
        if (event == nullptr && !check(cudaEventCreate(&event), "creating an event"))
            return false;
    }
    int sets = 1;
    for (const auto& perArgument : m_inputs)
        sets = perArgument.size() > std::size_t(sets) ? int(perArgument.size()) : sets;
    int set = 0;
    for (int i = 0; i < c.warmup; ++i) {
        m_rep = -1;
        set = (set + 1) % sets;
        if (!timedCall(c, set, false))
            return false;
    }
    for (m_rep = 0; m_rep < c.reps; ++m_rep) {
        set = (set + 1) % sets;
        if (!timedCall(c, set, true))
            return false;
    }
    bool ok = true;
    const std::string changed = changedInputs(c, set, ok);
    const std::string guards = ok ? brokenGuards(c, ok) : std::string();
    if (!ok)
        return false;
    report("{\"event\":\"done\",\"case\":" + std::to_string(c.index) + ",\"inputs_changed\":[" +
           changed + "],\"guards_broken\":[" + guards + "]}");
    return true;
}

bool Runner::runCase(const Case& c)
{
    m_index = c.index;
    m_rep = -1;
    report("{\"event\":\"start\",\"case\":" + std::to_string(c.index) + "}");
    if (!prepare(c))
        return false;
    return c.bench ? runBench(c) : runCheck(c);
}

} // namespace

int main(int argc, char** argv)
{
    if (const char* fd = std::getenv("RIDGELINE_REPORT_FD"))
        reportFd = std::atoi(fd);
    ::fcntl(reportFd, F_SETFD, FD_CLOEXEC);
    if (argc != 2)
        give_up("usage: harness PLAN");
    const Plan plan = readPlan(argv[1]);
    ::unlink(argv[1]);
    nonce = plan.nonce;
    Runner runner(plan);
    runner.describeDevice();
    for (const Case& c : plan.cases) {
        if (!runner.runCase(c))
            return 99; // after a device error the rest needs a fresh process
    }
    report("{\"event\":\"finished\"}");
    return 0;
}
