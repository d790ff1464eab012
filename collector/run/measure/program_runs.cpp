// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/program_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <variant>

#include "collector/rank/rank.h"
#include "collector/run/processes/interruptions.h"
#include "collector/run/processes/temporary_folder.h"
#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/tools/cuda_program.h"
#include "collector/run/tools/disassembly.h"
#include "collector/spool/reader/spool_reader.h"
#include "profile/files/find_program.h"

namespace roofscope {
namespace {

/// Environment variable: whether XLA reserves memory when it starts.
constexpr const char* kPreallocate = "XLA_PYTHON_CLIENT_PREALLOCATE";

namespace fs = std::filesystem;

/// The last lines of a file, to show to the user.
std::string tail(const fs::path& file) {
    constexpr std::size_t kBytes = 2000;
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream) return {};
    const auto size = static_cast<std::size_t>(stream.tellg());
    stream.seekg(static_cast<std::streamoff>(size > kBytes ? size - kBytes : 0));
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

Issue interruptedIssue() {
    return {.severity = Severity::DataLoss,
            .source = "record",
            .code = "interrupted",
            .message = "the recording was interrupted"};
}

Issue outOfTimeIssue() {
    return {
        .severity = Severity::DataLoss,
        .source = "record",
        .code = "time-limit",
        .message = "the recording reached its time limit before it was complete (--time-limit)"};
}

ProgramRuns::Input::Input()
    : m_start(lseek(STDIN_FILENO, 0, SEEK_CUR)), m_terminal(isatty(STDIN_FILENO) != 0) {}

void ProgramRuns::Input::nextRun() {
    if (m_start >= 0 && m_runs > 0) lseek(STDIN_FILENO, m_start, SEEK_SET);
    ++m_runs;
}

bool ProgramRuns::over() const {
    return m_over || (m_runs > 0 && outOfTime()) || Interruptions::seen();
}

namespace {

/// Whether XLA should allocate memory on demand in this run.
bool growsMemory(const RunConfiguration& configuration) {
    const auto* const counters = std::get_if<CountersMode>(&configuration.mode);
    return counters && counters->growMemory;
}

bool samplesCpu(const RunConfiguration& configuration) {
    if (const auto* const timing = std::get_if<TimingMode>(&configuration.mode))
        return timing->samplesCpu();
    const auto* const both = std::get_if<CountFirstMode>(&configuration.mode);
    return both && both->timing.samplesCpu();
}

/// What a run is for.
std::string_view purposeOf(const RunConfiguration::Mode& mode) {
    constexpr std::array<std::string_view, std::variant_size_v<RunConfiguration::Mode>> kPurposes{
        "counters",
        "timing",
        "counters, then timing",
        "counters per instruction",
        "stall samples",
        "over time",
        "ranges",
        "capture",
        "rest",
        "call sites"};
    return kPurposes.at(mode.index());
}

/// Removes the issue kRanToItsEnd from a run's profile, because the recording lacks nothing.
/// Returns why the run went on to the program's end, as part of a progress line.
std::string takeWhyToItsEnd(Profile& profile) {
    const auto found = std::ranges::find(profile.issues, kRanToItsEnd, &Issue::code);
    if (found == profile.issues.end()) return {};
    std::string text = " to the program's end because " + found->message;
    profile.issues.erase(found);
    return text;
}

}  // namespace

Result<ProgramRuns::Run> ProgramRuns::run(const RunConfiguration& configuration) {
    const TemporaryFolder spool;
    if (!spool.path()) return spool.path().error();
    const fs::path& folder = *spool.path();
    RunConfiguration own = configuration;
    // With callOnce, this process itself is measured: it keeps its tuning results.
    if (!configuration.selection.autotuning && !m_options.callOnce) {
        if (!m_tuning) m_tuning.emplace();
        if (m_tuning->path()) own.tuningFolder = m_tuning->path()->string();
        own.tuned = m_tuning->path().ok() && m_runs > 0;
    }
    if (auto ok = writeRunConfiguration(own, folder); !ok) return ok.error();
    bool byDeadline = false;
    fs::path output;
    const auto begin = Clock::now();
    auto end = m_options.callOnce ? m_options.callOnce(folder)
                                  : runProgram(folder, configuration, output, byDeadline);
    const auto ended = Clock::now();
    ++m_runs;
    if (!end) return end.error();
    SpoolDetails details;
    auto profile = readSpools(folder, &details);
    if (!profile) return profile.error();
    const std::string toItsEnd = takeWhyToItsEnd(*profile);
    m_keptFromEnding |= !toItsEnd.empty();
    if (m_options.tellTimes && m_options.progress) {
        const auto seconds = [](Clock::duration time) {
            return std::chrono::duration<double>(time).count();
        };
        m_options.progress(fmt::format("run {} ({}): {:.1f} s{}, and {:.1f} s to read what it left",
                                       m_runs, purposeOf(configuration.mode),
                                       seconds(ended - begin), toItsEnd,
                                       seconds(Clock::now() - ended)));
    }
    addCode(*profile, details.code);
    Run result{.profile = std::move(*profile),
               .positions = std::move(details.positions),
               .countedFirst = std::move(details.countedFirst),
               .end = *end};
    judge(result, output, byDeadline);
    return result;
}

bool ProgramRuns::choosesMemory() {
    constexpr std::array kVariables{kPreallocate, "XLA_PYTHON_CLIENT_ALLOCATOR",
                                    "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION"};
    return std::ranges::any_of(kVariables,
                               [](const char* name) { return std::getenv(name) != nullptr; });
}

std::optional<std::string> ProgramRuns::preload() const {
    const std::string library = m_library.string();
    if (library.find_first_of(" :") != library.npos) return std::nullopt;  // LD_PRELOAD is a list
    const std::string& name = m_options.command.front();
    if (!isPreloadableCudaProgram(name.find('/') == name.npos ? findProgram(name) : fs::path(name)))
        return std::nullopt;
    const char* const others = std::getenv("LD_PRELOAD");
    return others && *others ? others + (":" + library) : library;
}

Result<ChildEnd> ProgramRuns::runProgram(const fs::path& folder,
                                         const RunConfiguration& configuration, fs::path& output,
                                         bool& byDeadline) {
    ChildOptions child{.environment = {{"CUDA_INJECTION64_PATH", m_library.string()},
                                       {"NVTX_INJECTION64_PATH", m_library.string()},
                                       {"ROOFSCOPE_SPOOL_DIR", folder.string()},
                                       {"ROOFSCOPE_PROFILING", "1"}},
                       .timeoutSeconds = m_options.timeoutSeconds,
                       .leftovers = m_options.leftovers};
    if (m_deadline) {
        constexpr double kLeast = 0.01;  // 0 would be no limit
        const std::chrono::duration<double> left = *m_deadline - Clock::now();
        byDeadline = !child.timeoutSeconds || left.count() < *child.timeoutSeconds;
        if (byDeadline) child.timeoutSeconds = std::max(left.count(), kLeast);
    }
    child.environment.merge(rendezvousEnvironment(m_runs));
    if (growsMemory(configuration)) child.environment.emplace(kPreallocate, "false");
    if (samplesCpu(configuration))
        if (auto libraries = preload())
            child.environment.emplace("LD_PRELOAD", std::move(*libraries));
    if (m_first) {
        output = folder / "output";
        child.output = output;
        child.noInput = m_input.usedUp();
    }
    m_input.nextRun();
    return runChild(m_options.command, child);
}

void ProgramRuns::judge(Run& run, const fs::path& output, bool byDeadline) {
    if (run.end.timedOut && byDeadline)
        run.profile.issues.push_back(outOfTimeIssue());
    else if (run.end.timedOut)
        run.profile.issues.push_back(
            {.severity = Severity::DataLoss,
             .source = "record",
             .code = "timeout",
             .message = fmt::format("the program was ended after {} s (--timeout)",
                                    *m_options.timeoutSeconds)});
    if (run.end.interrupted) run.profile.issues.push_back(interruptedIssue());
    m_over = run.end.timedOut || run.end.interrupted;
    if (!m_first) {
        m_first = run.end;
        return;
    }
    const auto words = [](const ExitStatus& s) {
        return s.signal ? fmt::format("ended by signal {}", *s.signal)
                        : fmt::format("exited with code {}", s.code.value_or(0));
    };
    const ExitStatus &a = m_first->status, &b = run.end.status;
    const bool same = a.code == b.code && a.signal == b.signal;
    const Seconds took{run.end.seconds};
    if (!m_over && same) m_shortestLater = std::min(m_shortestLater.value_or(took), took);
    if (m_over || same) return;
    run.profile.issues.push_back(
        {.severity = Severity::DataLoss,
         .source = "record",
         .code = "runs-differ",
         .message = fmt::format("the program {} in its first run and {} in a later one", words(a),
                                words(b)),
         .advice = startsOnce()
                       ? "under an MPI launcher a program may start only once: record the "
                         "launcher, \"roofscope record -- mpirun …\", or one run with "
                         "--timing-repeats 0"
                       : "if the program cannot run twice, record it with --timing-repeats 0"});
    if (m_options.progress) m_options.progress("output of the run that failed:\n" + tail(output));
}

}  // namespace roofscope
