// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the profile reader. With clang: -fsanitize=fuzzer,address. Without libFuzzer
// (ROOFSCOPE_FUZZ_MAIN) it is a plain program that runs over its own damaged samples and over the
// files and folders given as arguments.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "profile/codec.h"

using namespace roofscope;

/// Whatever the bytes are: no crash, an error with text, or a profile that can be written and read
/// again to the same text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ReadLimits limits{.maxBytes = 1 << 20, .maxNodes = 100'000, .maxCells = 1'000'000};
    const auto profile = parseProfile(text, "fuzz", limits);
    if (!profile.ok()) {
        if (profile.error().message().empty() || profile.error().code == ErrorCode::Internal) {
            std::fprintf(stderr, "bad error: %s\n", profile.error().message().c_str());
            std::abort();
        }
        return 0;
    }
    const auto written = formatProfile(*profile);
    const auto again = parseProfile(written, "written");
    if (!again.ok()) {
        std::fprintf(stderr, "not readable again: %s\n", again.error().message().c_str());
        std::abort();
    }
    if (formatProfile(*again) != written) {
        std::fprintf(stderr, "a second round trip changes the text\n");
        std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include <filesystem>
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

std::string sample() {
    roofscope::test::SyntheticProfile p;
    const auto a = p.kernel("a<float>(float*)");
    const auto b = p.kernel("b");
    auto first = p.launch(a, {1024, 2}, {256});
    first.set("x.sum", 1e9).set("y.pct", 0.125).durationUs(3).range("r");
    p.sourcePass(first)
        .instruction("LDG.E R4, [R2.64]", "a.cu", 3)
        .executed(8)
        .sectors(32, 4)
        .instruction("EXIT")
        .text("a.cu", 2, {"", "y[i] = x[i];"});
    p.launch(b, {7}, {32}).set("x.sum", 5).cluster({2}).dynamicSharedBytes(4096);
    p.issue(Severity::DataLoss, "code", "message");
    return formatProfile(p.build());
}

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
                                          "{\"all\":1}",
                                          "{\"all\":null}",
                                          "\\u0000",
                                          "99999999999999999999",
                                          "true",
                                          "\xff",
                                          "-0",
                                          "\\ud800"};
    return fuzz::damaged(std::move(text), kPieces, random, {});
}

}  // namespace

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    std::size_t files = 0;
    const auto runFile = [&](const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        runOne({std::istreambuf_iterator<char>(in), {}});
        ++files;
    };
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            runFile(argv[i]);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
            if (entry.is_regular_file()) runFile(entry.path());
        }
    }
    const std::string start = sample();
    runOne(start);
    std::mt19937_64 random(1);  // the same inputs on every machine
    constexpr int kRuns = 20'000;
    for (int i = 0; i < kRuns; ++i) runOne(mutate(start, random));
    std::printf("%zu files and %d damaged profiles: no crash\n", files, kRuns);
    return 0;
}
#endif
