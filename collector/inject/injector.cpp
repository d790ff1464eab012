// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/injector.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "collector/inject/calls/call_roles.h"
#include "collector/inject/calls/driver_calls.h"
#include "collector/inject/ending/half_done.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/python/python_hooks.h"
#include "collector/inject/sessions/activity_timer.h"
#include "collector/inject/threads/detached_thread.h"
#include "collector/inject/threads/no_cancellation.h"
#include "collector/rank/rank.h"

namespace roofscope::inject {
namespace {

std::atomic<Injector*> g_injector{nullptr};
/// How many callbacks are running and may use it.
std::atomic<int> g_callbacks{0};

/// The subscription that leave() kept because of CUDA graphs. Written by the recording thread.
std::optional<Subscription> g_kept;
/// Then the subscription is kept for good: CUPTI fails if it is given up and taken again.
bool g_stays = false;

/// How long CUPTI may take to start in a running process, and to start again.
constexpr auto kBeginPatience = std::chrono::seconds(8);
constexpr auto kRenewPatience = std::chrono::seconds(2);

/// How often a process that is to end looks whether it may.
constexpr auto kEndPause = std::chrono::milliseconds(20);

/// How long end() waits for them. Only a launch that waits for its turn takes longer.
constexpr auto kCallbackWait = std::chrono::seconds(5);

struct InCallback {
    InCallback() { ++g_callbacks; }
    ~InCallback() { --g_callbacks; }
    InCallback(const InCallback&) = delete;
    InCallback& operator=(const InCallback&) = delete;
};

/// The variable that names the folder of the run configuration and the spool.
constexpr const char* kSpoolFolder = "ROOFSCOPE_SPOOL_DIR";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

Injector* Injector::instance() { return g_injector; }

bool Injector::configured() {
    // A relative path would depend on the program's current folder.
    const std::filesystem::path folder = environment(kSpoolFolder);
    return folder.is_absolute() && access((folder / kRunConfigurationFile).c_str(), R_OK) == 0;
}

Injector::Injector(std::string folder, RunConfiguration configuration, OpenCounters openCounters,
                   bool late)
    : m_pid(getpid()),
      m_folder(std::move(folder)),
      m_late(late),
      m_openCounters(std::move(openCounters)),
      m_configuration(std::move(configuration)),
      m_spool(m_folder) {}

void Injector::attach(OpenCounters openCounters) {
    const NoCancellation uncancelled;
    const auto begun = Clock::now();
    static bool attached = false;
    if (std::exchange(attached, true)) return;
    if (!configured()) return;
    const std::string folder = environment(kSpoolFolder);
    auto configuration = readRunConfiguration(folder);
    if (!configuration && configuration.error().code == ErrorCode::NoInput) return;
    if (!configuration) {
        // The file is damaged, so it is unknown what to measure. Counting everything would slow the
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
    auto* injector =
        new Injector(folder, std::move(*configuration), std::move(openCounters), false);
    if (!injector->m_spool.created()) {
        delete injector;
        return;
    }
    if (!install(injector)) return;
    const bool subscribed = injector->subscribe();
    finishAtExit();
    if (subscribed) injector->m_handlers->recording.run.setUp(begun);
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
        // A child of a bare clone() does not run fork handlers, so it is
        // recognised by its process id.
        try {
            if (Injector* self = Injector::instance();
                self && self->m_pid == getpid() && !self->m_endsBefore)
                self->finish();
        } catch (...) {
            // Out of memory. Without its last line the spool shows that the
            // process did not end normally.
        }
    });
    (void)registered;
}

namespace {

Error alreadyRecorded() {
    return {.code = ErrorCode::Unavailable,
            .what = "this process is already being recorded",
            .advice = "end that recording first"};
}

/// Waits until no callback runs. False if that takes too long.
bool callbacksEnded() {
    const auto patience = Clock::now() + kCallbackWait;
    while (g_callbacks > 0 && Clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    return g_callbacks == 0;
}

/// Whether a run in this mode needs the functions that read counters.
bool readsCounters(const RunConfiguration::Mode& mode) {
    return !std::holds_alternative<TimingMode>(mode) && !std::holds_alternative<RestMode>(mode) &&
           !std::holds_alternative<SitesMode>(mode);
}

}  // namespace

Result<void> Injector::begin(const std::string& folder, OpenCounters open) {
    const NoCancellation uncancelled;
    if (g_injector) return alreadyRecorded();
    auto configuration = readRunConfiguration(folder);
    if (!configuration) return configuration.error();
    return begin(new Injector(folder, std::move(*configuration), std::move(open), true), folder);
}

Result<TimingMode> Injector::beginResting(const std::string& folder) {
    const NoCancellation uncancelled;
    if (g_injector) return alreadyRecorded();
    auto configuration = readRunConfiguration(folder);
    if (!configuration) return configuration.error();
    const auto* const timing = std::get_if<TimingMode>(&configuration->mode);
    if (!timing)
        return Error{.code = ErrorCode::Usage,
                     .what = "a running process can only be timed",
                     .where = folder};
    TimingMode mode = *timing;
    configuration->mode = RestMode{};
    auto* injector = new Injector(folder, std::move(*configuration), CuptiSession::open, true);
    injector->m_endsBefore = true;
    if (auto begun = begin(injector, folder); !begun) return begun.error();
    return mode;
}

Result<void> Injector::begin(Injector* injector, const std::string& folder) {
    activity_timer::g_keepsNodeShapes = true;
    ++g_recording;
    if (!injector->m_spool.created() || !install(injector)) {
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

void Injector::end() { (void)endRecording(); }

bool Injector::endRecording() {
    const NoCancellation uncancelled;
    Injector* const self = g_injector;
    if (!self || !self->m_late) return false;
    self->finish();
    activity_timer::stop();
    const bool stopped = !self->m_handlers || self->m_handlers->recording.writer.stop();
    // Checked last: a graph may have been created while the rest was written.
    const bool stays = g_stays || (self->m_endsBefore && Recording::usesGraphs);
    if (self->m_subscription && stays) {
        g_stays = true;
        self->m_subscription->quiet();
        g_kept = std::exchange(self->m_subscription, std::nullopt);
    } else if (self->m_subscription) {
        self->m_subscription->giveUp();
    }
    g_injector = nullptr;
    const bool ended = callbacksEnded();
    if (ended && stopped) delete self;
    return ended && !stays;
}

bool Injector::leave(bool quickly) {
    const NoCancellation uncancelled;
    Injector* const self = g_injector;
    if (!self || !self->m_late) return true;
    const CuptiApi* const cupti = self->m_cupti;
    return endRecording() && !quickly && cupti && !Subscription::beingTaken() &&
           cupti->Finalize() == CUPTI_SUCCESS;
}

void Injector::hold() {
    const NoCancellation uncancelled;
    if (m_handlers) m_handlers->recording.hold(true);
}

void Injector::release() {
    const NoCancellation uncancelled;
    if (m_handlers) m_handlers->recording.hold(false);
}

bool Injector::renew() {
    const NoCancellation uncancelled;
    if (!m_handlers || !m_subscription) return false;
    if (g_stays || Recording::usesGraphs) return true;
    m_subscription->giveUp();
    m_subscription.reset();
    if (!callbacksEnded() || m_cupti->Finalize() != CUPTI_SUCCESS) return false;
    // Forget calls that are open now.
    ++g_recording;
    auto subscription = Subscription::takeWithin(kRenewPatience, *m_cupti, called);
    if (!subscription) return false;
    m_subscription = *subscription;
    m_subscription->enable(m_handlers->recording);
    return true;
}

bool Injector::subscribe() {
    std::string why;
    m_driver = DriverApi::load(&why);
    m_configuration.mode = firstModeOf(m_configuration.mode);
    const CuptiUse use =
        readsCounters(m_configuration.mode) ? CuptiUse::Counters : CuptiUse::Tracing;
    m_cupti = m_driver ? CuptiApi::load(&why, use) : nullptr;
    writeProcess();
    if (const LaunchFilter filter(m_configuration.selection); !filter.problem().empty())
        return refuse("selection-refused", filter.problem(), "see roofscope record --help");
    if (!m_driver) return refuse("driver-unavailable", why);
    if (!m_cupti) return refuse("cupti-unavailable", why, "run \"roofscope doctor\"");

    auto subscription = g_kept         ? Result<Subscription>(*std::exchange(g_kept, std::nullopt))
                        : m_endsBefore ? Subscription::takeWithin(kBeginPatience, *m_cupti, called)
                                       : Subscription::take(*m_cupti, called);
    if (!subscription)
        return refuse("subscriber-refused", subscription.error().what, subscription.error().advice);
    m_subscription = *subscription;
    m_handlers = std::make_unique<Handlers>(*m_cupti, *m_driver, m_spool, m_folder, m_configuration,
                                            std::move(m_openCounters), m_late);
    m_handlers->recording.start();
    m_subscription->enable(m_handlers->recording);
    // Hooks would stay in the interpreter after a recording that ends before the process.
    if (!m_late) hookIntoPython();
    return true;
}

void Injector::hookIntoPython() const {
    const auto& demands = m_handlers->recording.measuring.current().demands();
    inject::hookIntoPython({.counting = demands.counters,
                            .callSites = demands.callSites,
                            .report =
                                [](const Issue& issue) {
                                    if (Injector* self = instance()) self->report(issue);
                                },
                            .tuningFolder = m_configuration.tuningFolder,
                            .tuned = m_configuration.tuned});
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

void Injector::writeProcess() {
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

bool Injector::goOn(const RunConfiguration::Mode& mode) {
    const NoCancellation uncancelled;
    if (!m_handlers) return false;
    if (readsCounters(mode)) (void)CuptiApi::load(nullptr, CuptiUse::Counters);
    if (!m_handlers->recording.goOn(mode)) return false;
    m_subscription->enable(m_handlers->recording);
    return true;
}

void Injector::endIfDone() {
    if (!m_configuration.endsWith || !m_handlers->recording.measuring.current().hasAll() ||
        m_ends.exchange(true))
        return;
    (void)startDetached("roofscope-end", [this] { end(*m_configuration.endsWith); });
}

void Injector::end(int exitCode) {
    const NoCancellation uncancelled;
    const Inside inside;
    LaunchMeasurement& measurement = m_handlers->recording.measuring.current();
    while (!measurement.hasEnough()) std::this_thread::sleep_for(kEndPause);
    if (const auto why = whatStaysHalfDone(m_folder))
        return report({.severity = Severity::Info,
                       .source = "inject",
                       .code = kRanToItsEnd,
                       .message = *why});
    if (m_finished.exchange(true)) return;
    struct Written {
        std::atomic<bool>& written;
        ~Written() { written = true; }
    } const written{m_written};
    m_handlers->recording.finish(false);
    // The program went on meanwhile. If it may not be ended any more, or ends by itself, nothing is
    // lost: all measurements have been written.
    if (!whatStaysHalfDone(m_folder) && !m_exits) _exit(exitCode);
}

void Injector::finish() {
    const NoCancellation uncancelled;
    m_exits = true;
    if (m_finished.exchange(true)) {
        // Another thread is writing the measurements. It may wait for its locks twice
        // kCallbackWait.
        const auto patience = Clock::now() + 3 * kCallbackWait;
        while (!m_written && Clock::now() < patience) std::this_thread::sleep_for(kEndPause);
        return;
    }
    // True if a signal handler that ends the program called this while the thread was
    // inside one of our callbacks.
    const bool interrupted = t_inside;
    const Inside inside;
    if (m_handlers)
        m_handlers->recording.finish(interrupted);
    else
        m_spool.end();
}

void Injector::pushRange(std::uintptr_t domain, std::string name) {
    if (m_handlers && !m_handlers->recording.done) m_handlers->ranges.push(domain, std::move(name));
}

void Injector::popRange(std::uintptr_t domain) {
    if (m_handlers && !m_handlers->recording.done) m_handlers->ranges.pop(domain);
}

void Injector::report(const Issue& issue) {
    if (m_handlers) m_handlers->recording.report(issue);
}

void Injector::rangeCalled(CUpti_CallbackId id, const void* parameters) {
    CUpti_NvtxData data{};
    data.functionParams = parameters;
    called(nullptr, CUPTI_CB_DOMAIN_NVTX, id, &data);
}

void CUPTIAPI Injector::called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data) {
    const NoCancellation uncancelled;
    const InCallback running;
    Injector* const injector = instance();
    // Driver calls of our own are ignored, except module loads: asking the driver about a kernel
    // may load its module, and that module counts.
    const bool loading =
        domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED;
    if (!injector || !data || (t_inside && !loading) || !injector->m_handlers ||
        injector->m_handlers->recording.done)
        return;
    try {
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
            injector->m_handlers->recording.pace.resting() && isOneOf(id, kLaunches) &&
            injector->m_handlers->launches.passed(id,
                                                  *static_cast<const CUpti_CallbackData*>(data)))
            return;
        if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
            injector->onDriverApi(id, *static_cast<const CUpti_CallbackData*>(data));
        else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
            injector->onResource(id, *static_cast<const CUpti_ResourceData*>(data));
        else if (domain == CUPTI_CB_DOMAIN_NVTX)
            injector->m_handlers->ranges.called(id, *static_cast<const CUpti_NvtxData*>(data));
    } catch (...) {
        // Never throw into the host program; a launch that could not be recorded stays unrecorded.
    }
}

void Injector::onDriverApi(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const Inside inside;
    Recording& recording = m_handlers->recording;
    CallLog* const log = recording.timeline.log();
    LaunchMeasurement& measurement = recording.measuring.current();
    const bool callSites = measurement.demands().callSites;
    const FollowedCall* const call = followedCall(id);
    if (callSites && call) measurement.called(*call, id, data);
    if (call && changesAllocations(*call))
        recording.allocating(*call, data.callbackSite == CUPTI_API_ENTER);
    if (!call || !log || !log->follows(*call)) return dispatch(id, data);
    if (data.callbackSite == CUPTI_API_ENTER) {
        log->entering();
        dispatch(id, data);
        log->entered();
        return;
    }
    log->left(*call, data.correlationId);
    dispatch(id, data);
    if (call->kind == CallKind::Transfer) recording.noteContext(data.context);
    if (!isOneOf(id, kLaunches)) m_spool.flushIfDue();
}

void Injector::dispatch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    // Launches first, because there are many more of them.
    if (isOneOf(id, kLaunches)) {
        m_handlers->launches.called(id, data);
        return endIfDone();
    }
    const BetweenLaunches ours;
    Recording& recording = m_handlers->recording;
    const bool entering = data.callbackSite == CUPTI_API_ENTER;
    const bool success = !entering && succeeded(data);
    // Copies inside a launch are CUPTI's own, which restores memory.
    const bool programs = openLaunch().depth == 0;
    switch (roleOf(id)) {
        case CallRole::Write:
            if (success && programs)
                recording.written(static_cast<const cuMemcpy_params*>(data.functionParams)->dst);
            break;
        case CallRole::WriteElsewhere:
            if (success && programs) recording.written({});
            break;
        case CallRole::Pinning:
            if (success) recording.pinned.succeeded(id, data.functionParams);
            break;
        case CallRole::GraphChange:
            if (entering)
                m_handlers->graphs.changing();
            else if (success)
                m_handlers->graphs.changed(id, data);
            break;
        case CallRole::ProfilerSwitch:
            if (entering) recording.profilerSwitched(id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
            break;
        case CallRole::LibraryUnload:
            if (entering) recording.codeUnloaded();
            break;
        case CallRole::Wait:
            if (entering) {
                GpuWaits::entering();
            } else {
                recording.waits.left();
                recording.pace.waited();
                recording.writer.waited();
                if (!recording.captures.open()) recording.idle(data.context);
            }
            break;
        case CallRole::CaptureBegin:
            if (entering)
                m_handlers->graphs.captureBegins();
            else if (success)
                m_handlers->graphs.captureBegan();
            else
                m_handlers->graphs.captureFailed();
            break;
        case CallRole::CaptureEnd:
            // The capture ends even if the call reports that it was invalidated.
            if (!entering) m_handlers->graphs.captureEnded();
            break;
        case CallRole::Launch:
        case CallRole::None:
            break;
    }
}

void Injector::onResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
    const Inside inside;
    const BetweenLaunches ours;
    Recording& recording = m_handlers->recording;
    const auto* graph = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
    switch (id) {
        case CUPTI_CBID_RESOURCE_MODULE_LOADED: {
            const auto* module =
                static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
            LaunchMeasurement& measurement = recording.measuring.current();
            if (module && measurement.demands().code)
                measurement.codeLoaded(module->pCubin, module->cubinSize);
            if (CallLog* const log = recording.timeline.log()) log->codeLoaded();
            if (module && module->pCubin)
                recording.codeLoaded(
                    {reinterpret_cast<const std::uint8_t*>(module->pCubin), module->cubinSize});
            break;
        }
        case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
            recording.codeUnloaded();
            break;
        case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
            recording.run.contextCreated();
            break;
        case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
            recording.contextEnds(data.context);
            break;
        case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING:
            m_handlers->graphs.creating();
            break;
        case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
            if (graph) m_handlers->graphs.created(*graph);
            break;
        case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
            if (graph) m_handlers->graphs.destroyed(graph->graphExec);
            break;
        default:
            break;
    }
}

}  // namespace roofscope::inject
