// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recording/open_questions.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>

#include "analyzer/program/planner.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/kernels/kernel_id.h"
#include "reports/language/term_words.h"
#include "reports/profile/ask_command.h"
#include "reports/verdict/no_findings.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct OpenText {
    Q_DECLARE_TR_FUNCTIONS(OpenQuestions)
};

constexpr std::size_t kLongestKernel = 80;
constexpr qsizetype kMostNamed = 3;

QStringList names(const std::vector<std::string>& groups) {
    QStringList all;
    for (const std::string& group : groups) all << QString::fromStdString(group);
    return all;
}

/// A pattern that matches the kernel by its full name. If the name is too long, by its beginning,
/// which may match other kernels, too.
QString patternOf(const std::string& name) {
    if (const std::string exact = exactPattern(name); !exact.empty())
        return QString::fromStdString(exact);
    constexpr std::size_t kMost = 200;
    std::string begin = name.substr(0, kMost);
    begin.erase(std::ranges::find_if(begin, [](char c) { return c < ' ' || c > '~'; }),
                begin.end());
    return QLatin1Char('^') + QRegularExpression::escape(QString::fromStdString(begin));
}

/// The text above the form: what the recording is for.
QString purposeOf(const QStringList& questions) {
    QString list = questions.mid(0, kMostNamed).join(QLatin1Char('\n'));
    if (questions.size() > kMostNamed)
        list += QLatin1Char('\n') + OpenText::tr("and %1 more").arg(questions.size() - kMostNamed);
    return OpenText::tr("To find out:") + QLatin1Char('\n') + list;
}

}  // namespace

std::optional<OpenQuestions> openQuestions(const Analysis& analysis, const Program& program,
                                           const QString& path) {
    OpenQuestions open;
    for (const FollowUp& run : planFollowUps(analysis, program, {.effort = Effort::Deep}))
        open.questions << shownText(run.why.in(shownLanguage()));
    if (open.questions.isEmpty()) return std::nullopt;
    open.recording = requestToRepeat(*analysis.profile, path, {});
    open.recording.effort = QStringLiteral("deep");
    open.recording.purpose = purposeOf(open.questions);
    return open;
}

std::optional<OpenQuestions> openQuestions(const Analysis& analysis, std::size_t index,
                                           const QString& path) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const std::vector<std::string> lacking = lackingGroups(*analysis.profile, kernel);
    const bool forPeers = kernel.verdict.cls == VerdictClass::WaitsForPeers;
    const bool bare = hasOnlyTimes(*analysis.profile) || wasOnlyTimed(kernel);
    if (forPeers || (lacking.empty() && !bare)) return std::nullopt;
    OpenQuestions open;
    for (const CannotTell& unknown : kernel.cannotTell) {
        const QString title = shownText(ruleTitle(unknown.ruleId, shownLanguage()));
        if (!open.questions.contains(title)) open.questions << title;
    }
    if (bare || open.questions.isEmpty())
        open.questions = QStringList{OpenText::tr("what limits it (its counters were not read)")};
    for (QString& question : open.questions)
        question = QStringLiteral("%1: %2").arg(shownText(kernel.name, kLongestKernel), question);
    open.recording = requestToRepeat(*analysis.profile, path, names(lacking));
    open.recording.effort = QStringLiteral("deep");
    open.recording.kernel = patternOf(kernel.fullName);
    open.recording.purpose = purposeOf(open.questions);
    return open;
}

RecordingRequest recordingAfterEdit(const Analysis& analysis, const QString& path) {
    return requestToRepeat(*analysis.profile, path, names(groupsForNext(analysis)));
}

}  // namespace roofscope::gui
