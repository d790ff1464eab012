// SPDX-License-Identifier: Apache-2.0
/// NVTX ranges: their paths, their place in the timeline, and ranges that are measured as a whole.
#include <fmt/format.h>

#include "collector/inject/injector.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/ranges/nvtx_stack.h"
#include "collector/inject/sessions/cupti_range_session.h"

namespace roofscope::inject {
namespace {

/// A program that numbers its range names must not fill the memory.
constexpr std::size_t kMostRanges = 10'000;

}  // namespace

void Injector::onNvtx(CUpti_CallbackId id, const CUpti_NvtxData& data) {
    const BetweenLaunches ours;
    auto event = m_nvtx.read(id, data);
    if (!event) return;
    if (event->pushed)
        pushRange(event->domain, std::move(*event->pushed));
    else
        popRange(event->domain);
}

void Injector::pushRange(std::uintptr_t domain, std::string name) {
    NvtxStack& stack = NvtxStack::perThread();
    name = countedName(std::move(name));
    const bool counts = !name.empty();
    const bool wanted = counts && m_rangeTracker && m_rangeTracker->wants(name);
    const std::uint32_t depth = stack.tagged();
    // Ranges in a domain are a library's, not the program's.
    const bool isRound =
        counts && domain == 0 && m_countingFirst && counting() && stack.path().empty();
    const Inside inside;
    const auto forgotten = stack.push(domain, std::move(name));
    if (isRound)
        if (const auto state = lockState(); state.owns_lock())
            m_countingFirst->rangeBegan(stack.path());
    endSpan(forgotten.span);
    if (forgotten.tag != 0)
        if (const auto state = lockState(); state.owns_lock())
            m_rangeTracker->forget(forgotten.tag);
    if (counts && m_calls && m_calls->followsRanges()) beginSpan(stack);
    if (!wanted) return;
    CUcontext current = nullptr;
    if (inRanges() && m_rangeTracker->measures(depth) &&
        m_driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current && m_openCaptures == 0)
        m_driver->cuCtxSynchronize();  // what was launched before the range does not count
    const auto state = lockState();
    if (!state.owns_lock() || m_done || !m_choice->active()) return;
    std::optional<RangeTracker::Place> place;
    if (current)
        if (const Context* c = context(current); c && m_choice->wantsDevice(c->ordinal))
            place = {.context = current, .device = c->device};
    if (const auto id = rangeId(stack.path()))
        stack.tag(m_rangeTracker->pushed(*id, depth, place, m_nextSequence, m_openCaptures > 0));
}

void Injector::popRange(std::uintptr_t domain) { endRange(NvtxStack::perThread().pop(domain)); }

void Injector::beginSpan(NvtxStack& stack) {
    // Of a compiler that tunes the outermost range says when; its hundreds of passes are nobody's.
    if (!m_configuration.selection.autotuning) {
        const auto& names = stack.names();
        const auto mark = std::ranges::find(names, kAutotuningRange);
        if (names.end() - mark > 2) return;
    }
    const auto state = lockState();
    if (!state.owns_lock() || m_done) return;
    if (m_ranges.size() >= kMostRanges && !m_ranges.contains(stack.path()))
        return issueOnce({.severity = Severity::Info,
                          .source = "inject",
                          .code = "ranges-left-out",
                          .message = fmt::format("the program has more than {} different NVTX "
                                                 "ranges: the others are not in the timeline",
                                                 kMostRanges)});
    if (const auto id = rangeId(stack.path())) stack.follow(m_calls->rangeBegan(*id));
}

void Injector::endSpan(std::uint64_t span) {
    if (span == 0 || !m_calls) return;
    m_calls->rangeEnded(span);
    m_spool.flushIfDue();
}

void Injector::endRange(const NvtxStack::Marks& marks) {
    endSpan(marks.span);
    const std::uint64_t tag = marks.tag;
    if (tag == 0 || !m_rangeTracker) return;
    const Inside inside;
    std::vector<RangeTracker::Context> contexts;
    if (const auto state = lockState(); state.owns_lock())
        contexts = m_rangeTracker->measuredIn(tag);
    // Wait here and not inside CUPTI with m_state locked: the running kernels may need another
    // thread's launch to end.
    for (const auto* handle : contexts) {
        if (m_openCaptures > 0) break;
        auto* context = static_cast<CUcontext>(const_cast<void*>(handle));
        if (m_driver->cuCtxPushCurrent(context) != CUDA_SUCCESS) continue;
        m_driver->cuCtxSynchronize();
        m_driver->cuCtxPopCurrent(&context);
    }
    const auto state = lockState();
    if (state.owns_lock() && !m_done)
        m_rangeTracker->popped(tag, m_nextSequence, m_openCaptures > 0);
}

std::optional<std::uint32_t> Injector::rangeId(const std::string& path) {
    if (path.empty()) return {};
    const auto [it, isNew] = m_ranges.try_emplace(path, m_ranges.size());
    if (isNew) m_spool.range(it->second, path);
    return it->second;
}

std::unique_ptr<RangeSession> Injector::openRangeSession(CUcontext handle) {
    const Context* const known = this->context(handle);
    if (!known) return nullptr;
    const Context& context = *known;
    auto session = CuptiRangeSession::open(*m_cupti, handle, context.handle,
                                           std::get<RangesMode>(m_configuration.mode).counters,
                                           context.facts, [&](Issue issue) { issueOnce(issue); });
    if (session) return std::move(*session);
    countersRefused(session.error());
    return nullptr;
}

}  // namespace roofscope::inject
