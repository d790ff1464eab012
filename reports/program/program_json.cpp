// SPDX-License-Identifier: Apache-2.0
#include "reports/program/program_json.h"

#include <algorithm>
#include <span>

#include "analyzer/compare/action_id.h"
#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/unseen.h"
#include "analyzer/program/actions/actions.h"
#include "analyzer/program/operators/operators.h"
#include "reports/program/action_words.h"
#include "reports/program/operator_words.h"
#include "reports/program/program_words.h"
#include "reports/program/trial_words.h"

namespace roofscope {
namespace {

using json_parts::clean, json_parts::Json, json_parts::list, json_parts::number, json_parts::orNull;

Json windowObject(const Window& window) {
    Json object{{"kind", toString(window.kind)},     {"name", orNull(window.name)},
                {"occurrences", window.occurrences}, {"counted", window.counted},
                {"seconds", number(window.seconds)}, {"tracing_seconds", number(window.traced)}};
    const bool traced = window.measuredAlone || window.traced.value > 0;
    object["seconds_recorded"] = number(window.seconds + window.traced);
    object["seconds_plain_how"] = window.measuredAlone ? "measured" : traced ? "estimated" : "none";
    if (window.rounds > 0) object["rounds"] = window.rounds;
    if (window.firstSeconds.value > 0) {
        object["first_seconds"] = number(window.firstSeconds);
        object["last_seconds"] = number(window.lastSeconds);
    }
    if (window.spread) {
        object["middle_half_from_seconds"] = number(window.spread->first);
        object["middle_half_to_seconds"] = number(window.spread->second);
    }
    if (window.pauses.count > 0) {
        object["pauses"] = window.pauses.count;
        object["pauses_seconds"] = number(window.pauses.total);
    }
    if (window.others.count > 0) {
        object["others"] = window.others.count;
        object["others_seconds"] = number(window.others.total);
    }
    return object;
}

const char* kindName(TransferKind kind) {
    switch (kind) {
        case TransferKind::HostToDevice:
            return "host-to-device";
        case TransferKind::DeviceToHost:
            return "device-to-host";
        case TransferKind::OnDevice:
            return "on-device";
        case TransferKind::BetweenDevices:
            return "between-devices";
        case TransferKind::HostToHost:
            return "host-to-host";
        case TransferKind::Memset:
            return "memset";
        case TransferKind::Other:
            break;
    }
    return "other";
}

/// The account in the report's sentences: the window, its parts, and notes on them.
Json sentencesOf(const Analysis& analysis, const Program& program, Language language) {
    std::vector<doc::Text> sentences{windowSentence(program.window, language),
                                     accountSentence(program.account, language)};
    if (auto run = runSentence(program, language)) sentences.push_back(*std::move(run));
    for (doc::Text& note : accountNotes(program, language)) sentences.push_back(std::move(note));
    if (auto floor = floorSentence(program, language)) sentences.push_back(*std::move(floor));
    if (auto largest = largestWithoutEditSentence(analysis, program, language))
        sentences.push_back(*std::move(largest));
    if (auto bounds = boundsSentence(program, language)) sentences.push_back(*std::move(bounds));
    if (auto noLines = noLinesSentence(analysis, program, language); !noLines.empty())
        sentences.push_back(std::move(noLines));
    for (std::size_t i = 0; i < program.phases.size(); ++i)
        sentences.push_back(phaseSentence(analysis, program, i, language));
    return list(sentences, [](const doc::Text& sentence) { return sentence.quoted(); });
}

Json hostFunctionObject(const HostFunction& function, Language language) {
    const std::string waits = waitWords(function.wait, language);
    return {{"function", clean(function.function)},
            {"place", function.place.empty() ? Json(nullptr) : Json(clean(function.place))},
            {"share", number(function.share)},
            {"callee", function.callee.empty() ? Json(nullptr) : Json(clean(function.callee))},
            {"waits", waits.empty() ? Json(nullptr) : Json(waits)},
            {"in_worker", function.inWorker}};
}

/// `share` is the part of the whole program's window that `program` takes; `action` is one of its
/// actions.
Json actionObject(const JsonView& view, const Program& program, const Action& action,
                  const std::string& id, Ratio share) {
    const Analysis& analysis = view.analysis;
    const Language language = view.language;
    return {{"id", clean(id)},
            {"rule", clean(action.rule)},
            {"subject", subjectOf(analysis, action)},
            {"worthwhile", action.share.value * share.value >= program::kWorthDoing},
            {"can_be_tried", program::canBeTried(analysis, action)},
            {"title", clean(actionTitle(action, language))},
            {"kernels",
             list(action.kernels,
                  [&](std::uint32_t kernel) { return clean(analysis.kernels[kernel].name); })},
            {"findings", list(view.worth.findingsOf(action),
                              [&](const program::Proposal& part) {
                                  return clean(view.idOf(part.kernel, *part.finding));
                              })},
            {"bound_text", clean(actionBound(program, action, language))},
            {"gain_text", actionGain(analysis, program, action, language).quoted()},
            {"gain_measured", trialOf(analysis, action) != nullptr},
            {"tried_text", otherTrials(analysis, action, language).quoted()},
            {"tried",
             list(action.tried,
                  [&](std::size_t trial) { return clean(analysis.trials->trials[trial].name); })},
            {"bound_seconds", number(action.bound)},
            {"bound_share", number(action.share)},
            {"total_seconds", number(action.total)},
            {"estimate", action.estimate},
            {"sites", list(action.sites, [](const ActionSite& site) { return clean(site.text); })},
            {"host_functions", list(action.hostFunctions,
                                    [language](const HostFunction& function) {
                                        return hostFunctionObject(function, language);
                                    })},
            {"host_text", hostSentence(action, language).quoted()},
            {"sentence", clean(actionSentence(analysis, action, language))},
            {"edit", clean(actionEdit(analysis, action, language))}};
}

/// The trials that `roofscope try` has run for this recording.
Json trialObjects(const Analysis& analysis, Language language) {
    if (!analysis.trials) return Json::array();
    return list(analysis.trials->trials, [language](const TrialResult& trial) {
        const auto cleaned = [](const std::string& text) { return clean(text); };
        return Json{{"name", clean(trial.name)},
                    {"title", clean(trial.title)},
                    {"text", trialSentence(trial, language).quoted()},
                    {"outcome", std::string(toString(trial.outcome))},
                    {"why", orNull(trial.why)},
                    {"per", clean(trial.per)},
                    {"before_seconds", orNull(trial.before)},
                    {"after_seconds", orNull(trial.after)},
                    {"suggested_by", list(trial.suggestedBy, cleaned)},
                    {"settles", list(trial.settles, cleaned)}};
    });
}

/// `share`: as for actionObject().
Json actionObjects(const JsonView& view, const Program& program, Ratio share = {1}) {
    const std::vector<std::string> ids = actionIds(view.analysis, program);
    Json objects = Json::array();
    for (std::size_t i = 0; i < ids.size(); ++i)
        objects.push_back(actionObject(view, program, program.actions[i], ids[i], share));
    return objects;
}

/// The whole run, with the names of its parts; null if it was not recorded.
Json runObject(const Program& program) {
    if (!program.run) return nullptr;
    const WholeRun& run = *program.run;
    Json outside = nullptr;
    if (run.outside)
        for (const TimeClass cls : kTimeClasses)
            outside[toString(cls)] = number((*run.outside)[cls]);
    Json missing = Json::array();
    if (!run.beforeGpu) missing.push_back("start_and_end");
    if (run.countedFirst) missing.push_back("until_timing_began");
    return {{"seconds", number(run.seconds)},
            {"before_first_gpu_work", orNull(run.beforeGpu)},
            {"context_seconds", run.beforeGpu ? number(run.context) : Json(nullptr)},
            {"in_window", number(run.loop)},
            {"outside_window", std::move(outside)},
            {"after_last_gpu_work", orNull(run.afterGpu)},
            {"left_out_seconds", run.launchesLeftOut > 0 ? number(run.leftOut) : Json(nullptr)},
            {"missing", std::move(missing)}};
}

}  // namespace

Json sharesObject(const Account& account) {
    if (!(account.total().value > 0)) return nullptr;  // 0/0
    Json shares = Json::object();
    for (const TimeClass cls : kTimeClasses)
        shares[toString(cls)] = account.knows(cls) ? number(account.share(cls)) : Json(nullptr);
    shares["idle_rank"] = nullptr;  // unknown: a wait for another rank looks like host work
    return shares;
}

/// At most this many lines and functions, those with the most time.
constexpr std::size_t kMostLines = 10;
constexpr std::size_t kMostFunctions = 20;

Json functionObject(const Analysis& analysis, const KernelFunction& function) {
    return {{"name", clean(program::nameOf(analysis, function))},
            {"rank", function.shown + 1},
            {"shapes", function.kernels.size()},
            {"launches", number(function.launches)},
            {"seconds", number(function.time)},
            {"share", number(function.share)}};
}

std::string JsonView::idOf(std::uint32_t kernel, const Finding& finding) const {
    return ids[kernel] + '/' + finding.ruleId.str();
}

/// The actions and findings to propose, in this order.
Json proposalsOf(const JsonView& view) {
    std::vector<std::string> ids;
    const std::vector<std::string> actions = actionIds(view.analysis, view.program);
    const auto idOfAction = [&](const Action* action) {
        return actions.at(static_cast<std::size_t>(action - view.program.actions.data()));
    };
    for (const program::Proposal& proposal : view.worth.proposals()) {
        std::string id = proposal.finding ? view.idOf(proposal.kernel, *proposal.finding)
                                          : idOfAction(proposal.action);
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
    }
    return list(ids, [](const std::string& id) { return clean(id); });
}

Json programObject(const JsonView& view) {
    const Analysis& analysis = view.analysis;
    const Program& program = view.program;
    const Language language = view.language;
    const bool timed = !program.lanes.empty();
    const Account& account = program.account;
    const auto stop = timed ? stopSentence(analysis, program, language) : std::nullopt;
    const auto lacking = notMeasuredSentence(analysis, program, language);
    const auto tried = trialsSentence(analysis, program, language);
    Json object{
        {"window", timed ? windowObject(program.window) : Json(nullptr)},
        {"shares", timed ? sharesObject(account) : Json(nullptr)},
        {"busy_share", timed && account.total().value > 0 ? number(program.busy) : Json(nullptr)},
        {"floor_seconds", orNull(program.floor)},
        {"fused_floor_seconds", orNull(program.fusedFloor)},
        {"stop_share", orNull(program.stop)},
        {"stop_text", stop ? Json(stop->quoted()) : Json(nullptr)},
        {"sentences", timed ? sentencesOf(analysis, program, language) : Json::array()},
        {"conclusion", toString(program.conclusion())},
        {"undecided_share", orNull(program.undecided)},
        {"lacking", lacking ? Json(clean(lacking->plain())) : Json(nullptr)},
        {"actions", actionObjects(view, program)},
        {"proposals", proposalsOf(view)},
        {"trials", trialObjects(analysis, language)},
        {"trials_text", tried ? Json(tried->quoted()) : Json(nullptr)},
        {"functions",
         list(
             std::span(program.functions).first(std::min(program.functions.size(), kMostFunctions)),
             [&](const KernelFunction& function) { return functionObject(analysis, function); })},
        {"lines", list(doc::upTo(kMostLines, program.lines),
                       [&](const program::LineTime& line) {
                           return Json{{"place", clean(line.place)},
                                       {"seconds", number(line.time)},
                                       {"share", number(line.time / program.window.seconds)}};
                       })},
        {"operators", operatorsObject(program::operatorsOf(analysis, program), program, language)},
        {"launches_timed", program.launchesTimed},
        {"launches_counted", program.launchesCounted},
        {"unknown",
         list(program.unknown, [&](const Words& words) { return clean(words.in(language)); })},
        {"unseen", list(program::unseenOf(*analysis.profile), [&](const program::Unseen& unseen) {
             return Json{{"what", std::string(toString(unseen.what))},
                         {"seconds", orNull(unseen.time)},
                         {"text", clean(unseen.sentence.in(language))}};
         })}};
    if (!timed) return object;
    if (account.copiesKnown) {
        object["copies"] = list(account.copies, [](const CopyTime& copy) {
            return Json{{"kind", kindName(copy.kind)},
                        {"pageable", copy.pageable},
                        {"bytes", number(copy.bytes)},
                        {"seconds", number(copy.time)},
                        {"exposed_seconds", number(copy.exposed)}};
        });
        object["hidden_copies_seconds"] = number(account.hiddenCopies);
    }
    object["hidden_communication_seconds"] = number(account.hiddenCommunication);
    object["run"] = runObject(program);
    if (!program.phases.empty()) {
        Json phases = Json::array();
        for (const WindowPhase& phase : program.phases) {
            phases.push_back(
                {{"name", phase.name.empty() ? Json(nullptr) : Json(clean(phase.name))},
                 {"occurrences", number(phase.perWindow)},
                 {"seconds", number(phase.program->window.seconds)},
                 {"share", number(phase.share)},
                 {"repeats", phase.repeats},
                 {"launches", phase.launches},
                 {"shares", sharesObject(phase.program->account)},
                 {"actions", actionObjects(view, *phase.program, phase.share)}});
        }
        object["phases"] = std::move(phases);
    }
    if (program.loop) {
        const Program& loop = *program.loop;
        object["loop"] = Json{{"window", windowObject(loop.window)},
                              {"shares", sharesObject(loop.account)},
                              {"busy_share", number(loop.busy)},
                              {"floor_seconds", orNull(loop.floor)},
                              {"sentences", sentencesOf(analysis, loop, language)},
                              {"actions", actionObjects(view, loop)}};
    }
    if (program.lanes.size() > 1)
        object["devices"] = list(program.lanes, [](const Lane& lane) {
            return Json{{"device", lane.device},
                        {"rank", orNull(lane.rank)},
                        {"seconds", number(lane.window.seconds)},
                        {"shares", sharesObject(lane.account)},
                        {"hidden_communication_seconds", number(lane.account.hiddenCommunication)}};
        });
    return object;
}

}  // namespace roofscope
