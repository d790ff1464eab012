// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/document/document.h"
#include "reports/formats.h"

/// The report of a profile as a tree; writers give it a format.
namespace roofscope::profile_report {

/// All of it: the ranking of kernels, what was found across launches, a section for each of the
/// first `sections` kernels of the selection, how it was measured; without what is not for
/// `reader`.
[[nodiscard]] doc::Document ofProfile(const Analysis& analysis, const ChosenKernels& selection,
                                      const ReportOptions& options, std::size_t sections,
                                      doc::Audience reader);

/// One kernel by itself, with what a reader needs to know of the whole profile.
[[nodiscard]] doc::Document ofKernel(const Analysis& analysis, std::size_t kernel,
                                     const ReportOptions& options);

/// "GPU profile of `./app`".
[[nodiscard]] doc::Text title(const Profile& profile, Language language);

}  // namespace roofscope::profile_report
