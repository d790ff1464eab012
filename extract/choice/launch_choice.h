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

/// Which launch of a kernel to extract.
struct LaunchChoice {
    enum class Which { First, Median, Slowest, Number };

    Which which = Which::Median;
    std::uint64_t number = 0;  ///< with Which::Number: the launch's number, from 1

    /// "first", "median", "slowest", or a number from 1. Errors: Usage.
    static Result<LaunchChoice> parse(const std::string& text);
};

/// A launch of a profile, and how to find it again in another run of the program.
struct ChosenLaunch {
    std::uint32_t launch = 0;     ///< its row in the profile
    std::uint64_t signature = 0;  ///< launchSignature()
    std::uint64_t ordinal = 0;    ///< its number among the process's launches with this signature
    std::size_t among = 0;        ///< number of the kernel's launches that could be chosen
    std::size_t kernels = 0;      ///< number of matching kernels; the one with most time is taken
};

/// Chooses a launch of the kernel that takes the most time. All launches of the profile are taken
/// to match what the user asked for. Launches from CUDA graphs cannot be extracted and are left
/// out. Errors: NoInput (no launch), Unavailable (only launches from graphs), Usage (too few
/// launches).
[[nodiscard]] Result<ChosenLaunch> chooseLaunch(const Profile& profile, const LaunchChoice& choice);

/// Chooses one launch of each of the `most` kernels that take the most time, longest first. Only
/// kernels for which `wanted` returns true count; without it, all do. Same errors as above.
[[nodiscard]] Result<std::vector<ChosenLaunch>> chooseLaunches(
    const Profile& profile, const LaunchChoice& choice, std::size_t most,
    const std::function<bool(const Kernel&)>& wanted = {});

}  // namespace roofscope
