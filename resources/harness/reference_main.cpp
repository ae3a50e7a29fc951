// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a bundle's fp64 reference on one case: reads raw inputs, calls it through the generated
// thunk, writes raw outputs. A process of its own, so that no candidate ever shares memory with
// the answer.
//
// usage: reference PLAN, whose lines are in call order:
//   scalar HEXBYTES
//   tensor BYTES INFILE|- OUTFILE|- POISONHEX     an output without input starts as poison
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" void ridgeline_call(void** arguments);

namespace {

[[noreturn]] void fail(const std::string& why)
{
    std::fprintf(stderr, "reference: %s\n", why.c_str());
    std::exit(98);
}

std::vector<unsigned char> fromHex(const std::string& hex)
{
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

struct Tensor {
    std::vector<double> storage; // doubles for their alignment
    std::size_t bytes = 0;
    std::string out;
};

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        fail("usage: reference PLAN");
    std::ifstream plan(argv[1]);
    if (!plan)
        fail("cannot read the plan");
    std::vector<Tensor> tensors;
    std::vector<std::vector<unsigned char>> scalars;
    std::vector<std::pair<bool, std::size_t>> order;
    std::string line;
    while (std::getline(plan, line)) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "scalar") {
            std::string hex;
            words >> hex;
            scalars.push_back(fromHex(hex));
            scalars.back().resize(16);
            order.emplace_back(false, scalars.size() - 1);
        } else if (word == "tensor") {
            Tensor tensor;
            std::string in, poison;
            words >> tensor.bytes >> in >> tensor.out >> poison;
            tensor.storage.resize(tensor.bytes / 8 + 1);
            auto* data = reinterpret_cast<unsigned char*>(tensor.storage.data());
            if (in != "-") {
                std::FILE* file = std::fopen(in.c_str(), "rb");
                if (file == nullptr || std::fread(data, 1, tensor.bytes, file) != tensor.bytes)
                    fail("cannot read " + in);
                std::fclose(file);
            } else {
                const std::vector<unsigned char> pattern = fromHex(poison);
                for (std::size_t i = 0; i < tensor.bytes && !pattern.empty(); ++i)
                    data[i] = pattern[i % pattern.size()];
            }
            tensors.push_back(std::move(tensor));
            order.emplace_back(true, tensors.size() - 1);
        } else if (!word.empty()) {
            fail("unknown plan line: " + line);
        }
    }
    std::vector<void*> values(order.size()), pointers(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i].first) {
            values[i] = tensors[order[i].second].storage.data();
            pointers[i] = &values[i];
        } else {
            pointers[i] = scalars[order[i].second].data();
        }
    }
    ridgeline_call(pointers.data());
    for (const Tensor& tensor : tensors) {
        if (tensor.out == "-")
            continue;
        std::FILE* file = std::fopen(tensor.out.c_str(), "wb");
        if (file == nullptr ||
            std::fwrite(tensor.storage.data(), 1, tensor.bytes, file) != tensor.bytes ||
            std::fclose(file) != 0)
            fail("cannot write " + tensor.out + ": " + std::strerror(errno));
    }
    return 0;
}
