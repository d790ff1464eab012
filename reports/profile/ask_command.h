// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace roofscope {

/// The two commands that measure an edit, one per line, quoted for a POSIX shell: record the same
/// program into a new profile, then report on the same kernel and no other. `more`: counter groups
/// to read beside those of this profile.
[[nodiscard]] std::string askCommand(const Analysis& analysis, std::size_t kernelIndex,
                                     const ReportOptions& options,
                                     const std::vector<std::string>& more = {});

/// The two commands that measure an edit of the program: record it again, then compare. Groups of
/// counters that rules lacked for kernels which matter are read as well.
[[nodiscard]] std::string nextCommand(const Analysis& analysis, const ReportOptions& options);

/// The counter groups without which rules could not judge this kernel.
[[nodiscard]] std::vector<std::string> lackingGroups(const Profile& profile,
                                                     const KernelAnalysis& kernel);
/// The groups that a recording of the whole program reads beside those of this one, after an edit.
/// Empty where this one has the default counters: then `record` asks by itself for what they leave
/// open, which it does not if groups are given.
[[nodiscard]] std::vector<std::string> groupsForNext(const Analysis& analysis);

/// How the recording was made, as far as it changes what is measured: options of "roofscope
/// record", each after a blank, with their values quoted for a shell.
[[nodiscard]] std::string howRecorded(const Capture& capture);

/// Name of the next profile: "app.roofscope.json" → "app-after.roofscope.json" →
/// "app-after2.roofscope.json".
[[nodiscard]] std::string nextProfileName(std::string_view path);

}  // namespace roofscope
