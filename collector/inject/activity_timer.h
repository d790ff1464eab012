// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/cupti/cupti_api.h"
#include "collector/inject/spool.h"
#include "profile/result.h"

namespace roofscope::inject {

/// Times kernels with CUPTI's activity records: when each began and ended, undisturbed by counters.
/// Either several at a time where the program runs them so, by instructions that CUPTI adds to
/// them, or `serial`: one after the other and not instrumented. One per process, because CUPTI's
/// buffer callbacks carry no pointer of ours.
///
/// Records go to the spool as CUPTI hands them over: at least every kFlushPeriodMs, and at the end.
namespace activity_timer {

/// Starts timing. `spool` must live until the process ends.
[[nodiscard]] Result<void> start(const CuptiApi& cupti, SpoolWriter& spool, bool serial);
/// Writes what CUPTI still holds of kernels that have ended; with `force` of all.
void flush(bool force);
/// Records that CUPTI could not keep.
[[nodiscard]] std::size_t dropped();

}  // namespace activity_timer
}  // namespace roofscope::inject
