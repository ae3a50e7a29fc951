// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one case of a GPU MODE task in CUDA: NAME=VALUE arguments make the input, the task's own
// check decides. Exit code 0: right, 1: wrong (the message says why), 2: the arguments do not fit.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "utils.h"
#include "reference.cuh"

output_t custom_kernel(input_t data);

namespace {

template <class Function>
struct Arguments;

template <class Result, class... Args>
struct Arguments<Result (*)(Args...)> {
    using Values = std::tuple<std::remove_cv_t<std::remove_reference_t<Args>>...>;
};

using Values = Arguments<decltype(&generate_input)>::Values;
constexpr std::size_t count = std::tuple_size<Values>::value;
static_assert(count == ArgumentNames.size(), "ArgumentNames does not fit generate_input");

template <class Value>
void assign(Value& value, const std::string& text)
{
    if constexpr (std::is_same_v<Value, std::string>)
        value = text;
    else if constexpr (std::is_floating_point_v<Value>)
        value = static_cast<Value>(std::stod(text));
    else
        value = static_cast<Value>(std::stoll(text));
}

template <std::size_t Index = 0>
bool set(Values& values, const std::string& name, const std::string& text)
{
    if constexpr (Index < count) {
        if (name == ArgumentNames[Index]) {
            assign(std::get<Index>(values), text);
            return true;
        }
        return set<Index + 1>(values, name, text);
    } else {
        return false;
    }
}

} // namespace

int main(int argc, char** argv)
{
    Values values{};
    for (int i = 1; i < argc; ++i) {
        const char* equals = std::strchr(argv[i], '=');
        if (equals == nullptr || !set(values, std::string(argv[i], equals), equals + 1)) {
            std::fprintf(stderr, "the argument \"%s\" is none of the task's\n", argv[i]);
            return 2;
        }
    }
    const auto make = [&values] {
        return std::apply([](const auto&... each) { return generate_input(each...); }, values);
    };
    input_t data = make();
    output_t output = custom_kernel(std::move(data));
    TestReporter reporter;
    check_implementation(reporter, make(), output);
    if (reporter.has_passed())
        return 0;
    std::printf("%s\n", std::string(reporter.message()).c_str());
    return 1;
}
