// SPDX-License-Identifier: Apache-2.0
#include "collector/configuration/run_configuration.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

/// Writes an empty optional as null.
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

NLOHMANN_JSON_SERIALIZE_ENUM(CountersMode::Replay,
                             {{CountersMode::Replay::Kernel, "kernel"},
                              {CountersMode::Replay::Application, "application"},
                              {CountersMode::Replay::Multiplex, "multiplex"}})
NLOHMANN_JSON_SERIALIZE_ENUM(TimelineDetail, {{TimelineDetail::Off, "off"},
                                              {TimelineDetail::Gpu, "gpu"},
                                              {TimelineDetail::Full, "full"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchSelection, kernel, ranges, notRanges, autotuning, devices,
                                   skip, count, fromStart)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CountersMode, replay, groups, counters, passGroups, perKernel,
                                   countOneIfCostly, groupByGroup, hardwareOnly, accessesOfLong,
                                   moreGroups, moreOf, picks, onlyPicks, timeOthers, growMemory,
                                   callSites, rests, restAfter, enoughSeconds, paceKnown,
                                   untilLaunches, untilTransfers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimingMode, serial, timeline, cpuSamples, callSites, ranges)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CountFirstMode, counting, timing, leastStart, rests)
static void to_json(nlohmann::json& json, const RestMode&) { json = nlohmann::json::object(); }
static void from_json(const nlohmann::json&, RestMode&) {}
static void to_json(nlohmann::json& json, const SitesMode&) { json = nlohmann::json::object(); }
static void from_json(const nlohmann::json&, SitesMode&) {}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceMode, signature, ordinal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StallsMode, picks, samplingPeriod, code)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OverTimeMode, picks, intervals)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RangesMode, ranges, depth, counters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaptureMode, signature, ordinal, limitBytes, folder)

namespace {

/// Names in the file for the alternatives of RunConfiguration::Mode, in the same order.
constexpr std::array kModeNames{"counters",  "timing", "count-first", "source", "stalls",
                                "over-time", "ranges", "capture",     "rest",   "sites"};
static_assert(kModeNames.size() == std::variant_size_v<RunConfiguration::Mode>);

/// Reads the alternative of this name.
template <std::size_t N = 0>
RunConfiguration::Mode modeFrom(const nlohmann::json& json, std::string_view name) {
    if constexpr (N == kModeNames.size())
        throw std::invalid_argument("unknown mode");
    else if (name == kModeNames[N])
        return json.get<std::variant_alternative_t<N, RunConfiguration::Mode>>();
    else
        return modeFrom<N + 1>(json, name);
}

}  // namespace

static void to_json(nlohmann::json& json, const RunConfiguration& c) {
    json = std::visit([](const auto& mode) { return nlohmann::json(mode); }, c.mode);
    json["mode"] = kModeNames.at(c.mode.index());
    json["selection"] = c.selection;
    json["tuningFolder"] = c.tuningFolder;
    json["tuned"] = c.tuned;
    json["flushCaches"] = c.flushCaches;
    json["endsWith"] = c.endsWith;
}

static void from_json(const nlohmann::json& json, RunConfiguration& c) {
    c.mode = modeFrom(json, json.at("mode").get<std::string>());
    json.at("selection").get_to(c.selection);
    json.at("tuningFolder").get_to(c.tuningFolder);
    json.at("tuned").get_to(c.tuned);
    json.at("flushCaches").get_to(c.flushCaches);
    json.at("endsWith").get_to(c.endsWith);
}

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
