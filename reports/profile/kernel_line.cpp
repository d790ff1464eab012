// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/worthwhile.h"
#include "reports/answer/answer_words.h"
#include "reports/answer/finding_words.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"
#include "reports/verdict/major_findings.h"
#include "reports/verdict/no_findings.h"

namespace roofscope::profile_report {

namespace {

/// A kernel without a gain gets a section only if it takes this share of the window.
constexpr double kWorthReading = 0.03;
/// A finding gets a section only if it gains this share of the window.
constexpr double kWorthEditing = 0.01;
/// With more sections, a program's report is longer than anybody reads before the first edit.
constexpr std::size_t kMostSections = 3;

/// The sum of `of` over all shapes as a share of the window; 1 if the window is unknown.
double shareOfWindow(const View& view, const Shapes& shapes,
                     const std::function<Seconds(std::uint32_t)>& of) {
    if (!view.hasOpening() || !(view.program->window.seconds.value > 0)) return 1;
    const double most = program::judgedTime(*view.program).value;
    Seconds all = of(static_cast<std::uint32_t>(shapes.first));
    for (const std::size_t other : shapes.others) all += of(static_cast<std::uint32_t>(other));
    return most > 0 ? all.value / most : 1;
}

/// The gain of the shapes' first findings, as a share of the window.
double gainInWindow(const View& view, const Shapes& shapes) {
    if (majorFindings(view.analysis.kernels[shapes.first]).empty()) return 0;
    return shareOfWindow(view, shapes, [&](std::uint32_t index) {
        const KernelAnalysis& kernel = view.analysis.kernels[index];
        const auto major = majorFindings(kernel);
        if (major.empty() || !major.front()->gain.has()) return Seconds{};
        return program::gainPerWindow(kernel, *major.front()->gain, view.program->kernels[index]);
    });
}

/// The shapes' share of the window. If more time is attributed to them because they stand for other
/// shapes, that time counts.
double timeInWindow(const View& view, const Shapes& shapes) {
    const auto& kernels = view.program->kernels;
    return std::max(
        shareOfWindow(view, shapes, [&](std::uint32_t index) { return kernels[index].time; }),
        shareOfWindow(view, shapes, [&](std::uint32_t index) { return kernels[index].standsFor; }));
}

std::string stateWords(const KernelAnalysis& kernel, Language l) {
    if (const auto major = majorFindings(kernel); !major.empty())
        return findingTitle(*major.front(), l);
    return nothingLabel(*nothingToEdit(kernel), l);
}

}  // namespace

namespace {

bool deservesSection(const View& view, const Shapes& shapes, std::size_t rank) {
    const KernelAnalysis& kernel = view.analysis.kernels[shapes.first];
    // An HTML page shows all kernels, and a filter asks for specific ones.
    if (!view.brief() || !view.options.kernelFilter.empty() || view.options.baseline) return true;
    const auto major = majorFindings(kernel);
    if (view.essentials()) {
        // Library kernels: the program's actions say what their callers can do.
        if (isForeign(kernel.origin)) return false;
        if (!major.empty() && major.front()->gain.has())
            return gainInWindow(view, shapes) >= kWorthEditing;
        if (timeInWindow(view, shapes) < kWorthReading) return false;
    }
    if (kernel.source) return true;
    if (isForeign(kernel.origin)) return gainInWindow(view, shapes) >= kWorthEditing;
    if (!major.empty()) return true;
    if (wasOnlyTimed(kernel) || kernel.verdict.cls == VerdictClass::WaitsForPeers) return false;
    if (rank == 0) return true;
    const NoFindings none = explainNoFindings(kernel);
    return none != NoFindings::NothingToFix && none != NoFindings::LittleToFix &&
           (!kernel.timeShare.has() || kernel.timeShare->value >= kWorthReading);
}

}  // namespace

std::vector<bool> deserveSections(const View& view, const std::vector<Shapes>& shapes) {
    std::vector<bool> has(shapes.size());
    std::vector<std::pair<double, std::size_t>> byGain;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        has[i] = deservesSection(view, shapes[i], i);
        if (has[i] && view.essentials()) byGain.emplace_back(gainInWindow(view, shapes[i]), i);
    }
    std::ranges::stable_sort(byGain, std::greater{}, [](const auto& entry) { return entry.first; });
    for (std::size_t i = kMostSections; i < byGain.size(); ++i) has[byGain[i].second] = false;
    return has;
}

doc::Node kernelLine(const View& view, const Shapes& shapes) {
    const Language l = view.language;
    const KernelAnalysis& kernel = view.analysis.kernels[shapes.first];
    const Verdict& verdict = kernel.verdict;
    doc::Text text =
        tell(l, "{}. {}: {}", shapes.first + 1, doc::code(kernel.name, 60), stateWords(kernel, l));
    std::vector<doc::Text> facts;
    if (verdict.cls != VerdictClass::Unknown) facts.push_back(verdictBadge(verdict, l));
    // A kernel as short as an empty launch cannot reach a roof, so its share means nothing.
    const bool tooShort = majorFindings(kernel).empty() &&
                          explainNoFindings(kernel) == NoFindings::NothingToFix &&
                          verdict.cls != VerdictClass::NearRoof;
    if (verdict.reason.leading && !tooShort)
        facts.emplace_back(
            say(l, "at {} of what it can reach",
                formatNumber(std::min(verdict.reason.leading->busy.value, 1.0), Unit::Share)));
    const auto major = majorFindings(kernel);
    if (!major.empty() && major.front()->gain.has())
        facts.emplace_back(boundMark(*major.front()->gain, major.front()->estimate));
    else if (!hasNoHeadroom(verdict) && verdict.headroom.has())
        facts.emplace_back(say(l, "{} left", boundMark(*verdict.headroom, false)));
    if (!shapes.others.empty())
        facts.emplace_back(sayCount(l, shapes.others.size(), "{} more similar launch shape",
                                    "{} more similar launch shapes"));
    if (!facts.empty()) text = bracketed(l, text, doc::joined(facts, marksOf(l).comma));
    return doc::paragraph(std::move(text), kKernelLine, say(l, "kernel line"));
}

}  // namespace roofscope::profile_report
