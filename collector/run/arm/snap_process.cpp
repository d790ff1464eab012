// SPDX-License-Identifier: Apache-2.0
#include "collector/run/arm/snap_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "collector/configuration/as_duration.h"
#include "collector/run/processes/interruptions.h"
#include "collector/spool/reader/spool_reader.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using arm::Connection;
using arm::Early;
using arm::News;
using arm::Request;
using Clock = Connection::Clock;
using Duration = std::chrono::duration<double>;

/// What the process needs in addition to the requested times: loading CUPTI, changing the mode, and
/// writing the rest.
constexpr auto kBeginPatience = 20s, kEndPatience = 60s;
/// How often to check for an interruption.
constexpr auto kLook = 100ms;
/// When to look for steps for the first time. Records come at least ten times a second.
constexpr auto kFirstLook = 400ms;
constexpr auto kRecordsCome = 150ms;
/// Until steps are found, each look waits until the recording is this many times longer.
constexpr double kLaterLook = 1.6;

/// One conversation with an armed process, in which it records into a folder.
class Snapper {
public:
    Snapper(const ArmedProcess& process, const SnapOptions& options)
        : m_process(process), m_options(options) {}

    /// Returns when the process has written everything, or has ended.
    Result<ChildEnd> into(const fs::path& folder);
    [[nodiscard]] Snap said() const;
    /// Whether CUPTI has stayed in the process, which goes on.
    [[nodiscard]] bool stayed() const {
        return m_last && !m_last->detached && m_last->early != Early::ProgramEnds;
    }

private:
    Result<Connection> begun(const fs::path& folder);
    /// Records until it is enough. False: the process has sent its last message or is gone.
    bool follow(Connection& process, const fs::path& folder);
    /// When to look again; nullopt: enough steps have been recorded.
    std::optional<Clock::duration> untilNextLook(const fs::path& folder, Clock::duration recorded);
    [[nodiscard]] Error error(std::string what, std::string advice = {}) const {
        return {.code = ErrorCode::Unavailable,
                .what = std::move(what),
                .where = fmt::format("process {}", m_process.pid),
                .advice = std::move(advice)};
    }
    void say(const std::string& text) const {
        if (m_options.progress) m_options.progress(text);
    }

    const ArmedProcess& m_process;
    const SnapOptions& m_options;
    std::optional<News> m_last;  ///< absent: the process ended without a last message
    Clock::duration m_recorded{};
    double m_age = 0;  ///< of the process when the recording began, in s
    bool m_interrupted = false;
    std::size_t m_steps = 0;
};

Result<Connection> Snapper::begun(const fs::path& folder) {
    auto process = connectTo(m_process);
    if (!process) return process.error();
    // As root, give the folder to the process's user, who must write to it.
    if (const auto peer = process->peer(); geteuid() == 0 && peer && peer->user != 0) {
        // The file first: once the user owns the folder, the file may be replaced by a link.
        (void)!lchown((folder / kRunConfigurationFile).c_str(), peer->user, static_cast<gid_t>(-1));
        (void)!lchown(folder.c_str(), peer->user, static_cast<gid_t>(-1));
    }
    const Request request{.what = Request::What::Snap,
                          .folder = folder.string(),
                          .seconds = m_options.seconds,
                          .bytes = m_options.mostBytes,
                          .around = m_options.around};
    if (!process->send(toLine(request))) return error("does not answer");
    const auto patience = Clock::now() + kBeginPatience + asDuration(m_options.around);
    for (;;) {
        std::string line;
        const auto heard = process->receive(line, arm::kMostAnswer, Clock::now() + kLook);
        if (heard == Connection::Heard::Line) {
            const auto news = arm::newsFrom(line);
            if (!news) return error("answers something else", "is it armed by this version?");
            m_age = news->age;
            if (news->phase == News::Phase::Refused) return error(news->why, news->advice);
            if (news->phase == News::Phase::Ended)
                return error("ended before anything was recorded");
            return process;
        }
        if (heard != Connection::Heard::Nothing) return error("ended before anything was recorded");
        if (Interruptions::seen()) return error("interrupted before anything was recorded");
        if (Clock::now() >= patience) return error("does not answer");
    }
}

std::optional<Clock::duration> Snapper::untilNextLook(const fs::path& folder,
                                                      Clock::duration recorded) {
    const auto later = std::chrono::duration_cast<Clock::duration>(recorded * (kLaterLook - 1));
    const auto profile = readSpools(folder);
    const auto steps = profile ? m_options.stepsIn(*profile) : std::nullopt;
    if (!steps) return later;
    m_steps = steps->count;
    if (m_steps >= *m_options.steps) return std::nullopt;
    const auto missing = static_cast<double>(*m_options.steps - m_steps);
    return asDuration(missing * steps->each.value) + kRecordsCome;
}

bool Snapper::follow(Connection& process, const fs::path& folder) {
    const auto begun = Clock::now();
    auto nextLook = begun + kFirstLook;
    for (;;) {
        std::string line;
        const auto until = Clock::now() + kLook;
        const auto heard = process.receive(line, arm::kMostAnswer,
                                           m_options.steps ? std::min(until, nextLook) : until);
        m_recorded = Clock::now() - begun;
        if (heard == Connection::Heard::Line) {
            m_last = arm::newsFrom(line);
            // The process reached a limit itself, and has already recorded the pace afterwards.
            return false;
        }
        if (heard != Connection::Heard::Nothing) return false;
        if (Interruptions::seen()) {
            m_interrupted = true;
            return true;
        }
        if (!m_options.steps || Clock::now() < nextLook) continue;
        const auto wait = untilNextLook(folder, m_recorded);
        if (!wait) return true;
        nextLook = Clock::now() + *wait;
    }
}

Result<ChildEnd> Snapper::into(const fs::path& folder) {
    auto process = begun(folder);
    if (!process) return process.error();
    say(m_options.steps ? fmt::format("recording {} steps, for {} s at most", *m_options.steps,
                                      m_options.seconds)
                        : fmt::format("recording for {} s", m_options.seconds));
    if (follow(*process, folder)) {
        (void)process->send(toLine(Request{.what = Request::What::End}));
        std::string line;
        if (process->receive(line, arm::kMostAnswer,
                             Clock::now() + kEndPatience + asDuration(m_options.around)) ==
            Connection::Heard::Line)
            m_last = arm::newsFrom(line);
    }
    return ChildEnd{.status = {}, .seconds = Duration(m_recorded).count()};
}

Snap Snapper::said() const {
    Snap snap{
        .steps = m_options.steps,
        .recorded = Seconds{m_last ? m_last->recorded
                                   : std::min(Duration(m_recorded).count(), m_options.seconds)},
        .age = {},
        .endedEarly = {}};
    if (m_age > 0) snap.age = Seconds{m_age};
    if (m_interrupted)
        snap.endedEarly = "it was interrupted";
    else if (!m_last || m_last->early == Early::ProgramEnds)
        snap.endedEarly = "the program ended";
    else if (m_last->early == Early::Bytes)
        snap.endedEarly = "its measurements took the most space that they may (--most-bytes)";
    else if (m_last->early == Early::Seconds && m_options.steps)
        snap.endedEarly =
            m_steps > 0 ? fmt::format("after {} s {} of {} steps had come", m_options.seconds,
                                      m_steps, *m_options.steps)
                        : fmt::format("launches did not repeat within {} s, so no step was found",
                                      m_options.seconds);
    return snap;
}

}  // namespace

Result<Recording> snapProcess(const ArmedProcess& process, const SnapOptions& options) {
    Snapper snapper(process, options);
    RecordOptions request{
        .timingOnly = true,
        .timeline = options.timeline,
        .cpuSamples = options.cpuSamples,
        .callSites = options.callSites,
        .callOnce = [&](const fs::path& folder) { return snapper.into(folder); },
        .onlyOnce = true,
        .progress = options.progress,
        .shownCommand = process.state ? process.state->command : std::vector<std::string>{}};
    auto recording = record(request);
    if (!recording) return recording.error();
    Profile& profile = recording->profile;
    profile.capture.snap = snapper.said();
    if (snapper.stayed())
        profile.issues.push_back(
            {.severity = Severity::Info,
             .source = "snap",
             .code = "cupti-stays",
             .message = "CUPTI stays in the process, because programs that use CUDA graphs do not "
                        "survive that it leaves: launch calls take 1 to 2 µs longer from now on, "
                        "and no other tool gets CUPTI in this process",
             .advice = "a restart of the program ends that"});
    return recording;
}

}  // namespace roofscope
