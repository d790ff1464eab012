// SPDX-License-Identifier: Apache-2.0
#include "profile/trials/trial_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profile/codec/json_tree.h"
#include "profile/files/input_file.h"
#include "profile/text/sha256.h"

namespace roofscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 4 << 20, kMostTrials = 200, kMostRulesOfTrial = 100;
constexpr std::size_t kMostRecording = std::size_t{4} << 30;
constexpr double kSchemaMajor = 1;

constexpr std::array kTrialOutcomes{
    std::pair{TrialOutcome::Helped, std::string_view("helped")},
    std::pair{TrialOutcome::ResultsChanged, std::string_view("results-changed")},
    std::pair{TrialOutcome::WithinNoise, std::string_view("within-noise")},
    std::pair{TrialOutcome::Slower, std::string_view("slower")},
    std::pair{TrialOutcome::Failed, std::string_view("failed")}};

/// A member of an object; null if it is missing.
const json::Node* memberOf(const json::Members& object, std::string_view name) {
    const auto found = std::ranges::find(object, name, &json::Member::name);
    return found == object.end() ? nullptr : &found->value;
}

template <class T>
const T* valueOf(const json::Members& object, std::string_view name) {
    const json::Node* node = memberOf(object, name);
    return node ? node->as<T>() : nullptr;
}

/// Reads one trial.
class TrialReader {
public:
    explicit TrialReader(const json::Members& object) : m_object(object) {}

    bool read(TrialResult& trial) {
        std::string outcome;
        const bool named = text("name", trial.name) && text("title", trial.title) &&
                           text("outcome", outcome) && text("per", trial.per) &&
                           rules("suggested_by", trial.suggestedBy) &&
                           rules("settles", trial.settles);
        const auto* const known = std::ranges::find(kTrialOutcomes, std::string_view(outcome),
                                                    &decltype(kTrialOutcomes)::value_type::second);
        if (!named || known == kTrialOutcomes.end()) return false;
        trial.outcome = known->first;
        if (const auto* why = valueOf<std::string>(m_object, "why")) trial.why = *why;
        trial.before = seconds("before_seconds");
        trial.after = seconds("after_seconds");
        if (const auto* results = valueOf<json::Members>(m_object, "results")) {
            if (const bool* kept = valueOf<bool>(*results, "kept")) trial.kept = *kept;
            if (const double* most = valueOf<double>(*results, "largest_difference")) {
                if (!(*most >= 0)) return false;
                trial.largestDifference = *most;
            }
        }
        const bool timed = trial.before && trial.after;
        return timed || trial.outcome == TrialOutcome::Failed;
    }

private:
    bool text(std::string_view name, std::string& into) const {
        const auto* found = valueOf<std::string>(m_object, name);
        if (found) into = *found;
        return found && !found->empty();
    }

    [[nodiscard]] std::optional<Seconds> seconds(std::string_view name) const {
        const auto* found = valueOf<double>(m_object, name);
        if (!found || !std::isfinite(*found) || !(*found > 0)) return std::nullopt;
        return Seconds{*found};
    }

    bool rules(std::string_view name, std::vector<std::string>& into) const {
        const json::Node* node = memberOf(m_object, name);
        if (!node) return false;
        if (const auto* numbers = node->as<json::Numbers>()) return numbers->empty();  // "[]"
        const auto* items = node->as<json::Items>();
        if (!items || items->size() > kMostRulesOfTrial) return false;
        for (const json::Node& item : *items) {
            const auto* rule = item.as<std::string>();
            if (!rule) return false;
            into.push_back(*rule);
        }
        return true;
    }

    const json::Members& m_object;
};

}  // namespace

std::string_view toString(TrialOutcome outcome) {
    return std::ranges::find(kTrialOutcomes, outcome, &decltype(kTrialOutcomes)::value_type::first)
        ->second;
}

bool TrialResult::isEditOf(std::string_view rule) const {
    return std::ranges::find(settles, rule) != settles.end();
}

bool TrialResult::wasInVain() const {
    return outcome != TrialOutcome::Helped && outcome != TrialOutcome::ResultsChanged;
}

bool TrialResults::ruleOut(std::string_view rule) const {
    bool tried = false;
    for (const TrialResult& trial : trials) {
        if (!trial.isEditOf(rule)) continue;
        if (!trial.wasInVain()) return false;
        tried = true;
    }
    return tried;
}

fs::path trialsFileOf(const fs::path& profile) {
    std::string name = profile.filename().string();
    for (const std::string_view end : {".gz", ".json", ".roofscope"})
        if (name.ends_with(end) && name.size() > end.size()) name.resize(name.size() - end.size());
    return profile.parent_path() / (name + ".tried.json");
}

Result<TrialResults> parseTrials(std::string_view json, std::string_view recording,
                                 const std::string& name) {
    const auto bad = [&name](std::string what) {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(what),
                     .where = name,
                     .advice = "\"roofscope try PROFILE\" writes it anew"};
    };
    const auto root = json::parse(json, {.maxBytes = kMostBytes, .maxDepth = 8});
    if (!root) return bad("damaged: " + root.error().what);
    const auto* object = root->as<json::Members>();
    const auto* format = object ? valueOf<std::string>(*object, "format") : nullptr;
    if (!format || *format != "roofscope-tried") return bad("no results of roofscope try");
    const auto* schema = valueOf<json::Numbers>(*object, "schema");
    if (!schema || schema->empty() || schema->front() != kSchemaMajor)
        return bad("written by a newer roofscope");
    const auto* of = valueOf<std::string>(*object, "recording_sha256");
    if (!of || *of != recording) return bad("its trials are those of another recording");
    TrialResults results;
    const json::Node* trials = memberOf(*object, "trials");
    const auto* numbers = trials ? trials->as<json::Numbers>() : nullptr;
    if (numbers && numbers->empty()) return results;  // "[]"
    const auto* items = trials ? trials->as<json::Items>() : nullptr;
    if (!items || items->size() > kMostTrials) return bad("damaged: it has no list of trials");
    for (const json::Node& item : *items) {
        const auto* one = item.as<json::Members>();
        if (!one || !TrialReader(*one).read(results.trials.emplace_back()))
            return bad("damaged: one of its trials");
    }
    return results;
}

Result<std::optional<TrialResults>> readTrialsOf(const fs::path& profile) {
    const fs::path file = trialsFileOf(profile);
    std::error_code error;
    // The trials are checked against a hash of the profile, and only a regular file can be read
    // twice.
    if (!fs::is_regular_file(file, error) || !fs::is_regular_file(profile, error))
        return std::optional<TrialResults>();
    const auto text = readInput(file, kMostBytes);
    if (!text) return text.error();
    const auto recording = readInput(profile, kMostRecording);
    if (!recording) return recording.error();
    auto results = parseTrials(*text, sha256Hex(*recording), file.string());
    if (!results) return results.error();
    return std::optional(*std::move(results));
}

}  // namespace roofscope
