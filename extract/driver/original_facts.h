// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

#include "extract/driver/json_value.h"
#include "extract/driver/number_type.h"

namespace roofscope::replay {

/// `original.json`: what replays of the original showed.
struct OriginalFacts {
    static constexpr const char* kFile = "original.json";

    std::uint64_t writtenBytes = 0;
    std::uint64_t poisonedBytes = 0;
    std::uint64_t differingBytes = 0;  ///< bytes unlike the program's, in any replay
    /// Replays differ from each other, so the kernel's result depends on the order of its threads.
    bool varies = false;
    NumberType varyingType = NumberType::Bytes;
    Tolerance varying;                ///< derived from the differences between replays
    std::uint64_t untestedParts = 0;  ///< parts of memory that there was no time to test
    double warmSeconds = 0, coldSeconds = 0;
    bool poisonHolds = false;  ///< the original is right with poisoned memory

    /// Whether every replay gave the program's result, byte for byte.
    [[nodiscard]] bool exact() const { return differingBytes == 0; }

    void write(const std::string& folder) const {
        const std::string path = folder + "/" + kFile;
        std::ofstream file(path);
        char numbers[256];
        std::snprintf(numbers, sizeof numbers,
                      " \"varying_relative\": %.9g,\n \"varying_absolute\": %.9g,\n"
                      " \"warm_seconds\": %.9g,\n \"cold_seconds\": %.9g,\n",
                      varying.relative, varying.absolute, warmSeconds, coldSeconds);
        file << "{\n \"written_bytes\": " << writtenBytes
             << ",\n \"poisoned_bytes\": " << poisonedBytes
             << ",\n \"differing_bytes\": " << differingBytes
             << ",\n \"untested_parts\": " << untestedParts
             << ",\n \"varies\": " << (varies ? "true" : "false") << ",\n \"varying_type\": \""
             << nameOf(varyingType) << "\",\n"
             << numbers << " \"poison_holds\": " << (poisonHolds ? "true" : "false") << "\n}\n";
        if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
    }

    /// Returns false if there is no such file. Throws std::runtime_error if it is damaged.
    bool read(const std::string& folder) {
        const std::string path = folder + "/" + kFile;
        std::ifstream file(path, std::ios::binary);
        if (!file) return false;
        try {
            const JsonValue json =
                JsonValue::parse(std::string{std::istreambuf_iterator<char>(file), {}});
            writtenBytes = json.at("written_bytes").number();
            poisonedBytes = json.at("poisoned_bytes").number();
            differingBytes = json.at("differing_bytes").number();
            untestedParts = json.at("untested_parts").number();
            varies = json.at("varies").flag();
            varyingType = numberTypeOf(json.at("varying_type").text()).value_or(NumberType::Bytes);
            varying = {json.at("varying_relative").real(), json.at("varying_absolute").real()};
            warmSeconds = json.at("warm_seconds").real();
            coldSeconds = json.at("cold_seconds").real();
            poisonHolds = json.at("poison_holds").flag();
        } catch (const std::exception& error) {
            throw std::runtime_error(path + ": " + error.what() + "; delete it");
        }
        return true;
    }
};

}  // namespace roofscope::replay
