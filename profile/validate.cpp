// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "profile/codec.h"
#include "profile/codec_internal.h"

namespace roofscope {

namespace {

/// What is wrong with a measured roof, with the key at which it is; empty when nothing is. A roof
/// that is no positive number would make every share that is taken of it nonsense.
std::pair<std::string, std::string> faultOf(const Ceiling& ceiling) {
    if (ceiling.name.empty()) return {"name", "must not be empty"};
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    const std::pair<const char*, std::optional<double>> rates[] = {
        {"burst", ceiling.burst},
        {"burst_median", ceiling.burstMedian},
        {"sustained", ceiling.sustained},
        {"theoretical", ceiling.theoretical},
    };
    for (const auto& [key, rate] : rates)
        if (rate && !positive(*rate))
            return {key + std::string(rateSuffix(ceiling.kind)), "must be greater than 0"};
    if (ceiling.spread && !(std::isfinite(ceiling.spread->value) && ceiling.spread->value >= 0))
        return {"spread_ratio", "must not be negative"};
    return {};
}

}  // namespace

Result<void> validateProfile(const Profile& profile, std::string_view name) {
    const auto bad = [&](std::string pointer, std::string what) {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(what),
                     .where = fmt::format("{}: {}", name, pointer),
                     .advice = {}};
    };
    if (profile.counters.rows() != profile.launches.size()) {
        return bad("/counters", fmt::format("has {} rows for {} launches", profile.counters.rows(),
                                            profile.launches.size()));
    }
    for (std::size_t d = 0; d < profile.devices.size(); ++d) {
        const auto& ceilings = profile.devices[d].ceilings;
        for (std::size_t i = 0; i < ceilings.size(); ++i)
            if (const auto [key, what] = faultOf(ceilings[i]); !what.empty())
                return bad(fmt::format("/devices/{}/ceilings/{}/{}", d, i, key), what);
    }
    for (std::size_t i = 0; i < profile.buffers.size(); ++i)
        if (profile.buffers[i].bytes == 0)
            return bad(fmt::format("/buffers/bytes/{}", i), "must be at least 1");
    const auto arguments = profile.argumentLists.all();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].buffer >= profile.buffers.size())
            return bad(fmt::format("/argument_lists/buffer/{}", i),
                       fmt::format("refers to entry {} of \"buffers\", which has {}",
                                   arguments[i].buffer, profile.buffers.size()));
    struct Reference {
        const char* column;
        std::uint32_t index;
        std::size_t size;
        const char* list;
    };
    for (std::size_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        const Reference references[] = {
            {"kernel", launch.kernel, profile.kernels.size(), "kernels"},
            {"device", launch.device, profile.devices.size(), "devices"},
            {"process", launch.process, profile.processes.size(), "processes"},
            {"range", launch.range.value_or(0),
             launch.range ? profile.ranges.size() : std::size_t{1}, "ranges"},
            {"arguments", launch.arguments.value_or(0),
             launch.arguments ? profile.argumentLists.size() : std::size_t{1}, "argument_lists"},
        };
        for (const auto& reference : references) {
            if (reference.index < reference.size) continue;
            return bad(fmt::format("/launches/{}/{}", reference.column, row),
                       fmt::format("refers to entry {} of \"{}\", which has {}", reference.index,
                                   reference.list, reference.size));
        }
        for (const auto& [column, extents] : {std::pair{"grid", launch.grid},
                                              {"block", launch.block},
                                              {"cluster", launch.cluster.value_or(Dim3{})}}) {
            if (extents.x == 0 || extents.y == 0 || extents.z == 0) {
                const char axis = extents.x == 0 ? 'x' : extents.y == 0 ? 'y' : 'z';
                return bad(fmt::format("/launches/{}_{}/{}", column, axis, row),
                           "must be at least 1");
            }
        }
        if (launch.duration && !(launch.duration->value >= 0)) {
            return bad(fmt::format("/launches/duration_ns/{}", row), "must not be negative");
        }
    }
    return {};
}

}  // namespace roofscope
