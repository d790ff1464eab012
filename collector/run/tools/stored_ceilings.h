// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "profile/errors/result.h"
#include "profile/model/profile.h"

/// The measured roofs of this user's GPUs: one file per GPU, which is a profile without launches.
/// `roofscope ceilings` writes these files and `roofscope record` reads them.
namespace roofscope {

/// The folder of these files: $ROOFSCOPE_CEILINGS_DIR, else $XDG_DATA_HOME/roofscope/ceilings, else
/// ~/.local/share/roofscope/ceilings; empty if none of them is set.
[[nodiscard]] std::filesystem::path ceilingsFolder();

/// The file for a GPU: FOLDER/NVIDIA_H200-GPU-6f1b….roofscope.json. Errors: Unavailable, if there
/// is no folder or the GPU has no UUID.
[[nodiscard]] Result<std::filesystem::path> ceilingsFile(const Device& device);

/// Writes what was measured on a GPU, and creates folders. Roofs in an existing file that
/// were not measured this time are kept. Errors: CannotCreate, Io, BadData (the existing
/// file is not one of ours).
Result<void> storeCeilings(Profile measured, const std::filesystem::path& file);

/// Adds to each device of a recording the roofs that were measured on it before. A file that cannot
/// be read becomes an issue; a GPU without a file stays as it is.
void attachCeilings(Profile& recorded);

}  // namespace roofscope
