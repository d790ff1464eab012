// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::gui {

/// Whether a file is what Nsight Compute wrote, by its ending: a report (.ncu-rep) or the CSV of
/// its raw page.
[[nodiscard]] bool isFromNcu(const QString& path);

/// Reads a profile of roofscope, or imports what Nsight Compute wrote, as `roofscope import` does.
/// A report is read by ncu, which has to be in PATH.
[[nodiscard]] Result<Profile> readAnyProfile(const std::filesystem::path& path);

}  // namespace roofscope::gui
