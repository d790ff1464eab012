// SPDX-License-Identifier: Apache-2.0
#include "collector/arm/messages.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace roofscope::arm {

NLOHMANN_JSON_SERIALIZE_ENUM(Request::What, {{Request::What::State, "state"},
                                             {Request::What::Snap, "snap"},
                                             {Request::What::End, "end"},
                                             {Request::What::Disarm, "disarm"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Early, {{Early::No, ""},
                                     {Early::Seconds, "seconds"},
                                     {Early::Bytes, "bytes"},
                                     {Early::ProgramEnds, "program-ends"}})
NLOHMANN_JSON_SERIALIZE_ENUM(News::Phase, {{News::Phase::Ended, "ended"},
                                           {News::Phase::Recording, "recording"},
                                           {News::Phase::Refused, "refused"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(State, version, pid, command, armedSince, gpus, snapped, snaps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(News, phase, recorded, age, early, detached, why, advice)

namespace {

using Json = nlohmann::json;

std::string lineOf(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// No message is nested more deeply, and deep nesting would cost the parser memory.
constexpr int kDeepest = 4;
/// Seconds, some 300 years: no process is older.
constexpr double kLongest = 1e10;

std::optional<Json> objectFrom(std::string_view line) {
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
    Json json = Json::parse(line, shallow, false);
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

template <class T>
std::optional<T> messageFrom(const Json& json) {
    try {
        return json.get<T>();
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::string toLine(const Request& request) {
    Json json{{"do", request.what}};
    if (request.what == Request::What::Snap) {
        json["folder"] = request.folder;
        json["seconds"] = request.seconds;
        json["bytes"] = request.bytes;
        json["around"] = request.around;
    }
    return lineOf(json);
}

std::optional<Request> requestFrom(std::string_view line) {
    const auto json = objectFrom(line);
    if (!json || !json->contains("do") || !(*json)["do"].is_string()) return std::nullopt;
    Request request{.what = (*json)["do"].get<Request::What>()};
    // The conversion reads an unknown word as the first enumerator, so compare.
    if ((*json)["do"] != Json(request.what)) return std::nullopt;
    if (request.what != Request::What::Snap) return request;
    try {
        json->at("folder").get_to(request.folder);
        json->at("seconds").get_to(request.seconds);
        if (!json->at("bytes").is_number_unsigned()) return std::nullopt;
        json->at("bytes").get_to(request.bytes);
        json->at("around").get_to(request.around);
    } catch (const Json::exception&) {
        return std::nullopt;
    }
    const bool sound =
        request.folder.starts_with('/') && request.folder.find('\0') == std::string::npos &&
        request.seconds > 0 && request.seconds <= kMostSeconds && request.bytes > 0 &&
        request.bytes <= kMostBytes && request.around >= 0 && request.around <= kMostAround;
    return sound ? std::optional(std::move(request)) : std::nullopt;
}

std::string toLine(const State& state) { return lineOf(state); }
std::optional<State> stateFrom(std::string_view line) {
    const auto json = objectFrom(line);
    if (!json) return std::nullopt;
    // The conversion would cast any other number, which is undefined for one that does not fit.
    for (const char* key : {"pid", "armedSince", "snaps"})
        if (!json->contains(key) || !(*json)[key].is_number_unsigned()) return std::nullopt;
    auto state = messageFrom<State>(*json);
    return state && state->pid >= 0 ? std::move(state) : std::nullopt;
}
std::string toLine(const News& news) { return lineOf(news); }
std::optional<News> newsFrom(std::string_view line) {
    const auto json = objectFrom(line);
    auto news = json ? messageFrom<News>(*json) : std::nullopt;
    const auto isDuration = [](double seconds) { return seconds >= 0 && seconds <= kLongest; };
    return news && isDuration(news->recorded) && isDuration(news->age) ? std::move(news)
                                                                       : std::nullopt;
}

}  // namespace roofscope::arm
