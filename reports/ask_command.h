// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace roofscope {

/// The two commands that measure an edit, one per line, quoted for a POSIX shell: record the same
/// program into a new profile, then report on the same kernel. `more`: counter groups to read
/// beside those of this profile.
[[nodiscard]] std::string askCommand(const Profile& profile, const KernelAnalysis& kernel,
                                     const ReportOptions& options,
                                     const std::vector<std::string>& more = {});

/// The counter groups without which rules could not judge this kernel.
[[nodiscard]] std::vector<std::string> lackingGroups(const Profile& profile,
                                                     const KernelAnalysis& kernel);

/// Name of the next profile: "app.roofscope.json" → "app-after.roofscope.json" →
/// "app-after2.roofscope.json".
[[nodiscard]] std::string nextProfileName(std::string_view path);

/// The function's bare name as a regular expression: "void ns::gemm<float>(int)" → "gemm"; empty
/// when there is none that needs no quoting.
[[nodiscard]] std::string kernelPattern(std::string_view shortName);

}  // namespace roofscope
