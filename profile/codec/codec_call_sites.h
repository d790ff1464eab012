// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/codec/json_cursor.h"
#include "profile/codec/json_writer.h"
#include "profile/model/call_sites.h"

/// Profile::callSites ↔ JSON. Internal to profile/.
namespace roofscope {

void writeCallSite(json::Writer& writer, const CallSite& site);
/// Throws json::BadValue.
[[nodiscard]] CallSite readCallSite(const json::Cursor& at);

}  // namespace roofscope
