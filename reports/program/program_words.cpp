// SPDX-License-Identifier: Apache-2.0
#include "reports/program/program_words.h"

#include <algorithm>
#include <array>
#include <span>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/names/kernel_name.h"
#include "analyzer/names/library_product.h"
#include "analyzer/program/account/functions.h"
#include "reports/answer/finding_words.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/program/action_words.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope {
namespace {

constexpr std::size_t kLongestWindow = 60, kLongestName = 50, kLongestSite = 60;
/// Smaller shares are summed up as "the rest".
constexpr double kLeastShare = 0.005;
/// If the GPU waits for the CPU for at least this share of the window, faster kernels may only make
/// it wait longer.
constexpr double kCpuLimits = 0.3;

std::string shareText(double share) { return formatNumber(share, Unit::Share); }

/// Exposed and hidden communication of each rank. With many ranks only the least and the most.
std::optional<doc::Text> communicationText(const Program& program, Language language) {
    constexpr std::size_t kEach = 4;
    struct Rank {
        std::uint32_t rank;
        Seconds exposed, hidden;
    };
    std::vector<Rank> ranks;
    for (const Lane& lane : program.lanes) {
        const Seconds exposed = lane.account.time[TimeClass::Communication];
        const Seconds hidden = lane.account.hiddenCommunication;
        if (lane.rank && exposed.value + hidden.value > 0)
            ranks.push_back({*lane.rank, exposed, hidden});
    }
    if (ranks.size() < 2) return std::nullopt;
    std::ranges::sort(ranks, {}, &Rank::exposed);
    if (ranks.size() > kEach) ranks = {ranks.front(), ranks.back()};
    return tell(language, "Communication: {}.",
                doc::joined(ranks, marksOf(language).semicolon, [language](const Rank& rank) {
                    return say(language, "rank {} {} exposed, {} hidden behind kernels", rank.rank,
                               formatTime(rank.exposed), formatTime(rank.hidden));
                }));
}

/// The line with the most GPU time, if that is clearly more than any function's. If a library
/// launches dozens of kernels, a line says more than their names.
std::optional<doc::Text> lineText(const Program& program, Language language) {
    constexpr double kLeast = 0.25;  // of the window
    constexpr double kBeforeFunction = 1.5;
    if (program.lines.size() < 2 || program.functions.empty() || program.lanes.size() > 1)
        return std::nullopt;
    const program::LineTime& line = program.lines.front();
    const Seconds function =
        std::ranges::max_element(program.functions, {}, &KernelFunction::time)->time;
    if (line.time < program.window.seconds * kLeast || line.time < function * kBeforeFunction)
        return std::nullopt;
    return tell(language, "Most GPU time: {}, at least {}.",
                doc::code(siteWords({.text = line.place}), kLongestSite),
                shareText(std::min(1.0, line.time / program.window.seconds)));
}

}  // namespace

doc::Text windowSentence(const Window& window, Language language) {
    return tell(language, "**Program**: {}.", windowWords(window, language));
}

doc::Text windowWords(const Window& window, Language language) {
    const std::string each = formatTime(window.seconds);
    const std::string occurrences = countInWords(window.occurrences),
                      counted = countInWords(window.counted);
    // Any text: the program chose it.
    const doc::Text name = doc::code(window.name, kLongestWindow);
    doc::Text words;
    switch (window.kind) {
        case WindowKind::Chosen:
            words = window.name.empty() ? tell(language, "the chosen {}", each)
                    : window.occurrences == 1
                        ? tell(language, "{} (chosen), {}", name, each)
                        : tell(language, "{} × {} (chosen), {} each", occurrences, name, each);
            break;
        case WindowKind::Range:
            words = tell(language, "{} × {}, {} each", occurrences, name, each);
            break;
        case WindowKind::Period:
            if (window.rounds > 0)
                return tell(language, "{} rounds of different work, {} together", window.rounds,
                            each);
            words =
                tellCount(language, window.periodLaunches, "{1} repeats of {0} launch, {2} each",
                          "{1} repeats of {0} launches, {2} each", occurrences, each);
            break;
        case WindowKind::Whole:
            words = tell(language, "{} from the first to the last GPU activity", each);
            break;
        case WindowKind::Run:
            return window.unrecorded.value > 0
                       ? tell(language, "the run without the part in which counters were read, {}",
                              each)
                       : tell(language, "the whole run, {}", each);
    }
    // The last repeat of a period has no end.
    const bool open = window.kind == WindowKind::Period &&
                      window.counted + window.leftOut + 1 == window.occurrences;
    if (window.leftOut > 0 && open)
        words +=
            tellCount(language, window.leftOut, " (mean of {1}; {0} warm-up and the last left out)",
                      " (mean of {1}; {0} warm-ups and the last left out)", counted);
    else if (window.leftOut > 0)
        words += tellCount(language, window.leftOut, " (mean of {1}; {0} warm-up left out)",
                           " (mean of {1}; {0} warm-ups left out)", counted);
    if (window.pauses.count > 0)
        words +=
            tellCount(language, window.pauses.count, "; {0} pause of {1} is left out",
                      "; {0} pauses, {1} in all, are left out", formatTime(window.pauses.total));
    if (window.firstSeconds.value > 0)
        words += tell(language, "; it grows from {} to {} along the run",
                      formatTime(window.firstSeconds), formatTime(window.lastSeconds));
    const Window::Others& others = window.others;
    if (others.count > 0 && !(others.seconds.value > 0))
        words += tell(language, "; {} of other lengths are left out", others.count);
    else if (others.count > 0 && others.before)
        words += tell(language, "; the {} before them take {} each and are left out", others.count,
                      formatTime(others.seconds));
    else if (others.count > 0)
        words += tell(language, "; the {} after them take {} each and are left out", others.count,
                      formatTime(others.seconds));
    return words;
}

std::string timeClassWords(TimeClass cls, Language language) {
    switch (cls) {
        case TimeClass::Kernels:
            return say(language, "kernels");
        case TimeClass::Communication:
            return say(language, "communication");
        case TimeClass::Copies:
            return say(language, "copies, no kernel running");
        case TimeClass::IdleLaunch:
            return say(language, "waiting for launches");
        case TimeClass::IdleSync:
            return say(language, "idle after a synchronisation");
        case TimeClass::IdleAlloc:
            return say(language, "idle during allocation");
        case TimeClass::IdleLoad:
            return say(language, "idle while code loads");
        case TimeClass::IdleHost:
            return say(language, "idle during host work");
        case TimeClass::IdleUnknown:
            break;
    }
    return say(language, "no kernel, cause not recorded");
}

doc::Text accountSentence(const Account& account, Language language, std::size_t most) {
    std::vector<TimeClass> classes(kTimeClasses.begin(), kTimeClasses.end());
    std::ranges::stable_sort(classes, std::greater{},
                             [&](TimeClass cls) { return account.time[cls]; });
    std::vector<doc::Text> parts;
    double rest = 0;
    for (const TimeClass cls : classes) {
        const double share = account.share(cls).value;
        if (share < kLeastShare || parts.size() >= most) {
            rest += share;
            continue;
        }
        const std::string words = timeClassWords(cls, language), value = shareText(share);
        parts.push_back(parts.empty() ? tell(language, "{} **{}**", words, value)
                                      : tell(language, "{} {}", words, value));
    }
    if (rest >= kLeastShare) parts.push_back(tell(language, "the rest {}", shareText(rest)));
    return tell(language, "Of that: {}.", doc::joined(parts, std::string(marksOf(language).comma)));
}

namespace {

/// The part of a run before or after the work on the GPU, and what the CPU did in it.
doc::Text endOfRun(std::string words, const std::vector<HostFunction>& functions,
                   Language language) {
    constexpr double kNearlyAll = 0.8;  // functions after one with this share say little
    doc::Text part = std::move(words);
    if (functions.empty()) return part;
    std::vector<HostFunction> first{functions.front()};
    if (functions.size() > 1 && functions.front().share.value < kNearlyAll)
        first.push_back(functions[1]);
    const auto text = [language](const HostFunction& f) { return hostFunctionText(f, language); };
    return bracketed(language, part, doc::joined(first, marksOf(language).listComma, text));
}

}  // namespace

namespace {

/// Whether the program does more between its first and last work on the GPU outside of the loop
/// than in it. Loading code is start-up.
bool isMostlyOutside(const WholeRun& run) {
    if (!run.outside) return false;
    Seconds outside;
    for (const TimeClass cls : kTimeClasses)
        if (cls != TimeClass::IdleLoad && cls != TimeClass::IdleUnknown)
            outside += (*run.outside)[cls];
    return outside > run.loop;
}

}  // namespace

std::optional<doc::Text> runSentence(const Program& program, Language language) {
    if (!program.run) return std::nullopt;
    const WholeRun& run = *program.run;
    const Window& loop = program.loop ? program.loop->window : program.window;
    // Without the start and end of the process, the times around the loop depend on when the
    // recording began.
    if (!run.beforeGpu && program.window.kind != WindowKind::Run) return std::nullopt;
    std::vector<doc::Text> parts;
    constexpr std::size_t kMost = 2;
    constexpr double kLeast = 0.02;
    const Seconds recorded =
        program.window.kind == WindowKind::Run ? program.window.seconds : run.seconds;
    Seconds said;  // in parts, of `recorded`
    // If the run is judged, its actions name these functions.
    const bool judged = program.window.kind == WindowKind::Run;
    const std::vector<HostFunction> none;
    if (run.beforeGpu) {
        parts.push_back(
            endOfRun(say(language, "{} before the first GPU work", formatTime(*run.beforeGpu)),
                     judged ? none : run.functionsBefore, language));
        said += *run.beforeGpu;
    } else if (run.aroundGpu.value >= kLeast * run.seconds.value) {
        parts.push_back(say(language, "{} before the first and after the last GPU work",
                            formatTime(run.aroundGpu)));
        said += run.aroundGpu;
    }
    const bool hole = run.countedFirst && run.launchesLeftOut > 0;
    if (hole && run.launches > run.launchesLeftOut)
        parts.push_back(say(
            language, "about {} while counters were read ({} of {} launches, at the others' pace)",
            formatTime(run.leftOut), countInWords(run.launchesLeftOut),
            countInWords(run.launches)));
    else if (run.countedFirst)
        parts.push_back(say(language, "what ran while counters were read is left out"));
    // The time of a judged run excludes tracing, so its repeats must, too.
    const Seconds loopTime =
        judged && program.loop ? loop.seconds * static_cast<double>(loop.counted) : run.loop;
    const std::string inLoop = formatTime(loopTime);
    said += loopTime;
    // Where the repeats are told without the recorder, their sum here still has it.
    const bool withRecorder =
        !judged && loop.measuredAlone && loop.traced.value >= kLeast * loop.seconds.value;
    if (loop.isWhole())
        parts.push_back(say(language, "{} from the first to the last GPU activity", inLoop));
    else if (withRecorder)
        parts.push_back(sayCount(language, loop.rounds > 0 ? loop.rounds : loop.counted,
                                 "{1} in {0} repeat as recorded", "{1} in {0} repeats as recorded",
                                 inLoop));
    else
        parts.push_back(sayCount(language, loop.rounds > 0 ? loop.rounds : loop.counted,
                                 "{1} in {0} repeat", "{1} in {0} repeats", inLoop));
    if (run.outside) {
        const PerTimeClass<Seconds>& outside = *run.outside;
        std::vector<TimeClass> classes(kTimeClasses.begin(), kTimeClasses.end());
        std::ranges::stable_sort(classes, std::greater{},
                                 [&](TimeClass cls) { return outside[cls]; });
        for (const TimeClass cls : std::span(classes).first(kMost)) {
            if (outside[cls].value < kLeast * run.seconds.value) continue;
            parts.push_back(endOfRun(
                say(language, "outside of them {} {}", formatTime(outside[cls]),
                    timeClassWords(cls, language)),
                !judged && cls == TimeClass::IdleHost ? run.functionsOutside : none, language));
            said += outside[cls];
        }
    }
    if (run.afterGpu) {
        parts.push_back(
            endOfRun(say(language, "{} after the last GPU work", formatTime(*run.afterGpu)),
                     judged ? none : run.functionsAfter, language));
        said += *run.afterGpu;
    }
    // Repeats that warmed up, the last one, other work.
    if (const Seconds rest = recorded - said; rest.value >= kLeast * recorded.value)
        parts.push_back(say(language, "the rest {}", formatTime(rest)));
    if (!run.beforeGpu)
        parts.push_back(say(language, "start and end of the process were not recorded"));
    const std::string total =
        hole ? say(language, "about {}", formatTime(recorded + run.leftOut)) : formatTime(recorded);
    const doc::Text sentence = tell(language, "**Run**: {}: {}.", total,
                                    doc::joined(parts, std::string(marksOf(language).comma)));
    if (!judged && loop.kind != WindowKind::Chosen && isMostlyOutside(run))
        return sentence + std::string(marksOf(language).gap) +
               tell(language,
                    "More time passes outside of the repeats than in them: {} judges all "
                    "of it.",
                    doc::code("--window run"));
    return sentence;
}

doc::Text loopSentence(const Program& loop, Language language) {
    return tell(language, "**Its loop**: {}.", windowWords(loop.window, language)) +
           std::string(marksOf(language).gap) + accountSentence(loop.account, language);
}

doc::Text phaseSentence(const Analysis& analysis, const Program& program, std::size_t index,
                        Language language) {
    constexpr std::size_t kLargest = 2;
    const WindowPhase& phase = program.phases[index];
    const Program& judged = *phase.program;
    doc::Text name;
    if (!phase.name.empty()) {
        name = doc::code(phase.name, kLongestWindow);
    } else {
        name = doc::Text(sayCount(language, phase.launches, "{1} repeats of {0} launch",
                                  "{1} repeats of {0} launches", phase.repeats));
        if (!judged.lines.empty())
            name = tell(language, "{}, mostly at {}", name,
                        doc::code(siteWords({.text = judged.lines.front().place}), kLongestSite));
        else if (!judged.functions.empty())
            name = tell(language, "{}, mostly {}", name,
                        doc::code(shortKernelName(program::nameOf(analysis, judged.functions[0]),
                                                  kLongestName),
                                  kLongestName));
    }
    const std::string each = formatTime(judged.window.seconds);
    const std::string share = shareText(std::min(1.0, phase.share.value));
    const double times = phase.perWindow;
    std::vector<doc::Text> sentences{
        times > 1.05 ? tell(language, "**Phase** {}: {} of the time, {} × {}.", name, share,
                            formatNumber(times, Unit::Count), each)
                     : tell(language, "**Phase** {}: {} of the time, {}.", name, share, each),
        accountSentence(judged.account, language, kLargest)};
    if (!judged.actions.empty()) {
        const Action& first = judged.actions.front();
        sentences.push_back(
            tell(language, "First: {}.",
                 actionHeading(analysis, judged, first, KernelNames::InWords, language)));
        // An edit that is also one of the program's own actions is explained there.
        if (std::ranges::find(program.actions, first.rule, &Action::rule) == program.actions.end())
            sentences.emplace_back(actionEdit(analysis, first, language));
    }
    return doc::joined(sentences, marksOf(language).gap);
}

std::optional<doc::Text> meanSentence(const Program& program, Language language) {
    if (program.lanes.size() < 2) return std::nullopt;
    return tell(language, "Mean over {} GPUs.", program.lanes.size());
}

std::vector<doc::Text> accountNotes(const Program& program, Language language) {
    std::vector<doc::Text> notes;
    // What overlaps kernels costs no time, so mention it only if it is much.
    constexpr double kLeastHidden = 0.02;
    if (program.account.hiddenCopies.value >= kLeastHidden * program.window.seconds.value)
        notes.push_back(tell(language, "{} of copies overlapped kernels.",
                             formatTime(program.account.hiddenCopies)));
    if (auto text = meanSentence(program, language)) notes.push_back(*std::move(text));
    if (auto text = communicationText(program, language)) notes.push_back(*std::move(text));
    if (auto text = lineText(program, language)) notes.push_back(*std::move(text));
    constexpr double kLeastTraced = 0.02;
    const Window& window = program.window;
    if (window.traced.value >= kLeastTraced * window.seconds.value) {
        const std::string traced = formatTime(window.traced);
        notes.push_back(
            window.measuredAlone ? tell(language,
                                        "While it was recorded it took {}; the time here is "
                                        "measured without the recorder.",
                                        formatTime(window.seconds + window.traced))
            : window.occurrences > 1
                ? tell(language, "Estimated tracing overhead ({}) subtracted from each repeat.",
                       traced)
                : tell(language, "Estimated tracing overhead ({}) subtracted.", traced));
    }
    // What the CPU decides is as uncertain as its pace.
    if (window.spread)
        notes.push_back(tell(language,
                             "Repeats vary: the middle half of them took {} to {} while they were "
                             "recorded.",
                             formatTime(window.spread->first), formatTime(window.spread->second)));
    return notes;
}

std::optional<doc::Text> floorSentence(const Program& program, Language language) {
    if (!program.floor) return std::nullopt;
    // Where copies or the CPU take most of the time, they decide how short the window can be.
    constexpr double kMostlyKernels = 0.5;
    if (program.account.share(TimeClass::Kernels).value +
            program.account.share(TimeClass::Communication).value <
        kMostlyKernels)
        return std::nullopt;
    // No listed edit need bring it.
    return tell(language, "Lower bound by bytes and operations alone: {}.",
                formatTime(*program.floor));
}

namespace {

/// Whether matrix products among these kernels are limited by DRAM, that is, each element that is
/// read is used in only few products.
bool readsForFewProducts(const Analysis& analysis, const Program& program,
                         const Unanswered& unanswered) {
    constexpr double kMuch = 1.0 / 3;
    Seconds reading;
    for (const std::uint32_t k : unanswered.kernels) {
        const KernelAnalysis& kernel = analysis.kernels[k];
        const auto product = libraryProduct(kernel.fullName);
        // The names of convolutions hold "implicit_gemm"; a filter is read for many outputs.
        if (kernel.verdict.limiter != ResourceId::Dram ||
            (product && product->kind == LibraryProduct::Kind::Convolution))
            continue;
        if (std::ranges::any_of(std::array{"gemm", "gemv", "dot"}, [&](const char* name) {
                return kernel.fullName.find(name) != kernel.fullName.npos;
            }))
            reading += program.kernels[k].time;
    }
    return reading >= unanswered.time * kMuch;
}

/// For attention with a mask for each sample (Unanswered::masked).
doc::Text paddingSentence(Language language) {
    return tell(
        language,
        "Attention there has a mask of its own for each sample. If that hides padding: sort "
        "the samples by length and pad each batch to its longest, or pack them without "
        "padding (attention of variable length).");
}

}  // namespace

std::optional<doc::Text> largestWithoutEditSentence(const Analysis& analysis,
                                                    const Program& program, Language language) {
    if (!program.unanswered) return std::nullopt;
    if (const Unanswered& most = *program.unanswered; most.transforms)
        return tell(language,
                    "FFTs take most: {} of {} ({} of that near a roof). No known edit makes their "
                    "kernels shorter, but there may be fewer: transform what does not change (a "
                    "filter) once, before the loop; transform real data with rfft; pad to "
                    "sizes whose prime factors are small (2, 3, 5, 7).",
                    formatTime(most.time), formatTime(program.window.seconds),
                    shareText(most.nearRoof.value));
    if (const Unanswered& most = *program.unanswered; !most.place.empty()) {
        constexpr double kMuch = 0.1;
        const doc::Text place = doc::code(siteWords({.text = most.place}), kLongestSite);
        const std::string time = formatTime(most.time), window = formatTime(program.window.seconds);
        const doc::Text advice =
            most.masked ? paddingSentence(language)
            : most.nearRoof.value >= kMuch && readsForFewProducts(analysis, program, most)
                ? tell(language,
                       "Products there wait for the DRAM, as those of a matrix and one "
                       "vector do: several items at once (chains, requests, right-hand "
                       "sides) would share what is read.")
                : tell(language, "Fewer or smaller operations there would.");
        if (most.nearRoof.value < kMuch)
            return tell(language,
                        "{} takes most: {} of {} are kernels of this line that no known edit "
                        "shortens by a third. {}",
                        place, time, window, advice);
        return tell(language,
                    "{} takes most: {} of {} are kernels of this line ({} of that near a roof) "
                    "that no known edit shortens by a third. {}",
                    place, time, window, shareText(most.nearRoof.value), advice);
    }
    const KernelAnalysis& kernel = analysis.kernels[program.unanswered->kernels.front()];
    const doc::Text name = doc::code(shortKernelName(kernel.fullName, kLongestName), kLongestName);
    const std::string reason = verdictReasonPart(kernel, language);
    const std::uint32_t largest = program.unanswered->kernels.front();
    const bool inAction = std::ranges::any_of(program.actions, [&](const Action& action) {
        return std::ranges::find(action.kernels, largest) != action.kernels.end();
    });
    const std::string why =
        verdictWords(kernel.verdict, language) +
        (reason.empty() ? std::string() : std::string(marksOf(language).semicolon)) + reason;
    const std::string share = shareText(program.unanswered->share.value);
    const doc::Text text =
        inAction ? tell(language, "No known edit saves a third of the largest kernel, {} ({}): {}.",
                        name, share, why)
                 : tell(language, "The largest kernel, {} ({}), has no known edit: {}.", name,
                        share, why);
    const VerdictClass cls = kernel.verdict.cls;
    if (program.unanswered->masked)
        return doc::joined({text, paddingSentence(language)}, marksOf(language).gap);
    if (isForeign(kernel.origin) || kernel.verdict.limiter != ResourceId::Dram ||
        (cls != VerdictClass::NearRoof && cls != VerdictClass::MemoryBound))
        return text;
    return tell(
        language,
        "{} Fewer bytes would make it faster: several steps (or items, right-hand sides) in "
        "one pass over the data, or a smaller type.",
        text);
}

std::optional<doc::Text> notMeasuredSentence(const Analysis& analysis, const Program& program,
                                             Language language) {
    if (!program.measuredTooLittle()) return std::nullopt;
    if (!program.undecided)
        return tell(language,
                    "**Not measured**: no kernel times were recorded, so it is unknown whether an "
                    "edit is worth it. `roofscope doctor` says what can be recorded here.");
    const double kernels = program.undecided->value;
    const double idle = program.account.share(TimeClass::IdleUnknown).value;
    // The program may run on another machine than this one, and with another tool.
    if (kernels >= idle && analysis.profile && analysis.profile->capture.origin == "imported")
        return tell(language,
                    "**Not measured**: what limits kernels that take {} of the time, so it is "
                    "unknown whether editing them is worth it. Measure their counters where the "
                    "program runs: `roofscope record`, or `ncu --set full`.",
                    shareText(kernels));
    if (kernels >= idle)
        return tell(language,
                    "**Not measured**: what limits kernels that take {} of the time, so it is "
                    "unknown whether editing them is worth it. Record their counters; `roofscope "
                    "doctor` says whether they can be read here.",
                    shareText(kernels));
    if (program.account.untimed * 2 >= program.account.time[TimeClass::IdleUnknown])
        return tell(language,
                    "**Not measured**: what the GPU did for {} of the time. The problems of this "
                    "recording say why.",
                    shareText(idle));
    if (program.account.causesKnown && program.account.callsMayLoad)
        return tell(language,
                    "**Not measured**: why the GPU is idle for {} of the time. Loading code and "
                    "setting CUDA up, which are not in this recording, could explain it; another "
                    "process on this GPU, a host callback, an event of another GPU or pages of "
                    "managed memory could, too.",
                    shareText(idle));
    if (program.account.causesKnown)
        return tell(language,
                    "**Not measured**: why the GPU is idle for {} of the time. No recorded call "
                    "explains it; another process on this GPU, a host callback, an event of "
                    "another GPU or pages of managed memory could.",
                    shareText(idle));
    return tell(
        language,
        "**Not measured**: why the GPU is idle for {} of the time. Nobody can say whether an "
        "edit would shorten it. Record the whole program with `roofscope record`; "
        "`roofscope doctor` says what can be recorded here.",
        shareText(idle));
}

std::optional<doc::Text> stopSentence(const Analysis& analysis, const Program& program,
                                      Language language) {
    switch (program.conclusion()) {
        case Program::Conclusion::Actions:
            return std::nullopt;
        case Program::Conclusion::Stop:
            return tell(
                language,
                "**Stop here**: this program is within {} of what this GPU can do with these "
                "kernels.",
                shareText(std::max(program.stop->value, 0.01)));
        case Program::Conclusion::CannotTell:
            return notMeasuredSentence(analysis, program, language);
        case Program::Conclusion::NothingFound:
            break;
    }
    return tell(language, "No known single edit saves 3 % of that time or more.");
}

std::optional<doc::Text> boundsSentence(const Program& program, Language language) {
    const Account& account = program.account;
    const double waits =
        account.share(TimeClass::IdleLaunch).value + account.share(TimeClass::IdleHost).value;
    if (waits < kCpuLimits || std::ranges::none_of(program.actions, [](const Action& action) {
            return !action.kernels.empty();
        }))
        return std::nullopt;
    return tell(language,
                "These bounds do not add up: while the GPU waits for the CPU, faster "
                "kernels may change nothing.");
}

}  // namespace roofscope
