// SPDX-License-Identifier: Apache-2.0
// Why warps wait, on a GPU: each kernel of waits_program.cu has a known producer, and a twin
// without the wait that shows its cost.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/source/source_analysis.h"
#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

struct Expected {
    std::string kernel, state;
    std::uint32_t first = 0, last = 0;  ///< lines of the producer
};

std::string built(const char* name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

int run(const std::string& command) { return std::system(command.c_str()); }

/// What the program prints about its kernels.
std::vector<Expected> expectedOf(const std::string& printed) {
    std::vector<Expected> list;
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        Expected e;
        if (words >> word && word == "wait" && words >> e.kernel >> e.state >> e.first >> e.last)
            list.push_back(e);
    }
    return list;
}

const KernelAnalysis* find(const Analysis& analysis, const std::string& function) {
    const auto found = std::ranges::find_if(analysis.kernels, [&](const KernelAnalysis& kernel) {
        const std::string& name = analysis.profile->kernels[kernel.group.kernel].name;
        return name.find("::" + function + "(") != std::string::npos;
    });
    return found == analysis.kernels.end() ? nullptr : &*found;
}

/// The line of the instruction that is waited for; if it was inlined from a CUDA header, the line
/// that waits.
std::uint32_t blamedLine(const Analysis& analysis, const KernelAnalysis& kernel) {
    const SourcePass& pass = analysis.profile->sources[kernel.source->pass];
    const Wait& wait = kernel.source->waits.front();
    if (!wait.producer) return 0;
    const Instruction& producer = pass.instructions[wait.producer->row];
    const bool own = producer.file && pass.files[*producer.file].ends_with("waits_program.cu");
    return own ? producer.line : pass.instructions[wait.row].line;
}

}  // namespace

TEST_CASE("the instruction for which warps wait is named, and costs no more than is said") {
    const test::TemporaryFolder folder;
    const std::string printed = folder.file("printed").string();
    REQUIRE(run(built("waits_program") + " > " + printed) == 0);
    const auto expected = expectedOf(test::readText(printed));
    REQUIRE(expected.size() >= 10);
    std::string names;
    for (const Expected& e : expected) names += (names.empty() ? "::(" : "|") + e.kernel;
    const std::string file = folder.file("p.roofscope.json").string();
    REQUIRE(run(built("roofscope") + " record --effort quick --source '" + names + ")\\(' -o " +
                file + " -- " + built("waits_program") + " > /dev/null") == 0);
    auto profile = readProfile(file);
    REQUIRE(profile.ok());
    const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(*profile)));

    std::size_t right = 0;
    for (const Expected& e : expected) {
        const KernelAnalysis* kernel = find(analysis, e.kernel);
        const KernelAnalysis* twin = find(analysis, e.kernel + "Hidden");
        REQUIRE(kernel);
        REQUIRE(twin);
        REQUIRE(kernel->source);
        const bool told = !kernel->source->waits.empty();
        const std::uint32_t line = told ? blamedLine(analysis, *kernel) : 0;
        const bool isRight =
            kernel->source->waitState == e.state && line >= e.first && line <= e.last;
        right += isRight;
        UNSCOPED_INFO((isRight ? "right: " : "WRONG: ")
                      << e.kernel << ": " << kernel->source->waitState << " for line " << line
                      << ", expected " << e.state << " for " << e.first << " to " << e.last);
        const auto finding =
            std::ranges::find(kernel->findings, "dominant-stall", &Finding::ruleId);
        if (finding == kernel->findings.end()) continue;
        const double saved =
            kernel->quantities.duration.median.value - twin->quantities.duration.median.value;
        INFO(e.kernel << ": " << saved * 1e6 << " us saved, " << finding->gain->value * 1e6
                      << " us said");
        // The twin lacks the whole instruction, not only the wait for it.
        CHECK(saved <= 1.15 * finding->gain->value);
    }
    CHECK(static_cast<double>(right) >= 0.9 * static_cast<double>(expected.size()));
}
