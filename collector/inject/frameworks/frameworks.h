// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profile/model/profile.h"

/// What is special about each framework that launches kernels, in one table, so that measurements
/// need not know frameworks. The scripts named here do what must be done from within Python.
namespace roofscope::inject {

/// What the injected library knows about one framework.
struct Framework {
    std::string_view name;
    /// How the names of its shared objects begin; needed only if it matters whether it is loaded.
    std::span<const std::string_view> libraries = {};
    /// Set if the framework launches kernels one by one instead of in CUDA graphs while counters
    /// are read; the issue to report in that case. The times of such a run are not the program's
    /// own, so a process that has loaded the framework is timed in a separate run.
    const Issue* oneByOneWhileCounted = nullptr;
    /// The framework's modules have thousands of variables, and CUPTI saves each of them before it
    /// replays a launch. That takes 60 to 170 ms, where a launch of one pass takes 16 ms.
    bool manyVariables = false;
    /// Turns the name of one of its NVTX ranges into one that is the same in all runs. Empty: the
    /// range is ignored. nullptr: names stay as they are.
    std::string (*rangeName)(std::string name) = nullptr;
    /// The shared object whose profiler reports operators as NVTX ranges; empty if there is none.
    std::string_view operatorsLibrary = {};
    /// Scripts in python/. `tuningScripts` mark launches that try out configurations;
    /// `operatorScripts` let its profiler report operators, for call sites.
    std::span<const std::string_view> tuningScripts = {}, operatorScripts = {};
};

[[nodiscard]] std::span<const Framework> frameworks();

/// The name by which a range is counted, after Framework::rangeName of each framework.
[[nodiscard]] std::string countedName(std::string name);
/// Whether this process has loaded a framework that launches one by one while counters are read.
[[nodiscard]] bool launchesOneByOneWhileCounted();
/// Whether this process has loaded a framework whose modules have many variables.
[[nodiscard]] bool holdsManyVariables();
/// Whether a shared object, given by its path, is one that reports operators.
[[nodiscard]] bool reportsOperators(std::string_view path);

}  // namespace roofscope::inject
