// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/threads/background.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "collector/inject/threads/detached_thread.h"

namespace roofscope::inject {
namespace {

using namespace std::chrono_literals;

constexpr auto kOften = 4ms;
constexpr auto kSeldom = 20ms;
/// After this many rounds without work, it works less often.
constexpr int kPatientRounds = 50;
/// If the disk hangs, the ending program must not hang with it.
constexpr auto kStopPatience = 10s;

}  // namespace

struct Background::Shared {
    Work work;
    Pause pause;
    std::mutex mutex;
    std::condition_variable changed;
    bool asked = false, done = false;

    void run() {
        int idle = 0;
        std::unique_lock lock(mutex);
        while (!asked) {
            changed.wait_for(
                lock, pause ? pause()
                            : std::chrono::microseconds(idle < kPatientRounds ? kOften : kSeldom));
            if (asked) break;
            lock.unlock();
            bool worked = false;
            try {
                worked = work();
            } catch (...) {
                // Out of memory: what waits is done later, or by the program's own thread.
            }
            idle = worked ? 0 : std::min(idle + 1, kPatientRounds);
            lock.lock();
        }
        done = true;
        changed.notify_all();
    }
};

bool Background::start(Work work, Pause pause) {
    if (m_running) return true;
    m_shared = std::make_shared<Shared>();
    m_shared->work = std::move(work);
    m_shared->pause = std::move(pause);
    const bool created = startDetached("roofscope", [shared = m_shared] { shared->run(); });
    m_running = created;
    return created;
}

bool Background::stop() {
    if (!m_running) return true;
    std::unique_lock lock(m_shared->mutex);
    m_shared->asked = true;
    m_shared->changed.notify_all();
    if (!m_shared->changed.wait_for(lock, kStopPatience, [&] { return m_shared->done; }))
        return false;
    m_running = false;
    return true;
}

}  // namespace roofscope::inject
