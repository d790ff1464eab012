// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/recording/recording_request.h"

namespace roofscope::gui {

/// What a kernel's analysis answers, in words: what limits it, how much there is to gain, and what
/// to edit. Made from the analysis' values, so that window and report never disagree. All texts are
/// clean, and plain.
struct Answer {
    /// How busy one resource is.
    struct Bar {
        QString name;      ///< "DRAM", "L1 data pipe"
        double share = 0;  ///< of what this kernel can reach
        QString value;     ///< "98 %"
        QString tip;       ///< of which roof
        bool limits = false;
    };
    /// A finding that is worth an edit.
    struct Fix {
        QString rule;                 ///< "shared-bank-conflict"
        QString title;                ///< "Bank conflicts in shared memory"
        QString gain;                 ///< "≤ 12.3 µs (31 %) per launch"
        std::optional<double> share;  ///< of the kernel's time
        QString wrong;                ///< what is wrong, with numbers
        QString why;                  ///< why that costs time, and the evidence
        QString edit;                 ///< what to do
        QString before, after;        ///< lines of code; may be empty
        QString file;                 ///< as the compiler knew it; empty: unknown
        int line = 0;
        QString place;  ///< "softmax.cu:42"; empty: unknown

        /// The edit as it is copied.
        [[nodiscard]] QString text() const;
    };
    QString kernel, verdict, confidence, reason, headroom;
    std::vector<Bar> bars;    ///< busiest first
    std::vector<Bar> stalls;  ///< what warps wait for, most first; empty where it was not recorded
    QString wait;  ///< of the first of them: at which instruction, for which other; may be empty
    std::vector<Fix> fixes;
    QString nothing;  ///< in place of fixes: what their absence means
    QString minor;    ///< findings that are not worth an edit now; may be empty
    QString ruledOut;
    QStringList notMeasured;
    std::optional<RecordingRequest> recording;  ///< that measures what was not
    bool undecided = false;                     ///< there is no diagnosis without it
    QStringList sequence;  ///< what was found between the launches of all kernels
    std::vector<std::pair<QString, QString>> about;  ///< about this measurement: name, value
};

/// In the language that is shown. `kernel` is an index into Analysis::kernels, `path` the
/// profile's.
[[nodiscard]] Answer answerOf(const Analysis& analysis, std::size_t kernel,
                              const QString& path = {});

}  // namespace roofscope::gui
