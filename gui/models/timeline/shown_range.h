// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/program/account/range_accounts.h"
#include "gui/models/overview/overview.h"
#include "gui/models/timeline/range_change.h"

namespace roofscope::gui {

/// The time account of a range of the timeline, as the window shows it. Texts are worded as in the
/// reports; they are plain text without control characters.
struct ShownRange {
    QString length;                        ///< "3.33 ms"
    QString from, to;                      ///< "2.341567890 s"
    QString place;                         ///< "repeat 7 of 40"; may be empty
    Overview::Account account;             ///< mean of all GPUs
    std::vector<Overview::Account> lanes;  ///< one per GPU; empty if there is only one
    /// Most time first. Shares refer to the total time of all kernels.
    std::vector<ShownFunction> functions;
    QStringList copies;  ///< "copies to the GPU: 3 with 1.05 MB, 92.1 µs"
    QStringList cpu;     ///< "augment train.py:12 86 %"; counts of samples if there are few
    QString fewSamples;  ///< "9 samples": how many there are; empty if there are enough
    std::optional<RangeChange> change;  ///< against the range kept for comparison, if there is one
    bool isKept = false;                ///< it is this range
    QString forAssistant;               ///< the account as markdown, for an assistant

    /// The kernels that ran in the range, ascending: indices into Analysis::kernels.
    std::vector<std::size_t> kernels;
};
/// The functions with their shares or, if there are few samples, with the number of samples.
[[nodiscard]] QStringList sampledFunctionTexts(const SampledFunctions& sampled);
/// "9 samples" if there are too few for shares; else empty.
[[nodiscard]] QString fewSamplesText(double samples);
/// `place` says where the range is (repeatText()).
[[nodiscard]] ShownRange shownRange(const Analysis& analysis, const RangeAccount& range,
                                    const QString& place);

}  // namespace roofscope::gui
