// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/program/program.h"
#include "gui/models/recording/open_questions.h"
#include "reports/report.h"

namespace roofscope::gui {

/// What the window shows of the program as a whole: where its time goes, and what to do first. In
/// the sentences of the reports (reports/program/program_words.h). All texts are clean, and plain.
struct Overview {
    /// One class of the account.
    struct Share {
        TimeClass cls = TimeClass::Kernels;
        QString name;      ///< "copies, no kernel running"
        double share = 0;  ///< of the window
        QString percent;   ///< "86.2 %"
        QString time;      ///< "58.7 ms", per window
    };
    /// Where the time of a GPU goes, or of all of them on average.
    struct Account {
        QString name;    ///< "GPU 1 · rank 1"; of all of them "mean"
        QString window;  ///< "68.0 ms"
        std::vector<Share>
            shares;  ///< in the order of the classes, without those that took no time
    };
    struct Kernel {
        QString name;
        std::uint32_t index = 0;  ///< into Analysis::kernels
    };
    /// Where in the program something happens.
    struct Place {
        QString text;  ///< "train.py:5 (step)"
        QString file;  ///< as the program knew it; empty: unknown
        int line = 0;
    };
    struct Action {
        QString title, gain;  ///< "Copies of pageable memory", "at most 40.0 ms of 68.0 ms"
        QString heading;      ///< both, with its kernels: "Unfused kernel chain in gelu: …"
        QString wrong, edit;
        QString at;                   ///< "At train.py:5 (step)."; may be empty
        QString atNoFile;             ///< the same of places that no file is known of
        std::vector<Kernel> kernels;  ///< most first
        std::vector<Place> places;    ///< most first

        /// The action as it is copied.
        [[nodiscard]] QString text() const;
    };
    QString window;                     ///< "6 × step, 68.0 ms each"
    QString summary;                    ///< the account as a sentence
    Account account;                    ///< of all GPUs
    std::vector<Account> lanes;         ///< of each GPU; none when there is only one
    QStringList notes;                  ///< what to know beside the account; the floor
    std::optional<OpenQuestions> open;  ///< what a further recording could find out
    QStringList unknown;                ///< what the recording cannot say, and how to record it
    QString since;                ///< how the window's time moved since the baseline; may be empty
    QString stop;                 ///< that this is the place to stop; may be empty
    QString bounds;               ///< that gains do not add up; may be empty
    std::vector<Action> actions;  ///< most time first
    QString next;                 ///< the commands that measure an edit, a line each
    RecordingRequest afterEdit;   ///< the first of them, for the Record dialog
};

/// In the language that is shown; nothing without a timeline. `path` is the profile's, for the next
/// command; `since` the comparison with the baseline, if there is one.
[[nodiscard]] std::optional<Overview> overviewOf(const Analysis& analysis, const Program& program,
                                                 const QString& path,
                                                 const ReportBaseline* since = nullptr);

}  // namespace roofscope::gui
