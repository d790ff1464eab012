// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "reports/document/document.h"
#include "reports/report.h"

namespace roofscope::profile_report {

/// What a report opens with: over which time the program is judged, where that time goes, what it
/// cannot go below, and what to do first. At most 400 tokens. Empty without a timing run.
[[nodiscard]] doc::Nodes programPart(const Analysis& analysis, const Program& program,
                                     const ReportOptions& options);

}  // namespace roofscope::profile_report
