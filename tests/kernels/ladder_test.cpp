// SPDX-License-Identifier: Apache-2.0
//
// The ladders must teach. On the profile recorded on an H200 the analyzer names each rung's fault
// first or second, reports nothing without a fault, and the fault is gone further up the ladder.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "analyzer/honesty/review.h"
#include "analyzer/model/analysis.h"
#include "kernels/rung.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using kernels::allRungs;
using kernels::Rung;

namespace {

/// Launch groups of each rung by id ("gelu/unfused"). If the default counters do not show its
/// fault, its counter group was recorded as well.
std::map<std::string, std::vector<KernelAnalysis>> recordedRungs() {
    std::map<std::string, std::vector<KernelAnalysis>> byRung;
    for (const char* sample : {"h200_bundled", "h200_atomics"})
        for (const KernelAnalysis& kernel : test::recorded(sample).kernels)
            byRung[kernel.range.substr(0, kernel.range.rfind('/'))].push_back(kernel);
    return byRung;
}

const std::map<std::string, std::vector<KernelAnalysis>>& rungs() {
    static const auto byRung = recordedRungs();
    return byRung;
}

const std::vector<KernelAnalysis>& groupsOf(const Rung& rung) {
    const auto it = rungs().find(rung.id());
    if (it == rungs().end()) FAIL("no recorded launch of " << rung.id());
    return it->second;
}

/// Ids of the first two findings that are not minor.
std::set<std::string> leading(const KernelAnalysis& kernel) {
    std::set<std::string> ids;
    for (const Finding& finding : kernel.findings)
        if (!finding.minor && ids.size() < 2) ids.insert(std::string(finding.ruleId));
    return ids;
}

bool names(const Rung& rung, std::string_view rule) {
    const auto& groups = groupsOf(rung);
    return std::any_of(groups.begin(), groups.end(), [&](const KernelAnalysis& kernel) {
        return leading(kernel).count(std::string(rule)) == 1;
    });
}

}  // namespace

TEST_CASE("every rung is in the recorded profile") {
    CHECK(rungs().size() == allRungs().size());
    for (const Rung* rung : allRungs()) CHECK_FALSE(groupsOf(*rung).empty());
}

TEST_CASE("the fault of every rung is its first or second finding") {
    for (const Rung* rung : allRungs()) {
        INFO(rung->id() << ": " << rung->fault);
        if (!rung->fault.empty()) CHECK(names(*rung, rung->fault));
    }
}

TEST_CASE("rungs without a fault have no finding, or a minor one") {
    for (const Rung* rung : allRungs()) {
        if (!rung->fault.empty()) continue;
        for (const KernelAnalysis& kernel : groupsOf(*rung)) {
            INFO(rung->id() << ' ' << kernel.name);
            CHECK(leading(kernel).empty());
        }
    }
}

TEST_CASE("a fault is gone further up its ladder, and the last rung has none") {
    const auto all = allRungs();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Rung& rung = *all[i];
        if (rung.family == "patterns" || rung.fault.empty()) continue;
        const auto mended = std::find_if(
            all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), [&](const Rung* later) {
                return later->family == rung.family && !names(*later, rung.fault);
            });
        INFO(rung.id() << ": " << rung.fault);
        CHECK(mended != all.end());
    }
}

namespace {

/// The launches of a rung on one shape, as a separate profile.
Analysis alone(const Profile& profile, const std::string& range) {
    Profile own = profile;
    own.launches.clear();
    own.counters = {};
    for (std::size_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        if (!launch.range || profile.ranges[*launch.range] != range) continue;
        for (const std::string& name : profile.counters.names())
            if (const auto value = profile.counters.value(name, row))
                own.counters.set(name, own.launches.size(), *value);
        own.launches.push_back(launch);
    }
    own.counters.resize(own.launches.size());
    return analyze(std::make_shared<const Profile>(std::move(own)));
}

}  // namespace

TEST_CASE("no rung is suspicious beside the one before it on the same shape") {
    const Profile& profile = *test::recorded("h200_bundled").profile;
    std::size_t pairs = 0;
    const auto all = allRungs();
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const Rung &before = *all[i], &after = *all[i + 1];
        if (before.family != after.family || before.family == "patterns") continue;
        for (const std::string& range : profile.ranges) {
            if (!range.starts_with(before.id() + "/")) continue;
            const std::string other = after.id() + range.substr(before.id().size());
            if (std::ranges::find(profile.ranges, other) == profile.ranges.end()) continue;
            INFO(range << " → " << other);
            const Analysis baseline = alone(profile, range), candidate = alone(profile, other);
            const honesty::Review review =
                honesty::review({.baseline = before.id(), .candidate = after.id()},
                                {.baseline = &baseline, .candidate = &candidate});
            for (const honesty::Check& check : review.checks)
                if (check.outcome == honesty::Outcome::Suspicious) FAIL_CHECK(check.id);
            CHECK(review.speedup.has_value());
            ++pairs;
        }
    }
    CHECK(pairs >= 10);
}
