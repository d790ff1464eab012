// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/program/program.h"
#include "gui/models/overview/account_change.h"
#include "gui/models/overview/operator_list.h"
#include "gui/models/overview/shown_function.h"
#include "gui/models/recording/open_questions.h"
#include "reports/report.h"

namespace roofscope::gui {

/// The window's overview of the program: where its time goes, and what to do first. Uses the
/// sentences of the reports (reports/program/program_words.h). All texts are plain text without
/// control characters.
struct Overview {
    /// One time class of an account.
    struct Share {
        TimeClass cls = TimeClass::Kernels;
        QString name;      ///< "copies, no kernel running"
        double share = 0;  ///< of the window
        QString percent;   ///< "86.2 %"
        QString time;      ///< "58.7 ms", per window
    };
    /// Where the time of one GPU goes, or of all GPUs on average.
    struct Account {
        QString name;               ///< "GPU 1 · rank 1", or "mean" for all GPUs
        QString window;             ///< "68.0 ms"
        std::vector<Share> shares;  ///< in the order of kTimeClasses, without zeros
    };
    struct Kernel {
        QString name;
        std::uint32_t index = 0;  ///< into Analysis::kernels
    };
    /// A place in the program's source.
    struct Place {
        QString text;  ///< "train.py:5 (step)"
        QString time;  ///< "12.3 ms": this place's part of the action's bound; may be empty
        QString file;  ///< path as recorded; empty: unknown
        int line = 0;
    };
    struct Action {
        QString title,
            gain;         ///< "Copies from pageable memory", "at most 40.0 ms of 68.0 ms"
        QString heading;  ///< title and gain, with kernels: "Unfused kernel chain in gelu: …"
        QString wrong, edit;
        QString at;                   ///< "At train.py:5 (step)."; may be empty
        QString atUnknownFiles;       ///< the same, only for places whose file is unknown
        std::vector<Kernel> kernels;  ///< the most important first
        std::vector<Place> places;    ///< the most important first

        /// The action, in the form for the clipboard.
        [[nodiscard]] QString text() const;
    };
    QString file;                          ///< path of the profile
    QString window;                        ///< "6 × step, 68.0 ms each"
    QString summary;                       ///< the account as a sentence
    Account account;                       ///< mean of all GPUs
    std::vector<Account> lanes;            ///< one per GPU; empty if there is only one
    std::vector<ShownFunction> functions;  ///< what runs in the window, most time first
    OperatorList operators;                ///< PyTorch's; empty if none is known
    QStringList notes;                  ///< notes about the account; the least time the GPU needs
    std::optional<OpenQuestions> open;  ///< what a further recording could find out
    QStringList unknown;                ///< what this recording cannot tell, and how to record it
    QString since;  ///< change since the baseline, or why it is unknown; may be empty
    std::optional<AccountChange> change;  ///< the accounts of baseline and this recording
    QString stop;                         ///< says that no known edit is worth it; may be empty
    QString bounds;               ///< says that faster kernels may change nothing; may be empty
    QString noLines;              ///< how to see lines of compiled code; may be empty
    std::vector<Action> actions;  ///< most time first
    QString next;                 ///< the commands that measure the effect of an edit, one per line
    RecordingRequest afterEdit;   ///< the recording of `next`, for the Record dialog
    QString part;                 ///< name of this part: "rollout"; empty for the whole
    QString partShare;            ///< "62 %"; empty for the loop of a run
    std::vector<Overview> parts;  ///< its loop or phases, each judged by itself; may be empty
};

/// The name of a phase: its range, or else what it launches.
[[nodiscard]] QString phaseName(const WindowPhase& phase);

/// Which of the program's GPUs a lane is: "rank 1 · GPU 3", "GPU 0 · process 4711".
[[nodiscard]] QString laneName(const Profile& profile, std::uint32_t device,
                               const std::vector<std::uint32_t>& processes,
                               std::optional<std::uint32_t> rank);
/// The classes of an account that have time, with their shares of `whole`.
[[nodiscard]] std::vector<Overview::Share> sharesOf(const PerTimeClass<Seconds>& time,
                                                    Seconds whole);

/// The text of a part's button: "rollout · 62 %".
[[nodiscard]] QString partWords(const Overview& part);

/// In the window's language; nullopt without a timeline. `path` is the profile's path, for `next`;
/// `since` is the comparison with the baseline, if there is one.
[[nodiscard]] std::optional<Overview> overviewOf(const Analysis& analysis, const Program& program,
                                                 const QString& path,
                                                 const ReportBaseline* since = nullptr);

}  // namespace roofscope::gui
