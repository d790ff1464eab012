// SPDX-License-Identifier: Apache-2.0
// GPU activity over a kernel's time, compared with what the kernel measured itself
// (phases_program.cu).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

std::string built(const char* name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

struct Interval {
    double seconds = 0, bytes = 0;
    double sms = 0, tensor = 0;  ///< SMs at work; cycles of the tensor cores; both 0 to 1
};

/// The intervals of a kernel in a recording of the program; `told`: what the program printed after
/// `word`.
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
             .sms = value("sm__cycles_active.avg", row) / value("sm__cycles_elapsed.max", row),
             .tensor =
                 0.01 *
                 value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", row)});
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

double highest(const Sampled& sampled, auto what) {
    double most = 0;
    for (const Interval& interval : sampled.intervals) most = std::max(most, what(interval));
    return most;
}

/// Checks a quantity that changes with alternating phases: `phases` are their lengths in ns, and it
/// is high in those from `first` on, every second one.
void checkAlternatingPhases(const Sampled& sampled, auto what, const std::vector<double>& phases,
                            std::size_t first) {
    REQUIRE(phases.size() == 9);
    double expected = 0, up = 0;
    std::size_t times = 0;
    for (std::size_t i = first; i < phases.size(); i += 2) expected += 1e-9 * phases[i];
    const double most = highest(sampled, what);
    bool before = false;
    for (const Interval& interval : sampled.intervals) {
        const bool now = what(interval) > 0.4 * most;
        times += now && !before;
        up += now ? interval.seconds : 0;
        before = now;
    }
    CHECK(times == 5);
    // Each start and end of a phase falls inside an interval. The program does not print the length
    // of the last phase of the second kind.
    if (first == 1) expected *= 5.0 / 4;
    CHECK(up == Approx(expected).margin(10 * sampled.intervals.front().seconds));
}

}  // namespace

TEST_CASE("what is sampled over the time of a kernel is what it did") {
    const test::TemporaryFolder folder;
    const std::string file = folder.file("p.roofscope.json").string();
    const std::string out = folder.file("out").string();
    REQUIRE(std::system((built("roofscope") + " record --effort quick --over-time top:7 -o " +
                         file + " -- " + built("phases_program") + " > " + out)
                            .c_str()) == 0);
    const std::string printed = test::readText(out);
    const auto profile = readProfile(file);
    REQUIRE(profile.ok());
    REQUIRE(profile->overTime.size() == 7);

    const Sampled steady = intervalsOf(*profile, "steady");
    const double bytes = total(steady, [](const Interval& i) { return i.bytes; });
    CHECK(bytes == Approx(told(printed, "steady").at(0)).epsilon(0.01));
    const double span = total(steady, [](const Interval& i) { return i.seconds; });
    CHECK(span == Approx(steady.duration).epsilon(0.05));

    // In the tail a single SM is at work.
    const double one = 1.0 / profile->devices.at(0).smCount;
    const auto alone = [&](const Sampled& sampled) {
        return total(sampled, [&](const Interval& i) {
            return i.sms > 0.5 * one && i.sms < 1.5 * one ? i.seconds : 0;
        });
    };
    const Sampled tail = intervalsOf(*profile, "tail");
    CHECK(alone(tail) == Approx(1e-9 * told(printed, "tail").at(0)).epsilon(0.05));

    // The same for a kernel of a few microseconds.
    const Sampled brief = intervalsOf(*profile, "brief");
    CHECK(brief.duration < 20e-6);
    CHECK(brief.intervals.size() > 15);
    CHECK(alone(brief) ==
          Approx(1e-9 * told(printed, "brief").at(0)).margin(brief.intervals.at(1).seconds));

    // Nothing is read until the blocks start to copy.
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

    // Alternating copies and arithmetic, or copies and matrix products: the number and length of
    // phases.
    const auto bandwidth = [](const Interval& i) { return i.bytes / i.seconds; };
    const auto tensor = [](const Interval& i) { return i.tensor; };
    checkAlternatingPhases(intervalsOf(*profile, "alternating"), bandwidth, told(printed, "phases"),
                           0);
    const Sampled products = intervalsOf(*profile, "tensorTurns");
    checkAlternatingPhases(products, bandwidth, told(printed, "tensor"), 0);
    checkAlternatingPhases(products, tensor, told(printed, "tensor"), 1);

    // Warps that copy next to warps that multiply: both at once, nearly all the time.
    const Sampled specialised = intervalsOf(*profile, "specialised");
    const double copying = highest(specialised, bandwidth);
    const double multiplying = highest(specialised, tensor);
    CHECK(multiplying > 0.3);
    CHECK(total(specialised, [&](const Interval& i) {
              return bandwidth(i) > 0.5 * copying && i.tensor > 0.5 * multiplying ? i.seconds : 0;
          }) > 0.9 * specialised.duration);
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
    const auto finds = [&](std::string_view function, std::string_view rule) {
        const auto kernel = std::ranges::find_if(analysis.kernels, [&](const auto& k) {
            return k.fullName.find(std::string(function) + "(") != std::string::npos;
        });
        REQUIRE(kernel != analysis.kernels.end());
        return std::ranges::find(kernel->findings, rule, &Finding::ruleId) !=
               kernel->findings.end();
    };
    const auto says = [&](std::string_view function, std::string_view rule) {
        INFO(function << " " << rule);
        CHECK(finds(function, rule));
    };
    says("alternating", "alternating-phases");
    says("tensorTurns", "alternating-phases");
    says("tail", "serial-tail");
    // Copies and products at the same time are what that finding advises.
    CHECK_FALSE(finds("specialised", "alternating-phases"));
    // A kernel that copies all the time is near its roof, so it was not sampled.
    for (const OverTime& trace : profile->overTime)
        CHECK(profile->kernels[trace.kernel].name.find("steady(") == std::string::npos);
}
