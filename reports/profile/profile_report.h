// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/chosen_kernels.h"
#include "reports/document/document.h"

/// The report of a profile as a document tree, which writers format.
namespace roofscope::profile_report {

/// The whole report: ranking of kernels, findings across launches, a section for each of the first
/// `sections` kernels of the selection, and how it was measured. Without parts that are not for
/// `reader`.
[[nodiscard]] doc::Document ofProfile(const Analysis& analysis, const ChosenKernels& selection,
                                      const ReportOptions& options, std::size_t sections,
                                      doc::Audience reader);

/// A report of one kernel, with the facts about the profile that it needs.
[[nodiscard]] doc::Document ofKernel(const Analysis& analysis, std::size_t kernel,
                                     const ReportOptions& options);

/// "GPU profile of `./app`".
[[nodiscard]] doc::Text title(const Profile& profile, Language language);

}  // namespace roofscope::profile_report
