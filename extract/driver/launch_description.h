// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "extract/driver/json_value.h"

namespace roofscope::replay {

using Shape = std::array<unsigned, 3>;

/// `launch.json`: what was launched, and where its memory was.
struct LaunchDescription {
    static constexpr const char* kFile = "launch.json";
    static constexpr const char* kFormat = "roofscope-launch";
    static constexpr std::uint64_t kVersion = 1;

    struct Parameter {
        std::uint64_t offset = 0;
        std::vector<unsigned char> bytes;
    };
    struct Region {
        std::uint64_t address = 0, bytes = 0;
        std::string variable;  ///< symbol of the variable; empty for an allocation
    };

    std::string symbol, name;  ///< mangled and readable
    Shape grid{}, block{};
    std::optional<Shape> cluster;
    unsigned dynamicSharedBytes = 0;
    bool cooperative = false;
    int computeMajor = 0, computeMinor = 0;
    std::string gpu;
    std::optional<int> registers, staticSharedBytes, localBytes, maxDynamicSharedBytes,
        sharedCarveout, nonportableCluster;
    std::vector<Parameter> parameters;
    std::vector<std::string> modules;  ///< file names; one of the modules holds the kernel
    std::vector<Region> regions;       ///< in the order of `memory.index`
    std::optional<double> programNs;   ///< duration of this launch in the program

    /// Reads it from a folder. Throws std::runtime_error with the reason.
    static LaunchDescription read(const std::string& folder);
    static LaunchDescription parse(const std::string& text);
};

namespace launch_description_detail {

inline constexpr std::uint64_t kMostParameterBytes = 32764;
/// Addresses have at most 57 bits.
inline constexpr std::uint64_t kHighestAddress = 1ULL << 57;

inline Shape shapeOf(const JsonValue& json) {
    if (json.items().size() != 3) throw std::runtime_error("a shape needs three numbers");
    Shape shape{};
    for (std::size_t i = 0; i < 3; ++i) {
        shape[i] = static_cast<unsigned>(json.items()[i].number(0x7fffffff));
        if (shape[i] == 0) throw std::runtime_error("a shape has a 0");
    }
    return shape;
}

inline int digitOf(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw std::runtime_error("a hexadecimal digit is expected");
}

inline std::vector<unsigned char> bytesOf(const std::string& hex) {
    if (hex.size() % 2 != 0) throw std::runtime_error("half a byte is missing");
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(digitOf(hex[i]) * 16 + digitOf(hex[i + 1])));
    return bytes;
}

inline std::uint64_t addressOf(const std::string& text) {
    if (text.size() < 3 || text.size() > 18 || text.compare(0, 2, "0x") != 0)
        throw std::runtime_error("an address is expected");
    std::uint64_t address = 0;
    for (std::size_t i = 2; i < text.size(); ++i)
        address = address * 16 + static_cast<std::uint64_t>(digitOf(text[i]));
    if (address >= kHighestAddress) throw std::runtime_error("an address is out of range");
    return address;
}

inline std::optional<int> attributeOf(const JsonValue& json, const char* key) {
    // -1 means that the driver decides.
    if (!json.has(key) || json.at(key).isNull() || json.at(key).real() < 0) return {};
    return static_cast<int>(json.at(key).number(0x7fffffff));
}

/// The name of a file directly in the folder, so never a path that leads out of it.
inline std::string fileOf(const std::string& name) {
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos)
        throw std::runtime_error("a file must lie in the folder");
    return name;
}

}  // namespace launch_description_detail

inline LaunchDescription LaunchDescription::parse(const std::string& text) {
    using namespace launch_description_detail;
    const JsonValue json = JsonValue::parse(text);
    if (json.at("format").text() != kFormat)
        throw std::runtime_error("is not a launch of roofscope extract");
    if (json.at("version").number() != kVersion)
        throw std::runtime_error(
            "has another version of the format; use the roofscope that "
            "wrote it");
    LaunchDescription d;
    d.symbol = json.at("symbol").text();
    d.name = json.at("name").text();
    d.grid = shapeOf(json.at("grid"));
    d.block = shapeOf(json.at("block"));
    if (!json.at("cluster").isNull()) d.cluster = shapeOf(json.at("cluster"));
    d.dynamicSharedBytes =
        static_cast<unsigned>(json.at("dynamic_shared_bytes").number(0x7fffffff));
    d.cooperative = json.at("cooperative").flag();
    d.gpu = json.at("gpu").text();
    const std::vector<JsonValue>& compute = json.at("compute").items();
    if (compute.size() != 2) throw std::runtime_error("a compute capability needs two numbers");
    d.computeMajor = static_cast<int>(compute[0].number(99));
    d.computeMinor = static_cast<int>(compute[1].number(99));
    d.registers = attributeOf(json, "registers");
    d.staticSharedBytes = attributeOf(json, "static_shared_bytes");
    d.localBytes = attributeOf(json, "local_bytes");
    d.maxDynamicSharedBytes = attributeOf(json, "max_dynamic_shared_bytes");
    d.sharedCarveout = attributeOf(json, "shared_carveout");
    d.nonportableCluster = attributeOf(json, "nonportable_cluster");
    if (json.has("program_ns") && !json.at("program_ns").isNull())
        d.programNs = json.at("program_ns").real();
    std::uint64_t total = 0;
    for (const JsonValue& p : json.at("parameters").items()) {
        Parameter parameter{p.at("offset").number(kMostParameterBytes),
                            bytesOf(p.at("value").text())};
        if (p.at("bytes").number() != parameter.bytes.size() ||
            (total += parameter.bytes.size()) > kMostParameterBytes)
            throw std::runtime_error("the size of a parameter is wrong");
        d.parameters.push_back(std::move(parameter));
    }
    for (const JsonValue& file : json.at("modules").items())
        d.modules.push_back(fileOf(file.text()));
    if (d.modules.empty()) throw std::runtime_error("no module is named");
    for (const JsonValue& r : json.at("memory").items()) {
        Region region{addressOf(r.at("address").text()), r.at("bytes").number(kHighestAddress), {}};
        if (region.bytes == 0 || region.bytes > kHighestAddress - region.address)
            throw std::runtime_error("the size of a region is wrong");
        d.regions.push_back(region);
    }
    for (const JsonValue& v : json.at("variables").items()) {
        if (d.regions.empty()) throw std::runtime_error("a variable has no region");
        Region& region = d.regions[v.at("region").number(d.regions.size() - 1)];
        if (!region.variable.empty()) throw std::runtime_error("two variables have one region");
        region.variable = v.at("name").text();
    }
    return d;
}

inline LaunchDescription LaunchDescription::read(const std::string& folder) {
    const std::string path = folder + "/" + kFile;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be opened");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    try {
        return parse(text);
    } catch (const std::exception& error) {
        throw std::runtime_error(path + ": " + error.what());
    }
}

}  // namespace roofscope::replay
