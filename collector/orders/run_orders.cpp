// SPDX-License-Identifier: Apache-2.0
#include "collector/orders/run_orders.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace roofscope {
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

bool Selection::all() const {
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

Result<void> writeOrders(const RunOrders& o, const std::filesystem::path& folder) {
    Json picks = Json::object();
    for (const auto& [signature, ordinals] : o.picks) picks[std::to_string(signature)] = ordinals;
    Json json{{"timing", o.mode == RunOrders::Mode::Timing},
              {"source", o.mode == RunOrders::Mode::Source},
              {"serial", o.serial},
              {"stalls", o.mode == RunOrders::Mode::Stalls},
              {"sampling_period", o.samplingPeriod},
              {"in_ranges", o.mode == RunOrders::Mode::Ranges},
              {"measured_ranges", o.measuredRanges},
              {"range_depth", o.rangeDepth},
              {"source_signature", o.sourceSignature},
              {"source_ordinal", o.sourceOrdinal},
              {"application", o.replay == RunOrders::Replay::Application},
              {"multiplex", o.replay == RunOrders::Replay::Multiplex},
              {"pass_groups", o.passGroups},
              {"groups", o.groups},
              {"counters", o.counters},
              {"kernel", o.selection.kernel},
              {"ranges", o.selection.ranges},
              {"not_ranges", o.selection.notRanges},
              {"autotuning", o.selection.autotuning},
              {"devices", o.selection.devices},
              {"skip", o.selection.skip},
              {"from_start", o.selection.fromStart},
              {"flush_caches", o.flushCaches},
              {"per_kernel", o.perKernel},
              {"picks", std::move(picks)}};
    if (o.selection.count) json["count"] = *o.selection.count;
    const auto path = folder / kOrdersFile;
    std::ofstream file(path, std::ios::binary);
    file << json.dump(-1, ' ', false, Json::error_handler_t::replace);
    file.close();
    if (!file)
        return Error{.code = ErrorCode::Io,
                     .what = "cannot be written",
                     .where = path.string(),
                     .advice = "set TMPDIR to a folder with room"};
    return {};
}

Result<RunOrders> readOrders(const std::filesystem::path& folder) {
    RunOrders o;
    const auto path = folder / kOrdersFile;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{.code = ErrorCode::NoInput,
                     .what = "cannot be read",
                     .where = path.string(),
                     .advice = {}};
    try {
        const Json json = Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
        o.mode = json.at("timing")      ? RunOrders::Mode::Timing
                 : json.at("source")    ? RunOrders::Mode::Source
                 : json.at("stalls")    ? RunOrders::Mode::Stalls
                 : json.at("in_ranges") ? RunOrders::Mode::Ranges
                                        : RunOrders::Mode::Counters;
        json.at("serial").get_to(o.serial);
        json.at("sampling_period").get_to(o.samplingPeriod);
        json.at("measured_ranges").get_to(o.measuredRanges);
        json.at("range_depth").get_to(o.rangeDepth);
        json.at("source_signature").get_to(o.sourceSignature);
        json.at("source_ordinal").get_to(o.sourceOrdinal);
        o.replay = json.at("application") ? RunOrders::Replay::Application
                   : json.at("multiplex") ? RunOrders::Replay::Multiplex
                                          : RunOrders::Replay::Kernel;
        json.at("pass_groups").get_to(o.passGroups);
        json.at("groups").get_to(o.groups);
        json.at("counters").get_to(o.counters);
        json.at("kernel").get_to(o.selection.kernel);
        json.at("ranges").get_to(o.selection.ranges);
        json.at("not_ranges").get_to(o.selection.notRanges);
        json.at("autotuning").get_to(o.selection.autotuning);
        json.at("devices").get_to(o.selection.devices);
        json.at("skip").get_to(o.selection.skip);
        json.at("from_start").get_to(o.selection.fromStart);
        json.at("flush_caches").get_to(o.flushCaches);
        if (json.contains("count")) o.selection.count = json.at("count").get<std::uint64_t>();
        json.at("per_kernel").get_to(o.perKernel);
        for (const auto& [signature, ordinals] : json.at("picks").items())
            o.picks[std::stoull(signature)] = ordinals.get<std::vector<std::uint32_t>>();
    } catch (const std::exception& error) {
        return Error{.code = ErrorCode::Internal,
                     .what = fmt::format("is not what was written: {}", error.what()),
                     .where = path.string(),
                     .advice = {}};
    }
    return o;
}

}  // namespace roofscope
