// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "collector/run/options/record_options.h"
#include "collector/run/processes/child_process.h"
#include "collector/run/processes/temporary_folder.h"
#include "collector/spool/reader/spool_reader.h"

namespace roofscope {

/// The issue of a recording that was interrupted.
[[nodiscard]] Issue interruptedIssue();
/// The issue of a recording that reached its time limit.
[[nodiscard]] Issue outOfTimeIssue();

/// Runs the program several times, each time with another configuration. The first run gets our
/// stdin and shows its output; later runs show their output only if they end differently.
class ProgramRuns {
public:
    ProgramRuns(const RecordOptions& options, std::filesystem::path library)
        : m_options(options), m_library(std::move(library)) {}

    struct Run {
        Profile profile;
        LaunchPositions positions;  ///< of its launches
        CountedFirstBy countedFirst;
        ChildEnd end;
    };
    /// An error means that the program could not be started, or its measurements could not be read.
    Result<Run> run(const RunConfiguration& configuration);

    using Clock = std::chrono::steady_clock;
    /// At this time the current run is ended, and no other is started; absent: no limit.
    void endAt(std::optional<Clock::time_point> deadline) { m_deadline = deadline; }

    /// Whether there should be no further run: the program was interrupted or timed out, or
    /// the time limit is reached.
    [[nodiscard]] bool over() const;
    /// Whether the time of endAt() has come.
    [[nodiscard]] bool outOfTime() const { return m_deadline && Clock::now() >= *m_deadline; }
    /// Whether environment variables already decide how XLA allocates memory. Then
    /// CountersMode::growMemory is not used.
    [[nodiscard]] static bool choosesMemory();
    /// How often the program was started.
    [[nodiscard]] unsigned runs() const { return m_runs; }
    /// How the first run ended.
    [[nodiscard]] const ChildEnd& first() const { return *m_first; }
    /// The duration of the shortest run after the first, which may have ended early
    /// (RunConfiguration::endsWith); absent if there was none.
    [[nodiscard]] std::optional<Seconds> shortestLater() const { return m_shortestLater; }
    /// Whether something kept a run from ending early (RunConfiguration::endsWith).
    [[nodiscard]] bool keptFromEnding() const { return m_keptFromEnding; }
    /// Makes the next run count as the first. Used if roofscope may have made the first run fail.
    void forgetFirst() { m_first.reset(); }

private:
    /// stdin for a program that runs several times. A file is read from the same position in each
    /// run, a terminal is shared, and anything else (a pipe) can be read only once.
    class Input {
    public:
        Input();
        [[nodiscard]] bool usedUp() const { return m_start < 0 && !m_terminal && m_runs > 0; }
        void nextRun();

    private:
        std::int64_t m_start;
        bool m_terminal;
        int m_runs = 0;
    };

    /// Runs the command in a process of its own. `output` receives the file with its output if that
    /// was not shown, and `byDeadline` whether its time limit is that of endAt().
    Result<ChildEnd> runProgram(const std::filesystem::path& folder,
                                const RunConfiguration& configuration,
                                std::filesystem::path& output, bool& byDeadline);
    /// The value of LD_PRELOAD for sampling the program from its start; absent if the program must
    /// not be preloaded.
    [[nodiscard]] std::optional<std::string> preload() const;
    void judge(Run& run, const std::filesystem::path& output, bool byDeadline);

    const RecordOptions& m_options;
    std::filesystem::path m_library;
    std::optional<TemporaryFolder> m_tuning;  ///< RunConfiguration::tuningFolder
    Input m_input;
    std::optional<ChildEnd> m_first;
    std::optional<Seconds> m_shortestLater;
    std::optional<Clock::time_point> m_deadline;
    bool m_over = false;
    bool m_keptFromEnding = false;
    unsigned m_runs = 0;
};

}  // namespace roofscope
