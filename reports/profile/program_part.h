// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/program/program.h"
#include "reports/document/document.h"
#include "reports/report.h"

namespace roofscope::profile_report {

/// The opening of a report: the time window for judging the program, where that time goes, its
/// lower bound, and what to do first: the same as Worth::proposals(). At most 410 tokens. Without a
/// timing run it only says what was not measured, if anything, and what to do first. `sectioned`:
/// by index into Analysis::kernels, whether a section explains its edit; empty: every kernel has
/// such a section.
[[nodiscard]] doc::Nodes programPart(const Analysis& analysis, const Program& program,
                                     const ReportOptions& options,
                                     const std::vector<bool>& sectioned = {});

}  // namespace roofscope::profile_report
