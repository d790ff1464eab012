// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// How fuzz targets damage their samples when they run as tests.
namespace roofscope::fuzz {

struct Damage {
    std::size_t mostChanges = 4;
    std::size_t longest = 12;   ///< most bytes that a change removes, doubles or replaces, plus one
    bool oftenInserts = false;  ///< three of four pieces are inserted without removing anything
};

/// Pieces that are troublesome for a JSON reader.
inline const std::vector<std::string> kJsonPieces{"{",
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
                                                  "true",
                                                  "\xff",
                                                  "\\ud800",
                                                  "1e-320",
                                                  "\\u0000",
                                                  "\n",
                                                  " ",
                                                  "-0",
                                                  "[[[[[[[[[[[[",
                                                  "{\"all\":1}",
                                                  "{\"all\":null}",
                                                  "99999999999999999999"};

/// Makes one to `mostChanges` changes: changes bytes, removes or doubles stretches, or replaces
/// them by one of the troublesome `pieces`.
inline std::string damaged(std::string text, std::span<const std::string> pieces,
                           std::mt19937_64& random, const Damage& damage) {
    for (auto changes = 1 + random() % damage.mostChanges; changes > 0 && !text.empty();
         --changes) {
        const std::size_t at = random() % text.size();
        const std::size_t length =
            std::min<std::size_t>(random() % damage.longest, text.size() - at);
        switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), length));
                break;
            default: {
                const bool insert = damage.oftenInserts && random() % 4 != 0;
                text.replace(at, insert ? 0 : length, pieces[random() % pieces.size()]);
            }
        }
    }
    return text;
}

/// The main program of a target without libFuzzer: `[--runs N] FILE|FOLDER…` runs the files and
/// `samples`, then `runs` damaged copies of them.
inline int runDamaged(int argc, char** argv, std::vector<std::string> samples,
                      std::span<const std::string> pieces, const Damage& damage = {},
                      long runs = 20'000) {
    namespace fs = std::filesystem;
    const auto add = [&samples](const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        samples.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    };
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--runs" && i + 1 < argc) {
            runs = std::strtol(argv[++i], nullptr, 10);
        } else if (fs::is_directory(argv[i])) {
            // Sorted by name, so that inputs are the same on every machine.
            std::vector<fs::path> files;
            for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
                if (entry.is_regular_file()) files.push_back(entry.path());
            std::sort(files.begin(), files.end());
            for (const fs::path& file : files) add(file);
        } else {
            add(argv[i]);
        }
    }
    const auto run = [](const std::string& text) {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    };
    for (const std::string& text : samples) run(text);
    std::mt19937_64 random(1);
    for (long i = 0; i < runs && !samples.empty(); ++i)
        run(damaged(samples[random() % samples.size()], pieces, random, damage));
    std::printf("%zu texts and %ld damaged copies: no crash\n", samples.size(), runs);
    return samples.empty() ? 1 : 0;
}

}  // namespace roofscope::fuzz
