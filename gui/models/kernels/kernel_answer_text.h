// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/recording/recording_request.h"

namespace roofscope::gui {

/// The answer about a kernel (reports/answer/kernel_answer.h), worded as in the reports: what
/// limits it, how much there is to gain, and what to edit. All texts are plain text without control
/// characters.
struct KernelAnswerText {
    /// How busy a resource is, or how much warps stall for a reason.
    struct Bar {
        QString name;      ///< "DRAM", "L1 data pipe"
        double share = 0;  ///< of what this kernel can reach, or of the time of resident warps
        QString value;     ///< "98 %"
        QString tip;       ///< what the share refers to
        bool limits = false;
    };
    /// A finding that is worth an edit.
    struct Fix {
        QString rule;                 ///< "shared-bank-conflict"
        QString title;                ///< "Bank conflicts in shared memory"
        QString gain;                 ///< "at most 12.3 µs (31 %, 1.45×) per launch"
        std::optional<double> share;  ///< of the kernel's time
        QString fault;                ///< what is wrong, with numbers
        QString mechanism;            ///< why that costs time
        QString cause;                ///< says that another fix also solves this; may be empty
        QString where;                ///< places in the code; empty: unknown
        QString edit;                 ///< "Edit: …"
        QString before, after;        ///< lines of code; may be empty
        QString code;                 ///< both, in the form for the clipboard
        QString evidence, expect;     ///< further numbers; counters that should change
        QString file;                 ///< of the first place, as in the debug info; may be empty
        int line = 0;
        QString place;  ///< "softmax.cu:42"; empty: unknown

        /// The part that is folded at first: mechanism, evidence and expectation.
        [[nodiscard]] QString why() const;
        /// The edit, in the form for the clipboard.
        [[nodiscard]] QString text() const;
    };
    QString kernel, verdict, confidence, reason, headroom;
    std::vector<Bar> bars;    ///< KernelAnswer::resources
    std::vector<Bar> stalls;  ///< KernelAnswer::stalls; empty if not recorded
    QString wait;             ///< where most warps wait, and for which instruction; may be empty
    std::vector<Fix> fixes;
    QString nothing;    ///< without fixes: what their absence means
    QStringList named;  ///< findings not worth an edit now, and faults that could not be ruled out
    QStringList ruledOut, notMeasured;
    std::optional<RecordingRequest> recording;       ///< would measure what is missing
    bool undecided = false;                          ///< no diagnosis without that recording
    QStringList sequence;                            ///< findings about the sequence of launches
    std::vector<std::pair<QString, QString>> about;  ///< about this measurement: name, value
};

/// In the window's language. `kernel` is an index into Analysis::kernels, `path` the profile's
/// path.
[[nodiscard]] KernelAnswerText kernelAnswerText(const Analysis& analysis, std::size_t kernel,
                                                const QString& path = {});

}  // namespace roofscope::gui
