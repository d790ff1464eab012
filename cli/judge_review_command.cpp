// SPDX-License-Identifier: Apache-2.0
// `roofscope judge-review FOLDER`: judges what `roofscope review` has measured for two functions.
// The Python package (python/roofscope/_review.py) starts it with a folder that contains:
//
//   facts.json                observations about results and clocks
//   NAME.roofscope.json.gz    profiles of a call; NAME is baseline, candidate, fresh, flushed or
//                             baseline_flushed; any may be missing
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/honesty/review.h"
#include "cli/commands.h"
#include "cli/honesty_option.h"
#include "cli/output_file.h"
#include "cli/text_checks.h"
#include "profile/codec/codec.h"
#include "profile/files/input_file.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;
using FactsJson = nlohmann::json;
using honesty::ReviewFacts;

constexpr std::size_t kMostFacts = 1 << 20;
constexpr std::size_t kMostNames = 1000;
/// Something suspicious was found.
constexpr int kSuspicious = 1;

/// Reads members of a JSON object. A member of the wrong type is an error; one that is null or
/// missing leaves the value unset.
class FactsReader {
public:
    FactsReader(const FactsJson& object, std::string where)
        : m_object(object), m_where(std::move(where)) {}

    void text(const char* name, std::string& value) {
        if (const FactsJson* member = find(name, &FactsJson::is_string))
            value = member->get<std::string>();
    }
    void flag(const char* name, std::optional<bool>& value) {
        if (const FactsJson* member = find(name, &FactsJson::is_boolean))
            value = member->get<bool>();
    }
    /// A negative number is an error.
    void number(const char* name, std::optional<double>& value) {
        const FactsJson* member = find(name, &FactsJson::is_number);
        if (!member) return;
        if (const auto read = member->get<double>(); read >= 0)
            value = read;
        else
            wrong(name);
    }
    void count(const char* name, std::optional<std::uint64_t>& value) {
        if (const FactsJson* member = find(name, &FactsJson::is_number_unsigned))
            value = member->get<std::uint64_t>();
    }
    void seconds(const char* name, std::optional<Seconds>& value) {
        std::optional<double> read;
        number(name, read);
        if (read) value = Seconds{*read};
    }
    std::optional<std::vector<std::string>> names(const char* name) {
        const FactsJson* member = find(name, &FactsJson::is_array);
        if (!member) return std::nullopt;
        std::vector<std::string> list;
        for (const FactsJson& item : *member) {
            if (!item.is_string() || list.size() == kMostNames) {
                wrong(name);
                return std::nullopt;
            }
            list.push_back(item.get<std::string>());
        }
        return list;
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    const FactsJson* find(const char* name, bool (FactsJson::*is)() const noexcept) {
        const auto member = m_object.find(name);
        if (member == m_object.end() || member->is_null()) return nullptr;
        if (((*member).*is)()) return &*member;
        wrong(name);
        return nullptr;
    }
    void wrong(const char* name) {
        if (!m_error)
            m_error = Error{.code = ErrorCode::BadData,
                            .what = std::string("\"") + name + "\" has the wrong type or value",
                            .where = m_where};
    }

    const FactsJson& m_object;
    std::string m_where;
    std::optional<Error> m_error;
};

Result<ReviewFacts> readFacts(const fs::path& path) {
    const auto text = readInput(path, kMostFacts);
    if (!text) return text.error();
    const FactsJson object = FactsJson::parse(*text, nullptr, false);
    if (text->size() > kMostFacts || !object.is_object())
        return Error{.code = ErrorCode::BadData,
                     .what = "not a JSON object of at most 1 MiB",
                     .where = path.string()};
    ReviewFacts facts;
    FactsReader reader(object, path.string());
    reader.text("baseline", facts.baseline);
    reader.text("candidate", facts.candidate);
    reader.text("kernel", facts.kernel);
    reader.number("flops", facts.flops);
    reader.count("input_bytes", facts.inputBytes);
    reader.count("output_bytes", facts.outputBytes);
    reader.flag("same_for_other_inputs", facts.sameForOtherInputs);
    reader.flag("baseline_same_for_other_inputs", facts.baselineSameForOtherInputs);
    reader.flag("kept_old_output", facts.keptOldOutput);
    reader.flag("baseline_kept_old_output", facts.baselineKeptOldOutput);
    reader.count("unwritten_bytes", facts.unwrittenBytes);
    reader.number("relative_error", facts.relativeError);
    reader.number("tolerance", facts.tolerance);
    facts.changedInputs = reader.names("changed_inputs").value_or(std::vector<std::string>());
    facts.baselineChangedInputs =
        reader.names("baseline_changed_inputs").value_or(std::vector<std::string>());
    reader.seconds("event_seconds", facts.eventTime);
    reader.seconds("late_seconds", facts.lateTime);
    facts.replacedTimers = reader.names("replaced_timers");
    if (reader.error()) return *reader.error();
    return facts;
}

/// Null if the folder has no such profile.
Result<std::unique_ptr<const Analysis>> profileOf(const fs::path& folder, const char* name) {
    const fs::path path = folder / (std::string(name) + ".roofscope.json.gz");
    std::error_code error;
    if (!fs::exists(path, error)) return std::unique_ptr<const Analysis>();
    auto profile = readProfile(path);
    if (!profile) return profile.error();
    return std::make_unique<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(*profile))));
}

Result<int> judge(const std::string& folder, const HonestyOutput& output) {
    const auto writer = honestyWriter(output, "a review");
    if (!writer) return writer.error();
    const auto facts = readFacts(fs::path(folder) / "facts.json");
    if (!facts) return facts.error();
    std::array<std::unique_ptr<const Analysis>, 5> held;
    constexpr std::array kNames{"baseline", "candidate", "fresh", "flushed", "baseline_flushed"};
    for (std::size_t i = 0; i < held.size(); ++i) {
        auto analysis = profileOf(folder, kNames[i]);
        if (!analysis) return analysis.error();
        held[i] = std::move(*analysis);
    }
    const honesty::Review review = honesty::review(*facts, {.baseline = held[0].get(),
                                                            .candidate = held[1].get(),
                                                            .fresh = held[2].get(),
                                                            .flushed = held[3].get(),
                                                            .baselineFlushed = held[4].get()});
    const auto written =
        writeOutput(output.out, writer->format->review(*facts, review, writer->options));
    if (!written) return written.error();
    return review.suspicious() > 0 ? kSuspicious : 0;
}

}  // namespace

void addJudgeReviewCommand(CLI::App& app, Action& run) {
    struct Options {
        std::string folder;
        HonestyOutput output;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("judge-review", "Judge what roofscope review has gathered");
    command->group("");  // for the Python package, not for people
    command->add_option("FOLDER", options->folder, "With facts.json and profiles")
        ->required()
        ->check(fileName());
    addHonestyOptions(*command, options->output);
    command->callback([=, &run] { run = [=] { return judge(options->folder, options->output); }; });
}

}  // namespace roofscope::cli
