// SPDX-License-Identifier: Apache-2.0
// For programs that the default counters leave open (verdicts_program.cu), a plain `roofscope
// record -- ./app` finds the verdict by itself, with follow-up questions.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "analyzer/model/analysis.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

/// A program of the same build as this test, wherever that is.
std::string built(const char* name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

struct Run {
    int code = -1;
    std::string out, err;
};
Run run(const std::string& command) {
    const test::TemporaryFolder folder;
    const std::string out = folder.file("out").string(), err = folder.file("err").string();
    const int status = std::system((command + " >" + out + " 2>" + err + " </dev/null").c_str());
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = test::readText(out),
            .err = test::readText(err)};
}

struct Recorded {
    Analysis analysis;
    std::string said;                 ///< by roofscope
    int firstLine = 0, lastLine = 0;  ///< the finding must name one of these

    [[nodiscard]] const Profile& profile() const { return *analysis.profile; }
    /// The kernel with that name.
    [[nodiscard]] const KernelAnalysis& kernel(const std::string& name) const {
        const auto found = std::ranges::find_if(analysis.kernels, [&](const KernelAnalysis& k) {
            return k.fullName.find(name + "(") != std::string::npos;
        });
        REQUIRE(found != analysis.kernels.end());
        return *found;
    }
    [[nodiscard]] bool read(const std::string& group) const {
        return std::ranges::any_of(profile().capture.further, [&](const FurtherReading& reading) {
            return std::ranges::find(reading.groups, group) != reading.groups.end();
        });
    }
};

/// Absent if the program cannot run here.
std::optional<Recorded> record(const std::string& what, const std::string& options = "") {
    const std::string program = built("verdicts_program") + " " + what;
    const Run plain = run(program);
    if (plain.code == 77) {
        WARN("skipped: " << plain.err);
        return std::nullopt;
    }
    REQUIRE(plain.code == 0);
    const test::TemporaryFolder folder;
    const std::string file = folder.file("p.roofscope.json").string();
    const Run recording =
        run(built("roofscope") + " record " + options + " --out " + file + " -- " + program);
    UNSCOPED_INFO(recording.err);
    REQUIRE(recording.code == 0);
    CHECK(recording.out == plain.out);  // results are those of the program alone
    auto profile = readProfile(file);
    REQUIRE(profile.ok());
    Recorded r{.analysis = analyze(std::make_shared<const Profile>(std::move(*profile))),
               .said = recording.err};
    std::istringstream lines(plain.out);
    for (std::string word; lines >> word;)
        if (word == "lines") lines >> r.firstLine >> r.lastLine;
    return r;
}

const Finding* find(const KernelAnalysis& kernel, std::string_view rule) {
    const auto found = std::ranges::find(kernel.findings, rule, &Finding::ruleId);
    return found == kernel.findings.end() ? nullptr : &*found;
}

/// The contents of a kernel's report, for the message of a failure.
std::string told(const Recorded& r, const KernelAnalysis& kernel) {
    std::string text = r.said + "verdict " + toString(kernel.verdict.cls) + " at " +
                       (kernel.verdict.limiter ? toString(*kernel.verdict.limiter) : "nothing") +
                       "\n";
    for (const Finding& finding : kernel.findings)
        text += "finding " + finding.ruleId + (finding.minor ? " (minor)" : "") + " in " +
                std::to_string(finding.places.empty() ? 0 : finding.places[0].line) + "\n";
    for (const CannotTell& open : kernel.cannotTell)
        text += "cannot tell " + open.ruleId + ": " + open.missing.in(Language::En) + "\n";
    for (const Issue& issue : r.profile().issues) text += issue.code + ": " + issue.message + "\n";
    return text;
}

/// Checks that the finding names one of the lines printed by the program.
void checkLine(const Recorded& r, const Finding& finding) {
    REQUIRE_FALSE(finding.places.empty());
    const Place& place = finding.places.front();
    CHECK(place.path.ends_with("verdicts_program.cu"));
    CHECK(static_cast<int>(place.line) >= r.firstLine);
    CHECK(static_cast<int>(place.line) <= r.lastLine);
}

}  // namespace

TEST_CASE("a stencil limited by integer arithmetic") {
    const auto r = record("stencil");
    REQUIRE(r);
    const KernelAnalysis& kernel = r->kernel("stencil");
    INFO(told(*r, kernel));
    CHECK(r->read("pipes"));
    CHECK(r->said.find("follow-up question 1, about ") != std::string::npos);
    CHECK(kernel.verdict.limiter == ResourceId::Integer);
    REQUIRE_FALSE(kernel.findings.empty());
    CHECK(kernel.findings[0].ruleId == "integer-arithmetic");
    CHECK(kernel.quantities.integerUtilisation->value > 0.6);
    // Without questions it stays open.
    const auto quick = record("stencil", "--effort quick");
    REQUIRE(quick);
    CHECK(quick->profile().capture.further.empty());
    CHECK_FALSE(find(quick->kernel("stencil"), "integer-arithmetic"));
    CHECK(quick->kernel("stencil").verdict.limiter != ResourceId::Integer);
}

TEST_CASE("a kernel limited by atomics") {
    const auto r = record("atomics");
    REQUIRE(r);
    const KernelAnalysis& kernel = r->kernel("atomics");
    INFO(told(*r, kernel));
    CHECK(r->read("atomics"));
    REQUIRE_FALSE(kernel.findings.empty());
    CHECK(kernel.findings[0].ruleId == "atomic-contention");
    CHECK(kernel.verdict.limiter == ResourceId::L2Atomics);
}

TEST_CASE("a spilling kernel, and where it spills") {
    const auto r = record("spill");
    REQUIRE(r);
    const KernelAnalysis& kernel = r->kernel("spill");
    INFO(told(*r, kernel));
    CHECK(r->profile().kernels[kernel.group.kernel].localBytesPerThread.value_or(0) > 0);
    CHECK(r->read("source"));
    REQUIRE_FALSE(kernel.findings.empty());
    CHECK(kernel.findings[0].ruleId == "local-memory-spill");
    checkLine(*r, kernel.findings[0]);
}

TEST_CASE("a latency-bound kernel, and the line that its warps wait at") {
    const auto r = record("chase");
    REQUIRE(r);
    const KernelAnalysis& kernel = r->kernel("chase");
    INFO(told(*r, kernel));
    CHECK(kernel.verdict.cls == VerdictClass::LatencyBound);
    CHECK(kernel.verdict.reason.stall == "long_scoreboard");
    CHECK(r->read("stalls"));
    CHECK(r->read("source"));
    const Finding* finding = find(kernel, "dominant-stall");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    checkLine(*r, *finding);
    // The program is linked with CUDA's static runtime, but its own function is named as the launch
    // site.
    const auto site = std::ranges::find(r->profile().callSites, std::optional(kernel.group.kernel),
                                        &CallSite::kernel);
    REQUIRE(site != r->profile().callSites.end());
    CHECK(site->function.find("runChase") != std::string::npos);
}

TEST_CASE("blocks that each copy a table into shared memory, and how much staying saves") {
    const auto r = record("staging");
    REQUIRE(r);
    const KernelAnalysis& kernel = r->kernel("lookUp");
    const KernelAnalysis& once = r->kernel("lookUpOnce");
    INFO(told(*r, kernel));
    REQUIRE_FALSE(kernel.findings.empty());
    CHECK(kernel.findings[0].ruleId == "redundant-staging");
    CHECK_FALSE(find(once, "redundant-staging"));
    // The twin's look-ups still have bank conflicts, so it saves about three quarters of the bound.
    const double saved =
        kernel.quantities.duration.median.value - once.quantities.duration.median.value;
    CHECK(saved < 1.05 * kernel.findings[0].gain->value);
    CHECK(saved > 0.6 * kernel.findings[0].gain->value);
}

TEST_CASE("a gather of sectors that the L2's tags limit, and how much whole lines save") {
    const auto r = record("tags");
    REQUIRE(r);
    const KernelAnalysis& kernel = r->kernel("gatherSectors");
    const KernelAnalysis& lines = r->kernel("gatherLines");
    INFO(told(*r, kernel));
    CHECK(r->read("cache"));
    REQUIRE(kernel.quantities.l2TagUtilisation.has());
    INFO("tag look-ups at " << kernel.quantities.l2TagUtilisation->value);
    CHECK(kernel.verdict.limiter == ResourceId::L2Tags);
    REQUIRE_FALSE(kernel.findings.empty());
    CHECK(kernel.findings[0].ruleId == "l2-tag-bound");
    CHECK_FALSE(find(lines, "l2-tag-bound"));
    // The twin reads the same bytes.
    const double saved =
        kernel.quantities.duration.median.value - lines.quantities.duration.median.value;
    INFO("saved " << saved * 1e6 << " us");
    CHECK(saved > 0);
    CHECK(saved < 1.05 * kernel.findings[0].gain->value);
}

TEST_CASE("products on tensor cores of two types in one kernel", "[needs-wgmma]") {
    const auto r = record("tensor");
    if (!r) SKIP_CASE("this GPU has no tensor cores for the program");
    const KernelAnalysis& kernel = r->kernel("tensor");
    INFO(told(*r, kernel));
    if (const Device& device = r->profile().devices.at(0);
        device.computeMajor != 9 || device.computeMinor != 0) {
        SKIP_CASE("only compute capability 9.0 has wgmma to compare with");
    }
    CHECK(r->read("tensor"));
    CHECK(kernel.verdict.limiter == ResourceId::Tensor);
    REQUIRE(find(kernel, "mma-instead-of-wgmma"));
    double operations[2] = {};
    for (const TensorWork& work : kernel.quantities.tensor) {
        if (work.type == TensorType::Fp16) operations[0] = work.operations->value;
        if (work.type == TensorType::Tf32) operations[1] = work.operations->value;
    }
    // Of each pair of products the FP16 one is twice as deep.
    CHECK(operations[1] > 0);
    CHECK(operations[0] == Approx(2 * operations[1]).epsilon(0.01));
}
