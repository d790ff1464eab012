// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/cupti_range_session.h"

namespace roofscope::inject {
namespace {

/// An image takes about 6 kB per range and counter. Ranges are milliseconds apart, so room for a
/// few is enough, and takes little of the program's memory.
constexpr std::size_t kImageBytes = std::size_t{32} << 20;
constexpr std::size_t kLeastCapacity = 8, kMostCapacity = 128;

}  // namespace

Result<std::unique_ptr<RangeSession>> CuptiRangeSession::open(
    const CuptiApi& cupti, CUcontext context, CUdevice device,
    const std::vector<std::string>& counters, const Device& facts, const ReportIssue& report) {
    auto planned = planOnDevice(
        cupti, context, device,
        {.replay = CountersMode::Replay::Application, .groups = {}, .counters = counters}, facts,
        report);
    if (!planned) return planned.error();
    std::unique_ptr<CuptiRangeSession> session(
        new CuptiRangeSession(cupti, context, std::move(*planned)));
    if (auto ok = session->m_profiler.use(0); !ok) return ok.error();
    const auto fits =
        session->m_profiler.capacityWithin(kImageBytes, kLeastCapacity, kMostCapacity);
    if (!fits) return fits.error();
    session->m_capacity = *fits;
    // Start here, not at the first range: the first start in a process takes 150 ms.
    if (auto ok = session->start(); !ok) return ok.error();
    return std::unique_ptr<RangeSession>(std::move(session));
}

CuptiRangeSession::CuptiRangeSession(const CuptiApi& cupti, CUcontext context,
                                     PlannedCounters planned)
    : m_planned(std::move(planned)),
      m_profiler(cupti, context, m_planned, RangeProfiler::Ranges::Pushed, false) {}

Result<void> CuptiRangeSession::start() {
    m_pushed = 0;
    if (auto ok = m_profiler.configure(m_capacity); !ok) return ok;
    return m_profiler.start();
}

Result<void> CuptiRangeSession::push(const std::string& name) {
    if (!m_profiler.running())
        if (auto ok = start(); !ok) return ok;
    ++m_pushed;
    return m_profiler.push(name);
}

Result<RangeSession::Batch> CuptiRangeSession::drain() {
    Batch batch;
    if (!m_profiler.running()) return batch;
    if (auto ok = m_profiler.stop(); !ok) return ok.error();
    const auto decoded = m_profiler.decode();
    if (!decoded) return decoded.error();
    batch.dropped = decoded->dropped;
    for (std::size_t i = 0; i < decoded->ranges; ++i) {
        auto name = m_profiler.name(i);
        if (!name) return name.error();
        auto values = m_profiler.values(i);
        if (!values) return values.error();
        batch.ranges.push_back({.name = std::move(*name), .values = std::move(*values)});
    }
    if (m_peakValues.empty() && decoded->ranges > 0)
        if (auto peaks = m_profiler.peaks(0)) m_peakValues = std::move(*peaks);
    m_pushed = 0;  // the next push starts with a fresh image
    return batch;
}

}  // namespace roofscope::inject
