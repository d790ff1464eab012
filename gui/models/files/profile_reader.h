// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>
#include <stop_token>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::gui {

/// Whether a file comes from Nsight Compute, judged by its extension: a report (.ncu-rep) or the
/// CSV of its raw page (.csv).
[[nodiscard]] bool isFromNcu(const QString& path);

/// Whether ncu or nsys may have to convert the file, which takes long. True for reports (.ncu-rep,
/// .nsys-rep).
[[nodiscard]] bool mayNeedProgram(const QString& path);

/// Reads a roofscope profile, or imports another tool's file as `roofscope import` does. ncu or
/// nsys, which must be in PATH, converts a report in an unknown format. The converter is killed if
/// `stop` is requested or if it prints nothing for kNcuPatience; other files are read to the end.
[[nodiscard]] Result<Profile> readAnyProfile(const std::filesystem::path& path,
                                             const std::stop_token& stop = {});

}  // namespace roofscope::gui
