// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/gpu_watch.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::vector<Device> gpus() { return {{.uuid = "GPU-fake-0"}, {.uuid = "GPU-fake-1"}, {}}; }

}  // namespace

TEST_CASE("samples of an idle GPU do not count for clocks") {
    ObservedClocks seen;
    addSample(seen, {.smClock = Hertz{345e6}, .reasons = 0x1});
    addSample(seen, {.smClock = Hertz{345e6}});  // unknown whether it is idle
    CHECK(seen.samples == 0);
    CHECK_FALSE(seen.smLowest);
    CHECK_FALSE(seen.throttledSamples);
    addSample(seen, {.smClock = Hertz{1980e6}, .reasons = 0x2, .temperatureC = 60});
    CHECK(seen.samples == 1);
    CHECK(seen.throttledSamples == 0U);  // clocks set by the user are not throttled
    CHECK(seen.throttledBy.empty());
    addSample(seen, {.smClock = Hertz{1500e6}, .reasons = 0x4 | 0x20, .temperatureC = 50});
    addSample(seen, {.reasons = 0x4});
    CHECK(seen.samples == 3);
    CHECK(seen.throttledSamples == 2U);
    CHECK(seen.throttledBy == std::vector<std::string>{"power cap", "thermal slowdown"});
    CHECK(seen.smLowest == Hertz{1500e6});
    CHECK(seen.smHighest == Hertz{1980e6});
    CHECK(seen.temperatureHighestC == 60.0);
    CHECK_FALSE(seen.memoryLowest);
    CHECK_FALSE(seen.powerHighestW);
}

TEST_CASE("seconds add up to what was seen in all of them") {
    ObservedClocks first, later;
    addSample(first, {.smClock = Hertz{1980e6}, .reasons = 0x2, .temperatureC = 60});
    addSample(later, {.smClock = Hertz{1500e6}, .reasons = 0x4, .powerW = 700});
    ObservedClocks both;
    addSamples(both, first);
    addSamples(both, later);
    CHECK(both.samples == 2);
    CHECK(both.smLowest == Hertz{1500e6});
    CHECK(both.smHighest == Hertz{1980e6});
    CHECK(both.throttledSamples == 1U);
    CHECK(both.throttledBy.size() == 1);
    CHECK(both.temperatureHighestC == 60.0);
    CHECK(both.powerHighestW == 700.0);
}

TEST_CASE("each GPU gets what was seen of it; one that only rested gets nothing") {
    auto devices = gpus();
    {
        GpuWatch log(ROOFSCOPE_FAKE_NVML, 0.001);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        log.stop(devices);
        // The most memory in use since the first look, and what was free then.
        const auto held = log.held("GPU-fake-0");
        REQUIRE(held);
        CHECK(held->bytes == 60'000'000'000);
        CHECK(held->freeBytes == 19'000'000'000);
        CHECK(log.held("GPU-fake-1")->bytes == 0);
        CHECK_FALSE(log.held("GPU-fake-2"));
    }
    REQUIRE(devices[0].observed);
    const ObservedClocks& seen = *devices[0].observed;
    CHECK(seen.samples >= 4);
    CHECK(seen.smLowest == Hertz{1500e6});
    CHECK(seen.smHighest == Hertz{1980e6});
    CHECK(seen.memoryLowest == Hertz{3201e6});
    CHECK(seen.throttledSamples.value_or(0) >= 1);
    CHECK(seen.throttledSamples.value_or(0) < seen.samples);
    CHECK(seen.throttledBy == std::vector<std::string>{"power cap"});
    CHECK_FALSE(devices[1].observed);
    CHECK_FALSE(devices[2].observed);
}

TEST_CASE("without NVML nothing is seen, and nothing waits") {
    auto devices = gpus();
    const auto before = std::chrono::steady_clock::now();
    GpuWatch log("libno-such-nvml.so.1");
    log.stop(devices);
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(1));
    CHECK_FALSE(devices[0].observed);
    CHECK_FALSE(log.held("GPU-fake-0"));
}

TEST_CASE("a driver that hangs does not hold up the recording") {
    setenv("ROOFSCOPE_FAKE_NVML_MODE", "hangs", 1);
    auto devices = gpus();
    const auto before = std::chrono::steady_clock::now();
    {
        GpuWatch log(ROOFSCOPE_FAKE_NVML);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        log.stop(devices);
    }
    // stop() abandons the hanging thread, and the destructor does not wait again.
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(3));
    CHECK_FALSE(devices[0].observed);
    unsetenv("ROOFSCOPE_FAKE_NVML_MODE");
}

TEST_CASE("signals reach the thread that runs the program") {
    static volatile sig_atomic_t handler = 0;
    struct sigaction action {
    }, old{};
    action.sa_handler = [](int) { handler = static_cast<int>(gettid()); };
    sigaction(SIGTERM, &action, &old);
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    GpuWatch log(ROOFSCOPE_FAKE_NVML, 0.001);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    kill(getpid(), SIGTERM);  // only the log's thread could handle it now
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(handler == 0);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    CHECK(handler == static_cast<int>(gettid()));
    sigaction(SIGTERM, &old, nullptr);
}
