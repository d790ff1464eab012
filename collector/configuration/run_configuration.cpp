// SPDX-License-Identifier: Apache-2.0
#include "collector/configuration/run_configuration.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

/// An absent value is null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
    static void to_json(json& json, const std::optional<T>& value) {
        json = value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    }
    static void from_json(const json& json, std::optional<T>& value) {
        value = json.is_null() ? std::nullopt : std::optional(json.get<T>());
    }
};

namespace roofscope {

NLOHMANN_JSON_SERIALIZE_ENUM(RunConfiguration::Mode,
                             {{RunConfiguration::Mode::Timing, "timing"},
                              {RunConfiguration::Mode::Counters, "counters"},
                              {RunConfiguration::Mode::Source, "source"},
                              {RunConfiguration::Mode::Stalls, "stalls"},
                              {RunConfiguration::Mode::OverTime, "over-time"},
                              {RunConfiguration::Mode::Ranges, "ranges"}})
NLOHMANN_JSON_SERIALIZE_ENUM(RunConfiguration::Replay,
                             {{RunConfiguration::Replay::Kernel, "kernel"},
                              {RunConfiguration::Replay::Application, "application"},
                              {RunConfiguration::Replay::Multiplex, "multiplex"}})
NLOHMANN_JSON_SERIALIZE_ENUM(TimelineDetail, {{TimelineDetail::Off, "off"},
                                              {TimelineDetail::Gpu, "gpu"},
                                              {TimelineDetail::Full, "full"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchSelection, kernel, ranges, notRanges, autotuning, devices,
                                   skip, count, fromStart)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunConfiguration, mode, serial, timeOthers, growMemory, timeline,
                                   callSites, countFirst, leastStart, replay, groups, counters,
                                   passGroups, selection, tuningFolder, tuned, flushCaches,
                                   perKernel, countOneIfCostly, picks, onlyPicks, sourceSignature,
                                   sourceOrdinal, samplingPeriod, intervals, measuredRanges,
                                   rangeDepth)

namespace {

using Json = nlohmann::json;

/// FNV-1a: the same in every process and every build.
class Hash {
public:
    explicit Hash(std::uint64_t begun = 0xCBF29CE484222325ULL) : m_value(begun) {}
    void add(std::string_view text) {
        for (const char c : text) byte(static_cast<unsigned char>(c));
        byte(0);
    }
    void add(std::uint64_t number) {
        for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(number >> (8 * i)));
    }
    void add(const Dim3& d) {
        add(d.x);
        add(d.y);
        add(d.z);
    }
    [[nodiscard]] std::uint64_t value() const { return m_value; }

private:
    void byte(unsigned char b) { m_value = (m_value ^ b) * 0x100000001B3ULL; }
    std::uint64_t m_value;
};

}  // namespace

bool LaunchSelection::all() const {
    return kernel.empty() && ranges.empty() && notRanges.empty() && devices.empty() && skip == 0 &&
           !count && fromStart;
}

std::uint64_t kernelSignature(std::string_view symbol) {
    Hash hash;
    hash.add(symbol);
    return hash.value();
}

std::uint64_t launchSignature(std::string_view symbol, const Launch& shape,
                              std::string_view range) {
    return launchSignature(kernelSignature(symbol), shape, range);
}

std::uint64_t launchSignature(std::uint64_t kernel, const Launch& shape, std::string_view range) {
    Hash hash(kernel);
    hash.add(range);
    hash.add(shape.grid);
    hash.add(shape.block);
    hash.add(shape.cluster.value_or(Dim3{}));
    hash.add(shape.dynamicSharedBytes);
    return hash.value();
}

std::uint64_t launchSignature(const Profile& profile, const Launch& launch) {
    return launchSignature(profile.kernels[launch.kernel].symbol, launch,
                           launch.range ? profile.ranges[*launch.range] : std::string_view());
}

Result<void> writeRunConfiguration(const RunConfiguration& configuration,
                                   const std::filesystem::path& folder) {
    const auto path = folder / kRunConfigurationFile;
    std::ofstream file(path, std::ios::binary);
    file << Json(configuration).dump(-1, ' ', false, Json::error_handler_t::replace);
    file.close();
    if (!file)
        return Error{.code = ErrorCode::Io,
                     .what = "cannot be written",
                     .where = path.string(),
                     .advice = "set TMPDIR to a folder with free space"};
    return {};
}

Result<RunConfiguration> readRunConfiguration(const std::filesystem::path& folder) {
    const auto path = folder / kRunConfigurationFile;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{.code = ErrorCode::NoInput, .what = "cannot be read", .where = path.string()};
    try {
        return Json::parse(file).get<RunConfiguration>();
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal,
                     .what = fmt::format("is damaged: {}", error.what()),
                     .where = path.string()};
    }
}

}  // namespace roofscope
