// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/counter_attribution.h"
#include "profile/text/count_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace roofscope::inject {
namespace {

/// A group's turn ends after this many launches in a row that do not need it. Changing groups or
/// pausing costs as much as measuring 20 (small programs) to 250 (PyTorch) launches needlessly, so
/// changes should be rare. Loops repeat the other launches anyway.
constexpr std::size_t kUnneededBeforeChange = 16;

}  // namespace

CounterAttribution::CounterAttribution(std::uint32_t device,
                                       std::unique_ptr<CounterSession> session, SpoolWriter& spool,
                                       Options options)
    : m_device(device),
      m_session(std::move(session)),
      m_spool(spool),
      m_options(std::move(options)),
      m_started(m_options.started.value_or(m_options.now())) {
    if (!m_options.groupByGroup && (m_session->groups() > 1 || m_options.enough > 0))
        m_rotation.emplace(m_session->groups(), m_options.enough);
    m_spool.counters(m_device, m_session->counters(), m_session->passes());
}

bool CounterAttribution::prepare(std::size_t launches, bool wanted,
                                 std::optional<std::uint64_t> signature) {
    if (m_failed || m_finished) return true;
    if (!wanted && m_session->pausesCheaply()) {
        pause();
        return true;
    }
    if (m_unknownKernelsRan) drain(false);
    m_upcoming = wanted ? signature : std::nullopt;
    if (m_rotation && !wanted && m_paused) return true;  // no launch needs the session to run
    if (m_rotation && m_upcoming && takeTurns(*m_upcoming)) return false;
    resume();
    if (m_pending.size() + launches > m_session->room() && !m_pending.empty()) drain(false);
    if (!m_failed && launches > m_session->room())
        if (auto made = m_session->reserve(launches); !made) fail(made.error());
    return true;
}

void CounterAttribution::prepareUnknown() {
    if (m_failed || m_finished || m_paused) return;
    if (m_session->pausesCheaply()) return pause();
    if (!m_pending.empty()) drain(false);
    m_unknownKernelsRan = true;
}

void CounterAttribution::pause() {
    if (m_paused) return;
    drain(true);
    m_paused = true;
}

bool CounterAttribution::takeTurns(std::uint64_t signature) {
    if (m_rotation->needsCurrent(signature)) {
        m_unneeded = 0;
        return false;
    }
    const bool patient = ++m_unneeded <= kUnneededBeforeChange;
    if (const auto group = m_rotation->wanted(signature)) {
        if (!m_paused && patient && !affordable(m_options.switchShare)) return false;
        choose(*group);
        if (!m_paused) drain(false);
        return false;
    }
    if (!patient) pause();
    return m_paused;
}

void CounterAttribution::resume() {
    if (m_failed || m_finished || !m_paused) return;
    m_paused = false;
    if (auto ok = m_session->resume(); !ok) fail(ok.error());
}

void CounterAttribution::useGroup(std::size_t group) {
    if (m_failed || m_finished || group == m_group) return;
    pause();
    m_group = group;
    m_session->choose(group);
}

void CounterAttribution::suspend() {
    if (!m_failed && !m_finished) pause();
}

void CounterAttribution::issued(const std::vector<std::uint64_t>& sequences, bool orderKnown) {
    if (m_failed || m_finished || m_paused || m_unknownKernelsRan) return;
    for (const auto sequence : sequences) m_pending.push_back({sequence, orderKnown});
    if (m_rotation && m_upcoming && sequences.size() == 1 && sequences.front() != kUnwanted)
        m_rotation->measured(*m_upcoming);
}

void CounterAttribution::idle() {
    if (m_pending.empty() || m_failed || m_finished) return;
    const bool full = m_pending.size() >= m_session->room();
    const bool turns = m_rotation && m_session->groups() > 1;
    if (full || (!turns && affordable(m_options.drainShare))) drain(false);
}

bool CounterAttribution::affordable(double share) const {
    return m_drainTime + m_lastDrain <= (m_options.now() - m_started) * share;
}

void CounterAttribution::choose(std::size_t group) {
    m_session->choose(group);
    m_rotation->switched(group);
    m_unneeded = 0;
}

void CounterAttribution::finish() {
    if (m_finished) return;
    if (!m_failed && !m_paused) drain(true);
    m_finished = true;
    if (!m_pending.empty())
        m_spool.issue(
            {.severity = Severity::DataLoss,
             .source = "inject",
             .code = "launches-unmeasured",
             .message = "no counters: " + countText(m_pending.size(), "launch", "launches") +
                        " at the end"});
}

void CounterAttribution::drain(bool pause) {
    const auto before = m_options.now();
    auto batch = m_session->drain(pause);
    m_lastDrain = m_options.now() - before;
    m_drainTime += m_lastDrain;
    if (!batch) return fail(batch.error());

    if (!m_peaksWritten && !m_session->peakValues().empty()) {
        m_spool.peaks(m_device, m_session->peakNames(), m_session->peakValues());
        m_peaksWritten = true;
    }
    const bool matches = batch->ranges.size() == m_pending.size() && batch->dropped == 0;
    if (std::exchange(m_unknownKernelsRan, false) && m_pending.empty()) {
        // The launch of the unknown kernels was reported already.
    } else if (matches && !m_orderLost) {
        for (std::size_t i = 0; i < m_pending.size(); ++i)
            if (m_pending[i].orderKnown && m_pending[i].sequence != kUnwanted)
                m_spool.values(m_pending[i].sequence, m_device, batch->ranges[i]);
    } else if (matches) {
        m_spool.issue({.severity = Severity::DataLoss,
                       .source = "inject",
                       .code = "launch-order-lost",
                       .message = fmt::format(
                           "no counters, because the order of {} of several threads is unknown",
                           countText(m_pending.size(), "launch", "launches")),
                       .advice = "profile one thread at a time"});
    } else if (!m_pending.empty() || !batch->ranges.empty()) {
        m_spool.issue({.severity = Severity::DataLoss,
                       .source = "inject",
                       .code = "attribution-failed",
                       .message = fmt::format(
                           "{} produced {} ({} dropped): counters cannot be attributed to launches "
                           "and were left out",
                           countText(m_pending.size(), "launch", "launches"),
                           countText(batch->ranges.size(), "counter range", "counter ranges"),
                           batch->dropped)});
    }
    m_pending.clear();
    m_orderLost = false;
}

void CounterAttribution::fail(const Error& error) {
    m_failed = true;
    m_spool.issue({.severity = Severity::Error,
                   .source = "inject",
                   .code = "counter-session-failed",
                   .message = fmt::format("reading counters failed, later launches of this context "
                                          "are not measured: {}",
                                          error.what),
                   .advice = error.advice});
}

}  // namespace roofscope::inject
