// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the injected library leaves of a captured launch: a folder `capture-PID` in the folder that
/// CaptureMode names, with kModulePrefix…, the two files of page_format.h, and kCaptureFile. The
/// latter is written last and by renaming, so a folder that has it is complete.
///
/// kCaptureFile is JSON. Addresses and bytes are hexadecimal text. `memory` lists the regions in
/// the order of `memory.index`; `variables` name those that belong to a variable of the module,
/// whose address is the module's choice. A folder's `launch.json` has the same keys and a few more
/// (extract/driver/launch_description.h).
namespace roofscope::capture {

inline constexpr const char* kCaptureFile = "capture.json";
inline constexpr const char* kModulePrefix = "module-";
inline constexpr const char* kFolderPrefix = "capture-";

}  // namespace roofscope::capture
