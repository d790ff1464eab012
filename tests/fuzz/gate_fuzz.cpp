// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the readers of the gate's baseline and rules. With clang:
// -fsanitize=fuzzer,address. Without libFuzzer (ROOFSCOPE_FUZZ_MAIN) it is a plain program that
// runs over its own damaged samples and over the files given as arguments.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "analyzer/gate/gate.h"

using namespace roofscope;

namespace {

void checkError(const Error& error) {
    if (error.code == ErrorCode::BadData && !error.what.empty() &&
        error.where.starts_with("fuzz:") && error.message().size() < 4000)
        return;
    std::fprintf(stderr, "bad error: %s\n", error.message().c_str());
    std::abort();
}

}  // namespace

/// Whatever the bytes are: no crash, an error with file and line, or a baseline that can be written
/// and read again to the same text and judged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto rules = gate::parseRules(text, "fuzz");
    if (!rules.ok()) checkError(rules.error());
    const auto baseline = gate::parseBaseline(text, "fuzz");
    if (!baseline.ok()) {
        checkError(baseline.error());
        return 0;
    }
    const std::string written = gate::formatBaseline(*baseline);
    const auto again = gate::parseBaseline(written, "fuzz");
    if (!again.ok() || gate::formatBaseline(*again) != written) {
        std::fprintf(stderr, "a second round trip changes the text:\n%s\n",
                     again.ok() ? "" : again.error().message().c_str());
        std::abort();
    }
    static const Analysis nothing = analyze(std::make_shared<const Profile>());
    if (gate::judge(*baseline, nothing, {}).exitCode() != 2) {
        std::fprintf(stderr, "a profile without kernels passes\n");
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tests/fuzz/damage.h"
#include "tests/support/synthetic_profile.h"

namespace {

void runOne(const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::string sampleBaseline() {
    test::SyntheticProfile p;
    const auto a = p.kernel("a<float>(float*)");
    for (const double us : {3.0, 3.5, 4.0})
        p.launch(a, {1024, 2}, {256})
            .set("dram__bytes_read.sum", us * 1e9)
            .counterDurationUs(us)
            .cluster({2})
            .dynamicSharedBytes(4096)
            .range("r");
    return gate::formatBaseline(
        gate::makeBaseline(analyze(std::make_shared<const Profile>(p.build()))));
}

constexpr const char* kSampleRules = R"({
  "format": "roofscope-gate-rules", "schema": [1, 0],
  "new_kernels": "pass", "allow_missing": ["a*"],
  "max_growth_ratio": {"duration_ns": 0.05},
  "kernels": [{"match": "gemm*", "required": false, "limits": {"local_sectors": 0},
               "forbidden_findings": ["wave-tail"], "ignore": ["duration_ns"],
               "new_findings": "fail"}]
})";

/// One to four changes: bytes, pieces cut out, doubled or exchanged for something nasty.
std::string mutate(std::string text, std::mt19937_64& random) {
    static const std::string kPieces[] = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "null",
                                          "-1",
                                          "1e308",
                                          "1e400",
                                          "0.5",
                                          "NaN",
                                          "\"\"",
                                          "\\u0000",
                                          "true",
                                          "\xff",
                                          "\\ud800",
                                          "\n",
                                          " ",
                                          "1e-320",
                                          "99999999999999999999",
                                          "[[[[[[[[[[[[",
                                          "kernel "};
    return fuzz::damaged(std::move(text), kPieces, random, {});
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        runOne({std::istreambuf_iterator<char>(in), {}});
    }
    std::mt19937_64 random(1);  // the same inputs on every machine
    constexpr int kRuns = 10'000;
    for (const std::string& start : {sampleBaseline(), std::string(kSampleRules)}) {
        runOne(start);
        for (int i = 0; i < kRuns; ++i) runOne(mutate(start, random));
    }
    std::printf("%d files and %d damaged texts: no crash\n", argc - 1, 2 * kRuns);
    return 0;
}
#endif
