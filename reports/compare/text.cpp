// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare/formats.h"
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
          m_w(view.w),
          m_c(view.w.compare),
          m_width(static_cast<std::size_t>(std::clamp(options.width, 60, 300))) {}

    std::string run() {
        const Comparison& comparison = m_view.comparison;
        if (m_view.oneProfile()) {
            profile(m_c.textProfile, m_view.candidate, m_options.candidatePath);
        } else {
            profile(m_c.textBaseline, m_view.baseline, m_options.baselinePath);
            profile(m_c.textCandidate, m_view.candidate, m_options.candidatePath);
        }
        for (const Remark& note : comparison.notes)
            wrapped(m_w.text.note.str(), words::sentence(note, m_w.language),
                    displayWidth(m_w.text.note));
        if (const std::string total = words::total(m_view); !total.empty()) wrapped("", total, 2);
        if (!comparison.comparable())
            wrapped("",
                    paint("33", m_c.nothingCompared + m_w.common.colon.str() +
                                    words::incomparable(m_view)),
                    2);
        const std::size_t all = comparison.kernels.size();
        const std::size_t shown = std::min(all, m_options.top.value_or(all));
        for (std::size_t i = 0; i < shown; ++i) kernel(comparison.kernels[i], i + 1);
        if (shown < all) m_out += "\n" + m_c.moreKernels(all - shown) + "\n";
        lonely(m_c.onlyBaseline, m_view.baseline, comparison.gone);
        lonely(m_c.onlyCandidate, m_view.candidate, comparison.added);
        return std::move(m_out);
    }

private:
    std::string paint(const char* code, const std::string& text) const {
        return painted(code, text, m_options.colour);
    }

    void wrapped(const std::string& first, const std::string& text, std::size_t indent) {
        m_out += wrappedLines(first, text, indent, m_width);
    }

    void profile(const Label& title, const Analysis& analysis, const std::string& path) {
        std::string text = cleanText(path, 300);
        for (const Device& device : analysis.profile->devices)
            text += m_w.common.comma + cleanText(device.name, 60);
        if (!isMeasured(analysis.profile->capture))
            text +=
                m_w.common.semicolon + m_c.madeUp(cleanText(analysis.profile->capture.origin, 40));
        wrapped(title.str(), text, 2);
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
            "\n   " + paint(colour(duration), words::outcome(duration, m_w)) + "\n";
        const std::string more = words::consequence(duration, m_w);
        wrapped("   " + m_c.textDuration,
                words::side(duration.from, duration.fromBand, m_w) + " → " +
                    words::side(duration.to, duration.toBand, m_w) +
                    (more.empty() ? "" : m_w.common.colon + more),
                5);
        if (words::unchanged(kernel)) {
            wrapped("   ", words::unchangedWords(kernel, m_w), 5);
            return;
        }
        if (const std::string why = words::cause(kernel.cause, m_w); !why.empty())
            wrapped("   " + m_c.textWhy, why, 5);
        wrapped("   " + m_c.textVerdict, words::verdicts(m_view, kernel), 5);
        if (const std::string busy = words::busy(kernel, m_w); !busy.empty())
            wrapped("   " + m_c.textRoofs, busy, 5);
        if (const std::string launch = words::launchChanges(kernel, m_w); !launch.empty())
            wrapped("   " + m_c.textLaunch, launch, 5);
        if (kernel.match.tier != MatchTier::Given && kernel.match.tier != MatchTier::Exact)
            wrapped("   " + m_c.textMatched, cleanText(kernel.match.how.in(m_w.language)), 5);
        for (const Remark& note : kernel.notes)
            wrapped("   " + m_w.text.note, words::sentence(note, m_w.language), 5);
        for (const Promise& promise : kernel.promises) promised(promise, duration);
        for (const std::string& rule : kernel.newFindings)
            wrapped("   " + paint("33", m_c.textNewFinding.str()),
                    ruleTitle(rule, m_w.language) + " [" + rule + "]", 5);
        counters(kernel);
        for (const std::string& line : words::notCompared(kernel, m_w))
            wrapped("   " + m_c.textNotCompared, line, 5);
    }

    void promised(const Promise& promise, const DurationChange& duration) {
        const bool kept = promise.outcome == Outcome::CameTrue;
        m_out += "   " +
                 paint(kept ? "32" : "33", m_c.textPromise(cleanText(promise.ruleId, 60),
                                                           words::outcome(promise.outcome, m_w))) +
                 "\n";
        for (const PromisedMovement& movement : promise.movements)
            wrapped("     ",
                    cleanText(movement.expected.counter.in(m_w.language), 160) + m_w.common.colon +
                        words::movement(movement, m_w),
                    7);
        wrapped("     ", words::aftermath(promise, duration, m_w), 5);
    }

    void counters(const KernelComparison& kernel) {
        const words::Moved moved = words::moved(kernel);
        std::size_t label = 0;
        for (const Movement* movement : moved.shown)
            label = std::max(label, displayWidth(movement->label.in(m_w.language)));
        for (const Movement* movement : moved.shown) {
            std::string line = "   " + fitWidth(movement->label.in(m_w.language), label) + "  " +
                               fitWidth(words::value(*movement, false, m_w), 10, true) + " → " +
                               fitWidth(words::value(*movement, true, m_w), 10);
            if (movement->from && movement->to)
                line += "  " +
                        fitWidth(words::change(*movement->from, *movement->to, m_w), 12, true) +
                        "  " + words::certainty(*movement, m_w);
            while (line.ends_with(' ')) line.pop_back();
            m_out += line + "\n";
        }
        if (moved.small > 0)
            m_out += "   " + m_c.small(moved.small) + "\n";
        else if (moved.shown.empty())
            m_out +=
                "   " + (kernel.sameGpu ? m_c.textNoneMoved : m_c.textNoneDiffers).str() + "\n";
    }

    void lonely(const Label& title, const Analysis& analysis,
                const std::vector<std::size_t>& kernels) {
        if (kernels.empty()) return;
        m_out += "\n" + paint("1", title.str()) + "\n";
        for (std::size_t i = 0; i < std::min(kernels.size(), kMaxLonely); ++i) {
            const KernelAnalysis& kernel = analysis.kernels[kernels[i]];
            const DurationStats& duration = kernel.quantities.duration;
            m_out += "   " + cleanText(kernel.name, 60) +
                     (duration.count > 0 ? "  " + formatNumber(duration.median.value, Unit::Seconds)
                                         : "  " + m_c.noDuration) +
                     "\n";
        }
        if (kernels.size() > kMaxLonely)
            m_out += "   " + m_c.andMore(kernels.size() - kMaxLonely) + "\n";
    }

    const View& m_view;
    const CompareOptions& m_options;
    const Wording& m_w;
    const CompareWords& m_c;
    const std::size_t m_width;
    std::string m_out;
};

}  // namespace

std::string renderComparisonText(const View& view, const CompareOptions& options) {
    return Writer(view, options).run();
}

}  // namespace roofscope
