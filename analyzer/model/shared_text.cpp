// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/shared_text.h"

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace roofscope {

namespace {

constexpr std::uint32_t kBlock = 1024, kMostBlocks = 1 << 16;

/// All texts by number, in blocks that never move, so that reading needs no lock. The one of
/// number 0 is empty. Never destroyed: values in static storage may outlive it.
std::array<std::atomic<std::string*>, kMostBlocks> blocks;

const std::string& textOf(std::uint32_t number) {
    return blocks[number / kBlock].load(std::memory_order_acquire)[number % kBlock];
}

std::uint32_t lookedUp(std::string_view text) {
    static std::mutex mutex;
    static auto& numbers = *new std::unordered_map<std::string_view, std::uint32_t>;
    const std::lock_guard lock(mutex);
    if (const auto found = numbers.find(text); found != numbers.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(numbers.size() + 1);
    std::atomic<std::string*>& block = blocks.at(number / kBlock);
    if (!block) block.store(new std::string[kBlock], std::memory_order_release);
    std::string& kept = block.load()[number % kBlock];
    kept = text;
    numbers.emplace(kept, number);
    return number;
}

}  // namespace

std::uint32_t SharedText::stored(std::string_view text) {
    // Nearly all are literals, met again and again at one address: to find them by it takes a tenth
    // of the time. Whether another text stands there by now is looked at, so any text may come.
    struct Met {
        const char* at = nullptr;
        std::uint32_t number = 0;
    };
    constexpr std::size_t kMet = 1024;
    thread_local std::array<Met, kMet> met;
    const auto address = reinterpret_cast<std::uintptr_t>(text.data());
    Met& entry = met[(address ^ (address >> 10) ^ text.size()) % kMet];
    if (entry.at == text.data() && textOf(entry.number) == text) return entry.number;
    entry = {.at = text.data(), .number = lookedUp(text)};
    return entry.number;
}

const std::string& SharedText::str() const {
    static const std::string none;
    return m_number == 0 ? none : textOf(m_number);
}

}  // namespace roofscope
