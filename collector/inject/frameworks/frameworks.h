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
    /// Set if the framework launches kernels one by one, not in CUDA graphs, while counters are
    /// read: the issue to report when that happens. Times of such a run are not those of the
    /// program, so a process that has loaded the framework is timed in a run of its own.
    const Issue* oneByOneWhileCounted = nullptr;
    /// Its modules hold thousands of variables, each of which CUPTI saves before it repeats a
    /// launch: 60 to 170 ms, where a launch of one pass takes 16 ms.
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

/// The name under which a range counts, by Framework::rangeName of each framework.
[[nodiscard]] std::string countedName(std::string name);
/// Whether this process has loaded a framework that launches one by one while counters are read.
[[nodiscard]] bool launchesOneByOneWhileCounted();
/// Whether it has loaded one whose modules hold many variables.
[[nodiscard]] bool holdsManyVariables();
/// Whether a shared object, given by its path, is one that reports operators.
[[nodiscard]] bool reportsOperators(std::string_view path);

}  // namespace roofscope::inject
