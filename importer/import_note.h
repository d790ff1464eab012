// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "profile/model/profile.h"

namespace roofscope {

/// Adds an issue to an imported profile: something that the file lacks or leaves open.
inline void addImportNote(Profile& profile, std::string code, std::string message,
                          std::string advice = {}, Severity severity = Severity::Info) {
    profile.issues.push_back({.severity = severity,
                              .source = "import",
                              .code = std::move(code),
                              .message = std::move(message),
                              .advice = std::move(advice)});
}

}  // namespace roofscope
