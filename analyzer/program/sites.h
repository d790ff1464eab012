// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope::program {

/// The line to look at: of a backward pass that of the forward one, where it is known. Line 0:
/// none.
[[nodiscard]] CodeLine lineOf(const CallSite& site);
/// What a place is called in lists: "train.py:5 (step)", without the folders of its path; of
/// compiled code without lines the function, or the file and the address in it. Of a backward pass
/// the line of the forward one, where that is known. Empty where no place is known.
[[nodiscard]] std::string placeText(const CallSite& site);
/// The framework's operator: "aten::gelu [2048, 4096]", "GeluBackward0: aten::gelu_backward". Empty
/// where none is known.
[[nodiscard]] std::string operatorText(const CallSite& site);
/// Both: "train.py:5 (step) aten::gelu [2048, 4096]".
[[nodiscard]] std::string siteText(const CallSite& site);

/// Where this group's kernel is launched from, in whatever shape, most often first.
[[nodiscard]] std::vector<const CallSite*> launchSitesOf(const Profile& profile,
                                                         const KernelAnalysis& kernel);

/// Adds to `sites` where this group's kernel is launched from, each place with its part of `bound`
/// by how often it launched. Of its NVTX range where no place is known; nothing without either.
void addLaunchSites(std::map<std::string, double>& sites, const Profile& profile,
                    const KernelAnalysis& kernel, double bound);

/// Adds where the launch or copy is issued that ends this host work, with its time.
void addSitesAfter(std::map<std::string, double>& sites, const Profile& profile,
                   const HostWork& work);

/// Where functions of CUDA of this kind are called from, with their parts of `bound`: to each
/// function what its calls took of their time, and to its lines by how often they called it.
[[nodiscard]] std::vector<ActionSite> sitesOfCalls(const Profile& profile, CallKind kind,
                                                   Seconds bound);

/// Most first, at most kMostSites.
[[nodiscard]] std::vector<ActionSite> mostFirst(const std::map<std::string, double>& sites);

}  // namespace roofscope::program
