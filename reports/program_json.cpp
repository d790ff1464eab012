// SPDX-License-Identifier: Apache-2.0
#include "reports/program_json.h"

#include "reports/program_words.h"

namespace roofscope {
namespace {

using json_parts::clean, json_parts::Json, json_parts::number;

Json windowObject(const Window& window) {
    return {{"kind", toString(window.kind)},
            {"name", window.name.empty() ? Json(nullptr) : Json(clean(window.name))},
            {"occurrences", window.occurrences},
            {"counted", window.counted},
            {"seconds", number(window.seconds.value)},
            {"tracing_seconds", number(window.traced.value)}};
}

/// A class that was not recorded has no share; what it may have taken is in `idle_unknown`.
Json sharesObject(const Analysis& analysis, const Program& program) {
    const Account& account = program.account;
    const auto recorded = [&](bool TimelineParts::*part) {
        for (const Lane& lane : program.lanes)
            for (const std::uint32_t process : lane.processes)
                if (const auto& parts = analysis.profile->processes[process].timeline;
                    !parts || !((*parts).*part))
                    return false;
        return true;
    };
    const auto known = [&](TimeClass cls) {
        switch (cls) {
            case TimeClass::Kernels:
            case TimeClass::Communication:
            case TimeClass::IdleUnknown:
                return true;
            case TimeClass::Copies:
                return account.copiesKnown;
            case TimeClass::IdleAlloc:
                return account.causesKnown && recorded(&TimelineParts::allocations);
            case TimeClass::IdleLoad:
                return account.causesKnown && recorded(&TimelineParts::loads);
            case TimeClass::IdleLaunch:
            case TimeClass::IdleSync:
            case TimeClass::IdleHost:
                break;
        }
        return account.causesKnown;
    };
    Json shares = Json::object();
    for (const TimeClass cls : kTimeClasses)
        shares[toString(cls)] = known(cls) ? number(account.share(cls).value) : Json(nullptr);
    shares["idle_rank"] = nullptr;  // a wait for another rank looks like host work
    return shares;
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

Json actionObject(const Analysis& analysis, const Action& action, Language language) {
    Json kernels = Json::array(), sites = Json::array();
    for (const std::uint32_t kernel : action.kernels)
        kernels.push_back(clean(analysis.kernels[kernel].name));
    for (const ActionSite& site : action.sites) sites.push_back(clean(site.text));
    return {{"rule", clean(action.rule)},
            {"title", clean(actionTitle(action, language))},
            {"kernels", std::move(kernels)},
            {"bound_seconds", number(action.bound.value)},
            {"bound_share", number(action.share.value)},
            {"total_seconds", number(action.total.value)},
            {"estimate", action.estimate},
            {"sites", std::move(sites)},
            {"sentence", clean(actionSentence(analysis, action, language))},
            {"edit", clean(actionEdit(analysis, action, language))}};
}

}  // namespace

Json programObject(const Analysis& analysis, const Program& program, Language language) {
    const bool timed = !program.lanes.empty();
    const Account& account = program.account;
    Json object{{"window", timed ? windowObject(program.window) : Json(nullptr)},
                {"shares", timed ? sharesObject(analysis, program) : Json(nullptr)},
                {"busy_share", timed ? number(program.busy.value) : Json(nullptr)},
                {"floor_seconds", program.floor ? number(program.floor->value) : Json(nullptr)},
                {"fused_floor_seconds",
                 program.fusedFloor ? number(program.fusedFloor->value) : Json(nullptr)},
                {"stop_share", program.stop ? number(program.stop->value) : Json(nullptr)}};
    Json actions = Json::array(), unknown = Json::array();
    for (const Action& action : program.actions)
        actions.push_back(actionObject(analysis, action, language));
    for (const Words& words : program.unknown) unknown.push_back(clean(words.in(language)));
    object["actions"] = std::move(actions);
    object["launches_timed"] = program.launchesTimed;
    object["launches_counted"] = program.launchesCounted;
    object["unknown"] = std::move(unknown);
    if (!timed) return object;
    if (account.copiesKnown) {
        Json copies = Json::array();
        for (const CopyTime& copy : account.copies)
            copies.push_back({{"kind", kindName(copy.kind)},
                              {"pageable", copy.pageable},
                              {"bytes", number(copy.bytes.value)},
                              {"seconds", number(copy.time.value)},
                              {"exposed_seconds", number(copy.exposed.value)}});
        object["copies"] = std::move(copies);
        object["hidden_copies_seconds"] = number(account.hiddenCopies.value);
    }
    object["hidden_communication_seconds"] = number(account.hiddenCommunication.value);
    if (program.lanes.size() > 1) {
        Json lanes = Json::array();
        for (const Lane& lane : program.lanes) {
            Json shares = Json::object();
            for (const TimeClass cls : kTimeClasses)
                shares[toString(cls)] = number(lane.account.share(cls).value);
            lanes.push_back(
                {{"device", lane.device},
                 {"rank", lane.rank ? Json(*lane.rank) : Json(nullptr)},
                 {"seconds", number(lane.window.seconds.value)},
                 {"shares", std::move(shares)},
                 {"hidden_communication_seconds", number(lane.account.hiddenCommunication.value)}});
        }
        object["devices"] = std::move(lanes);
    }
    return object;
}

}  // namespace roofscope
