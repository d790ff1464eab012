// SPDX-License-Identifier: Apache-2.0
#include "gui/models/overview/answer.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/stalls.h"
#include "analyzer/source/waits.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/recording/open_questions.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/findings/edit_text.h"
#include "reports/findings/finding_words.h"
#include "reports/findings/kernel_facts.h"
#include "reports/findings/roof_advice.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"

namespace roofscope::gui {
namespace {

/// Where the translation finds the texts of this file.
struct AnswerText {
    Q_DECLARE_TR_FUNCTIONS(Answer)
};

constexpr std::size_t kMostFixes = 3;
constexpr std::size_t kMostBars = 6;
/// A bar below this says nothing, unless it is one of the first two.
constexpr double kLeastBar = 0.02;

QString filled(std::string_view phrase, const std::vector<Arg>& args) {
    return shownText(fillPhrase(phrase, args, 1500, shownLanguage()));
}

QString sentence(QString text) {
    text = text.trimmed();
    if (text.isEmpty()) return text;
    const QString stop = QString::fromStdString(marksOf(shownLanguage()).stop);
    static const QString ends = QStringLiteral(".!?\uFF01\uFF1F");
    if (!text.endsWith(stop) && !ends.contains(text.back())) text += stop;
    return text;
}

/// What can be won, in the words of the reports.
QString headroomText(const KernelAnalysis& kernel) {
    const Language language = shownLanguage();
    QStringList sentences;
    for (const std::string& sentence :
         {headroomSentence(kernel, language).plain(), jointSentence(kernel, language)})
        if (!sentence.empty()) sentences << shownText(sentence);
    return sentences.join(QLatin1Char(' '));
}

std::vector<Answer::Bar> barsOf(const KernelAnalysis& kernel) {
    std::vector<Answer::Bar> bars;
    const Resources resources = resourcesOf(kernel.quantities);
    for (const Resource& resource : resources.items) {
        const QString name = shownText(resourceWords(resource.id, shownLanguage()));
        QString tip = AnswerText::tr("%1: %2 of its theoretical roof")
                          .arg(name, text(Ratio{resource.ofRoof}));
        if (resource.busy != resource.ofRoof)
            tip += AnswerText::tr("; %1 of what this kernel can reach")
                       .arg(text(Ratio{resource.busy}));
        bars.push_back({.name = name,
                        .share = resource.busy,
                        .value = text(Ratio{resource.busy}),
                        .tip = tip,
                        .limits = kernel.verdict.limiter == resource.id});
    }
    std::ranges::stable_sort(bars, std::ranges::greater{}, &Answer::Bar::share);
    const auto small = std::ranges::find_if(
        bars, [](const Answer::Bar& bar) { return bar.share < kLeastBar && !bar.limits; });
    const auto kept = std::max<std::ptrdiff_t>(small - bars.begin(), 2);
    bars.resize(std::min({bars.size(), std::size_t(kept), kMostBars}));
    return bars;
}

std::vector<Answer::Bar> stallsOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    constexpr std::size_t kMost = 5;
    const Stalls stalls = roofscope::stallsOf(*analysis.profile, kernel);
    std::vector<Answer::Bar> bars;
    for (const Stall& stall : stalls.reasons) {
        if (bars.size() == kMost || stall.share < kLeastBar) break;
        bars.push_back({.name = shownText(stallWords(stall.reason).in(shownLanguage())),
                        .share = stall.share,
                        .value = text(Ratio{stall.share}),
                        .tip = AnswerText::tr("%1: %2 of the time of resident warps (%3)")
                                   .arg(shownText(stall.reason), text(Ratio{stall.share}),
                                        stalls.sampled ? AnswerText::tr("samples")
                                                       : AnswerText::tr("counters")),
                        .limits = kernel.verdict.reason.stall == stall.reason});
    }
    return bars;
}

/// Where most warps wait and for what, in the words of the reports.
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

QString gainText(const Finding& finding) {
    if (!finding.gain.has()) return AnswerText::tr("gain not known");
    QString words = shownText(boundMark(*finding.gain, finding.estimate));
    if (finding.gainShare.has())
        words += QStringLiteral(" (%1)").arg(text(Ratio{finding.gainShare->value}));
    return words;
}

QString evidenceText(const Finding& finding) {
    QStringList lines;
    for (const Evidence& evidence : finding.evidence) {
        QString line =
            QStringLiteral("%1: %2").arg(shownText(evidence.label.in(shownLanguage())),
                                         shownText(formatNumber(evidence.value, evidence.unit)));
        if (evidence.healthy)
            line += AnswerText::tr(" (good: %1)")
                        .arg(shownText(formatNumber(*evidence.healthy, evidence.unit)));
        lines << line;
    }
    for (const ExpectedMovement& move : finding.expected)
        lines << AnswerText::tr("After the edit %1: %2 → %3")
                     .arg(shownText(move.counter.in(shownLanguage())),
                          shownText(formatNumber(move.from, move.unit)),
                          shownText(targetWords(move.from, move.to, move.unit)));
    return lines.join(QLatin1Char('\n'));
}

Answer::Fix fixOf(const Finding& finding, KernelOrigin origin) {
    const Language language = shownLanguage();
    Answer::Fix fix;
    fix.rule = shownText(finding.ruleId);
    fix.title = shownText(ruleTitle(finding.ruleId, language));
    fix.gain = gainText(finding);
    if (finding.gainShare.has()) fix.share = finding.gainShare->value;
    if (const Rule* rule = findRule(finding.ruleId)) {
        const RuleText& words = rule->text(language);
        fix.wrong = filled(words.sentence, finding.args);
        fix.why = filled(words.mechanism, finding.args);
        fix.edit = filled(editPhrase(*rule, finding, language), finding.args);
        const CodeLines code = codeLines(*rule, finding, origin);
        fix.before =
            shownLines(QString::fromUtf8(code.before.data(), qsizetype(code.before.size())));
        fix.after = shownLines(QString::fromUtf8(code.after.data(), qsizetype(code.after.size())));
    }
    if (const QString evidence = evidenceText(finding); !evidence.isEmpty())
        fix.why += (fix.why.isEmpty() ? QString() : QStringLiteral("\n")) + evidence;
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

QString nothingText(const KernelAnalysis& kernel) {
    const Language language = shownLanguage();
    const QString advice = shownText(roofAdvice(kernel.verdict, language));
    const QString helps =
        advice.isEmpty() ? QString() : AnswerText::tr(" What would help: %1").arg(sentence(advice));
    switch (explainNoFindings(kernel)) {
        case NoFindings::NothingToFix:
            return AnswerText::tr("Nothing to fix: it does about what this GPU can do.") + helps;
        case NoFindings::LittleToFix:
            return AnswerText::tr("Little to fix: it does nearly what this GPU can do.") + helps;
        case NoFindings::NoKnownFault:
            return AnswerText::tr("No known fault was found, although it could be faster.");
        case NoFindings::Undecided:
            return AnswerText::tr(
                "No diagnosis yet: counters that could name the limit were not "
                "read.");
        case NoFindings::OnlyTimed:
            return AnswerText::tr("It waits for other GPUs: only its time was measured.");
        case NoFindings::CannotTell:
            break;
    }
    return AnswerText::tr("No diagnosis: counters are missing.");
}

QStringList notMeasured(const KernelAnalysis& kernel) {
    QStringList lines;
    for (const CannotTell& unknown : kernel.cannotTell) {
        const QString advice = shownText(unknown.advice.in(shownLanguage()));
        const QString title = shownText(ruleTitle(unknown.ruleId, shownLanguage()));
        lines << (advice.isEmpty() ? title : AnswerText::tr("%1: %2").arg(title, advice));
    }
    return lines;
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
                     q.duration.unprofiled ? AnswerText::tr("from the timing run")
                                           : AnswerText::tr("from the counter run")));
    if (!kernel.range.empty())
        about.emplace_back(AnswerText::tr("NVTX range"), shownText(kernel.range));
    about.emplace_back(AnswerText::tr("Full name"), shownText(kernel.fullName));
    return about;
}

}  // namespace

QString Answer::Fix::text() const {
    QString all = title + QLatin1Char('\n') + wrong + QLatin1Char('\n') + edit + QLatin1Char('\n');
    if (!place.isEmpty()) all += place + QLatin1Char('\n');
    if (!before.isEmpty())
        all += AnswerText::tr("Before:") + QLatin1Char('\n') + before + QLatin1Char('\n');
    if (!after.isEmpty())
        all += AnswerText::tr("After:") + QLatin1Char('\n') + after + QLatin1Char('\n');
    return all;
}

Answer answerOf(const Analysis& analysis, std::size_t index, const QString& path) {
    const KernelAnalysis& kernel = analysis.kernels[index];
    const Language language = shownLanguage();
    Answer answer;
    answer.kernel = shownText(kernel.name);
    answer.verdict = verdictText(kernel.verdict);
    answer.confidence = shownText(confidenceWords(kernel.verdict.confidence, language));
    const std::vector<const Finding*> major = majorFindings(kernel);
    answer.reason = sentence(shownText(verdictReason(kernel, language, !major.empty())));
    answer.headroom = headroomText(kernel);
    answer.bars = barsOf(kernel);
    answer.stalls = stallsOf(analysis, kernel);
    answer.wait = waitText(analysis, kernel);
    for (std::size_t i = 0; i < std::min(major.size(), kMostFixes); ++i)
        answer.fixes.push_back(fixOf(*major[i], kernel.origin));
    if (major.empty()) answer.nothing = nothingText(kernel);
    QStringList minor;
    for (std::size_t i = kMostFixes; i < major.size(); ++i)
        minor << shownText(ruleTitle(major[i]->ruleId, language)) + QLatin1Char(' ') +
                     gainText(*major[i]);
    for (const Finding* finding : minorFindings(kernel))
        minor << shownText(ruleTitle(finding->ruleId, language)) + QLatin1Char(' ') +
                     gainText(*finding);
    answer.minor = minor.join(QStringLiteral(" · "));
    QStringList out;
    for (const RuledOut& ruled : kernel.ruledOut)
        if (const Rule* rule = findRule(ruled.ruleId))
            out << filled(rule->text(language).ruledOut, ruled.args);
    answer.ruledOut = out.join(QStringLiteral(" · "));
    answer.notMeasured = notMeasured(kernel);
    if (const auto open = openQuestions(analysis, index, path)) {
        const NoFindings none = explainNoFindings(kernel);
        answer.recording = open->recording;
        answer.undecided =
            major.empty() && (none == NoFindings::Undecided || none == NoFindings::CannotTell);
    }
    for (const Finding& finding : analysis.sequenceFindings)
        if (const Rule* rule = findRule(finding.ruleId))
            answer.sequence << AnswerText::tr("%1: %2").arg(
                shownText(ruleTitle(finding.ruleId, language)),
                filled(rule->text(language).sentence, finding.args));
    answer.about = aboutText(analysis, kernel);
    return answer;
}

}  // namespace roofscope::gui
