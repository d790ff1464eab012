// SPDX-License-Identifier: Apache-2.0
// The GPU over the time of a kernel, beside what the kernel saw of itself (phases_program.cu).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/analysis.h"
#include "profile/codec.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

std::string built(const char* name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

struct Interval {
    double seconds = 0, bytes = 0, sms = 0;  ///< SMs at work, 0 to 1
};

/// The intervals of the kernel, of a recording of the program; `told`: what it said after `word`.
struct Sampled {
    std::vector<Interval> intervals;
    double duration = 0;
};

Sampled intervalsOf(const Profile& profile, const std::string& function) {
    const auto found = std::ranges::find_if(profile.overTime, [&](const OverTime& trace) {
        return profile.kernels[trace.kernel].name.find(function + "(") != std::string::npos;
    });
    REQUIRE(found != profile.overTime.end());
    REQUIRE(found->launch);
    REQUIRE(profile.launches[*found->launch].duration);
    Sampled sampled{.duration = profile.launches[*found->launch].duration->value};
    const auto value = [&](const char* name, std::size_t row) {
        const auto counted = found->counters.value(name, row);
        REQUIRE(counted);
        return *counted;
    };
    for (std::size_t row = 0; row < found->ends.size(); ++row)
        sampled.intervals.push_back(
            {.seconds = found->ends[row].value - (row > 0 ? found->ends[row - 1].value : 0),
             .bytes = value("dram__bytes_read.sum", row),
             .sms = value("sm__cycles_active.avg", row) / value("sm__cycles_elapsed.max", row)});
    return sampled;
}

double total(const Sampled& sampled, auto what) {
    double sum = 0;
    for (const Interval& interval : sampled.intervals) sum += what(interval);
    return sum;
}

std::vector<double> told(const std::string& printed, const std::string& word) {
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);)
        if (std::istringstream words(line.substr(line.find(' ') + 1));
            line.starts_with(word + " ")) {
            std::vector<double> numbers;
            for (double number = 0; words >> number;) numbers.push_back(number);
            return numbers;
        }
    return {};
}

}  // namespace

TEST_CASE("what is sampled over the time of a kernel is what it did") {
    const test::TemporaryFolder folder;
    const std::string file = folder.file("p.roofscope.json").string();
    const std::string out = folder.file("out").string();
    REQUIRE(std::system((built("roofscope") + " record --effort quick --over-time top:5 -o " +
                         file + " -- " + built("phases_program") + " > " + out)
                            .c_str()) == 0);
    const std::string printed = test::readText(out);
    const auto profile = readProfile(file);
    REQUIRE(profile.ok());
    REQUIRE(profile->overTime.size() == 5);

    const Sampled steady = intervalsOf(*profile, "steady");
    const double bytes = total(steady, [](const Interval& i) { return i.bytes; });
    CHECK(bytes == Approx(told(printed, "steady").at(0)).epsilon(0.01));
    const double span = total(steady, [](const Interval& i) { return i.seconds; });
    CHECK(span == Approx(steady.duration).epsilon(0.05));

    // One SM of all is at work in the tail.
    const double one = 1.0 / profile->devices.at(0).smCount;
    const auto alone = [&](const Sampled& sampled) {
        return total(sampled, [&](const Interval& i) {
            return i.sms > 0.5 * one && i.sms < 1.5 * one ? i.seconds : 0;
        });
    };
    const Sampled tail = intervalsOf(*profile, "tail");
    CHECK(alone(tail) == Approx(1e-9 * told(printed, "tail").at(0)).epsilon(0.05));

    // Also of one that is over after a few microseconds.
    const Sampled brief = intervalsOf(*profile, "brief");
    CHECK(brief.duration < 20e-6);
    CHECK(brief.intervals.size() > 15);
    CHECK(alone(brief) ==
          Approx(1e-9 * told(printed, "brief").at(0)).margin(brief.intervals.at(1).seconds));

    // Nothing is read until the blocks begin to copy.
    const Sampled late = intervalsOf(*profile, "late");
    double read = 0, before = 0, fastest = 0;
    for (const Interval& i : late.intervals) fastest = std::max(fastest, i.bytes / i.seconds);
    for (const Interval& i : late.intervals) {
        if (i.bytes / i.seconds > 0.5 * fastest) break;
        before += i.seconds;
        read += i.bytes;
    }
    CHECK(before == Approx(1e-9 * told(printed, "late").at(0)).margin(5e-6));
    CHECK(read < 0.05 * total(
                            late, [](const Interval& i) { return i.bytes; }));

    // Copies and arithmetic in turns: as often, and as long.
    const Sampled turns = intervalsOf(*profile, "alternating");
    const auto phases = told(printed, "phases");
    REQUIRE(phases.size() == 9);
    double most = 0, copying = 0;
    for (const Interval& i : turns.intervals) most = std::max(most, i.bytes / i.seconds);
    std::size_t begun = 0;
    bool copied = false;
    for (const Interval& i : turns.intervals) {
        const bool copies = i.bytes / i.seconds > 0.4 * most;
        begun += copies && !copied;
        copying += copies ? i.seconds : 0;
        copied = copies;
    }
    CHECK(begun == 5);
    double expected = 0;
    for (std::size_t i = 0; i < phases.size(); i += 2) expected += 1e-9 * phases[i];
    // Each begin and each end of a phase falls within an interval.
    CHECK(copying == Approx(expected).margin(10 * turns.intervals.front().seconds));
}

TEST_CASE("a plain recording samples by itself what averages hide, and says it") {
    const test::TemporaryFolder folder;
    const std::string file = folder.file("p.roofscope.json").string();
    REQUIRE(std::system((built("roofscope") + " record -o " + file + " -- " +
                         built("phases_program") + " > " + folder.file("out").string())
                            .c_str()) == 0);
    const auto profile = readProfile(file);
    REQUIRE(profile.ok());
    const Analysis analysis = analyze(std::make_shared<const Profile>(*profile));
    const auto says = [&](std::string_view function, std::string_view rule) {
        const auto kernel = std::ranges::find_if(analysis.kernels, [&](const auto& k) {
            return k.fullName.find(std::string(function) + "(") != std::string::npos;
        });
        REQUIRE(kernel != analysis.kernels.end());
        INFO(function << " " << rule);
        CHECK((std::ranges::find(kernel->findings, rule, &Finding::ruleId) !=
               kernel->findings.end()));
    };
    says("alternating", "alternating-phases");
    says("tail", "serial-tail");
    // One that copies from begin to end is near its roof, and was not sampled.
    for (const OverTime& trace : profile->overTime)
        CHECK(profile->kernels[trace.kernel].name.find("steady(") == std::string::npos);
}
