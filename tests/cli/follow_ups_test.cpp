// SPDX-License-Identifier: Apache-2.0
// The exchange between the planner and a simulated recording: what is asked, in which order, and
// when it ends. How a recording answers is tested in tests/collector/questions_test.cpp.
#include "cli/follow_ups.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/counters/counter_names.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr int kLaunches = 8;

/// Two alternating kernels, 30 µs apart: "busy" issues unknown instructions, and "slow" waits for
/// an unknown reason. A third kernel takes 1 % of the time.
Profile simulatedProfile() {
    SyntheticProfile p(testDevice());
    double start = 0;
    const auto add = [&](const char* name, double microseconds) {
        LaunchRef launch = idle(p, name, {2112, 1, 1}, {256, 1, 1}, microseconds);
        launch.launch().start = Seconds{start * 1e-6};
        start += microseconds + 1;
        return launch;
    };
    for (int i = 0; i < kLaunches; ++i) {
        add("busy", 300).set(counter::kIssueActive, 85);
        add("slow", 200).set(counter::kWarpsActive, 32);
        add("small", 5).set(counter::kIssueActive, 85);
    }
    p.profile().capture.groups = {"default"};
    p.profile().capture.timingRuns = 1;
    Profile profile = p.build();
    // The helper added a kernel per launch; there are only three.
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row)
        profile.launches[row].kernel = row % 3;
    profile.kernels.resize(3);
    return profile;
}

/// The launches of a kernel.
std::vector<std::uint32_t> rowsOf(const Profile& profile, std::string_view name) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row)
        if (profile.kernels[profile.launches[row].kernel].name == name) rows.push_back(row);
    return rows;
}

/// A simulated recording: each run takes some time and returns what a GPU could have measured.
class SimulatedRecording {
public:
    Profile profile = simulatedProfile();
    std::vector<Question> asked;
    std::vector<std::string> said;
    double now = 4;  ///< the clock: duration of the recording so far
    double questionTakes = 1.5;
    Seconds plainRun{0.5};
    std::optional<double> limit;
    std::size_t interruptedAfter = 1000;  ///< after this number of questions
    bool answers = true;
    const Profile* whole = nullptr;  ///< all that a GPU measured of this program

    void hold(cli::FollowUpSettings settings = {}) {
        settings.say = [this](const std::string& text) { said.push_back(text); };
        const RecordingInProgress recording{
            .plainRun = plainRun,
            .furtherRun = [this] { return plainRun; },
            .profile = [this]() -> const Profile& { return profile; },
            .elapsed = [this] { return Seconds{now}; },
            .remaining = [this]() -> std::optional<Seconds> {
                if (!limit) return std::nullopt;
                return Seconds{*limit - now};
            },
            .over = [this] { return asked.size() >= interruptedAfter; },
            .ask = [this](const Question& question) { return ask(question); }};
        cli::askFollowUps(recording, settings);
    }
    [[nodiscard]] std::vector<std::string> groups() const {
        std::vector<std::string> all;
        for (const Question& question : asked)
            all.insert(all.end(), question.groups.begin(), question.groups.end());
        return all;
    }
    [[nodiscard]] Analysis analysis() const {
        return analyze(std::make_shared<const Profile>(profile));
    }

private:
    bool ask(const Question& question) {
        asked.push_back(question);
        now += questionTakes;
        if (!answers) return false;
        Profile next = profile;  // like a real recording, which replaces it
        for (const std::string& group : question.groups) {
            if (whole) {
                answerFrom(*whole, group, question, next);
                continue;
            }
            if (group == "source") {
                next.sources.push_back({.kernel = next.launches[question.launches[0]].kernel,
                                        .launch = question.launches[0]});
                continue;
            }
            if (group == "over-time") {
                next.overTime.push_back({.kernel = next.launches[question.launches[0]].kernel,
                                         .launch = question.launches[0]});
                continue;
            }
            const auto table = chipTable("GH100");
            for (const std::string& name : table->groups.at(group).counters)
                for (const std::uint32_t row : question.launches)
                    next.counters.set(name, row, valueOf(name, row % 3 == 0));
        }
        next.capture.further.push_back({.groups = question.groups, .launches = question.launches});
        profile = std::move(next);
        return true;
    }
    static void answerFrom(const Profile& whole, const std::string& group, const Question& question,
                           Profile& next) {
        if (group == "source") {
            for (const SourcePass& pass : whole.sources)
                if (std::ranges::find(question.launches, *pass.launch) != question.launches.end())
                    next.sources.push_back(pass);
            return;
        }
        if (group == "over-time") return;  // none of them was sampled
        const auto chip = chipTable("GH100");
        for (const std::string& name : chip->groups.at(group).counters)
            for (const std::uint32_t row : question.launches)
                if (const auto value = whole.counters.value(name, row))
                    next.counters.set(name, row, *value);
    }
    static double valueOf(const std::string& name, bool busy) {
        if (name == counter::kIntegerPipe) return busy ? 75 : 1;
        return name.find("long_scoreboard") != name.npos ? 20 : 0.1;
    }
};

/// Whether the same counter group was requested twice for a kernel.
bool askedTwice(const SimulatedRecording& simulatedProfile) {
    std::set<std::pair<std::string, std::uint32_t>> seen;
    for (const Question& question : simulatedProfile.asked)
        for (const std::string& group : question.groups)
            for (const std::uint32_t row : question.launches)
                if (!seen.emplace(group, row).second) return true;
    return false;
}

}  // namespace

TEST_CASE("questions are about the part of the run that the user wants judged") {
    const auto askedIn = [](WindowChoice window) {
        SimulatedRecording p;
        // Before the first of its 40 ms of kernels, the program works for two seconds.
        constexpr Nanoseconds kSecond = 1'000'000'000;
        p.profile.processes[0].timeline = TimelineParts{.copies = true, .launches = true};
        p.profile.processes[0].run =
            ProcessRun{.time = {-2 * kSecond, kSecond}, .firstContext = -kSecond / 10};
        const CounterColumn times = p.profile.counters.column(counter::kDuration);
        for (std::size_t row = 0; row < p.profile.launches.size(); ++row)
            p.profile.launches[row].duration = Seconds{times[row] * 1e-9};
        p.hold({.window = window});
        return p.asked.size();
    };
    CHECK(askedIn(WindowChoice::Loop) > 0);
    CHECK(askedIn(WindowChoice::Run) == 0);
}

TEST_CASE(
    "recorded: what was read with further groups by hand is asked for, and the verdict is the "
    "same") {
    struct Case {
        const char *sample, *group, *kernel, *rule;
    };
    for (const Case& c : {Case{"h200_atomics", "atomics", "atomicContention", "atomic-contention"},
                          Case{"h200_tensor", "tensor", "tensorProduct", "mma-instead-of-wgmma"},
                          Case{"h200_source", "source", "stridedCopy", "global-uncoalesced"}}) {
        CAPTURE(c.sample);
        const Profile whole = sample(c.sample);
        SimulatedRecording p;
        p.profile = whole;
        p.profile.capture.groups = {"default"};
        p.profile.sources.clear();
        // As if the program did little else.
        p.profile.timeline = {};
        p.profile.processes[0].timeline.reset();
        for (Launch& launch : p.profile.launches) launch.start.reset();
        const auto chip = chipTable("GH100");
        const std::string group = c.group;
        if (group != "source") {
            p.profile.counters = CounterTable(whole.launches.size());
            for (const std::string& name : whole.counters.names())
                if (const auto& of = chip->groups.at(group).counters;
                    std::ranges::find(of, name) == of.end()) {
                    p.profile.counters.addColumn(name, whole.counters.column(name).all());
                }
        }
        p.whole = &whole;
        p.questionTakes = 0.5;
        const auto kernelOf = [&](const Analysis& analysis) -> const KernelAnalysis& {
            return *std::ranges::find_if(analysis.kernels, [&](const KernelAnalysis& kernel) {
                return kernel.fullName.find(c.kernel) != std::string::npos;
            });
        };
        p.hold();
        REQUIRE_FALSE(p.asked.empty());
        const auto groups = p.groups();
        CHECK(std::ranges::find(groups, group) != groups.end());
        CHECK_FALSE(askedTwice(p));
        const Analysis after = p.analysis();
        const KernelAnalysis& kernel = kernelOf(after);
        const Analysis& byHand = recorded(c.sample);
        CHECK(kernel.verdict.cls == kernelOf(byHand).verdict.cls);
        CHECK(kernel.verdict.limiter == kernelOf(byHand).verdict.limiter);
        const Finding* finding = find(kernel, c.rule);
        REQUIRE(finding);
        CHECK(finding->places.size() == find(kernelOf(byHand), c.rule)->places.size());
        CHECK((group == "source") != finding->places.empty());
    }
}

TEST_CASE("follow-up questions concern kernels that matter, and the answer decides") {
    SimulatedRecording p;
    REQUIRE(p.analysis().kernels[0].verdict.limiter == ResourceId::Issue);
    p.hold();
    // Pipes of one kernel and stalls of the other in one run, because that is quicker. Then the
    // source lines of the first, a question raised by its pipes.
    REQUIRE(p.asked.size() == 2);
    CHECK(p.groups() == std::vector<std::string>{"pipes", "stalls", "source"});
    auto both = rowsOf(p.profile, "busy");
    for (const std::uint32_t row : rowsOf(p.profile, "slow")) both.push_back(row);
    CHECK(p.asked[0].launches == both);
    CHECK(p.asked[1].launches == rowsOf(p.profile, "busy"));
    CHECK_FALSE(p.asked[0].required);
    CHECK_FALSE(askedTwice(p));
    const Analysis after = p.analysis();
    CHECK(after.kernels[0].verdict.limiter == ResourceId::Integer);
    REQUIRE(find(after.kernels[0], "integer-arithmetic"));
    REQUIRE(find(after.kernels[1], "dominant-stall"));
    REQUIRE(p.said.size() == 3);
    CHECK(p.said[0].starts_with("follow-up question 1, about "));
    CHECK(p.said[0].find("pipes, stalls of busy and 1 more (") != std::string::npos);
    CHECK(p.said[0].find("integer-arithmetic") != std::string::npos);
    CHECK(p.said[1].find("source lines of busy (") != std::string::npos);
    CHECK(p.said[2].starts_with("left open for lack of time: source lines of slow ("));
}

TEST_CASE("a kernel whose averages may hide what comes one after the other is sampled, alone") {
    SimulatedRecording p;
    for (std::uint32_t row = 2; row < p.profile.launches.size(); row += 3) {
        p.profile.launches[row].duration = Seconds{150e-6};
        // On average an SM works half of the time.
        CounterTable& counters = p.profile.counters;
        const auto cycles = counters.value(counter::kSmCyclesActiveMax, row);
        REQUIRE(cycles);
        counters.set(counter::kSmCyclesActiveAvg, row, *cycles / 2);
        const auto issued = counters.value(counter::kIssueActive, row);
        REQUIRE(issued);
        counters.set(counter::kIssueActive, row, *issued / 2);
    }
    p.hold();
    REQUIRE_FALSE(p.asked.empty());
    CHECK(p.asked.back().groups == std::vector<std::string>{"over-time"});
    CHECK(p.asked.back().launches == rowsOf(p.profile, "small"));
    CHECK(p.said.back().find("activity of small over time (") != std::string::npos);
    CHECK_FALSE(askedTwice(p));
}

TEST_CASE("a recording that never answers is asked everything once") {
    for (const Effort effort : {Effort::Auto, Effort::Deep}) {
        SimulatedRecording p;
        p.answers = false;
        p.questionTakes = 0;
        p.hold({.effort = effort, .required = true});
        CHECK_FALSE(askedTwice(p));
        auto groups = p.groups();
        std::ranges::sort(groups);
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        // With Effort::Auto, lines are the last question.
        CHECK(groups == std::vector<std::string>{"pipes", "source", "stalls"});
        if (effort == Effort::Auto) CHECK(p.asked.back().groups.front() == "source");
        CHECK(std::ranges::all_of(p.asked, &Question::required));
    }
}

TEST_CASE("answers that change nothing end the conversation, too") {
    SimulatedRecording p;
    p.hold({.effort = Effort::Deep});
    CHECK_FALSE(askedTwice(p));
    const std::size_t asked = p.asked.size();
    p.asked.clear();
    // What a further run has read is not requested again at any effort.
    p.hold({.effort = Effort::Auto});
    CHECK(p.asked.empty());
    CHECK(asked == 3);  // pipes and stalls together, and the source lines of each kernel
}

TEST_CASE("auto takes about twice the program's time, and each run is ended in time") {
    SimulatedRecording p;
    p.now = 42;
    p.plainRun = Seconds{40};
    p.questionTakes = 37;
    p.hold();
    REQUIRE(p.asked.size() == 1);  // 5 s are left
    CHECK(p.asked[0].limit->value == Approx(42));
    CHECK(p.now <= 2.1 * 40);
    REQUIRE(p.said.size() == 2);
    INFO(p.said[1]);
    CHECK(p.said[1].starts_with("left open for lack of time: source lines of busy"));
    CHECK(p.said[1].ends_with("--effort deep asks until nothing is open"));
    // Short programs get at least the time for some runs.
    const auto time = [](Effort effort, double soFar, double plain, bool slow) {
        const auto left = cli::followUpTime(effort, Seconds{soFar}, Seconds{plain}, slow);
        return left ? left->value : -1;
    };
    CHECK(time(Effort::Auto, 0.8, 0.3, false) == 6);
    CHECK(time(Effort::Auto, 60, 50, false) == Approx(45));
    CHECK(time(Effort::Quick, 60, 50, false) == 0);
    CHECK(time(Effort::Deep, 60, 50, false) == -1);
    // Starting the program again takes most of the time.
    CHECK(time(Effort::Auto, 30, 20, true) == Approx(12));
    CHECK(time(Effort::Auto, 60, 20, true) == 0);
    CHECK(time(Effort::Deep, 60, 20, true) == -1);
    CHECK(time(Effort::Auto, 14, 8, true) == 12.5);
}

TEST_CASE("the limit for the whole recording holds for its questions") {
    SimulatedRecording tight;
    tight.now = 100;
    tight.limit = 103;
    tight.plainRun = Seconds{40};
    tight.hold();
    CHECK(tight.asked.empty());
    REQUIRE(tight.said.size() == 1);
    CHECK(tight.said[0].find("deep") == std::string::npos);
    SimulatedRecording deep;
    deep.limit = 100;
    deep.hold({.effort = Effort::Deep});
    REQUIRE_FALSE(deep.asked.empty());
    CHECK(deep.asked[0].limit == Seconds{96});
    SimulatedRecording unlimited;
    unlimited.questionTakes = 1000;
    unlimited.hold({.effort = Effort::Deep});
    CHECK(unlimited.asked.size() == 3);
    CHECK_FALSE(unlimited.asked[0].limit);
}

TEST_CASE("nobody asks for more of an interrupted recording, nor with --effort quick") {
    SimulatedRecording interrupted;
    interrupted.interruptedAfter = 1;
    interrupted.hold();
    CHECK(interrupted.asked.size() == 1);
    interrupted.interruptedAfter = 0;
    interrupted.asked.clear();
    interrupted.hold();
    CHECK(interrupted.asked.empty());
    SimulatedRecording quick;
    quick.hold({.effort = Effort::Quick});
    CHECK(quick.asked.empty());
    CHECK(quick.said.empty());
}
