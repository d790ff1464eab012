// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/units.h"

/// What `roofscope try` measured for the program of a recording (docs/try.md).
namespace roofscope {

/// The outcome of a trial that ran.
enum class TrialOutcome {
    Helped,
    ResultsChanged,  ///< faster, but the program printed different numbers
    WithinNoise,
    Slower,
    Failed  ///< a run did not end like the unchanged program
};
/// "helped", "results-changed", "within-noise", "slower", "failed"
[[nodiscard]] std::string_view toString(TrialOutcome outcome);

/// An edit that was tried without changing a file.
struct TrialResult {
    std::string name;   ///< "tf32"
    std::string title;  ///< "Allow TF32"
    TrialOutcome outcome = TrialOutcome::Failed;
    /// why it failed, possibly quoting the program; empty if the outcome says enough
    std::string why;
    std::string per;                       ///< unit of the times: "step", "call" or "run"
    std::optional<Seconds> before, after;  ///< medians; absent if it failed
    std::optional<bool> kept;  ///< printed numbers are unchanged; absent if not compared
    /// Largest relative difference of printed numbers; absent if not compared or infinite.
    std::optional<double> largestDifference;
    std::vector<std::string> suggestedBy;  ///< rules whose actions it may help
    std::vector<std::string> settles;      ///< rules that propose exactly this edit

    /// Whether this rule proposes exactly this edit.
    [[nodiscard]] bool isEditOf(std::string_view rule) const;
    /// Whether it shows that the edit is not worth making.
    [[nodiscard]] bool wasInVain() const;
};

/// The trials of one recording.
struct TrialResults {
    std::vector<TrialResult> trials;

    /// Whether the rule's edit was tried, and none of its trials helped.
    [[nodiscard]] bool ruleOut(std::string_view rule) const;
};

/// The file that holds them: "app.tried.json" beside "app.roofscope.json.gz".
[[nodiscard]] std::filesystem::path trialsFileOf(const std::filesystem::path& profile);

/// Parses such a file. `recording` is the SHA-256 of the recording in hexadecimal digits. Error:
/// the results belong to another recording.
[[nodiscard]] Result<TrialResults> parseTrials(std::string_view json, std::string_view recording,
                                               const std::string& name);

/// The trials of a recording; absent if it has none.
[[nodiscard]] Result<std::optional<TrialResults>> readTrialsOf(
    const std::filesystem::path& profile);

}  // namespace roofscope
