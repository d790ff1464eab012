// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/codec/codec.h"
#include "profile/codec/codec_internal.h"
#include "profile/codec/json_cursor.h"
#include "profile/codec/json_writer.h"
#include "profile/model/timeline.h"

/// Profile::timeline ↔ JSON. Internal to profile/.
namespace roofscope {

void writeTimeline(json::Writer& writer, const Timeline& timeline);
/// Throws json::BadValue.
[[nodiscard]] Timeline readTimeline(const json::Cursor& at, const ReadLimits& limits);

/// ["copies", "waits", …]
void writeTimelineParts(json::Writer& writer, const TimelineParts& parts);
[[nodiscard]] TimelineParts readTimelineParts(const json::Cursor& at);

/// The first fault in the timeline of a profile.
[[nodiscard]] Problem timelineProblem(const Profile& profile);

}  // namespace roofscope
