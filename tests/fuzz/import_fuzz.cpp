// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the importer of ncu exports; built and run like profile_fuzz.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "importer/import.h"
#include "profile/codec.h"

using namespace roofscope;

/// Whatever the bytes are: no crash, an error with text and place, or a profile that is valid.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    ImportOptions options;
    options.limits = {.maxBytes = 1 << 20,
                      .maxColumns = 1000,
                      .maxLaunches = 1000,
                      .maxValues = 100'000,
                      .maxCellBytes = 10'000};
    const auto profile = importNcuCsv(text, "fuzz", options);
    if (!profile.ok()) {
        const Error& error = profile.error();
        if (error.code != ErrorCode::BadData || error.what.empty() || error.where.empty()) {
            std::fprintf(stderr, "bad error: %s\n", error.message().c_str());
            std::abort();
        }
        return 0;
    }
    if (const auto valid = validateProfile(*profile, "imported"); !valid.ok()) {
        std::fprintf(stderr, "not valid: %s\n", valid.error().message().c_str());
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
#include <vector>

#include "tests/fuzz/damage.h"

namespace {

std::string readFile(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void runOne(const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

/// One to six changes: bytes, pieces cut out, doubled or exchanged for something nasty.
std::string mutate(std::string text, std::mt19937_64& random) {
    static const std::string kPieces[] = {"\"",
                                          "\"\"",
                                          ",",
                                          "\n",
                                          "\r\n",
                                          "\r",
                                          "\"ID\",",
                                          "nan",
                                          "1e999",
                                          "-1",
                                          "0,27",
                                          "1.234",
                                          "1,2,3",
                                          "Kbyte",
                                          "Kfoo",
                                          "us/us",
                                          "4294967296",
                                          "99999999999999999999",
                                          "\xff",
                                          "\xC2\xA0",
                                          std::string(1, '\0'),
                                          "(0, 0, 0)",
                                          "(4294967296, 1",
                                          "9.",
                                          "\xEF\xBB\xBF",
                                          "==PROF== \"\n",
                                          "\"\",\"\"",
                                          "(1; 2)",
                                          "1e",
                                          "Push/Pop_Range",
                                          ":::",
                                          "launch__block_dim_x"};
    return fuzz::damaged(std::move(text), kPieces, random,
                         {.mostChanges = 6, .longest = 40, .oftenInserts = true});
}

}  // namespace

/// import_fuzz [--runs N] FILE|FOLDER…: runs over the files, then over damaged copies of them.
int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    std::vector<std::string> corpus;
    long runs = 20'000;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--runs" && i + 1 < argc) {
            runs = std::strtol(argv[++i], nullptr, 10);
        } else if (fs::is_directory(argv[i])) {
            for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
                if (entry.is_regular_file()) corpus.push_back(readFile(entry.path()));
        } else {
            corpus.push_back(readFile(argv[i]));
        }
    }
    for (const std::string& text : corpus) runOne(text);
    std::mt19937_64 random(1);  // the same inputs on every machine
    for (long i = 0; i < runs && !corpus.empty(); ++i)
        runOne(mutate(corpus[random() % corpus.size()], random));
    std::printf("%zu files and %ld damaged exports: no crash\n", corpus.size(), runs);
    return corpus.empty() ? 1 : 0;
}
#endif
