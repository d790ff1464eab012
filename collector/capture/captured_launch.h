// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the injected library writes for a captured launch: a folder `capture-PID` inside
/// CaptureMode::folder, with the module files (kModulePrefix), the two files of page_format.h, and
/// kCaptureFile. kCaptureFile is written last and renamed into place, so a folder that has it is
/// complete.
///
/// kCaptureFile is JSON. Addresses and bytes are hexadecimal text. `memory` lists the regions in
/// the order of `memory.index`. `variables` names the regions that belong to a variable of the
/// module: the module chooses their addresses. A folder's `launch.json` has the same keys and a few
/// more (extract/driver/launch_description.h).
namespace roofscope::capture {

inline constexpr const char* kCaptureFile = "capture.json";
inline constexpr const char* kModulePrefix = "module-";
inline constexpr const char* kFolderPrefix = "capture-";

}  // namespace roofscope::capture
