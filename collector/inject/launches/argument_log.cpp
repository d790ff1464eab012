// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/argument_log.h"

#include <iterator>
#include <utility>

#include "collector/inject/launches/kernel_facts.h"

namespace roofscope::inject {
namespace {

/// How long freeing memory waits while another thread resolves words.
constexpr auto kFreePatience = std::chrono::milliseconds(100);
/// How long the driver's answers are kept, in case memory is allocated or freed by a call that we
/// do not know.
constexpr auto kKeptAnswers = std::chrono::seconds(1);
/// Limits the memory for a program that keeps passing new numbers.
constexpr std::size_t kMostAnswers = 100'000;

}  // namespace

const std::optional<ParameterLayout>& ArgumentLog::layoutOf(CUfunction function) {
    const auto [it, isNew] = m_layouts.try_emplace(function);
    if (isNew) it->second = parameterLayout(m_driver, realFunction(m_driver, function));
    return it->second;
}

void ArgumentLog::launched(std::uint64_t sequence, CUfunction function,
                           const LaunchParameters& parameters) {
    if (!m_driver.cuPointerGetAttributes) return;
    const auto& layout = layoutOf(function);
    if (!layout) return;
    const std::lock_guard lock(m_waitingMutex);
    const std::size_t first = m_waiting.words.size();
    if (addPointerWords(*layout, parameters, m_waiting.words))
        m_waiting.entries.push_back({.number = sequence, .first = first});
    else
        m_waiting.words.resize(first);
}

void ArgumentLog::written(std::optional<CUdeviceptr> address) {
    const std::lock_guard lock(m_waitingMutex);
    m_waiting.entries.push_back({.kind = address ? Kind::Written : Kind::WrittenAnywhere,
                                 .number = address.value_or(0),
                                 .first = m_waiting.words.size()});
}

bool ArgumentLog::resolve(bool keepAnswers) {
    const std::unique_lock turn(m_resolving, kFreePatience);
    return turn.owns_lock() && resolveWaiting(keepAnswers);
}

void ArgumentLog::beforeFree(bool mayAsk) {
    const std::unique_lock turn(m_resolving, kFreePatience);
    if (turn.owns_lock() && mayAsk) {
        resolveWaiting(true);
        return;
    }
    ++m_giveUps;
    const std::lock_guard lock(m_waitingMutex);
    // Entries of writes are still needed.
    std::erase_if(m_waiting.entries, [](const Entry& e) { return e.kind == Kind::Launch; });
}

bool ArgumentLog::resolveWaiting(bool keepAnswers) {
    m_giveUpsAtBatch = m_giveUps;
    {
        const std::lock_guard lock(m_waitingMutex);
        std::swap(m_batch, m_waiting);
        m_waiting.entries.clear();
        m_waiting.words.clear();
    }
    const auto now = Clock::now();
    if (!keepAnswers || now - m_askedSince > kKeptAnswers) {
        forgetAnswers();
        m_askedSince = now;
    }
    const std::span words(m_batch.words);
    for (std::size_t i = 0; i < m_batch.entries.size(); ++i) {
        const Entry& entry = m_batch.entries[i];
        if (entry.kind == Kind::Written) {
            m_buffers.written(entry.number);
        } else if (entry.kind == Kind::WrittenAnywhere) {
            m_buffers.writtenAnywhere();
        } else if (m_giveUps == m_giveUpsAtBatch) {
            const std::size_t end =
                i + 1 < m_batch.entries.size() ? m_batch.entries[i + 1].first : words.size();
            resolve(entry.number, words.subspan(entry.first, end - entry.first));
        }
    }
    return !m_batch.entries.empty();
}

void ArgumentLog::resolve(std::uint64_t sequence, std::span<const PointerWord> words) {
    if (m_changed.exchange(false)) forgetAnswers();
    const auto ask = [this](std::uint64_t address) { return allocationOf(address); };
    const auto list = bufferArguments(words, ask, m_buffers, m_spool);
    if (list && m_giveUps == m_giveUpsAtBatch) m_spool.arguments(sequence, *list);
}

std::optional<BufferTable::Allocation> ArgumentLog::allocationOf(std::uint64_t address) {
    if (auto it = m_allocations.upper_bound(address); it != m_allocations.begin())
        if (const auto& known = std::prev(it)->second; address - known.start < known.bytes)
            return known;
    if (m_noAddresses.contains(address)) return BufferTable::Allocation{};
    const auto answer = inject::allocationOf(m_driver, address);
    if (!answer) return answer;
    if (m_allocations.size() + m_noAddresses.size() >= kMostAnswers) forgetAnswers();
    if (answer->bytes > 0)
        m_allocations[answer->start] = *answer;
    else
        m_noAddresses.insert(address);
    return answer;
}

void ArgumentLog::forgetAnswers() {
    m_allocations.clear();
    m_noAddresses.clear();
}

}  // namespace roofscope::inject
