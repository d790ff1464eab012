// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope::gui {

/// Whether a file comes from Nsight Compute, judged by its extension: a report (.ncu-rep) or the
/// CSV of its raw page (.csv).
[[nodiscard]] bool isFromNcu(const QString& path);

/// Reads a roofscope profile, or imports a file of Nsight Compute, as `roofscope import` does.
/// A report is converted by ncu, which must be in PATH.
[[nodiscard]] Result<Profile> readAnyProfile(const std::filesystem::path& path);

}  // namespace roofscope::gui
