// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/arm/snapping.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>
#include <variant>

#include "collector/configuration/as_duration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/injector.h"
#include "collector/inject/recording/run_times.h"

namespace roofscope::inject {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = SnapWatch::Clock;

/// How often to check how much has been written.
constexpr auto kLook = 50ms;
/// Time for the GPU to finish the launches so far, and for CUPTI to deliver their times.
constexpr auto kDrain = 300ms;
/// How long call sites of launches are recorded: as long as the launches themselves, within these
/// limits.
constexpr auto kLeastSites = 200ms, kMostSites = 1000ms;
/// The mode cannot change while a stream is being captured, so keep trying for a while.
constexpr auto kChangePatience = 5s;
constexpr auto kChangeAgain = 5ms;

std::uint64_t bytesIn(const fs::path& folder) {
    std::uint64_t sum = 0;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
        std::error_code unknown;
        if (const auto size = file->file_size(unknown); !unknown) sum += size;
    }
    return sum;
}

double secondsSince(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

/// Changes the mode as soon as that is possible.
bool change(Injector& injector, const RunConfiguration::Mode& mode, const SnapWatch& watch) {
    const auto patience = Clock::now() + kChangePatience;
    while (!injector.goOn(mode)) {
        if (Clock::now() >= patience || watch.exiting()) return false;
        std::this_thread::sleep_for(kChangeAgain);
    }
    return true;
}

/// While one thread captures a stream in the mode "global" (PyTorch's default), calls of other
/// threads that might disturb the capture fail and invalidate it. Our calls cannot disturb a
/// capture, so exempt this thread.
void leaveCapturesAlone() {
    const DriverApi* const driver = DriverApi::load();
    auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (driver && driver->cuThreadExchangeStreamCaptureMode)
        (void)driver->cuThreadExchangeStreamCaptureMode(&mode);
}

/// Records until the watch ends it or a limit of the request is reached.
arm::Early recordUntilEnough(const arm::Request& request, const SnapWatch& watch) {
    const auto end = Clock::now() + asDuration(request.seconds);
    for (;;) {
        const auto now = Clock::now();
        if (now >= end) return arm::Early::Seconds;
        if (!watch.goOn(std::min(end, now + kLook)))
            return watch.exiting() ? arm::Early::ProgramEnds : arm::Early::No;
        if (bytesIn(request.folder) > request.bytes) return arm::Early::Bytes;
    }
}

/// Lets the GPU finish the recorded launches, then records the call sites of launches for a while.
/// That comes last because it slows launches down.
void recordSites(Injector& injector, const TimingMode& mode, double recorded,
                 const SnapWatch& watch) {
    injector.hold();
    (void)watch.goOn(Clock::now() + kDrain);
    if (!mode.callSites || watch.exiting() || !change(injector, SitesMode{}, watch)) return;
    injector.release();
    (void)watch.goOn(Clock::now() +
                     std::clamp<Clock::duration>(asDuration(recorded), kLeastSites, kMostSites));
    injector.hold();
}

/// Records the program's pace after the recording.
void restAfterwards(Injector& injector, const arm::Request& request, const SnapWatch& watch) {
    if (watch.exiting() || !change(injector, RestMode{}, watch) || !injector.renew()) return;
    (void)watch.goOn(Clock::now() + asDuration(request.around));
}

}  // namespace

arm::News snap(const arm::Request& request, const SnapWatch& watch) {
    leaveCapturesAlone();
    const auto mode = Injector::beginResting(request.folder);
    if (!mode)
        return {.phase = arm::News::Phase::Refused,
                .why = mode.error().what,
                .advice = mode.error().advice};
    arm::News news;
    Injector& injector = *Injector::instance();
    const bool wanted = watch.goOn(Clock::now() + asDuration(request.around));
    if (wanted && change(injector, *mode, watch)) {
        if (const auto age = ageOfProcess()) news.age = std::chrono::duration<double>(*age).count();
        const auto begun = Clock::now();
        watch.recording(news.age);
        news.early = recordUntilEnough(request, watch);
        news.recorded = secondsSince(begun);
        if (!watch.exiting()) {
            recordSites(injector, *mode, news.recorded, watch);
            restAfterwards(injector, request, watch);
        }
    } else if (wanted && !watch.exiting()) {
        news.phase = arm::News::Phase::Refused;
        news.why = "launches were captured into a CUDA graph all the time";
        news.advice = "try again when the program has made its graphs";
    }
    // During exit, CUPTI may be about to be destroyed.
    news.detached = Injector::leave(watch.exiting());
    return news;
}

}  // namespace roofscope::inject
