// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/recording/recording_request.h"

namespace roofscope::gui {

/// What a kernel's analysis answers (reports/answer/kernel_answer.h), in the words of the reports:
/// what limits it, how much there is to gain, and what to edit. All texts are clean, and plain.
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
        QString gain;                 ///< "at most 12.3 µs (31 %, 1.45×) per launch"
        std::optional<double> share;  ///< of the kernel's time
        QString fault;                ///< what is wrong, with numbers
        QString mechanism;            ///< why that costs time
        QString cause;                ///< that another fix mends this one, too; may be empty
        QString where;                ///< places in the code; empty: unknown
        QString edit;                 ///< "Edit: …"
        QString before, after;        ///< lines of code; may be empty
        QString code;                 ///< both, as they are copied
        QString evidence, expect;     ///< what the fault does not mention; what should move
        QString file;                 ///< of the first place, as the compiler knew it; or empty
        int line = 0;
        QString place;  ///< "softmax.cu:42"; empty: unknown

        /// What is folded: why it costs time, what proves it, what should move.
        [[nodiscard]] QString why() const;
        /// The edit as it is copied.
        [[nodiscard]] QString text() const;
    };
    QString kernel, verdict, confidence, reason, headroom;
    std::vector<Bar> bars;    ///< busiest first
    std::vector<Bar> stalls;  ///< what warps wait for, most first; empty where it was not recorded
    QString wait;  ///< of the first of them: at which instruction, for which other; may be empty
    std::vector<Fix> fixes;
    QString nothing;    ///< in place of fixes: what their absence means
    QStringList named;  ///< findings that are not worth an edit now, and faults nobody ruled out
    QStringList ruledOut, notMeasured;
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
