// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profile/model/profile.h"

/// What is special about the frameworks that launch kernels, in one table, so that no measurement
/// has to know any of them. What must be done from within Python is in the scripts named here.
namespace roofscope::inject {

/// What the injected library knows about one framework.
struct Framework {
    std::string_view name;
    /// Beginnings of the names of its shared objects, if it matters whether it is loaded.
    std::span<const std::string_view> libraries = {};
    /// Set if it launches kernels one by one, not in CUDA graphs, while counters are read. Its
    /// times are then not those of the program, so a process that has it loaded is timed in a run
    /// of its own. This issue is reported when it happens; nullptr: it does not.
    const Issue* oneByOneWhileCounted = nullptr;
    /// Gives the name under which one of its NVTX ranges counts, which is the same in all runs.
    /// Empty: the range is ignored. nullptr: ranges count by their own names.
    std::string (*rangeName)(std::string name) = nullptr;
    /// The shared object whose profiler reports operators as NVTX ranges; empty: none does.
    std::string_view operatorsLibrary = {};
    /// Scripts in python/. `tuningScripts` mark launches that try out configurations;
    /// `operatorScripts` let its profiler report operators, for call sites.
    std::span<const std::string_view> tuningScripts = {}, operatorScripts = {};
};

[[nodiscard]] std::span<const Framework> frameworks();

/// The name under which a range counts, by Framework::rangeName of each framework.
[[nodiscard]] std::string countedName(std::string name);
/// Whether this process has loaded a framework that launches one by one while counters are read.
[[nodiscard]] bool launchesOneByOneWhileCounted();
/// Whether a shared object, given by its path, is one that reports operators.
[[nodiscard]] bool reportsOperators(std::string_view path);

}  // namespace roofscope::inject
