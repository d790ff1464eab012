// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Which launch of a kernel is to be extracted.
struct LaunchChoice {
    enum class Which { First, Median, Slowest, Number };

    Which which = Which::Median;
    std::uint64_t number = 0;  ///< Number: from 1

    /// "first", "median", "slowest", or a number from 1. Errors: Usage.
    static Result<LaunchChoice> parse(const std::string& text);
};

/// A launch of a profile, and how a further run of the program finds it again.
struct ChosenLaunch {
    std::uint32_t launch = 0;     ///< row of the profile
    std::uint64_t signature = 0;  ///< launchSignature()
    std::uint64_t ordinal = 0;    ///< among the launches of that signature in its process
    std::size_t among = 0;        ///< how many launches of the kernel there were to choose from
    std::size_t kernels = 0;      ///< how many kernels matched; the one with the most time is taken
};

/// Chooses among the launches of the kernel that takes the most time; every launch of the profile
/// is taken to match what the user asked for. Launches from CUDA graphs cannot be extracted and
/// are left out. Errors: NoInput (no launch), Unavailable (only launches from graphs), Usage (not
/// so many launches).
[[nodiscard]] Result<ChosenLaunch> chooseLaunch(const Profile& profile, const LaunchChoice& choice);

/// A launch of each of the `most` kernels that take the most time, most first, of those whose name
/// is `wanted`. The same errors.
[[nodiscard]] Result<std::vector<ChosenLaunch>> chooseLaunches(
    const Profile& profile, const LaunchChoice& choice, std::size_t most,
    const std::function<bool(const Kernel&)>& wanted = {});

}  // namespace roofscope
