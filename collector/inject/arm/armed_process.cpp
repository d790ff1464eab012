// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/arm/armed_process.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "collector/arm/arm_folder.h"
#include "collector/arm/connection.h"
#include "collector/arm/messages.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/arm/snapping.h"
#include "collector/inject/injector.h"
#include "collector/inject/threads/detached_thread.h"
#include "collector/inject/threads/no_cancellation.h"

namespace roofscope::inject {
namespace {

using namespace std::chrono_literals;
using arm::Connection;
using arm::News;
using arm::Request;
using Clock = Connection::Clock;

/// A caller that sends nothing for this long is disconnected, because others are waiting.
constexpr auto kRequestPatience = 2s;
/// The same during a snap, which must check its limits in time.
constexpr auto kRequestPatienceInSnap = 100ms;
/// How long the exiting process waits for a snap to write its data.
constexpr auto kExitPatience = 5s;
/// Pause after accept() has failed.
constexpr auto kAcceptAgain = 100ms;
/// Longer command lines are cut off.
constexpr std::size_t kMostWords = 100, kMostCommand = 4000;

const char* environmentVariable() {
    const char* const value = std::getenv(arm::kVariable);
    return value ? value : "";
}

std::vector<std::string> commandOfProcess() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> words;
    for (std::size_t at = 0;
         at < std::min(all.size(), kMostCommand) && words.size() < kMostWords;) {
        const auto end = std::min(all.find('\0', at), all.size());
        words.push_back(all.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// The GPUs on which the process has a primary context.
std::vector<std::string> gpusOfProcess() {
    std::vector<std::string> gpus;
    const DriverApi* const driver = DriverApi::load();
    int devices = 0;
    if (!driver || !driver->cuDevicePrimaryCtxGetState ||
        driver->cuDeviceGetCount(&devices) != CUDA_SUCCESS)
        return gpus;
    for (CUdevice device = 0; device < devices; ++device) {
        unsigned flags = 0;
        int active = 0;
        std::array<char, 128> name{};
        if (driver->cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS ||
            !active ||
            driver->cuDeviceGetName(name.data(), name.size() - 1, device) != CUDA_SUCCESS)
            continue;
        gpus.push_back(std::to_string(device) + ": " + name.data());
    }
    return gpus;
}

/// Whether the caller made this folder for us: a real folder (not a link) that belongs to the
/// caller or to us.
bool isFolderOf(const std::string& folder, uid_t user) {
    struct stat facts {};
    return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
           (facts.st_uid == user || facts.st_uid == geteuid());
}

/// The thread that waits for callers, and its data. Never destroyed, because the thread runs until
/// the process ends.
class Armed {
public:
    /// False if this process cannot be armed.
    bool start(const std::filesystem::path& folder);
    /// The process is ending: ends a snap and removes the socket.
    void exiting();
    /// In a forked child, which must not keep its parent's socket alive.
    void forget();

private:
    void run();
    /// Serves one caller. False: the process has been disarmed.
    bool answer(Connection caller);
    void snapFor(Connection& caller, const Request& request);
    /// Waits until `until` during a snap and answers other callers meanwhile. False: the snap must
    /// end.
    bool waitInSnap(Connection& caller, Clock::time_point until);
    void answerInSnap(Connection other);
    /// Whether the descriptor still is our socket: a program may close all its descriptors.
    [[nodiscard]] bool isOurs() const;
    /// The next caller if it has permission to ask.
    std::optional<Connection> accepted();
    [[nodiscard]] arm::State state() const;

    std::filesystem::path m_socket;
    arm::OwnedFd m_listening, m_stop;
    dev_t m_device = 0;  ///< of the listening socket, with its inode
    ino_t m_inode = 0;
    int m_caller = -1;  ///< descriptor of the caller whose snap is in progress
    bool m_callerGone = false;
    std::time_t m_since = 0;
    pid_t m_pid = 0;
    std::uint64_t m_snaps = 0;
    std::atomic<bool> m_exiting{false}, m_snapping{false};
    std::timed_mutex m_inSnap;
};

Armed* g_armed = nullptr;

void endOfProcess();

bool Armed::start(const std::filesystem::path& folder) {
    m_pid = getpid();
    m_since = std::time(nullptr);
    m_socket = arm::socketOf(folder, m_pid);
    if (!arm::makeFolder(folder)) return false;
    // A socket file may be left from a dead process with our id, or from ourselves before an
    // exec(). If somebody answers, it belongs to a process of another container and must stay.
    if (Connection::to(m_socket)) return false;
    unlink(m_socket.c_str());
    auto listening = arm::listenIn(m_socket);
    if (!listening) return false;
    m_listening = std::move(*listening);
    struct stat facts {};
    if (fstat(m_listening.get(), &facts) != 0) return false;
    m_device = facts.st_dev;
    m_inode = facts.st_ino;
    m_stop = arm::OwnedFd(eventfd(0, EFD_CLOEXEC));
    const bool created = m_stop.open() && startDetached("roofscope-arm", [this] { run(); });
    if (!created) unlink(m_socket.c_str());
    return created;
}

void Armed::run() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    std::array<pollfd, 2> asked{pollfd{.fd = m_listening.get(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = m_stop.get(), .events = POLLIN, .revents = 0}};
    for (;;) {
        if (poll(asked.data(), asked.size(), -1) < 0 && errno != EINTR) break;
        if (m_exiting || asked[1].revents != 0) return;
        if (asked[0].revents == 0) continue;
        if (!isOurs()) {
            (void)m_listening.release();
            break;
        }
        auto caller = accepted();
        if (caller && !answer(std::move(*caller))) break;
    }
    unlink(m_socket.c_str());
    m_listening.reset();
}

std::optional<Connection> Armed::accepted() {
    arm::OwnedFd fd(accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.open()) {
        // For instance no descriptor is free; the caller stays in the queue.
        if (errno != EAGAIN && errno != EINTR) std::this_thread::sleep_for(kAcceptAgain);
        return std::nullopt;
    }
    Connection caller(std::move(fd));
    const auto peer = caller.peer();
    if (!peer || (peer->user != geteuid() && peer->user != 0)) return std::nullopt;
    return caller;
}

bool Armed::isOurs() const {
    struct stat facts {};
    return fstat(m_listening.get(), &facts) == 0 && facts.st_dev == m_device &&
           facts.st_ino == m_inode;
}

arm::State Armed::state() const {
    return {.version = ROOFSCOPE_VERSION,
            .pid = m_pid,
            .command = commandOfProcess(),
            .armedSince = static_cast<std::uint64_t>(m_since),
            .gpus = gpusOfProcess(),
            .snapped = m_snapping,
            .snaps = m_snaps};
}

bool Armed::answer(Connection caller) {
    std::string line;
    if (caller.receive(line, arm::kMostRequest, Clock::now() + kRequestPatience) !=
        Connection::Heard::Line)
        return true;
    const auto request = arm::requestFrom(line);
    if (!request) {
        (void)caller.send(toLine(News{.phase = News::Phase::Refused, .why = "not understood"}));
        return true;
    }
    switch (request->what) {
        case Request::What::State:
            (void)caller.send(toLine(state()));
            return true;
        case Request::What::Snap:
            snapFor(caller, *request);
            return true;
        case Request::What::End:
            return true;  // no snap is in progress
        case Request::What::Disarm:
            unlink(m_socket.c_str());
            (void)caller.send(toLine(News{.phase = News::Phase::Ended}));
            return false;
    }
    return true;
}

void Armed::snapFor(Connection& caller, const Request& request) {
    const auto peer = caller.peer();
    if (!peer || !isFolderOf(request.folder, peer->user)) {
        (void)caller.send(toLine(News{
            .phase = News::Phase::Refused,
            .why = "the folder for the measurements is not there, as this process sees it",
            .advice =
                "ask from where the process runs: in the same container, with the same TMPDIR"}));
        return;
    }
    const std::lock_guard busy(m_inSnap);
    if (m_exiting) return;
    m_snapping = true;
    ++m_snaps;
    m_caller = caller.fd();
    m_callerGone = false;
    News news{.phase = News::Phase::Refused, .why = "out of memory"};
    try {
        news = snap(request, {.goOn =
                                  [&](Clock::time_point until) {
                                      // CUPTI has been loaded by now. Its exit handlers and the
                                      // recording's must run after ours, so register ours again.
                                      static const int registered = std::atexit(endOfProcess);
                                      (void)registered;
                                      return waitInSnap(caller, until);
                                  },
                              .recording =
                                  [&](double age) {
                                      (void)caller.send(toLine(
                                          News{.phase = News::Phase::Recording, .age = age}));
                                  },
                              .exiting = [this] { return m_exiting.load(); }});
    } catch (...) {
        try {
            (void)Injector::leave(m_exiting);
        } catch (...) {
        }
    }
    m_caller = -1;
    m_snapping = false;
    (void)caller.send(toLine(news));
}

bool Armed::waitInSnap(Connection& caller, Clock::time_point until) {
    for (;;) {
        std::array<pollfd, 3> asked{
            pollfd{.fd = caller.fd(), .events = POLLIN | POLLRDHUP, .revents = 0},
            pollfd{.fd = m_listening.get(), .events = POLLIN, .revents = 0},
            pollfd{.fd = m_stop.get(), .events = POLLIN, .revents = 0}};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (m_callerGone) return false;
        if (left.count() <= 0) return true;
        const int ready = poll(asked.data(), asked.size(), static_cast<int>(left.count()));
        if (m_exiting || m_callerGone || asked[2].revents != 0) return false;
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        if (asked[0].revents != 0) {
            // Anything that the caller says, or its hanging up, ends the snap. The line is read so
            // that later waits last their full time.
            std::string said;
            m_callerGone =
                caller.receive(said, arm::kMostRequest, Clock::now()) == Connection::Heard::Gone;
            return false;
        }
        if (asked[1].revents != 0) {
            if (!isOurs()) return false;
            if (auto other = accepted()) answerInSnap(std::move(*other));
        }
    }
}

void Armed::answerInSnap(Connection other) {
    std::string line;
    if (other.receive(line, arm::kMostRequest, Clock::now() + kRequestPatienceInSnap) !=
        Connection::Heard::Line)
        return;
    const auto request = arm::requestFrom(line);
    if (request && request->what == Request::What::State)
        (void)other.send(toLine(state()));
    else
        (void)other.send(toLine(News{.phase = News::Phase::Refused,
                                     .why = "another snap of this process is going on",
                                     .advice = "try again when it has ended"}));
}

void Armed::exiting() {
    if (getpid() != m_pid) return;
    m_exiting = true;
    const std::uint64_t one = 1;
    (void)!write(m_stop.get(), &one, sizeof one);
    unlink(m_socket.c_str());
    // Gives a running snap time to write its data.
    if (m_inSnap.try_lock_for(kExitPatience)) m_inSnap.unlock();
}

void Armed::forget() {
    // Use only functions that are allowed in the forked child of a process with threads.
    if (m_listening.open()) close(m_listening.release());
    if (m_caller >= 0) close(m_caller);
}

void endOfProcess() {
    if (g_armed) g_armed->exiting();
}

}  // namespace

bool isToBeArmed() { return arm::folderOf(environmentVariable()).has_value(); }

void armProcess() {
    const NoCancellation uncancelled;
    const auto folder = arm::folderOf(environmentVariable());
    if (!folder || g_armed) return;
    auto* const armed = new Armed;
    g_armed = armed;
    const bool follows = pthread_atfork(nullptr, nullptr, [] {
                             if (g_armed) g_armed->forget();
                             g_armed = nullptr;
                         }) == 0;
    if (!follows || !armed->start(*folder)) {
        g_armed = nullptr;
        delete armed;
        return;
    }
    std::atexit(endOfProcess);
}

}  // namespace roofscope::inject
