// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare_formats.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/number_format.h"
#include "reports/terminal_text.h"

/// The comparison for a terminal: what changed first, then kernels without partner.
namespace roofscope {

namespace {

namespace words = compare_words;
using words::View;

constexpr std::size_t kMaxLonely = 20;

class Writer {
public:
    Writer(const View& view, const CompareOptions& options)
        : m_view(view),
          m_options(options),
          m_width(static_cast<std::size_t>(std::clamp(options.width, 60, 300))) {}

    std::string run() {
        const Comparison& comparison = m_view.comparison;
        if (m_view.oneProfile()) {
            profile("profile: ", m_view.candidate, m_options.candidatePath);
        } else {
            profile("baseline: ", m_view.baseline, m_options.baselinePath);
            profile("candidate: ", m_view.candidate, m_options.candidatePath);
        }
        for (const Remark& note : comparison.notes) wrapped("note: ", words::sentence(note), 6);
        if (const std::string total = words::total(m_view); !total.empty()) wrapped("", total, 2);
        if (!comparison.comparable())
            wrapped("", paint("33", "Nothing could be compared: " + words::incomparable(m_view)),
                    2);
        const std::size_t all = comparison.kernels.size();
        const std::size_t shown = std::min(all, m_options.top.value_or(all));
        for (std::size_t i = 0; i < shown; ++i) kernel(comparison.kernels[i], i + 1);
        if (shown < all) m_out += fmt::format("\n{} more kernels are not shown.\n", all - shown);
        lonely("Only in the baseline", m_view.baseline, comparison.gone);
        lonely("Only in the candidate", m_view.candidate, comparison.added);
        return std::move(m_out);
    }

private:
    std::string paint(const char* code, const std::string& text) const {
        return painted(code, text, m_options.colour);
    }

    void wrapped(const std::string& first, const std::string& text, std::size_t indent) {
        m_out += wrappedLines(first, text, indent, m_width);
    }

    void profile(const char* title, const Analysis& analysis, const std::string& path) {
        std::string text = cleanText(path, 300);
        for (const Device& device : analysis.profile->devices)
            text += ", " + cleanText(device.name, 60);
        if (analysis.profile->capture.origin != "recorded")
            text += "; this profile is " + cleanText(analysis.profile->capture.origin, 40) +
                    ": its numbers were made up for a test, not measured";
        wrapped(title, text, 2);
    }

    const char* colour(const DurationChange& duration) const {
        switch (duration.state) {
            case DurationChange::State::Faster:
                return "32";
            case DurationChange::State::Slower:
                return "31";
            default:
                return "33";
        }
    }

    void kernel(const KernelComparison& kernel, std::size_t number) {
        const DurationChange& duration = kernel.duration;
        const std::string before = cleanText(m_view.from(kernel).name, 60);
        const std::string after = cleanText(m_view.to(kernel).name, 60);
        m_out +=
            "\n" +
            paint("1", fmt::format("{}. {}", number,
                                   m_view.sameFunction(kernel) ? after : before + " → " + after)) +
            "\n   " + paint(colour(duration), words::outcome(duration)) + "\n";
        const std::string more = words::consequence(duration);
        wrapped("   duration: ",
                words::side(duration.from, duration.fromBand) + " → " +
                    words::side(duration.to, duration.toBand) + (more.empty() ? "" : ": " + more),
                5);
        if (words::unchanged(kernel)) {
            wrapped("   ", words::unchangedWords(kernel), 5);
            return;
        }
        if (const std::string why = words::cause(kernel.cause); !why.empty())
            wrapped("   why: ", why, 5);
        wrapped("   verdict: ", words::verdicts(m_view, kernel), 5);
        if (const std::string busy = words::busy(kernel); !busy.empty())
            wrapped("   of each roof: ", busy, 5);
        if (const std::string launch = words::launchChanges(kernel); !launch.empty())
            wrapped("   launch: ", launch, 5);
        if (kernel.match.tier != MatchTier::Given && kernel.match.tier != MatchTier::Exact)
            wrapped("   matched by: ", cleanText(kernel.match.how), 5);
        for (const Remark& note : kernel.notes) wrapped("   note: ", words::sentence(note), 5);
        for (const Promise& promise : kernel.promises) promised(promise, duration);
        for (const std::string& rule : kernel.newFindings)
            wrapped("   " + paint("33", "! new finding: "),
                    ruleTitle(rule, Language::En) + " [" + rule + "]", 5);
        counters(kernel);
        for (const std::string& line : words::notCompared(kernel))
            wrapped("   not compared: ", line, 5);
    }

    void promised(const Promise& promise, const DurationChange& duration) {
        const bool kept = promise.outcome == Outcome::CameTrue;
        m_out += "   " +
                 paint(kept ? "32" : "33", "promise of " + cleanText(promise.ruleId, 60) + " " +
                                               words::outcome(promise.outcome)) +
                 "\n";
        for (const PromisedMovement& movement : promise.movements)
            wrapped("     ",
                    cleanText(movement.expected.counter.in(Language::En), 160) + ": " +
                        words::movement(movement),
                    7);
        wrapped("     ", words::aftermath(promise, duration), 5);
    }

    void counters(const KernelComparison& kernel) {
        const words::Moved moved = words::moved(kernel);
        std::size_t label = 0;
        for (const Movement* movement : moved.shown)
            label = std::max(label, displayWidth(movement->label));
        for (const Movement* movement : moved.shown) {
            std::string line = "   " + fitWidth(movement->label, label) + "  " +
                               fitWidth(words::value(*movement, false), 10, true) + " → " +
                               fitWidth(words::value(*movement, true), 10);
            if (movement->from && movement->to)
                line += "  " + fitWidth(words::change(*movement->from, *movement->to), 12, true) +
                        "  " + words::certainty(*movement);
            while (line.ends_with(' ')) line.pop_back();
            m_out += line + "\n";
        }
        if (moved.small > 0)
            m_out += fmt::format("   {} other counter{} moved by less than 2 %\n", moved.small,
                                 moved.small == 1 ? "" : "s");
        else if (moved.shown.empty())
            m_out += kernel.sameGpu ? "   no counter moved\n" : "   no counter differs\n";
    }

    void lonely(const char* title, const Analysis& analysis,
                const std::vector<std::size_t>& kernels) {
        if (kernels.empty()) return;
        m_out += "\n" + paint("1", title) + "\n";
        for (std::size_t i = 0; i < std::min(kernels.size(), kMaxLonely); ++i) {
            const KernelAnalysis& kernel = analysis.kernels[kernels[i]];
            const DurationStats& duration = kernel.quantities.duration;
            m_out += "   " + cleanText(kernel.name, 60) +
                     (duration.count > 0 ? "  " + formatNumber(duration.median.value, Unit::Seconds)
                                         : std::string("  duration not measured")) +
                     "\n";
        }
        if (kernels.size() > kMaxLonely)
            m_out += fmt::format("   … and {} more\n", kernels.size() - kMaxLonely);
    }

    const View& m_view;
    const CompareOptions& m_options;
    const std::size_t m_width;
    std::string m_out;
};

}  // namespace

std::string renderComparisonText(const View& view, const CompareOptions& options) {
    return Writer(view, options).run();
}

std::string sinceBaselineText(const Comparison& comparison, std::size_t candidateKernel) {
    for (const KernelComparison& kernel : comparison.kernels) {
        if (kernel.match.candidate != candidateKernel) continue;
        const std::string why = words::cause(kernel.cause);
        return words::outcomeInFull(kernel.duration) + (why.empty() ? "" : ": " + why);
    }
    return {};
}

}  // namespace roofscope
