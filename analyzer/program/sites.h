// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/program/program.h"

namespace roofscope::program {

/// What a place is called in lists: "train.py:5 (step)", without the folders of its path; of
/// compiled code without lines the function, or the file and the address in it.
[[nodiscard]] std::string placeText(const CallSite& site);

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
