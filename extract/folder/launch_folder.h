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

/// What a launch's folder is made of.
struct ExtractedLaunch {
    std::filesystem::path capture;       ///< what the injected library left (captured_launch.h)
    std::string name;                    ///< of the kernel, readable
    std::optional<Seconds> programTime;  ///< of this launch
    std::string report;                  ///< report.md
    const Profile* profile = nullptr;    ///< what the report says, without private names
};

/// The recording in a folder: "roofscope report", "show" and "loop" read it.
inline constexpr char kFolderProfile[] = "profile.roofscope.json.gz";

struct WrittenFolder {
    PackedPages memory;
    std::vector<std::string> notes;  ///< what is not quite as in the program
};

/// The captured launch among the folders that a run has left; absent if there is none. If several
/// processes launched the kernel, one of them.
[[nodiscard]] std::optional<std::filesystem::path> findCapture(const std::filesystem::path& folder);

/// Writes the folder of a launch (docs/extract.md). It appears under its name when it is complete,
/// or not at all. Errors: CannotCreate, Io, BadData (a damaged capture).
[[nodiscard]] Result<WrittenFolder> writeLaunchFolder(const ExtractedLaunch& launch,
                                                      const std::filesystem::path& folder);

}  // namespace roofscope
