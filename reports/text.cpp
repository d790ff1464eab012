// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/rule.h"
#include "reports/compare/compare_report.h"
#include "reports/edit_text.h"
#include "reports/escape.h"
#include "reports/formats.h"
#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/number_format.h"
#include "reports/phrase.h"
#include "reports/range_words.h"
#include "reports/ranks_words.h"
#include "reports/source_window.h"
#include "reports/terminal_text.h"

/// The report for a terminal: a table of kernels, then what to fix in each.
namespace roofscope {

namespace {

class Writer {
public:
    Writer(const Analysis& analysis, const Selection& selection, const ReportOptions& options)
        : m_analysis(analysis),
          m_selection(selection),
          m_options(options),
          m_w(wordingOf(options.language)),
          m_width(static_cast<std::size_t>(std::clamp(options.width, 60, 300))) {}

    std::string run() {
        header();
        if (m_analysis.kernels.empty()) {
            m_out += m_w.header.noLaunch + "\n";
        } else if (m_selection.matching == 0) {
            m_out +=
                m_w.text.noMatch(m_analysis.kernels.size(), cleanText(m_options.kernelFilter)) +
                "\n";
        } else {
            table();
            findings();
            if (m_selection.kernels.size() < m_selection.matching)
                m_out += "\n" +
                         m_w.text.notShown(m_selection.matching - m_selection.kernels.size()) +
                         "\n";
        }
        ranges();
        issues();
        return std::move(m_out);
    }

private:
    std::string paint(const char* code, const std::string& text) const {
        return painted(code, text, m_options.colour);
    }

    void wrapped(const std::string& first, const std::string& text, std::size_t indent) {
        m_out += wrappedLines(first, text, indent, m_width);
    }

    /// The lines after the first begin below its words.
    void wrappedBehind(const Label& first, const std::string& text) {
        wrapped(first.str(), text, displayWidth(first));
    }

    void header() {
        const Profile& profile = *m_analysis.profile;
        for (const Device& device : profile.devices)
            m_out += m_w.text.device(paint("1", cleanText(device.name, 60)), device.smCount,
                                     device.computeMajor, device.computeMinor) +
                     "\n";
        const bool timed = std::any_of(
            m_analysis.kernels.begin(), m_analysis.kernels.end(),
            [](const KernelAnalysis& kernel) { return kernel.quantities.duration.unprofiled; });
        std::string command;
        for (const std::string& argument : profile.capture.command) {
            if (command.size() > 400) break;
            command += (command.empty() ? "" : " ") + cleanText(argument, 200);
        }
        if (!command.empty()) wrappedBehind(m_w.text.program, cleanText(command, 400));
        wrappedBehind(m_w.text.measured,
                      m_w.text.launches(profile.launches.size(),
                                        cleanText(strategyWords(profile.capture, m_w.language)),
                                        timed ? m_w.text.timingRun : m_w.text.counterRun));
        if (!isMeasured(profile.capture))
            m_out += paint("33", m_w.common.madeUp(cleanText(profile.capture.origin, 40))) + "\n";
        if (const std::size_t count = m_analysis.substitutes.size(); count > 0)
            wrappedBehind(m_w.text.note, m_w.text.substitutes(count));
        for (const std::string& words : rankSentences(
                 profile, [](const std::string& name) { return cleanText(name, 100); }, m_w))
            wrappedBehind(m_w.ranks.lead, words);
        if (hasOnlyTimes(profile)) wrappedBehind(m_w.text.note, m_w.header.onlyTimes.str());
        for (const Words& note : m_analysis.notes)
            wrappedBehind(m_w.text.note, cleanText(note.in(m_w.language), 400));
        const EscapeText clean = [](std::string_view text) { return cleanText(text, 200); };
        for (const Finding& finding : m_analysis.sequenceFindings) {
            const Rule* rule = findRule(finding.ruleId);
            if (!rule) continue;
            const RuleText& text = rule->text(m_w.language);
            m_out += paint("33", fmt::format("! {}", ruleTitle(finding.ruleId, m_w.language))) +
                     " [" + cleanText(finding.ruleId, 60) + "]\n";
            wrapped("  ", fillPhrase(text.sentence, finding.args, clean, m_w.language), 2);
            wrapped("  → ", fillPhrase(text.edit, finding.args, clean, m_w.language), 4);
        }
        m_out += "\n";
    }

    struct Column {
        std::string title;
        std::size_t width;
        bool right;
    };

    void table() {
        std::vector<Column> columns{{"#", 3, true},
                                    {m_w.text.kernel.str(), 0, false},
                                    {m_w.text.count.str(), 4, true},
                                    {m_w.text.median.str(), 8, true},
                                    {m_w.text.share.str(), 6, true},
                                    {"DRAM", 6, true},
                                    {m_w.text.verdict.str(), 27, false}};
        for (const std::size_t index : m_selection.kernels)
            columns[0].width = std::max(columns[0].width, fmt::format("{}", index + 1).size());
        std::size_t fixed = 0;
        for (const Column& column : columns) fixed += column.width + 2;
        columns[1].width = m_width > fixed + 20 ? m_width - fixed : 20;

        const auto line = [&](const std::vector<std::string>& cells) {
            std::string text;
            for (std::size_t i = 0; i < cells.size(); ++i)
                text += (i ? "  " : "") + fitWidth(cells[i], columns[i].width, columns[i].right);
            while (text.ends_with(' ')) text.pop_back();
            return text;
        };
        std::vector<std::string> titles;
        for (const Column& column : columns) titles.push_back(column.title);
        m_out += paint("1", line(titles)) + "\n";
        for (const std::size_t index : m_selection.kernels) {
            const KernelAnalysis& kernel = m_analysis.kernels[index];
            const Quantities& q = kernel.quantities;
            const auto shortOr = [](const auto& derived, Unit unit) {
                return derived.has() ? formatNumber(derived->value, unit)
                                     : std::string(derived.notApplicable() ? "n/a" : "–");
            };
            m_out +=
                line({fmt::format("{}", index + 1), cleanText(kernel.name),
                      fmt::format("{}", kernel.group.launches.size()),
                      q.duration.count > 0 ? formatNumber(q.duration.median.value, Unit::Seconds)
                                           : std::string("–"),
                      shortOr(kernel.timeShare, Unit::Share),
                      shortOr(q.utilisation[Level::Dram], Unit::Share),
                      cleanText(verdictWords(kernel.verdict, m_w.language), 60)}) +
                "\n";
        }
    }

    void findings() {
        // An argument can be a list of names.
        const EscapeText clean = [](std::string_view text) { return cleanText(text, 600); };
        for (const std::size_t index : m_selection.kernels) {
            const KernelAnalysis& kernel = m_analysis.kernels[index];
            m_out += "\n" + paint("1", fitName(index)) + "\n";
            const auto major = majorFindings(kernel);
            if (const std::string reason = verdictReason(kernel, m_w.language, !major.empty());
                !reason.empty())
                wrapped("   ", cleanText(reason, 600), 3);
            if (const std::string effective = effectiveWords(kernel.quantities, m_w.language);
                !effective.empty())
                wrapped("   ", effective, 3);
            if (m_options.baseline)
                if (const std::string since =
                        sinceBaselineText(m_options.baseline->comparison, index, m_w.language);
                    !since.empty())
                    wrapped("   " + m_w.text.sinceBaseline, since, 5);
            if (major.empty()) {
                switch (explainNoFindings(kernel)) {
                    case NoFindings::NothingToFix:
                        m_out += "   " + paint("32", m_w.text.nothingToFix.str()) + "\n";
                        break;
                    case NoFindings::LittleToFix:
                        m_out += "   " + paint("32", m_w.text.littleToFix.str()) + "\n";
                        break;
                    case NoFindings::NoKnownFault:
                        m_out += "   " + m_w.text.noKnownFault + "\n";
                        break;
                    case NoFindings::OnlyTimed:
                        m_out += "   " + m_w.text.onlyTimed + "\n";
                        break;
                    case NoFindings::CannotTell:
                        m_out += "   " + m_w.text.noDiagnosis + "\n";
                        break;
                }
            }
            constexpr std::size_t kMost = 3;
            for (std::size_t i = 0; i < std::min(major.size(), kMost); ++i) {
                const Finding& finding = *major[i];
                const Rule* rule = findRule(finding.ruleId);
                std::string gain;
                if (finding.gain.has()) {
                    gain = m_w.text.saves(formatNumber(finding.gain->value, Unit::Seconds));
                    if (finding.gainShare.has())
                        gain = m_w.common.bracketed(
                            gain, formatNumber(finding.gainShare->value, Unit::Share));
                    gain = m_w.text.perLaunch(gain);
                }
                m_out += "   " +
                         paint("33", fmt::format("! {}", ruleTitle(finding.ruleId, m_w.language))) +
                         " [" + cleanText(finding.ruleId, 60) + "]\n";
                if (!rule) continue;
                wrapped("     ",
                        gain + fillPhrase(rule->text(m_w.language).sentence, finding.args, clean,
                                          m_w.language),
                        5);
                places(kernel, finding);
                wrapped("     → ",
                        fillPhrase(editPhrase(*rule, finding, m_w.language), finding.args, clean,
                                   m_w.language),
                        7);
            }
            if (major.size() > kMost)
                m_out += "     " + m_w.text.andMore(major.size() - kMost) + "\n";
        }
    }

    /// Where a finding is, each place with its line of code.
    void places(const KernelAnalysis& kernel, const Finding& finding) {
        constexpr std::size_t kLongestLine = 200;
        const EscapeText clean = [](std::string_view text) { return cleanText(text, 100); };
        for (const Place& place : finding.places) {
            wrapped("     @ ", placeWords(place, clean, clean, m_w), 7);
            const std::string code =
                cleanText(sourceText(m_analysis, kernel, place.file, place.line), kLongestLine);
            const std::size_t first = code.find_first_not_of(' ');
            if (first == std::string::npos) continue;
            std::string shown = fitWidth(code.substr(first), m_width - 9);
            while (shown.ends_with(' ')) shown.pop_back();
            m_out += "       " + paint("2", "| " + shown) + "\n";
        }
    }

    std::string fitName(std::size_t index) const {
        std::string text = fitWidth(
            fmt::format("{}. {}", index + 1, cleanText(m_analysis.kernels[index].name)), m_width);
        while (text.ends_with(' ')) text.pop_back();
        return text;
    }

    void ranges() {
        const auto sentences = rangeSentences(
            m_analysis, [](const std::string& name) { return cleanText(name, 100); }, m_w);
        if (sentences.empty()) return;
        m_out += "\n" + paint("1", m_w.ranges.heading.str()) + "\n";
        for (const std::string& words : sentences) wrapped("- ", words, 2);
    }

    void issues() {
        if (m_analysis.profile->issues.empty()) return;
        m_out += "\n" + paint("1", m_w.header.problems.str()) + "\n";
        constexpr std::size_t kMost = 20;
        const auto& issues = m_analysis.profile->issues;
        for (std::size_t i = 0; i < std::min(issues.size(), kMost); ++i) {
            const Issue& issue = issues[i];
            const Label& severity = issue.severity == Severity::Error      ? m_w.facts.error
                                    : issue.severity == Severity::DataLoss ? m_w.facts.dataLost
                                                                           : m_w.facts.note;
            std::string text = cleanText(issue.message, 400);
            if (!issue.advice.empty()) text += " → " + cleanText(issue.advice, 300);
            wrapped(m_w.text.issue(severity, cleanText(issue.code, 60)), text, 2);
        }
        if (issues.size() > kMost)
            m_out += "- " + m_w.facts.andMoreIssues(issues.size() - kMost) + "\n";
    }

    const Analysis& m_analysis;
    const Selection& m_selection;
    const ReportOptions& m_options;
    const Wording& m_w;
    const std::size_t m_width;
    std::string m_out;
};

}  // namespace

std::string renderText(const Analysis& analysis, const Selection& selection,
                       const ReportOptions& options) {
    return Writer(analysis, selection, options).run();
}

}  // namespace roofscope
