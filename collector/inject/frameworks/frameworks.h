// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profile/model/profile.h"

/// What is special about the frameworks that launch kernels: one table, so that no measurement has
/// to know any of them. What has to be done from within Python is in the scripts that it names.
namespace roofscope::inject {

/// What the injected library knows about one framework.
struct Framework {
    std::string_view name;
    /// Beginnings of the names of its shared objects, where it matters whether it is loaded.
    std::span<const std::string_view> libraries = {};
    /// It launches kernels one by one, and not in CUDA graphs, while counters are read. Its times
    /// are then not the program's, so that a process that has it loaded is timed in a run of its
    /// own. The issue is reported when it does so; nullptr: it does not.
    const Issue* oneByOneWhileCounted = nullptr;
    /// The name under which an NVTX range of its own counts, the same in all runs; empty: the range
    /// counts for nothing. nullptr: it counts by its name.
    std::string (*rangeName)(std::string name) = nullptr;
    /// The shared object in which its profiler reports operators as NVTX ranges; empty: none does.
    std::string_view operatorsLibrary = {};
    /// The scripts in python/ that mark what it launches to try out configurations, and those that
    /// let its profiler report operators, for call sites.
    std::span<const std::string_view> tuningScripts = {}, operatorScripts = {};
};

/// All of them.
[[nodiscard]] std::span<const Framework> frameworks();

/// The name under which a range counts: Framework::rangeName of each.
[[nodiscard]] std::string countedName(std::string name);
/// Whether this process has loaded a framework that launches one by one while counters are read.
[[nodiscard]] bool launchesOneByOneWhileCounted();
/// Whether a shared object, by its path, is one in which operators are reported.
[[nodiscard]] bool reportsOperators(std::string_view path);

}  // namespace roofscope::inject
