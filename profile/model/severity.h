// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "profile/model/profile.h"

namespace roofscope {

/// Names of severities in files and reports.
inline constexpr std::pair<Severity, std::string_view> kSeverityNames[] = {
    {Severity::Info, "info"}, {Severity::DataLoss, "data-loss"}, {Severity::Error, "error"}};

[[nodiscard]] constexpr std::string_view nameOf(Severity severity) {
    return std::ranges::find(kSeverityNames, severity,
                             &std::pair<Severity, std::string_view>::first)
        ->second;
}

/// An unknown severity (from a later version) counts as the most severe.
[[nodiscard]] constexpr Severity severityNamed(std::string_view name) {
    for (const auto& [severity, known] : kSeverityNames)
        if (known == name) return severity;
    return Severity::Error;
}

}  // namespace roofscope
