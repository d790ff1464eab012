// SPDX-License-Identifier: Apache-2.0
#include "cli/follow_ups.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace roofscope::cli {
namespace {

/// How long a recording with its follow-up questions may take, as a multiple of the program's own
/// time.
constexpr double kFactor = 2.1;
/// Minimum time for follow-up questions. It is enough for three or four questions if the program
/// reaches its loop at once, because a further run ends as soon as it has its answer.
constexpr Seconds kAtLeast{6};
/// The minimum for a program that starts slowly, so that each further run takes at least as long as
/// its start. A program that runs longer than this has no minimum.
constexpr Seconds kAtLeastIfSlow{12.5};

/// A recording and the questions asked so far.
class Conversation {
public:
    Conversation(const RecordingInProgress& recording, const FollowUpSettings& settings)
        : m_recording(recording), m_settings(settings), m_begun(recording.elapsed()) {
        m_options.effort = settings.effort;
        m_options.launchesPerKernel = settings.launchesPerKernel;
    }

    void hold() {
        while (!m_recording.over()) {
            const std::optional<Seconds> left = timeLeft();
            // A pointer that does not own: the recording outlives the analysis, and the profile
            // changes only with the next question.
            const std::shared_ptr<const Profile> profile(std::shared_ptr<const Profile>(),
                                                         &m_recording.profile());
            const Analysis analysis = analyze(profile, {.window = m_settings.window});
            const Program program = analyzeProgram(analysis);
            m_options.left = left;
            m_options.plainRun = m_recording.furtherRun();
            const auto plan = planFollowUps(analysis, program, m_options);
            if (plan.empty()) return reportOpenQuestions(analysis, program);
            ask(analysis, plan.front(), left);
        }
    }

private:
    [[nodiscard]] std::optional<Seconds> timeLeft() const {
        std::optional<Seconds> left = followUpTime(m_settings.effort, m_begun, m_recording.plainRun,
                                                   m_recording.startsSlowly);
        if (left) left = *left - (m_recording.elapsed() - m_begun);
        const std::optional<Seconds> ofAll = m_recording.remaining();
        if (!left || (ofAll && *ofAll < *left)) left = ofAll;
        return left;
    }

    void say(const std::string& text) const {
        if (m_settings.say) m_settings.say(text);
    }

    void ask(const Analysis& analysis, const FollowUp& run, std::optional<Seconds> left) {
        say(fmt::format("follow-up question {}, about {:.0f} s: {}", m_options.asked.size() + 1,
                        std::max(1.0, run.estimate.value), run.why.in(Language::En)));
        Question question{.limit = left, .required = m_settings.required};
        for (const std::uint32_t kernel : run.kernels) {
            const auto& launches = analysis.kernels[kernel].group.launches;
            question.launches.insert(question.launches.end(), launches.begin(), launches.end());
        }
        // Note the question first, so that it is never asked again, whatever the result.
        m_options.asked.push_back({.groups = run.groups, .launches = question.launches});
        bool source = false;
        for (const CounterGroup group : run.groups) {
            if (group == CounterGroup::Source)
                source = true;
            else  // includes "over-time", which the planner never combines with others
                question.groups.emplace_back(toString(group));
        }
        if (!question.groups.empty()) m_recording.ask(question);
        if (!source) return;
        question.groups = {toString(CounterGroup::Source)};
        question.limit = timeLeft();
        question.stallSamples = m_settings.effort == Effort::Deep ||
                                samplesShowMore(analysis.kernels[run.kernels.front()]);
        m_recording.ask(question);
    }

    void reportOpenQuestions(const Analysis& analysis, const Program& program) {
        if (!m_options.left) return;
        m_options.left.reset();
        const auto open = planFollowUps(analysis, program, m_options);
        if (open.empty()) return;
        const std::size_t more = open.size() - 1;
        say(fmt::format(
            "left open for lack of time: {}{}{}", open.front().why.in(Language::En),
            more == 0 ? "" : fmt::format(", and {} more", more),
            m_recording.remaining() ? "" : "; --effort deep asks until nothing is open"));
    }

    const RecordingInProgress& m_recording;
    const FollowUpSettings& m_settings;
    const Seconds m_begun;
    FollowUpOptions m_options;
};

}  // namespace

std::optional<Seconds> followUpTime(Effort effort, Seconds soFar, Seconds plainRun,
                                    bool startsSlowly) {
    if (effort == Effort::Quick) return Seconds{0};
    if (effort == Effort::Deep) return std::nullopt;
    const Seconds least = !startsSlowly               ? kAtLeast
                          : plainRun < kAtLeastIfSlow ? kAtLeastIfSlow
                                                      : Seconds{0};
    return std::max(plainRun * kFactor - soFar, least);
}

std::optional<JudgedLoop> judgedLoopOf(const Profile& profile, WindowChoice window) {
    const std::shared_ptr<const Profile> shared(std::shared_ptr<const Profile>(), &profile);
    const Program program = analyzeProgram(analyze(shared, {.window = window}));
    const bool onePiece = program.window.isWhole();
    const Program& judged = program.loop ? *program.loop : program;
    const Window& found = judged.window;
    const Seconds repeat = found.seconds + found.traced;
    if (!(found.seconds.value > 0)) return std::nullopt;
    if (found.isWhole() || found.rounds > 0) {
        // Tracing that took next to nothing leaves nothing to learn from the program's own pace.
        const double traced = found.traced / repeat;
        return traced < kHardlyIdle ? std::optional(JudgedLoop{.idle = traced, .onePiece = true})
                                    : std::nullopt;
    }
    Seconds idle = found.traced;
    for (const TimeClass cls : kTimeClasses)
        if (isIdle(cls)) idle += judged.account.time[cls];
    return JudgedLoop{.repeat = repeat, .idle = idle / repeat, .onePiece = onePiece};
}

void askFollowUps(const RecordingInProgress& recording, const FollowUpSettings& settings) {
    Conversation(recording, settings).hold();
}

}  // namespace roofscope::cli
