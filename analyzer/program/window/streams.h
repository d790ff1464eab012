// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Calls visit(state, activity, launch) for the launches of a window as forEachLaunch() does, with
/// the state of the launch's stream, which begins as `fresh`. Where an occurrence ends,
/// ended(state) is called for each stream.
template <class State, class Visit, class Ended>
void followStreams(const Profile& profile, const LaneActivity& lane, const FoundWindow& window,
                   const State& fresh, const Visit& visit, const Ended& ended) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, State> streams;  // by process and stream
    const auto endAll = [&] {
        for (auto& [stream, state] : streams) ended(state);
    };
    std::size_t before = 0;
    forEachLaunch(lane, window, [&](const Activity& activity, std::size_t span) {
        if (std::exchange(before, span) != span) endAll();
        const Launch& launch = profile.launches[activity.row];
        visit(streams.try_emplace({launch.process, launch.stream}, fresh).first->second, activity,
              launch);
    });
    endAll();
}

}  // namespace roofscope::program
