// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "extract/driver/launch_description.h"
#include "extract/driver/number_type.h"
#include "extract/driver/replayed_kernel.h"
#include "extract/driver/stopwatch.h"

namespace roofscope::replay {

/// The driver's options, from its command line and from comments in a candidate's source.
struct ReplayOptions {
    std::string command;  ///< verify, check, run, or the name of a worker's task
    std::string folder = ".";
    std::string candidate;  ///< a cubin or a Python file
    std::string source;     ///< the candidate's source file
    std::string kernel;     ///< part of the candidate's symbol
    std::optional<Shape> grid, block, cluster;
    std::optional<unsigned> sharedBytes;
    std::optional<NumberType> type;
    std::optional<double> tolerance;
    CacheState cache = CacheState::Warm;
    unsigned runs = 1;
    unsigned first = 0;  ///< for a worker: the part of memory to test first
    double seconds = 0;  ///< for a worker: its time limit
    bool json = false;
    bool early = false;   ///< for Python: import the candidate first
    int verdictFile = 1;  ///< descriptor; Python candidates may print to stdout

    /// Whether the candidate is a Python function.
    [[nodiscard]] bool isPython() const {
        return candidate.size() > 3 && candidate.compare(candidate.size() - 3, 3, ".py") == 0;
    }

    /// The launch shape of a candidate: as in the original unless the options say otherwise.
    [[nodiscard]] LaunchShape shapeFor(const LaunchDescription& launch) const {
        return {grid.value_or(launch.grid), block.value_or(launch.block),
                cluster ? cluster : launch.cluster, sharedBytes.value_or(launch.dynamicSharedBytes),
                launch.cooperative};
    }

    /// Throws std::invalid_argument that quotes the wrong word.
    static ReplayOptions parse(const std::vector<std::string>& words) {
        ReplayOptions options;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i].rfind("--", 0) == 0) {
                options.take(words, i);
            } else if (options.command.empty()) {
                options.command = words[i];
            } else if (options.candidate.empty()) {
                options.candidate = words[i];
            } else {
                throw std::invalid_argument(words[i] + ": not expected");
            }
        }
        if (options.isPython() && (options.grid || options.block || options.cluster ||
                                   options.sharedBytes || !options.kernel.empty()))
            throw std::invalid_argument(
                "grid, block, cluster, shared and kernel: only for CUDA; a function in Python "
                "launches what it likes");
        return options;
    }

private:
    void take(const std::vector<std::string>& words, std::size_t& i) {
        const std::string option = words[i];
        const auto next = [&]() -> const std::string& {
            if (i + 1 >= words.size()) throw std::invalid_argument(option + ": needs a value");
            return words[++i];
        };
        if (option == "--json")
            json = true;
        else if (option == "--early")
            early = true;
        else if (option == "--folder")
            folder = next();
        else if (option == "--source")
            readComments(source = next());
        else if (option == "--kernel")
            kernel = next();
        else if (option == "--grid")
            grid = shape(option, words, i);
        else if (option == "--block")
            block = shape(option, words, i);
        else if (option == "--cluster")
            cluster = shape(option, words, i);
        else if (option == "--shared")
            sharedBytes = number(option, next(), 0, 1U << 30);
        else if (option == "--verdict-file")
            verdictFile = static_cast<int>(number(option, next(), 1, 1'000'000));
        else if (option == "--runs")
            runs = number(option, next(), 1, 1'000'000);
        else if (option == "--first")
            first = number(option, next(), 0, 1'000'000);
        else if (option == "--seconds")
            seconds = std::strtod(next().c_str(), nullptr);
        else if (option == "--tolerance")
            tolerance = fraction(option, next());
        else if (option == "--type")
            readType(next());
        else if (option == "--cache")
            readCache(next());
        else
            throw std::invalid_argument(option + ": no such option");
    }

    void readType(const std::string& name) {
        type = numberTypeOf(name);
        if (!type) throw std::invalid_argument("--type: bytes, f16, bf16, f32 or f64");
    }
    void readCache(const std::string& name) {
        if (name != "warm" && name != "cold") throw std::invalid_argument("--cache: warm or cold");
        cache = name == "cold" ? CacheState::Cold : CacheState::Warm;
    }

    static unsigned number(const std::string& option, const std::string& text, unsigned least,
                           unsigned most) {
        char* end = nullptr;
        const unsigned long value = std::strtoul(text.c_str(), &end, 10);
        if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || value < least ||
            value > most)
            throw std::invalid_argument(option + " " + text + ": a number from " +
                                        std::to_string(least) + " to " + std::to_string(most));
        return static_cast<unsigned>(value);
    }
    static double fraction(const std::string& option, const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0' || !(value >= 0 && value <= 1))
            throw std::invalid_argument(option + " " + text + ": a number from 0 to 1");
        return value;
    }
    /// One to three numbers; missing ones are 1.
    static Shape shape(const std::string& option, const std::vector<std::string>& words,
                       std::size_t& i) {
        Shape result{1, 1, 1};
        std::size_t count = 0;
        while (count < 3 && i + 1 < words.size() && !words[i + 1].empty() &&
               words[i + 1][0] >= '0' && words[i + 1][0] <= '9')
            result[count++] = number(option, words[++i], 1, 0x7fffffff);
        if (count == 0) throw std::invalid_argument(option + ": needs one to three numbers");
        return result;
    }

    /// Reads options from comment lines such as `// roofscope: grid 1024 1 1 block 256`, in Python
    /// `# roofscope: type f32`. They must begin the line: an example inside another comment does
    /// not count.
    void readComments(const std::string& path) {
        std::ifstream file(path);
        if (!file) throw std::invalid_argument(path + ": cannot be opened");
        const std::string mark = isPython() ? "# roofscope:" : "// roofscope:";
        std::string line;
        while (std::getline(file, line)) {
            const std::size_t at = line.find_first_not_of(" \t");
            if (at == std::string::npos || line.compare(at, mark.size(), mark) != 0) continue;
            std::istringstream text(line.substr(at + mark.size()));
            std::vector<std::string> words;
            for (std::string word; text >> word;) words.push_back(isKey(word) ? "--" + word : word);
            // The script `check` reads the rest of this line for the compiler.
            if (!words.empty() && words.front() == "nvcc") continue;
            for (std::size_t i = 0; i < words.size(); ++i) {
                if (words[i].rfind("--", 0) != 0)
                    throw std::invalid_argument(path + ": \"" + line + "\": " + words[i] +
                                                " is not known");
                take(words, i);
            }
        }
    }
    static bool isKey(const std::string& word) {
        for (const char* key :
             {"grid", "block", "cluster", "shared", "kernel", "type", "tolerance"})
            if (word == key) return true;
        return false;
    }
};

}  // namespace roofscope::replay
