// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the reader of what `roofscope try` noted beside a recording; built and run like
// profile_fuzz.cpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/trials/trial_results.h"

using namespace roofscope;

namespace {

using Json = nlohmann::ordered_json;

/// The corpus names its recording so.
constexpr std::string_view kRecordingOfFuzz = "0123456789abcdef";

[[noreturn]] void fail(const char* what, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", what, why.c_str());
    std::abort();
}

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}
Json orNull(const std::optional<Seconds>& time) { return time ? Json(time->value) : Json(nullptr); }

/// The file that `roofscope try` would write for these trials.
std::string written(const TrialResults& results) {
    Json trials = Json::array();
    for (const TrialResult& one : results.trials)
        trials.push_back(
            {{"name", one.name},
             {"title", one.title},
             {"outcome", toString(one.outcome)},
             {"why", one.why},
             {"per", one.per},
             {"before_seconds", orNull(one.before)},
             {"after_seconds", orNull(one.after)},
             {"results",
              {{"kept", orNull(one.kept)}, {"largest_difference", orNull(one.largestDifference)}}},
             {"suggested_by", one.suggestedBy},
             {"settles", one.settles}});
    return Json{{"format", "roofscope-tried"},
                {"schema", {1, 0}},
                {"recording_sha256", kRecordingOfFuzz},
                {"trials", trials}}
        .dump();
}

void checkTrial(const TrialResult& trial) {
    if (trial.name.empty() || trial.title.empty() || trial.per.empty())
        fail("a trial without a name, a title or a unit", trial.name);
    for (const auto& time : {trial.before, trial.after})
        if (time ? !(std::isfinite(time->value) && time->value > 0)
                 : trial.outcome != TrialOutcome::Failed)
            fail("a trial that ran without a time", trial.name);
    if (trial.largestDifference &&
        !(std::isfinite(*trial.largestDifference) && *trial.largestDifference >= 0))
        fail("a difference below 0", std::to_string(*trial.largestDifference));
}

}  // namespace

/// For any bytes: no crash, and either an error with file and advice, or trials that can be written
/// and read back to the same text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto results = parseTrials(text, kRecordingOfFuzz, "fuzz");
    if (!results.ok()) {
        const Error& error = results.error();
        if (error.code != ErrorCode::BadData || error.what.empty() || error.where != "fuzz" ||
            error.message().size() > 4000)
            fail("bad error", error.message());
        return 0;
    }
    for (const TrialResult& trial : results->trials) {
        checkTrial(trial);
        for (const std::string& rule : trial.settles)
            if (!trial.wasInVain() && results->ruleOut(rule))
                fail("a rule is ruled out, but its edit helped", rule);
    }
    const std::string once = written(*results);
    const auto again = parseTrials(once, kRecordingOfFuzz, "written");
    if (!again.ok()) fail("not readable again", again.error().message());
    if (written(*again) != once) fail("a second round trip changes the text", once);
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    std::vector<std::string> pieces = fuzz::kJsonPieces;
    for (const char* piece : {"\"results\":", "\"failed\"", "\"slower\"", "[]"})
        pieces.emplace_back(piece);
    return fuzz::runDamaged(argc, argv, {}, pieces);
}
#endif
