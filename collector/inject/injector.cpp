// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/injector.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/calls/memory_writes.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/python_hooks.h"
#include "collector/inject/sessions/activity_timer.h"
#include "collector/inject/threads/no_cancellation.h"
#include "collector/rank/rank.h"
#include "profile/text/count_text.h"

namespace roofscope::inject {
namespace {

std::atomic<Injector*> g_injector{nullptr};
/// Callbacks that may use it.
std::atomic<int> g_callbacks{0};

/// How long end() waits for them: only a launch that waits for its turn takes longer.
constexpr auto kCallbackWait = std::chrono::seconds(5);

struct InCallback {
    InCallback() { ++g_callbacks; }
    ~InCallback() { --g_callbacks; }
    InCallback(const InCallback&) = delete;
    InCallback& operator=(const InCallback&) = delete;
};

/// The variable that names the folder of the run configuration and the spool.
constexpr const char* kSpoolFolder = "ROOFSCOPE_SPOOL_DIR";

/// How long a run that counts first does so at most, of each signature one launch: as long as
/// starting the program once more would take, or what 100 dear launches take, which a further run
/// would have to count, too.
CountingFirst::Duration mostCounting() {
    constexpr auto kAtLeast = std::chrono::seconds(10);
    return std::max<CountingFirst::Duration>(
        kAtLeast, std::chrono::duration_cast<CountingFirst::Duration>(processAge()));
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    const NoCancellation uncancelled;
    const InCallback running;
    Injector* injector = Injector::instance();
    // Asking the driver about a kernel may load its module, and that module counts, too.
    const bool loading =
        domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED;
    if (!injector || !data || (t_inside && !loading) || injector->done()) return;
    try {
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
            injector->onDriverApi(id, *static_cast<const CUpti_CallbackData*>(data));
        else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
            injector->onResource(id, *static_cast<const CUpti_ResourceData*>(data));
        else if (domain == CUPTI_CB_DOMAIN_NVTX)
            injector->onNvtx(id, *static_cast<const CUpti_NvtxData*>(data));
    } catch (...) {
        // Never throw into the host program; a launch that could not be recorded stays unrecorded.
    }
}

}  // namespace

Injector* Injector::instance() { return g_injector; }

bool Injector::configured() {
    // A relative path would depend on the program's current folder.
    const std::filesystem::path folder = environment(kSpoolFolder);
    return folder.is_absolute() && access((folder / kRunConfigurationFile).c_str(), R_OK) == 0;
}

Injector::Injector(std::string folder, RunConfiguration configuration, OpenCounters openCounters)
    : m_pid(getpid()),
      m_folder(std::move(folder)),
      m_openCounters(std::move(openCounters)),
      m_configuration(std::move(configuration)),
      m_spool(m_folder) {}

void Injector::attach(OpenCounters openCounters) {
    const NoCancellation uncancelled;
    static bool attached = false;
    if (std::exchange(attached, true)) return;
    if (!configured()) return;
    const std::string folder = environment(kSpoolFolder);
    auto configuration = readRunConfiguration(folder);
    if (!configuration && configuration.error().code == ErrorCode::NoInput) return;
    if (!configuration) {
        // The file is damaged, so the wanted mode is not known. Counting everything would slow the
        // program down for nothing.
        SpoolWriter spool(folder);
        spool.process({.pid = getpid(), .host = hostName()});
        spool.issue({.severity = Severity::Error,
                     .source = "inject",
                     .code = "configuration-unreadable",
                     .message = configuration.error().message()});
        return spool.end();
    }
    // Deliberately leaked: callbacks may come until the very end of the process.
    auto* injector = new Injector(folder, std::move(*configuration), std::move(openCounters));
    if (!injector->canWrite()) {
        delete injector;
        return;
    }
    if (!install(injector)) return;
    injector->subscribe();
    finishAtExit();
}

bool Injector::install(Injector* injector) {
    // A forked child has our memory but not our threads or CUDA state: do nothing there. (Comparing
    // getpid() in every callback would cost a system call each.)
    static const bool follows = pthread_atfork(nullptr, nullptr, [] { g_injector = nullptr; }) == 0;
    if (!follows) return false;
    g_injector = injector;
    return true;
}

void Injector::finishAtExit() {
    static const int registered = std::atexit([] {
        // A child of a bare clone() runs no handlers of fork().
        try {
            if (Injector* self = Injector::instance(); self && self->m_pid == getpid())
                self->finish();
        } catch (...) {
            // Out of memory: without its last line the spool shows that the process did not end
            // normally.
        }
    });
    (void)registered;
}

Result<void> Injector::begin(const std::string& folder, OpenCounters open) {
    const NoCancellation uncancelled;
    if (g_injector)
        return Error{.code = ErrorCode::Unavailable,
                     .what = "this process is being recorded already",
                     .advice = "end that recording first"};
    auto configuration = readRunConfiguration(folder);
    if (!configuration) return configuration.error();
    auto* injector = new Injector(folder, std::move(*configuration), std::move(open));
    injector->m_late = true;
    ++g_recording;
    if (!injector->canWrite() || !install(injector)) {
        delete injector;
        return Error{.code = ErrorCode::Io,
                     .what = "measurements cannot be written",
                     .where = folder,
                     .advice = "set TMPDIR to a folder with free space"};
    }
    const bool subscribed = injector->subscribe();
    finishAtExit();
    if (subscribed) return {};
    Error error{.code = ErrorCode::Unavailable,
                .what = injector->m_refused,
                .advice = injector->m_refusedAdvice};
    end();
    return error;
}

void Injector::end() {
    const NoCancellation uncancelled;
    Injector* const self = g_injector;
    if (!self || !self->m_late) return;
    self->finish();
    activity_timer::stop();
    const bool stopped = self->m_background.stop();
    if (self->m_subscriber) self->m_cupti->Unsubscribe(self->m_subscriber);
    g_injector = nullptr;
    const auto patience = Clock::now() + kCallbackWait;
    while (g_callbacks > 0 && Clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (g_callbacks == 0 && stopped) delete self;
}

bool Injector::subscribe() {
    std::string why;
    m_driver = DriverApi::load(&why);
    m_configuration.countFirst = m_configuration.countFirst &&
                                 processAge().count() >= m_configuration.leastStart &&
                                 !xlaIsLoaded() && !isOneOfRanks();
    if (m_configuration.countFirst) m_configuration.mode = RunConfiguration::Mode::Counters;
    const CuptiUse use = timing() ? CuptiUse::Tracing : CuptiUse::Counters;
    m_cupti = m_driver ? CuptiApi::load(&why, use) : nullptr;
    noteProcess();
    m_choice.emplace(m_configuration);
    if (!m_choice->problem().empty())
        return refuse("selection-refused", m_choice->problem(), "see roofscope record --help");
    if (!m_driver) return refuse("driver-unavailable", why);
    if (!m_cupti) return refuse("cupti-unavailable", why, "run \"roofscope doctor\"");

    char holder[256] = {};
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "roofscope";
    params.oldSubscriberName = holder;
    params.oldSubscriberSize = sizeof holder - 1;
    const CUptiResult result = m_cupti->Subscribe_v2(&m_subscriber, callback, nullptr, &params);
    if (result != CUPTI_SUCCESS)
        return refuse("subscriber-refused",
                      fmt::format("CUPTI refused the subscription: {}{}{}",
                                  m_cupti->describe(result), *holder ? ", held by " : "", holder),
                      cuptiAdvice(result));

    createParts();
    // What launches that are not counted take is then known without a run that times kernels one
    // by one.
    if (timesOthers()) (void)startTiming({.serial = true});
    if (m_choice->active()) startTracing();
    enableCallbacks();
    // The hooks would stay in the interpreter after the recording.
    if (m_late) return true;
    hookIntoPython({.counting = counting(),
                    .callSites = m_sites.has_value(),
                    .commandBuffersOff =
                        [] {
                            if (Injector* self = instance()) self->commandBuffersOff();
                        },
                    .tuningFolder = m_configuration.tuningFolder,
                    .tuned = m_configuration.tuned});
    return true;
}

bool Injector::refuse(const char* code, std::string message, std::string advice) {
    m_refused = message;
    m_refusedAdvice = advice;
    m_spool.issue({.severity = Severity::Error,
                   .source = "inject",
                   .code = code,
                   .message = std::move(message),
                   .advice = std::move(advice)});
    return false;
}

void Injector::noteProcess() {
    Process process{.pid = m_pid, .host = hostName()};
    if (const auto rank = findRank()) {
        process.rank = rank->rank;
        process.localRank = rank->localRank;
        process.worldSize = rank->worldSize;
    }
    if (m_cupti) {
        process.cuptiPath = m_cupti->path;
        process.cuptiVersion = m_cupti->version;
    }
    int version = 0;
    if (m_driver && m_driver->cuDriverGetVersion(&version) == CUDA_SUCCESS)
        process.driverVersion = static_cast<std::uint32_t>(version);
    m_spool.process(process);
}

void Injector::createParts() {
    m_kernels.emplace(*m_driver, m_spool);
    m_graphs.emplace(*m_driver);
    m_arguments.emplace(*m_driver, m_spool);
    if (m_configuration.mode == RunConfiguration::Mode::Source)
        m_source.emplace(*m_cupti, *m_driver, m_spool, m_folder);
    if (m_configuration.mode == RunConfiguration::Mode::Stalls)
        m_sampling.emplace(*m_cupti, *m_driver, m_spool, m_configuration);
    if (m_configuration.mode == RunConfiguration::Mode::OverTime)
        m_overTime.emplace(*m_cupti, *m_driver, m_spool);
    if (!m_configuration.measuredRanges.empty() && (timing() || inRanges())) {
        RangeTracker::Options options{.globs = m_configuration.measuredRanges};
        if (inRanges()) options.measuredDepth = m_configuration.rangeDepth;
        m_rangeTracker.emplace(m_spool, std::move(options), [this](RangeTracker::Context handle) {
            return openRangeSession(static_cast<CUcontext>(const_cast<void*>(handle)));
        });
    }
    if (m_configuration.countFirst) {
        const bool one = m_configuration.countOneIfCostly;
        m_countingFirst.emplace(m_configuration.perKernel, one,
                                mostCounting() * (one ? 1 : m_configuration.perKernel));
        m_spool.countsFirst();
    }
    if ((timing() || m_countingFirst) && !m_configuration.serial &&
        m_configuration.timeline != TimelineDetail::Off)
        m_calls.emplace(*m_cupti, m_spool, m_configuration.timeline);
    if (counting() && m_configuration.callSites) {
        m_sites.emplace(m_spool);
        m_contents.emplace(*m_driver);
    }
}

void Injector::enableCallbacks() {
    const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
        m_cupti->EnableCallback(1, m_subscriber, domain, id);
    };
    const auto enableAll = [&](std::span<const CUpti_CallbackId> calls) {
        for (const auto id : calls) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    };
    enableAll(kLaunches);
    enableAll(kSynchronisations);
    enableAll(kCaptureBegins);
    enableAll(kCaptureEnds);
    enableAll(kGraphChanges);
    enableAll(kProfilerSwitches);
    enableAll(writesToFirstArgument());
    enableAll(writesElsewhere());
    if (followsPinnedMemory()) enableAll(PinnedMemory::calls());
    enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload);
    for (const FollowedCall& call : followedCalls())
        if (m_sites || (m_calls && m_calls->follows(call)) ||
            (followsAllocations() && changesAllocations(call)))
            enable(CUPTI_CB_DOMAIN_DRIVER_API, call.id);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
    if (m_source || m_calls) enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
    m_cupti->EnableDomain(1, m_subscriber, CUPTI_CB_DOMAIN_NVTX);
}

bool Injector::startTiming(const activity_timer::What& what) {
    const auto started = activity_timer::start(*m_cupti, m_spool, what);
    if (!started)
        issueOnce({.severity = Severity::Error,
                   .source = "inject",
                   .code = "timing-unavailable",
                   .message = started.error().what,
                   .advice = started.error().advice});
    return static_cast<bool>(started);
}

void Injector::startTracing() {
    if (!timing() || std::exchange(m_tracing, true)) return;
    if (m_countingFirst) activity_timer::stop();
    startBackground();
    if (!startTiming({.serial = m_configuration.serial, .transfers = m_calls.has_value()}) ||
        !m_calls)
        return;
    TimelineParts parts{.copies = true, .waits = true};
    if (m_configuration.timeline == TimelineDetail::Full)
        for (const auto& [name, member] : kTimelineParts) parts.*member = true;
    m_spool.timeline(parts);
    m_calls->start();
}

void Injector::startBackground() {
    m_spool.writtenElsewhere(m_background.start([this] {
        const Inside inside;
        // During a capture the driver is not asked.
        const bool anyArguments = m_openCaptures == 0 && m_arguments->resolve(true);
        if (!m_spool.anythingWaits()) return anyArguments;
        m_spool.flush();
        return true;
    }));
}

void Injector::issueOnce(const Issue& issue) {
    if (std::exchange(m_issued[issue.code + issue.message], true)) return;
    m_spool.issue(issue);
}

std::unique_lock<std::timed_mutex> Injector::lockState() {
    // As a rule at once, and then without a look at the clock.
    std::unique_lock state(m_state, std::try_to_lock);
    if (!state) (void)state.try_lock_for(kStateWait);
    if (state.owns_lock() && m_missed.any()) catchUp();
    return state;
}

void Injector::catchUp() {
    const MissedEvents::News news = m_missed.take();
    // Positions of later launches no longer match those of other runs.
    if (news.launches) m_spool.launchesMissed(m_nextSequence);
    for (CUcontext handle : news.contexts) abandon(handle);
    if (!news.contexts.empty()) m_arguments->allocationsChanged();
    if (news.unloads || !news.contexts.empty()) forgetHandles();
}

void Injector::forgetHandles() {
    m_kernels->forgetHandles();
    m_arguments->forgetHandles();
}

void Injector::commandBuffersOff() {
    if (const auto state = lockState(); state.owns_lock())
        issueOnce({.severity = Severity::Info,
                   .source = "inject",
                   .code = "command-buffers-off",
                   .message =
                       "while counters were read, XLA launched its kernels one by one instead "
                       "of in CUDA graphs; times are those with graphs"});
}

void Injector::finish() {
    const NoCancellation uncancelled;
    // Called from a signal handler that ends the program while this thread is inside one of our
    // callbacks, and perhaps inside CUPTI: their locks stay locked.
    const bool interrupted = t_inside;
    const Inside inside;
    // At exit another thread may be stuck in a launch for good: do not wait for it forever.
    const std::unique_lock launches(m_turns, kStateWait);
    const auto state = lockState();
    if (launches.owns_lock() && state.owns_lock()) {
        for (auto& [handle, context] : m_contexts)
            if (context.tracker) context.tracker->finish();
        if (m_rangeTracker) m_rangeTracker->finish();
        m_contexts.clear();
        if (m_sampling) m_sampling->closeAll();
        if (m_overTime) m_overTime->cancel();
    }
    // Not earlier: launches of other threads would then make ranges that nobody records. Threads
    // that wait for the locks check m_done again.
    m_done = true;
    if (const std::uint64_t missed = m_missed.launches(); missed > 0)
        m_spool.issue(
            {.severity = Severity::DataLoss,
             .source = "inject",
             .code = "launches-missed",
             .message = fmt::format("not in this profile: {} while another thread blocked "
                                    "the recording for more than {} s",
                                    countText(missed, "launch", "launches"),
                                    std::chrono::seconds(kStateWait).count())});
    if (m_sites && !interrupted) m_sites->finish();
    if (interrupted) return m_spool.flush();  // the missing last line shows it
    m_spool.writtenElsewhere(false);
    m_background.stop();
    if (m_arguments) m_arguments->resolve(true);
    if (timing() || timesOthers()) {
        activity_timer::flush(true);
        if (const auto lost = activity_timer::dropped(); lost > 0)
            m_spool.issue(
                {.severity = Severity::DataLoss,
                 .source = "inject",
                 .code = "times-dropped",
                 .message = "CUPTI lost the durations of " + countText(lost, "kernel", "kernels")});
    }
    m_spool.end(
        {.tracedLaunch = m_callTimes.median(),
         .autotuningLaunches = m_autotuningLaunches,
         .unchosenLaunches = m_unchosenLaunches,
         // What was allocated before the recording began is not known.
         .pinnedBytes = timing() && !m_late ? std::optional(m_pinned.most()) : std::nullopt});
}

}  // namespace roofscope::inject
