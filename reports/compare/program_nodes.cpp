// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/program_nodes.h"

#include "reports/answer/finding_words.h"
#include "reports/kernels/kernel_id.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/program/program_json.h"
#include "reports/program/program_words.h"

namespace roofscope {

namespace {

using compare_words::View;
using json_parts::clean, json_parts::Json, json_parts::list, json_parts::number, json_parts::orNull;

/// "1.49× faster", "no change beyond noise".
std::string outcomeWords(Seconds before, Seconds after, bool changed, Language l) {
    if (!changed) return say(l, "no change beyond noise");
    const double speedup = before / after;
    return speedup > 1 ? say(l, "{} faster", formatNumber(speedup, Unit::Factor))
                       : say(l, "{} slower", formatNumber(1 / speedup, Unit::Factor));
}

/// Explains that only the CPU's time changed, which may be the machine rather than the program.
std::string cpuWords(const ProgramComparison& program, Language l) {
    const bool slower = program.speedup() < 1;
    return say(
        l,
        "The GPU's work and time are unchanged, but the CPU took {} to issue it. If the CPU code "
        "did not change, the machine did (load, clocks): record both in turn on an idle machine.",
        slower ? say(l, "longer") : say(l, inContext("less time", "less")));
}

/// "kept: 58.1 ms promised, 56.0 ms saved".
std::string promiseWords(const PromisedSaving& promise, Language l) {
    const std::string bound = boundWords(promise.bound, promise.estimate, l);
    switch (promise.outcome) {
        case PromisedSaving::Outcome::Kept:
            return say(l, "kept ({} promised, {} saved)", bound, formatTime(promise.saved));
        case PromisedSaving::Outcome::Exceeded:
            return say(l, "exceeded ({} promised, {} saved)", bound, formatTime(promise.saved));
        case PromisedSaving::Outcome::Broken:
            break;
    }
    return say(l, "broken ({} promised, nothing saved beyond noise)", bound);
}

doc::Text promisesText(const std::vector<PromisedSaving>& promises, Language l) {
    return doc::joined(promises, marksOf(l).semicolon, [l](const PromisedSaving& promise) {
        // The part of an action's id after "program/" is its rule, with more text if several
        // actions have that rule.
        const std::string_view name =
            std::string_view(promise.action).substr(promise.action.find('/') + 1);
        return doc::code(name.empty() ? promise.rule : name, 60) + " " + promiseWords(promise, l);
    });
}

doc::Text namesText(const Analysis& analysis, const std::vector<std::size_t>& kernels,
                    std::size_t launches, Language l) {
    constexpr std::size_t kMost = 4;
    const auto names = doc::firstOf(
        kernels, kMost,
        [&](std::size_t kernel) { return doc::code(analysis.kernels[kernel].name, 60); },
        [l](std::size_t more) { return say(l, "{} more", more); });
    const doc::Text text = doc::joined(names, marksOf(l).listComma);
    if (launches == kernels.size()) return text;
    return bracketed(l, text, sayCount(l, launches, "{} launch", "{} launches"));
}

/// "`a`, `b` → `ab`, fused: 655 µs → 440 µs per window, 1.49× faster; `unfused-chain` kept (…)".
doc::Text exchangeText(const View& view, const KernelExchange& exchange) {
    const Language l = view.language;
    const std::string kind = exchange.kind() == KernelExchange::Kind::Fused   ? say(l, "fused")
                             : exchange.kind() == KernelExchange::Kind::Split ? say(l, "split")
                                                                              : say(l, "replaced");
    doc::Text text =
        tell(l, "{} → {}, {}: {} → {} per window, {}",
             namesText(view.baseline, exchange.baseline, exchange.launchesBefore, l),
             namesText(view.candidate, exchange.candidate, exchange.launchesAfter, l), kind,
             formatTime(exchange.before), formatTime(exchange.after),
             doc::strong(outcomeWords(exchange.before, exchange.after, exchange.changed(), l)));
    if (!exchange.promises.empty())
        text += doc::Text(marksOf(l).semicolon) + promisesText(exchange.promises, l);
    return text;
}

doc::Text movedText(const std::vector<ClassChange>& moved, Language l) {
    return doc::joined(moved, marksOf(l).comma, [l](const ClassChange& change) {
        return timeClassWords(change.cls, l) + " " + formatTime(change.before) + " → " +
               formatTime(change.after);
    });
}

Json windowObject(const Program& program) {
    if (program.lanes.empty()) return nullptr;
    const Window& window = program.window;
    return {
        {"kind", toString(window.kind)},      {"name", orNull(window.name)},
        {"occurrences", window.occurrences},  {"counted", window.counted},
        {"seconds", number(window.seconds)},  {"shares", sharesObject(program.account)},
        {"busy_share", number(program.busy)}, {"floor_seconds", orNull(program.floor)},
    };
}

Json promiseObjects(const std::vector<PromisedSaving>& promises) {
    return list(promises, [](const PromisedSaving& promise) {
        return Json{{"rule", clean(promise.rule)},         {"id", orNull(promise.action)},
                    {"subject", orNull(promise.subject)},  {"bound_seconds", number(promise.bound)},
                    {"estimate", promise.estimate},        {"saved_seconds", number(promise.saved)},
                    {"outcome", toString(promise.outcome)}};
    });
}

Json namesObject(const Analysis& analysis, const std::vector<std::string>& ids,
                 const std::vector<std::size_t>& kernels) {
    return list(kernels, [&](std::size_t kernel) {
        return Json{{"id", ids[kernel]},
                    {"rank", kernel + 1},
                    {"name", clean(analysis.kernels[kernel].name)}};
    });
}

}  // namespace

doc::Nodes programChangeNodes(const View& view) {
    doc::Nodes nodes;
    if (!view.comparison.program) return nodes;
    const Language l = view.language;
    const ProgramComparison& program = *view.comparison.program;
    std::vector<doc::Text> sentences;
    if (program.comparable) {
        const Window &before = program.before.window, &after = program.after.window;
        sentences.push_back(tell(
            l, "**Program**: {}, then {}: {}.", windowWords(before, l), formatTime(after.seconds),
            doc::strong(outcomeWords(before.seconds, after.seconds, program.changed(), l))));
        sentences.push_back(tellOf(movedText(program.moved, l), l, "Moved: {}."));
        if (program.onlyCpuChanged()) sentences.emplace_back(cpuWords(program, l));
        sentences.push_back(tellOf(promisesText(program.promises, l), l, "Promised actions: {}."));
    } else if (!program.reason.empty()) {
        sentences.push_back(tell(l, "**Program**: not compared, {}.", program.reason.in(l)));
    }
    if (!sentences.empty()) nodes.push_back(doc::paragraph(doc::joined(sentences, marksOf(l).gap)));
    if (program.exchanges.empty()) return nodes;
    constexpr std::size_t kMost = 10;
    const auto items = doc::firstOf(
        program.exchanges, kMost,
        [&](const KernelExchange& exchange) { return exchangeText(view, exchange); },
        [l](std::size_t more) { return say(l, inContext("groups", "… and {} more"), more); });
    nodes.push_back(doc::section(say(l, "Replaced kernels"), {doc::list(items)}));
    return nodes;
}

doc::Text sinceBaselineText(const ProgramComparison& program, Language l) {
    if (!program.comparable)
        return program.reason.empty()
                   ? doc::Text()
                   : tell(l, "Since the baseline: not compared, {}.", program.reason.in(l));
    const Seconds before = program.before.window.seconds, after = program.after.window.seconds;
    doc::Text since =
        tell(l, "Since the baseline: {} → {}, {}.", formatTime(before), formatTime(after),
             doc::strong(outcomeWords(before, after, program.changed(), l)));
    if (program.onlyCpuChanged()) since += std::string(marksOf(l).gap) + cpuWords(program, l);
    return since;
}

Json programChangeObject(const View& view) {
    if (!view.comparison.program) return nullptr;
    const ProgramComparison& program = *view.comparison.program;
    const bool known = program.comparable;
    const auto seconds = [](const Program& side) {
        return side.lanes.empty() ? Json(nullptr) : number(side.window.seconds);
    };
    return {{"comparable", known},
            {"reason", orNull(program.reason.in(Language::En))},
            {"seconds_before", seconds(program.before)},
            {"seconds_after", seconds(program.after)},
            {"speedup", known ? number(program.speedup()) : Json(nullptr)},
            {"changed", known ? Json(program.changed()) : Json(nullptr)},
            {"only_cpu_changed", known ? Json(program.onlyCpuChanged()) : Json(nullptr)},
            {"moved", list(program.moved,
                           [](const ClassChange& change) {
                               return Json{{"class", toString(change.cls)},
                                           {"before_seconds", number(change.before)},
                                           {"after_seconds", number(change.after)}};
                           })},
            {"promises", promiseObjects(program.promises)},
            {"baseline", windowObject(program.before)},
            {"candidate", windowObject(program.after)}};
}

Json exchangeObjects(const View& view) {
    if (!view.comparison.program || view.comparison.program->exchanges.empty())
        return Json::array();
    const auto before = kernelIds(view.baseline), after = kernelIds(view.candidate);
    return list(view.comparison.program->exchanges, [&](const KernelExchange& exchange) {
        return Json{{"kind", toString(exchange.kind())},
                    {"baseline", namesObject(view.baseline, before, exchange.baseline)},
                    {"candidate", namesObject(view.candidate, after, exchange.candidate)},
                    {"launches_before", exchange.launchesBefore},
                    {"launches_after", exchange.launchesAfter},
                    {"times", exchange.times},
                    {"before_seconds", number(exchange.before)},
                    {"after_seconds", number(exchange.after)},
                    {"changed", exchange.changed()},
                    {"promises", promiseObjects(exchange.promises)}};
    });
}

}  // namespace roofscope
