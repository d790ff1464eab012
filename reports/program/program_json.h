// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/program/actions/worthwhile.h"
#include "analyzer/program/program.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// The input of a JSON report.
struct JsonView {
    const Analysis& analysis;
    const Program& program;
    const program::Worth& worth;
    const std::vector<std::string>& ids;  ///< of kernels, from kernelIds()
    Language language;

    /// A kernel finding's id in commands: "k1e8913/shared-bank-conflict".
    [[nodiscard]] std::string idOf(std::uint32_t kernel, const Finding& finding) const;
};

/// The object "program" of the JSON report (docs/reports.md); keys are only ever added. Null means
/// that the recording cannot tell.
[[nodiscard]] json_parts::Json programObject(const JsonView& view);

/// The share of each class of time; they add up to 1. A class that was not recorded is null, and
/// its time is part of `idle_unknown`. The object is null if no time passed.
[[nodiscard]] json_parts::Json sharesObject(const Account& account);

}  // namespace roofscope
