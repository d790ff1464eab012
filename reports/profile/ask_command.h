// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace roofscope {

/// The two commands that measure an edit of a kernel, one per line, quoted for a POSIX shell:
/// record the same program into a new profile, then report on that kernel only. `more` are counter
/// groups to read in addition to those of this profile.
[[nodiscard]] std::string askCommand(const Analysis& analysis, std::size_t kernelIndex,
                                     const ReportOptions& options,
                                     const std::vector<std::string>& more = {});

/// The two commands that measure an edit of the program: record again, then compare. They also read
/// counter groups that rules lacked for important kernels.
[[nodiscard]] std::string nextCommand(const Analysis& analysis, const ReportOptions& options);

/// The missing counter groups that rules need to judge this kernel.
[[nodiscard]] std::vector<std::string> lackingGroups(const Profile& profile,
                                                     const KernelAnalysis& kernel);
/// Groups to read in addition when the whole program is recorded again after an edit. Empty if this
/// profile has the default counters: then `record` itself reads what they leave open, which it does
/// not do if groups are given.
[[nodiscard]] std::vector<std::string> groupsForNext(const Analysis& analysis);

/// The options of the recording that affect what is measured: options of "roofscope record", each
/// after a blank, with values quoted for a shell.
[[nodiscard]] std::string recordingOptions(const Capture& capture);

/// The name of the next profile: "app.roofscope.json" → "app-after.roofscope.json" →
/// "app-after2.roofscope.json".
[[nodiscard]] std::string nextProfileName(std::string_view path);

}  // namespace roofscope
