// SPDX-License-Identifier: Apache-2.0
#include "nvml/nvml.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace roofscope;
using nvml::Library;

TEST_CASE("only throttle reasons count as throttling") {
    CHECK(nvml::throttledBy(0).empty());
    CHECK(nvml::throttledBy(0x1 | 0x2 | 0x100).empty());  // idle, clocks set by the user
    CHECK(nvml::throttledBy(0x4) == std::vector<std::string>{"power cap"});
    CHECK(nvml::throttledBy(0x4 | 0x20 | 0x1) ==
          std::vector<std::string>{"power cap", "thermal slowdown"});
}

TEST_CASE("whether a GPU is idle is not known without reasons") {
    CHECK_FALSE(nvml::Sample{}.idle());
    CHECK(nvml::Sample{.reasons = 0x1}.idle() == true);
    CHECK(nvml::Sample{.reasons = 0x4}.idle() == false);
}

TEST_CASE("a sample has what the library gives, and nothing else") {
    auto library = Library::open(ROOFSCOPE_FAKE_NVML);
    REQUIRE(library.ok());
    CHECK((*library)->uuids() == std::vector<std::string>{"GPU-fake-0", "GPU-fake-1"});
    CHECK((*library)->find("GPU-another") == nullptr);
    const auto gpu = (*library)->find("GPU-fake-1");
    REQUIRE(gpu != nullptr);
    const nvml::Sample sample = (*library)->sample(gpu);
    CHECK(sample.smClock == Hertz{345e6});
    CHECK(sample.memoryClock == Hertz{3201e6});
    CHECK(sample.reasons == 1ULL);
    REQUIRE(sample.powerW);
    CHECK(*sample.powerW == Approx(700.5));
    CHECK_FALSE(sample.temperatureC);  // it lacks the function
    const auto memory = (*library)->memory(gpu);
    REQUIRE(memory);
    CHECK(memory->total == 80'000'000'000);
    CHECK(memory->used == 1'000'000'000);
}

TEST_CASE("a missing, wrong or failing NVML library is an error with the reason") {
    const auto missing = Library::open("libno-such-nvml.so.1");
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().what == "NVML (libno-such-nvml.so.1) was not found");
    const auto other = Library::open("libz.so.1");
    CHECK_FALSE(other.ok());
    setenv("ROOFSCOPE_FAKE_NVML_MODE", "refuses", 1);
    const auto refusing = Library::open(ROOFSCOPE_FAKE_NVML);
    unsetenv("ROOFSCOPE_FAKE_NVML_MODE");
    REQUIRE_FALSE(refusing.ok());
    CHECK(refusing.error().what == "NVML could not be initialised");
}
