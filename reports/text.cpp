// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/rule.h"
#include "reports/compare_report.h"
#include "reports/escape.h"
#include "reports/formats.h"
#include "reports/kernel_facts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"
#include "reports/ranks_words.h"
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
          m_width(static_cast<std::size_t>(std::clamp(options.width, 60, 300))) {}

    std::string run() {
        header();
        if (m_analysis.kernels.empty()) {
            m_out += "No kernel launch was measured.\n";
        } else if (m_selection.matching == 0) {
            m_out += fmt::format("None of the {} kernels matches the filter \"{}\".\n",
                                 m_analysis.kernels.size(), cleanText(m_options.kernelFilter));
        } else {
            table();
            findings();
            if (m_selection.kernels.size() < m_selection.matching)
                m_out += fmt::format("\n{} more kernels are not shown.\n",
                                     m_selection.matching - m_selection.kernels.size());
        }
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

    void header() {
        const Profile& profile = *m_analysis.profile;
        for (const Device& device : profile.devices)
            m_out += fmt::format("{}: {} SMs, compute capability {}.{}\n",
                                 paint("1", cleanText(device.name, 60)), device.smCount,
                                 device.computeMajor, device.computeMinor);
        const bool timed = std::any_of(
            m_analysis.kernels.begin(), m_analysis.kernels.end(),
            [](const KernelAnalysis& kernel) { return kernel.quantities.duration.unprofiled; });
        std::string command;
        for (const std::string& argument : profile.capture.command) {
            if (command.size() > 400) break;
            command += (command.empty() ? "" : " ") + cleanText(argument, 200);
        }
        if (!command.empty()) wrapped("program: ", cleanText(command, 400), 9);
        wrapped(
            "measured: ",
            fmt::format("{} launches, {}; durations {}", profile.launches.size(),
                        cleanText(strategyWords(profile.capture)),
                        timed ? "from a timing run" : "from the counter run (gpu__time_duration)"),
            10);
        if (!isMeasured(profile.capture))
            m_out += paint("33", "This profile is " + cleanText(profile.capture.origin, 40) +
                                     ": its numbers were made up for a test, not measured.") +
                     "\n";
        if (const std::size_t count = m_analysis.substitutes.size(); count > 0)
            wrapped("note: ",
                    fmt::format("{} counters and formulas were obtained from other counters of the "
                                "profile; the markdown report lists them",
                                count),
                    6);
        for (const std::string& words : rankSentences(
                 profile, [](const std::string& name) { return cleanText(name, 100); }))
            wrapped("ranks: ", words, 7);
        for (const std::string& note : m_analysis.notes) wrapped("note: ", cleanText(note, 400), 6);
        m_out += "\n";
    }

    struct Column {
        const char* title;
        std::size_t width;
        bool right;
    };

    void table() {
        std::vector<Column> columns{{"#", 3, true},        {"kernel", 0, false}, {"n", 4, true},
                                    {"median", 8, true},   {"share", 6, true},   {"DRAM", 6, true},
                                    {"verdict", 27, false}};
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
        for (const Column& column : columns) titles.emplace_back(column.title);
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
                      cleanText(verdictWords(kernel.verdict), 60)}) +
                "\n";
        }
    }

    void findings() {
        // An argument can be a list of names.
        const EscapeText clean = [](std::string_view text) { return cleanText(text, 600); };
        for (const std::size_t index : m_selection.kernels) {
            const KernelAnalysis& kernel = m_analysis.kernels[index];
            m_out += "\n" + paint("1", fitName(index)) + "\n";
            if (!kernel.verdict.reason.empty())
                wrapped("   ", cleanText(kernel.verdict.reason, 600), 3);
            if (m_options.baseline)
                if (const std::string since =
                        sinceBaselineText(m_options.baseline->comparison, index);
                    !since.empty())
                    wrapped("   since the baseline: ", since, 5);
            const auto major = majorFindings(kernel);
            if (major.empty()) {
                switch (explainNoFindings(kernel)) {
                    case NoFindings::NothingToFix:
                        m_out += "   " + paint("32", "nothing to fix here") + "\n";
                        break;
                    case NoFindings::NoKnownFault:
                        m_out += "   no known fault, although the kernel is not at a roof\n";
                        break;
                    case NoFindings::CannotTell:
                        m_out += "   no diagnosis\n";
                        break;
                }
            }
            constexpr std::size_t kMost = 3;
            for (std::size_t i = 0; i < std::min(major.size(), kMost); ++i) {
                const Finding& finding = *major[i];
                const Rule* rule = findRule(finding.ruleId);
                std::string gain;
                if (finding.gain.has()) {
                    gain = "saves at most " + formatNumber(finding.gain->value, Unit::Seconds);
                    if (finding.gainShare.has())
                        gain += " (" + formatNumber(finding.gainShare->value, Unit::Share) + ")";
                    gain += " per launch: ";
                }
                m_out += "   " + paint("33", fmt::format("! {}", ruleTitle(finding.ruleId))) +
                         " [" + cleanText(finding.ruleId, 60) + "]\n";
                if (!rule) continue;
                wrapped("     ", gain + fillPhrase(rule->en.sentence, finding.args, clean), 5);
                wrapped("     → ", fillPhrase(rule->en.edit, finding.args, clean), 7);
            }
            if (major.size() > kMost)
                m_out += fmt::format("     and {} more\n", major.size() - kMost);
        }
    }

    std::string fitName(std::size_t index) const {
        std::string text = fitWidth(
            fmt::format("{}. {}", index + 1, cleanText(m_analysis.kernels[index].name)), m_width);
        while (text.ends_with(' ')) text.pop_back();
        return text;
    }

    void issues() {
        if (m_analysis.profile->issues.empty()) return;
        m_out += "\n" + paint("1", "Problems while recording") + "\n";
        constexpr std::size_t kMost = 20;
        const auto& issues = m_analysis.profile->issues;
        for (std::size_t i = 0; i < std::min(issues.size(), kMost); ++i) {
            const Issue& issue = issues[i];
            const char* severity = issue.severity == Severity::Error      ? "error"
                                   : issue.severity == Severity::DataLoss ? "data lost"
                                                                          : "note";
            std::string text = cleanText(issue.message, 400);
            if (!issue.advice.empty()) text += " → " + cleanText(issue.advice, 300);
            wrapped(fmt::format("- {} ({}): ", severity, cleanText(issue.code, 60)), text, 2);
        }
        if (issues.size() > kMost) m_out += fmt::format("- … and {} more\n", issues.size() - kMost);
    }

    const Analysis& m_analysis;
    const Selection& m_selection;
    const ReportOptions& m_options;
    const std::size_t m_width;
    std::string m_out;
};

}  // namespace

std::string renderText(const Analysis& analysis, const Selection& selection,
                       const ReportOptions& options) {
    return Writer(analysis, selection, options).run();
}

}  // namespace roofscope
