// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "reports/document/document.h"
#include "reports/report.h"

namespace roofscope::profile_report {

/// The opening of a report: the time window for judging the program, where that time goes, its
/// lower bound, and what to do first. At most 400 tokens. Without a timing run it only says what
/// was not measured, if anything.
[[nodiscard]] doc::Nodes programPart(const Analysis& analysis, const Program& program,
                                     const ReportOptions& options);

}  // namespace roofscope::profile_report
