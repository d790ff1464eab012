// SPDX-License-Identifier: Apache-2.0
// Copies to the GPU that repeat earlier contents, from the call to the profile.
#include <string>
#include <vector>

#include "collector/inject/python/python_lines.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

void at(unsigned line) { python_lines::at(python_lines::code("/app/train.py", "step"), line); }

Profile recordedCopies(const RunConfiguration& configuration,
                       const std::function<void(test::FakeProgram&)>& program) {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram(configuration, folder.path(), program, {.readable = true}));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

/// Twelve steps with the same input and two alternating batches.
void steps(test::FakeProgram& p) {
    const std::vector<char> input(1 << 20, 'i'), odd(100'000, 'o'), even(100'000, 'e');
    for (int i = 0; i < 12; ++i) {
        at(8);
        p.copyToGpu(input.data(), input.size());
        at(9);
        p.copyToGpu(i % 2 ? odd.data() : even.data(), odd.size());
        p.copyToGpu("few", 4);
        p.copyToGpu(input.data(), input.size() - 1, CUDA_ERROR_INVALID_VALUE);
        p.launch({.kernel = "gemm"});
    }
}

}  // namespace

TEST_CASE("the run with counters counts copies whose contents were copied before, by line") {
    const Profile profile = recordedCopies({.mode = CountersMode{.callSites = true}}, steps);
    std::vector<HostCopies> line8, line9;
    for (const CallSite& site : profile.callSites) {
        if (site.call != "cuMemcpyHtoDAsync") continue;
        CHECK(site.file == "/app/train.py");
        (site.line == 8 ? line8 : line9) = site.hostCopies;
        CHECK(site.count == (site.line == 8 ? 12 : 36));
    }
    CHECK(line8 ==
          std::vector<HostCopies>{
              {.bytes = 1 << 20, .copies = 12, .read = 12, .repeated = 11, .distinct = 1}});
    CHECK(line9 == std::vector<HostCopies>{{.bytes = 100'000,
                                            .copies = 12,
                                            .read = 12,
                                            .repeated = 10,
                                            .distinct = 2,
                                            .inTurn = 10}});
}

TEST_CASE("contents are read in no other run") {
    for (const RunConfiguration& configuration :
         {RunConfiguration{.mode = TimingMode{}}, RunConfiguration{.mode = CountersMode{}}})
        for (const CallSite& site : recordedCopies(configuration, steps).callSites)
            CHECK(site.hostCopies.empty());
}
