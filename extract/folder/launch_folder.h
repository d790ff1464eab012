// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "extract/folder/page_packer.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"
#include "profile/model/units.h"

namespace roofscope {

/// The parts from which a launch's folder is made.
struct ExtractedLaunch {
    std::filesystem::path capture;       ///< injected library's folder (captured_launch.h)
    std::string name;                    ///< readable name of the kernel
    std::optional<Seconds> programTime;  ///< duration of this launch in the program
    std::string report;                  ///< the text of report.md
    const Profile* profile = nullptr;    ///< what the report is based on, without private names
};

/// The profile in the folder, which "roofscope report", "show" and "loop" read.
inline constexpr char kFolderProfile[] = "profile.roofscope.json.gz";

struct WrittenFolder {
    PackedPages memory;
    std::vector<std::string> notes;  ///< in what the folder differs from the program
};

/// The captured launch among the folders that a run has left; absent if there is none. If several
/// processes launched the kernel, any one of them.
[[nodiscard]] std::optional<std::filesystem::path> findCapture(const std::filesystem::path& folder);

/// Writes the folder of a launch (docs/extract.md). It appears complete or not at all. Errors:
/// CannotCreate, Io, BadData (a damaged capture).
[[nodiscard]] Result<WrittenFolder> writeLaunchFolder(const ExtractedLaunch& launch,
                                                      const std::filesystem::path& folder);

}  // namespace roofscope
