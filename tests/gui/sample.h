// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <memory>

#include "gui/models/files/profile_document.h"
#include "tests/support/synthetic_profile.h"

namespace roofscope::test {

/// The showcase of tests/reports, plus a kernel without counters or duration, a kernel with three
/// launches, and an issue of the recording.
[[nodiscard]] Profile sampleProfile();
[[nodiscard]] std::shared_ptr<const Analysis> sampleAnalysis();
[[nodiscard]] gui::ProfileDocument sampleDocument();
/// Three NVTX ranges: "step > layer" twice, once with counters; one with a hostile name and without
/// counters; one without a time.
[[nodiscard]] Profile rangesProfile();
[[nodiscard]] std::shared_ptr<const Analysis> rangesAnalysis();
/// Six steps of pageable copies, one large kernel, many small ones and waits, with the lines of
/// "train.py" that issue them.
[[nodiscard]] Profile programProfile();
/// Index of the kernel whose full name contains `name`; fails the test if there is none.
[[nodiscard]] std::size_t kernelNamed(const Analysis& analysis, const std::string& name);

}  // namespace roofscope::test
