// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/runtime/report.h"

#include "core/emulator/runtime/error.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ridgeline::emu {

namespace {

std::mutex& reportMutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

struct ReportState {
    std::uint64_t launches = 0;
    std::uint64_t errors = 0;
    std::string label;
    int countersFile = -1, reportFile = -1;
};

/// Opened for appending: the processes of one run share the files.
int openForAppending(const std::string& path, const char* variable)
{
    if (path.empty())
        return -1;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
        complain(std::string(variable) + ": cannot write " + path);
    return file;
}

void writeSummary();

ReportState& state()
{
    static auto* made = [] {
        auto* fresh = new ReportState;
        const Settings& settings = Device::instance().settings();
        fresh->countersFile = openForAppending(settings.countersPath, "RIDGELINE_EMU_COUNTERS");
        fresh->reportFile = openForAppending(settings.reportPath, "RIDGELINE_EMU_REPORT");
        if (settings.checkMemory || settings.checkRace || settings.checkInit || settings.checkSync)
            std::atexit(writeSummary);
        return fresh;
    }();
    return *made;
}

void writeAll(int file, const std::string& text)
{
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(file, text.data() + done, text.size() - done);
        if (count <= 0)
            return;
        done += std::size_t(count);
    }
}

void writeSummary()
{
    const std::lock_guard lock(reportMutex());
    const std::uint64_t errors = state().errors;
    writeAll(STDERR_FILENO, "========= ERROR SUMMARY: " + std::to_string(errors) +
                                (errors == 1 ? " error\n" : " errors\n"));
}

void appendDim(std::string& out, const char* name, const Dim3& value)
{
    out += std::string("\"") + name + "\": [" + std::to_string(value.x) + "," +
           std::to_string(value.y) + "," + std::to_string(value.z) + "]";
}

void appendNumber(std::string& out, const char* name, std::uint64_t value, bool first = false)
{
    out += (first ? "\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
}

void appendSite(std::string& out, const char* name, const AccessSite& site)
{
    out += std::string(", \"") + name + "\": {\"access\": " + jsonString(site.access);
    appendNumber(out, "size", site.size);
    out += ", ";
    appendDim(out, "block", site.block);
    out += ", ";
    appendDim(out, "thread", site.thread);
    out += ", \"file\": " + jsonString(site.source.file);
    appendNumber(out, "line", std::uint64_t(site.source.line));
    appendNumber(out, "ptx_line", std::uint64_t(site.ptxLine));
    out += "}";
}

/// Length of the UTF-8 sequence at `at`, 0 when it is none.
std::size_t utf8Length(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const unsigned lead = byte(at);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : (lead & 0xf0) == 0xe0       ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80)
            return 0;
    }
    const unsigned second = byte(at + 1);
    const bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                     (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
    return bad ? 0 : length;
}

} // namespace

std::string jsonString(std::string_view text)
{
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const std::size_t length = utf8Length(text, at);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x",
                          unsigned(static_cast<unsigned char>(c)));
            out += escaped;
        } else if (length == 0) {
            out += "\xef\xbf\xbd";
        } else {
            out += text.substr(at, length);
        }
        at += length == 0 ? 1 : length;
    }
    return out + "\"";
}

std::string demangle(const std::string& name)
{
    int status = 0;
    char* readable = ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && readable ? readable : name;
    std::free(readable);
    return result;
}

std::string countersLine(std::uint64_t launch, const std::string& label, const KernelWork& work,
                         const LaunchResult& result)
{
    const Counters& c = result.counters;
    const KernelInfo* info = work.function->info;
    std::string out = "{";
    appendNumber(out, "launch", launch, true);
    out += ", \"label\": " + jsonString(label) +
           ", \"kernel\": " + jsonString(demangle(work.function->name)) +
           ", \"mangled\": " + jsonString(work.function->name) + ", ";
    appendDim(out, "grid", work.grid);
    out += ", ";
    appendDim(out, "block", work.block);
    appendNumber(out, "shared_static", info ? info->sharedStatic : 0);
    appendNumber(out, "shared_dynamic", work.dynamicShared);
    appendNumber(out, "wall_ns", result.wallNs);
    appendNumber(out, "warp_instructions", c.warpInstructions);
    appendNumber(out, "thread_instructions", c.threadInstructions);
    out += ", \"flops\": {";
    appendNumber(out, "fp64", c.flopsFp64, true);
    appendNumber(out, "fp32", c.flopsFp32);
    appendNumber(out, "fp16", c.flopsFp16);
    appendNumber(out, "bf16", c.flopsBf16);
    appendNumber(out, "tensor", c.flopsTensor);
    out += "}";
    appendNumber(out, "special", c.special);
    out += ", \"global\": {";
    appendNumber(out, "load_bytes", c.globalLoadBytes, true);
    appendNumber(out, "store_bytes", c.globalStoreBytes);
    appendNumber(out, "load_requests", c.globalLoadRequests);
    appendNumber(out, "store_requests", c.globalStoreRequests);
    appendNumber(out, "load_sectors", c.globalLoadSectors);
    appendNumber(out, "store_sectors", c.globalStoreSectors);
    appendNumber(out, "atomics", c.globalAtomics);
    out += "}, \"shared\": {";
    appendNumber(out, "load_bytes", c.sharedLoadBytes, true);
    appendNumber(out, "store_bytes", c.sharedStoreBytes);
    appendNumber(out, "load_requests", c.sharedLoadRequests);
    appendNumber(out, "store_requests", c.sharedStoreRequests);
    appendNumber(out, "load_wavefronts", c.sharedLoadWavefronts);
    appendNumber(out, "store_wavefronts", c.sharedStoreWavefronts);
    out += "}, \"local\": {";
    appendNumber(out, "load_bytes", c.localLoadBytes, true);
    appendNumber(out, "store_bytes", c.localStoreBytes);
    out += "}, \"unique_global_bytes\": {";
    appendNumber(out, "load", c.uniqueLoadBytes, true);
    appendNumber(out, "store", c.uniqueStoreBytes);
    return out + "}}";
}

std::string reportLine(const CheckReport& report)
{
    std::string out = "{\"checker\": " + jsonString(report.checker) +
                      ", \"kind\": " + jsonString(report.kind) +
                      ", \"space\": " + jsonString(report.space) +
                      ", \"kernel\": " + jsonString(demangle(report.kernel)) +
                      ", \"mangled\": " + jsonString(report.kernel);
    appendNumber(out, "address", report.address);
    appendNumber(out, "count", report.count);
    appendSite(out, "site", report.site);
    if (!report.other.access.empty())
        appendSite(out, "other", report.other);
    return out + ", \"text\": " + jsonString(report.text) + "}";
}

void setLaunchLabel(std::string label)
{
    ReportState& reports = state();
    const std::lock_guard lock(reportMutex());
    reports.label = std::move(label);
}

void recordLaunch(const KernelWork& work, const LaunchResult& result)
{
    ReportState& reports = state();
    const std::lock_guard lock(reportMutex());
    if (reports.countersFile >= 0)
        writeAll(reports.countersFile,
                 countersLine(reports.launches, reports.label, work, result) + "\n");
    ++reports.launches;
    for (const CheckReport& report : result.reports) {
        ++reports.errors;
        std::string text;
        std::string_view rest = report.text;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            const std::string_view line = rest.substr(0, end);
            text += line.substr(0, 9) == "=========" ? std::string(line)
                                                     : "========= " + std::string(line);
            text += "\n";
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
        writeAll(STDERR_FILENO, text + "=========\n");
        if (reports.reportFile >= 0)
            writeAll(reports.reportFile, reportLine(report) + "\n");
    }
}

void reportApiError(const char* function, int code)
{
    state();
    const std::lock_guard lock(reportMutex());
    writeAll(STDERR_FILENO, std::string("========= Program hit ") + errorName(code) + " (error " +
                                std::to_string(code) + ") due to \"" + errorText(code) +
                                "\" on CUDA API call to " + function + ".\n=========\n");
}

void reportFault(const LaunchResult& result, int code)
{
    if (result.reports.empty())
        complain(result.message.empty() ? std::string(errorText(code)) : result.message);
}

} // namespace ridgeline::emu
