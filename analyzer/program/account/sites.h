// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/program/model/action.h"

namespace roofscope::program {

/// The line to look at; for a backward pass, the line of the forward pass if it is known. Line 0:
/// unknown.
[[nodiscard]] CodeLine lineOf(const CallSite& site);
/// The name of a place in lists: "train.py:5 (step)", without the folders of its path. For compiled
/// code without lines, the function, or the file and the address in it. For a backward pass, the
/// line of the forward pass if it is known. Empty if no place is known.
[[nodiscard]] std::string placeText(const CallSite& site);
/// The framework's operator: "aten::gelu [2048, 4096]", "GeluBackward0: aten::gelu_backward". Empty
/// if none is known.
[[nodiscard]] std::string operatorText(const CallSite& site);
/// Both: "train.py:5 (step) aten::gelu [2048, 4096]".
[[nodiscard]] std::string siteText(const CallSite& site);

/// Where this group's kernel is launched from, the most frequent place first: places that launch
/// the group's shape or, if none is known to, places whose shape is not known or differs.
[[nodiscard]] std::vector<const CallSite*> launchSitesOf(const Profile& profile,
                                                         const KernelAnalysis& kernel);

/// Adds to `sites` where this group's kernel is launched from. `bound` is distributed by how often
/// each place launched it. Uses the NVTX range if no place is known; adds nothing without either.
void addLaunchSites(std::map<std::string, double>& sites, const Profile& profile,
                    const KernelAnalysis& kernel, double bound);

/// Adds the place that issues the launch or copy that ends this host work, with the work's idle
/// time. `mayCopy` tells whether a place may have copied in the window.
void addSitesAfter(std::map<std::string, double>& sites, const Profile& profile,
                   const HostWork& work, const std::function<bool(const CallSite&)>& mayCopy);

/// Where CUDA functions of this kind are called from, as far as `isInWindow` says that the place is
/// one of the window. `bound` is distributed to functions by the time of their calls, and to lines
/// by how often they called.
[[nodiscard]] std::vector<ActionSite> sitesOfCalls(
    const Profile& profile, CallKind kind, Seconds bound,
    const std::function<bool(const CallSite&)>& isInWindow);

/// Places in the program where samples of a thread were within a library whose file name begins
/// with `module` ("libcuda.so"), each with its part of `bound`. Empty if there are too few such
/// samples.
[[nodiscard]] std::vector<ActionSite> sampledSites(const Profile& profile, const SampleTally& tally,
                                                   std::string_view module, Seconds bound);

/// The sites with the most first, at most kMostSites.
[[nodiscard]] std::vector<ActionSite> mostFirst(const std::map<std::string, double>& sites);

}  // namespace roofscope::program
