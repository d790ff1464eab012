// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "profile/codec/codec.h"
#include "profile/codec/codec_internal.h"
#include "profile/codec/json_cursor.h"
#include "profile/codec/json_writer.h"
#include "profile/model/launch_pace.h"

/// Process::pace ↔ JSON. Internal to profile/.
namespace roofscope {

void writePace(json::Writer& writer, const LaunchPace& pace);
/// Throws json::BadValue.
[[nodiscard]] LaunchPace readPace(const json::Cursor& at, const ReadLimits& limits);

/// The first fault in the marks of a process.
[[nodiscard]] Problem paceProblem(const LaunchPace& pace);

}  // namespace roofscope
