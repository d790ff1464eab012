// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/range_tracker.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profile/names/instrumented.h"
#include "profile/text/count_text.h"

namespace roofscope::inject {
namespace {

/// Numbers in a profile are doubles, so they have 53 bits.
constexpr std::uint64_t kWorkMask = (std::uint64_t{1} << 53) - 1;

}  // namespace

RangeTracker::RangeTracker(SpoolWriter& spool, Options options, Open open)
    : m_spool(spool),
      m_options(std::move(options)),
      m_openSession(std::move(open)),
      m_started(m_options.now()),
      m_lastTag(m_options.lastTag) {}

bool RangeTracker::wants(std::string_view name) const {
    const std::string text(name);
    return std::ranges::any_of(m_options.globs, [&](const std::string& glob) {
        return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
    });
}

std::uint64_t RangeTracker::pushed(std::uint32_t range, std::uint32_t depth,
                                   std::optional<Place> current, std::uint64_t nextSequence,
                                   bool capturing) {
    const std::uint64_t tag = ++m_lastTag;
    const std::uint32_t ordinal = m_ordinals[range]++;
    if (m_options.measuredDepth && *m_options.measuredDepth != depth) return tag;
    if (++m_followed > m_options.mostFollowed) {
        ++m_unfollowed;
        return tag;
    }
    if (m_options.measuredDepth) {
        if (ordinal >= m_options.mostMeasured) {
            ++m_beyond;
            return tag;
        }
        // Captured kernels do not run, and opening a counter session would break the capture.
        if (capturing) return tag;
        if (m_measured) {
            ++m_overlapping;
            return tag;
        }
        // A range that ended during a capture is still open in its sessions.
        for (auto& [context, counters] : m_counters) end(counters);
        m_measured = tag;
    }
    Window& window = m_open[tag];
    window = {.range = range, .ordinal = ordinal, .depth = depth, .begin = nextSequence};
    if (m_options.measuredDepth && current) begin(window, *current);
    return tag;
}

RangeTracker::Counters& RangeTracker::countersOf(const Place& place) {
    const auto [it, unopened] = m_counters.try_emplace(place.context);
    Counters& counters = it->second;
    if (unopened) {
        counters.device = place.device;
        counters.session = m_openSession(place.context);
        if (counters.session) m_spool.rangeCounters(place.device, counters.session->counters());
    }
    return counters;
}

void RangeTracker::begin(Window& window, const Place& place) {
    const auto [part, isNew] = window.parts.try_emplace(place.context);
    if (!isNew) return;
    part->second.device = place.device;
    Counters& counters = countersOf(place);
    if (!counters.session || counters.open) return;
    if (counters.session->room() == 0) drain(counters);
    if (!counters.session || counters.session->room() == 0) return;
    std::string name = fmt::format("{}", ++m_lastName);
    if (auto ok = counters.session->push(name); !ok) return fail(counters, ok.error());
    counters.open = true;
    part->second.session = std::move(name);
}

bool RangeTracker::end(Counters& counters) {
    if (!std::exchange(counters.open, false) || !counters.session) return false;
    const auto ok = counters.session->pop();
    if (!ok) fail(counters, ok.error());
    return ok.ok();
}

std::vector<RangeTracker::Context> RangeTracker::measuredIn(std::uint64_t tag) const {
    std::vector<Context> contexts;
    if (const auto it = m_open.find(tag); it != m_open.end())
        for (const auto& [context, part] : it->second.parts)
            if (!part.session.empty()) contexts.push_back(context);
    return contexts;
}

void RangeTracker::popped(std::uint64_t tag, std::uint64_t nextSequence, bool capturing) {
    const auto it = m_open.find(tag);
    if (it == m_open.end()) return;
    const Window window = std::move(it->second);
    m_open.erase(it);
    if (m_measured == tag) m_measured.reset();

    // One row per device. If a range ran in several contexts of a device, it gets no counters,
    // because they cannot be added up.
    std::map<std::uint32_t, RangeFacts> rows;
    std::map<std::uint32_t, std::size_t> active;
    for (const auto& [context, part] : window.parts) {
        if (part.known && part.launches == 0) continue;
        RangeFacts& row = rows[part.device];
        if (active[part.device]++ == 0)
            row = {.range = window.range,
                   .device = part.device,
                   .ordinal = window.ordinal,
                   .depth = window.depth,
                   .launches = 0,
                   .work = 0,
                   .begin = window.begin,
                   .end = nextSequence};
        if (!part.known) {
            row.launches.reset();
            row.work.reset();
        } else if (row.launches) {
            *row.launches += part.launches;
            *row.work = (*row.work + part.work) & kWorkMask;
        }
    }
    for (const auto& [device, row] : rows) m_spool.rangeEnded(row);

    bool cutShort = false;
    for (const auto& [context, part] : window.parts) {
        const auto found = m_counters.find(context);
        const bool ran = part.launches > 0 || !part.known;
        const bool readable = found != m_counters.end() && found->second.session;
        if (part.session.empty() || capturing || !readable) {
            // During a capture the range stays open; its session ends it later.
            cutShort = cutShort || (readable && ran);
            continue;
        }
        Counters& counters = found->second;
        if (!end(counters)) continue;
        const auto row = rows.find(part.device);
        if (ran && active[part.device] == 1)
            counters.pending[part.session] = {.facts = row->second, .graphs = part.graphs};
        else
            cutShort = cutShort || ran;
        drainIfCheap(counters);
    }
    if (cutShort) ++m_cutShort;
}

void RangeTracker::forget(std::uint64_t tag) {
    // The range's sessions end it before the next range begins.
    if (m_measured == tag) m_measured.reset();
    m_cutShort += m_open.erase(tag);
}

void RangeTracker::launching(const Place& place, std::uint64_t kernels,
                             std::optional<std::uint64_t> work, bool graph, bool capturing) {
    for (auto& [tag, window] : m_open) {
        if (m_options.measuredDepth && !window.parts.contains(place.context) && !capturing)
            begin(window, place);
        Part& part = window.parts[place.context];
        part.device = place.device;
        part.launches += kernels;
        part.work = (part.work + work.value_or(0)) & kWorkMask;
        part.known = part.known && work.has_value();
        part.graphs = part.graphs || graph;
    }
}

void RangeTracker::launchFailed(Context context) {
    for (auto& [tag, window] : m_open)
        if (const auto it = window.parts.find(context); it != window.parts.end())
            it->second.known = false;
}

void RangeTracker::contextEnds(Context context) {
    const auto it = m_counters.find(context);
    if (it == m_counters.end()) return;
    end(it->second);
    drain(it->second);
    forgetContext(context);
}

bool RangeTracker::contextLost(Context context) {
    const auto it = m_counters.find(context);
    if (it == m_counters.end()) return false;
    const bool measured = it->second.session.release() != nullptr;
    m_cutShort += it->second.pending.size();
    forgetContext(context);
    return measured;
}

void RangeTracker::forgetContext(Context context) {
    m_counters.erase(context);
    // Ranges open in this context are cut short. A new context may get the same address.
    for (auto& [tag, window] : m_open)
        if (const auto part = window.parts.find(context);
            part != window.parts.end() && !std::exchange(part->second.session, {}).empty())
            ++m_cutShort;
}

void RangeTracker::finish() {
    for (auto& [context, counters] : m_counters) {
        end(counters);
        drain(counters);
    }
    m_counters.clear();
    if (!m_options.measuredDepth)
        tell(m_open.size(), Severity::DataLoss, "ranges-open",
             "not measured: still open when the process ended", "end them before the program does");
    m_open.clear();
    tell(m_beyond, Severity::Info, "ranges-beyond-limit",
         fmt::format("without counters: only the first {} of each range are measured",
                     m_options.mostMeasured),
         "");
    tell(m_overlapping, Severity::DataLoss, "ranges-overlap",
         "without counters: another thread was inside a measured range",
         "choose ranges of one thread at a time");
    tell(m_cutShort, Severity::DataLoss, "ranges-cut-short",
         "without counters: a CUDA context ended inside, the end of the range was not seen, a "
         "stream was being captured, or several contexts of a GPU took part",
         "");
    tell(m_unfollowed, Severity::DataLoss, "ranges-too-many", "left out: there are too many",
         "choose fewer with --range");
}

void RangeTracker::drainIfCheap(Counters& counters) {
    if (!counters.session || counters.pending.empty()) return;
    const auto elapsed = m_options.now() - m_started;
    if (counters.session->room() == 0 ||
        counters.drainTime + counters.lastDrain <= elapsed * m_options.drainShare)
        drain(counters);
}

void RangeTracker::drain(Counters& counters) {
    if (!counters.session) return;
    const auto before = m_options.now();
    auto batch = counters.session->drain();
    counters.lastDrain = m_options.now() - before;
    counters.drainTime += counters.lastDrain;
    if (!batch) return fail(counters, batch.error());
    if (!counters.peaksWritten && !counters.session->peakValues().empty()) {
        m_spool.peaks(counters.device, counters.session->peakNames(),
                      counters.session->peakValues());
        counters.peaksWritten = true;
    }
    // Match by name, because the batch may also have ranges that were cut short and belong to no
    // occurrence.
    for (const RangeSession::Measured& measured : batch->ranges)
        if (const auto it = counters.pending.find(measured.name); it != counters.pending.end()) {
            std::vector<double> values = measured.values;
            const auto& names = counters.session->counters();
            for (std::size_t i = 0; it->second.graphs && i < values.size(); ++i)
                if (isInstrumented(names[i])) values[i] = std::nan("");
            m_spool.rangeValues(it->second.facts, values);
            counters.pending.erase(it);
        }
    if (!counters.pending.empty())
        m_spool.issue({.severity = Severity::DataLoss,
                       .source = "inject",
                       .code = "ranges-dropped",
                       .message = "CUPTI lost the counters of " +
                                  countText(counters.pending.size(), "range", "ranges")});
    counters.pending.clear();
}

void RangeTracker::fail(Counters& counters, const Error& error) {
    counters.session.reset();
    counters.open = false;
    m_spool.issue({.severity = Severity::Error,
                   .source = "inject",
                   .code = "counter-session-failed",
                   .message = fmt::format("reading counters failed, later ranges of this context "
                                          "are not measured: {}",
                                          error.what),
                   .advice = error.advice});
    counters.pending.clear();
}

void RangeTracker::tell(std::size_t count, Severity severity, const char* code,
                        std::string_view what, const char* advice) {
    if (count == 0) return;
    m_spool.issue({.severity = severity,
                   .source = "inject",
                   .code = code,
                   .message = count == 1 ? fmt::format("1 occurrence of a range {}", what)
                                         : fmt::format("{} occurrences of ranges {}", count, what),
                   .advice = advice});
}

}  // namespace roofscope::inject
