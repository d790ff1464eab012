// SPDX-License-Identifier: Apache-2.0
#include "tests/fake_gpu/fake_session.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace roofscope::test {
namespace {

/// The program's only session, and its lock, as several threads run kernels.
FakeSession* g_session = nullptr;
int g_opened = 0;
std::mutex g_mutex;

}  // namespace

FakeSession::FakeSession(std::size_t passes, bool cheapPauses)
    : m_passes(passes), m_cheapPauses(cheapPauses) {
    const std::lock_guard lock(g_mutex);
    g_session = this;
    ++g_opened;
}

FakeSession::~FakeSession() {
    const std::lock_guard lock(g_mutex);
    g_session = nullptr;
}

bool FakeSession::runs() {
    const std::lock_guard lock(g_mutex);
    return g_session && g_session->m_running;
}

int FakeSession::opened() {
    const std::lock_guard lock(g_mutex);
    return g_opened;
}

void FakeSession::kernelRan(unsigned blocks) {
    const std::lock_guard lock(g_mutex);
    if (!g_session || !g_session->m_running) return;
    if (g_session->m_ranges.size() < g_session->room())
        g_session->m_ranges.push_back({static_cast<double>(blocks)});
    else
        ++g_session->m_dropped;
}

Result<void> FakeSession::reserve(std::size_t ranges) {
    const std::lock_guard lock(g_mutex);
    m_room = std::max(m_room, ranges);
    m_handedOver = 0;
    return {};
}

Result<inject::CounterSession::Batch> FakeSession::drain(bool pause) {
    const std::lock_guard lock(g_mutex);
    Batch batch{.ranges = std::exchange(m_ranges, {}), .dropped = std::exchange(m_dropped, 0)};
    m_handedOver = m_cheapPauses ? m_handedOver + batch.ranges.size() : 0;
    if (room() == 0) m_handedOver = 0;
    m_running = !pause;
    return batch;
}

Result<void> FakeSession::resume() {
    const std::lock_guard lock(g_mutex);
    m_running = true;
    return {};
}

}  // namespace roofscope::test
