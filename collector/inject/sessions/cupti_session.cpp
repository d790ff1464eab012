// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/cupti_session.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace roofscope::inject {
namespace {

/// Ranges per image under kernel replay. Each takes 0.85 MB. At 35 ms per launch, the 3.6 ms for a
/// fresh image of 8 ranges do not matter.
constexpr std::size_t kKernelReplayCapacity = 8;
/// Under user replay, the image takes about 0.7 MB per range and instrumented group. These are the
/// memory that it may take from the program, and the limits for its number of ranges.
constexpr std::size_t kUserReplayImageBytes = std::size_t{48} << 20;
constexpr std::size_t kLeastUserReplayCapacity = 16, kMostUserReplayCapacity = 1024;
/// If groups take turns, every turn begins with a fresh image, which costs 0.4 ms per range. So
/// there is room for hardly more ranges than a turn has launches.
constexpr std::size_t kTurnCapacity = 64;

}  // namespace

Result<std::unique_ptr<CounterSession>> CuptiSession::open(const CuptiApi& cupti, CUcontext context,
                                                           CUdevice device,
                                                           const CountersMode& mode,
                                                           const Device& facts,
                                                           const ReportIssue& report) {
    auto planned = planOnDevice(cupti, context, device, mode, facts, report);
    if (!planned) return planned.error();
    std::unique_ptr<CuptiSession> session(new CuptiSession(
        cupti, context, mode.replay == CountersMode::Replay::Kernel, std::move(*planned)));
    if (auto done = session->configure(); !done) return done.error();
    if (auto done = session->m_profiler.start(); !done) return done.error();
    return std::unique_ptr<CounterSession>(std::move(session));
}

CuptiSession::CuptiSession(const CuptiApi& cupti, CUcontext context, bool replayed,
                           PlannedCounters planned)
    : m_replayed(replayed),
      m_planned(std::move(planned)),
      m_profiler(cupti, context, m_planned, RangeProfiler::Ranges::Kernels, replayed) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (const CounterPlan& plan : m_planned.plans) {
        std::vector<std::size_t>& ofGroup = m_places.emplace_back();
        for (const std::string& counter : plan.counters) {
            const auto [place, isNew] = places.try_emplace(counter, m_counters.size());
            if (isNew) m_counters.push_back(counter);
            ofGroup.push_back(place->second);
        }
    }
}

std::size_t CuptiSession::passes() const {
    if (m_replayed) return m_planned.plans[m_planned.usual].passes;
    std::size_t sum = 0;
    for (const CounterPlan& plan : m_planned.plans) sum += plan.passes;
    return sum;
}

Result<void> CuptiSession::configure() {
    if (m_group != m_next) m_capacity = 0;
    m_group = m_next;
    if (auto ok = m_profiler.use(m_group); !ok) return ok;
    if (m_capacity == 0 && m_replayed) m_capacity = kKernelReplayCapacity;
    if (m_capacity == 0) {
        const std::size_t most = groups() > 1 ? kTurnCapacity : kMostUserReplayCapacity;
        const auto fits =
            m_profiler.capacityWithin(kUserReplayImageBytes, kLeastUserReplayCapacity, most);
        if (!fits) return fits.error();
        m_capacity = *fits;
    }
    m_handedOver = 0;
    m_stale = false;
    return m_profiler.configure(m_capacity);
}

Result<void> CuptiSession::reserve(std::size_t ranges) {
    if (m_broken) return *m_broken;
    if (ranges <= room()) return {};
    const bool running = m_profiler.running();
    if (running)
        if (auto ok = m_profiler.stop(); !ok) return ok;
    m_capacity = std::max(m_capacity, ranges);
    if (auto ok = configure(); !ok) return ok;
    return running ? m_profiler.start() : Result<void>{};
}

Result<void> CuptiSession::resume() {
    if (m_broken) return *m_broken;
    if (m_profiler.running()) return {};
    if (m_stale || m_group != m_next)
        if (auto ok = configure(); !ok) return ok;
    return m_profiler.start();
}

Result<std::vector<double>> CuptiSession::values(std::size_t range) {
    auto ofGroup = m_profiler.values(range);
    if (!ofGroup || groups() == 1) return ofGroup;
    std::vector<double> all(m_counters.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < ofGroup->size(); ++i) all[m_places[m_group][i]] = (*ofGroup)[i];
    return all;
}

Result<CounterSession::Batch> CuptiSession::drain(bool pause) {
    if (m_broken) return *m_broken;
    if (m_profiler.running())
        if (auto ok = m_profiler.stop(); !ok) return ok.error();

    const auto decoded = m_profiler.decode();
    if (!decoded) return decoded.error();
    Batch batch;
    batch.dropped = decoded->dropped;
    for (std::size_t i = m_handedOver; i < decoded->ranges; ++i) {
        auto measured = values(i);
        if (!measured) return measured.error();
        batch.ranges.push_back(std::move(*measured));
    }
    m_handedOver = std::max(m_handedOver, decoded->ranges);
    if (m_peakValues.empty() && decoded->ranges > 0)
        if (auto peaks = m_profiler.peaks(0)) m_peakValues = std::move(*peaks);

    // Return what was decoded even if the session cannot continue; the next call reports the error.
    if (!m_replayed || room() == 0 || batch.dropped > 0) {
        m_stale = true;
        m_handedOver = 0;
    }
    if (!pause)
        if (auto ok = resume(); !ok) m_broken = ok.error();
    return batch;
}

}  // namespace roofscope::inject
