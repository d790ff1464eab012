// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_answer_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "analyzer/source/stalls.h"
#include "analyzer/source/waits.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/recording/open_questions.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/answer/answer_words.h"
#include "reports/answer/finding_words.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/profile/measurement_words.h"
#include "reports/profile/sequence_words.h"
#include "reports/verdict/no_findings.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct AnswerText {
    Q_DECLARE_TR_FUNCTIONS(KernelAnswerText)
};

/// The texts that are not empty.
QStringList nonEmptyTexts(const std::vector<doc::Text>& texts) {
    QStringList list;
    for (const doc::Text& text : texts)
        if (!text.empty()) list << plainText(text);
    return list;
}

QString codeText(std::string_view code) {
    return shownLines(QString::fromUtf8(code.data(), qsizetype(code.size())));
}

std::vector<KernelAnswerText::Bar> barsOf(const Analysis& analysis, const KernelAnswer& answer) {
    std::vector<KernelAnswerText::Bar> bars;
    for (const AnsweredResource& resource : answer.resources) {
        const auto& [use, limits] = resource;
        const QString name =
            shownText(resourceName(resource, analysis.convention, shownLanguage()));
        const QString detail = shownText(
            resourceDetail(*answer.kernel, resource, analysis.convention, shownLanguage()));
        QString tip =
            AnswerText::tr("%1: %2 of its theoretical roof").arg(name, text(Ratio{use.ofRoof}));
        if (use.busy != use.ofRoof)
            tip += AnswerText::tr("; %1 of what this kernel can reach").arg(text(Ratio{use.busy}));
        if (!detail.isEmpty()) tip += AnswerText::tr("; %1").arg(detail);
        bars.push_back({.name = name,
                        .share = use.busy,
                        .value = text(Ratio{use.busy}),
                        .tip = tip,
                        .limits = limits});
    }
    return bars;
}

std::vector<KernelAnswerText::Bar> stallsOf(const KernelAnswer& answer) {
    std::vector<KernelAnswerText::Bar> bars;
    for (const Stall& stall : answer.stalls.reasons)
        bars.push_back({.name = shownText(stallWords(stall.reason).in(shownLanguage())),
                        .share = stall.share,
                        .value = text(Ratio{stall.share}),
                        .tip = AnswerText::tr("%1: %2 of the time of resident warps (%3)")
                                   .arg(shownText(stall.reason), text(Ratio{stall.share}),
                                        answer.stalls.sampled ? AnswerText::tr("samples")
                                                              : AnswerText::tr("counters")),
                        .limits = answer.kernel->verdict.reason.stall == stall.reason});
    return bars;
}

/// Where most warps wait and for what, worded as in the reports.
QString waitText(const Analysis& analysis, const KernelAnalysis& kernel) {
    if (!kernel.source || kernel.source->waits.empty()) return {};
    const SourceAnalysis& source = *kernel.source;
    const Words words =
        waitWords(analysis.profile->sources[source.pass], source, source.waits.front());
    if (words.empty()) return {};
    const Language language = shownLanguage();
    return QStringLiteral("%1: %2").arg(shownText(stallWords(source.waitState).in(language)),
                                        shownText(words.in(language)));
}

KernelAnswerText::Fix fixOf(const AnsweredFinding& answer) {
    const Language language = shownLanguage();
    const Finding& finding = *answer.found;
    KernelAnswerText::Fix fix;
    fix.rule = shownText(finding.ruleId);
    fix.title = shownText(findingTitle(finding, language));
    fix.gain = shownText(gainWords(finding, language));
    if (finding.gainShare.has()) fix.share = finding.gainShare->value;
    for (const Statement statement : answer.statements) {
        switch (statement) {
            case Statement::Fault:
                fix.fault = plainText(faultSentence(answer, language));
                break;
            case Statement::Mechanism:
                fix.mechanism = plainText(mechanismSentence(answer, language));
                break;
            case Statement::Cause:
                fix.cause = plainText(causeSentence(answer, language));
                break;
            case Statement::Where:
                fix.where = plainText(whereSentence(answer, language));
                break;
            case Statement::Edit:
                fix.edit = plainText(editSentence(editWords(answer, language), language));
                break;
            case Statement::Code:
                fix.before = codeText(answer.code.before);
                fix.after = codeText(answer.code.after);
                fix.code = codeText(codeOfEdit(answer.code, language));
                break;
            case Statement::Evidence:
                fix.evidence = plainText(evidenceSentence(answer, language));
                break;
            case Statement::Expect:
                fix.expect = plainText(expectSentence(answer, language));
                break;
        }
    }
    if (!finding.places.empty()) {
        const Place& place = finding.places.front();
        if (!place.path.empty() && place.line > 0) {
            fix.file = QString::fromStdString(place.path);
            fix.line = int(place.line);
            fix.place = QStringLiteral("%1:%2").arg(shownText(QFileInfo(fix.file).fileName(), 60),
                                                    QString::number(place.line));
        }
    }
    return fix;
}

std::vector<std::pair<QString, QString>> aboutText(const Analysis& analysis,
                                                   const KernelAnalysis& kernel) {
    const Profile& profile = *analysis.profile;
    const Quantities& q = kernel.quantities;
    std::vector<std::pair<QString, QString>> about;
    if (kernel.group.device < profile.devices.size()) {
        const Device& device = profile.devices[kernel.group.device];
        about.emplace_back(
            AnswerText::tr("GPU"),
            AnswerText::tr("%1, %2 SMs").arg(shownText(device.name)).arg(device.smCount));
    }
    if (q.smClock.has())
        about.emplace_back(
            AnswerText::tr("Clocks"),
            AnswerText::tr("SM %1, DRAM %2").arg(text(q.smClock), text(q.dramClock)));
    about.emplace_back(AnswerText::tr("Measured by"),
                       shownText(strategyWords(profile.capture, shownLanguage())));
    about.emplace_back(AnswerText::tr("Launches"), text(double(kernel.group.launches.size())));
    if (q.duration.count > 0)
        about.emplace_back(
            AnswerText::tr("Duration"),
            AnswerText::tr("%1 (%2 to %3), %4")
                .arg(text(q.duration.median), text(q.duration.min), text(q.duration.max),
                     shownText(durationSourceWords(q.duration.source, shownLanguage()))));
    if (!kernel.range.empty())
        about.emplace_back(AnswerText::tr("NVTX range"), shownText(kernel.range));
    about.emplace_back(AnswerText::tr("Full name"), shownText(kernel.fullName));
    return about;
}

}  // namespace

QString KernelAnswerText::Fix::why() const {
    QStringList said{mechanism, evidence, expect};
    said.removeAll(QString());
    return said.join(QLatin1Char('\n'));
}

QString KernelAnswerText::Fix::text() const {
    QStringList said{title, fault, cause, where, edit, code.trimmed()};
    said.removeAll(QString());
    return said.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

KernelAnswerText kernelAnswerText(const Analysis& analysis, std::size_t index,
                                  const QString& path) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const KernelAnswer decided = roofscope::answerOf(analysis, kernel);
    const Language language = shownLanguage();
    KernelAnswerText answer;
    answer.kernel = shownText(kernel.wholeName);
    answer.verdict = verdictText(kernel.verdict);
    answer.confidence = shownText(confidenceWords(kernel.verdict.confidence, language));
    if (const std::string reason = verdictReason(kernel, language); !reason.empty())
        answer.reason = shownText(reason + std::string(marksOf(language).stop));
    answer.headroom = plainText(
        doc::joined({headroomSentence(decided, language), jointGainSentence(decided, language)},
                    marksOf(language).gap));
    answer.bars = barsOf(analysis, decided);
    answer.stalls = stallsOf(decided);
    answer.wait = waitText(analysis, kernel);
    for (const AnsweredFinding& finding : decided.findings) answer.fixes.push_back(fixOf(finding));
    answer.nothing = plainText(nothingSentence(decided.nothing, language));
    answer.named =
        nonEmptyTexts({furtherSentence(decided, language), minorSentence(decided, language),
                       blockedSentence(kernel.verdict, decided.blocked, language),
                       undecidedSentence(decided, RuleName::Title, language)});
    answer.ruledOut = nonEmptyTexts(ruledOutWords(decided, RuleName::Title, language));
    answer.notMeasured =
        nonEmptyTexts(notMeasuredWords(analysis, decided, true, RuleName::Title, language));
    if (const auto open = openQuestions(analysis, index, path)) {
        answer.recording = open->recording;
        answer.undecided = decided.nothing && (decided.nothing->why == NoFindings::Undecided ||
                                               decided.nothing->why == NoFindings::CannotTell);
    }
    for (const Finding& finding : analysis.sequenceFindings)
        answer.sequence << AnswerText::tr("%1: %2").arg(
            shownText(findingTitle(finding, language)),
            shownText(sequenceSentence(finding, language)));
    answer.about = aboutText(analysis, kernel);
    return answer;
}

}  // namespace roofscope::gui
