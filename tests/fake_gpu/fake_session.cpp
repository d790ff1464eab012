// SPDX-License-Identifier: Apache-2.0
#include "tests/fake_gpu/fake_session.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace roofscope::test {
namespace {

/// The program's only session, and its lock, as several threads run kernels.
FakeSession* g_session = nullptr;
int g_opened = 0;
std::mutex g_mutex;

}  // namespace

FakeSession::FakeSession(std::size_t passes, bool cheapPauses, std::size_t groups)
    : m_passes(passes), m_cheapPauses(cheapPauses), m_groups(groups) {
    if (groups > 1) m_counters.emplace_back(kSecond);
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
        g_session->m_ranges.push_back(g_session->valuesOf(blocks));
    else
        ++g_session->m_dropped;
}

std::vector<double> FakeSession::valuesOf(unsigned blocks) const {
    std::vector<double> values(m_counters.size(), blocks);
    // If there are several groups, the last one reads all counters.
    for (std::size_t i = 0; m_groups > 1 && m_group + 1 < m_groups && i < values.size(); ++i)
        if (i != m_group) values[i] = std::numeric_limits<double>::quiet_NaN();
    return values;
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
    m_group = m_next;
    return batch;
}

Result<void> FakeSession::resume() {
    const std::lock_guard lock(g_mutex);
    m_running = true;
    m_group = m_next;
    return {};
}

}  // namespace roofscope::test
