// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "collector/cupti/driver_api.h"

namespace roofscope::inject {

/// An allocation that a launch may reach.
struct ReachedMemory {
    enum class Kind { Device, Managed, Host };

    std::uint64_t address = 0, bytes = 0;
    Kind kind = Kind::Device;
    int device = 0;  ///< CUDA ordinal of the GPU that holds it
};

/// Finds the allocations that words point to, then those that their contents point to, and so on.
/// Independent of CUDA: a function tells what lies at an address.
class ReachableMemory {
public:
    /// nullopt: nothing is allocated at this address.
    using Ask = std::function<std::optional<ReachedMemory>(std::uint64_t address)>;
    /// Limits the time for a launch if many random numbers look like addresses.
    static constexpr std::size_t kMostQuestions = 2'000'000;

    explicit ReachableMemory(Ask ask) : m_ask(std::move(ask)) {}

    /// For arguments: asks about every word that may be an address.
    void arguments(std::span<const unsigned char> bytes);
    /// For memory, in which most words are numbers: asks only about words near known allocations.
    /// `bytes` begin at a multiple of 8.
    void contents(std::span<const unsigned char> bytes);
    /// The next allocation whose contents have not been searched yet. Each is returned once.
    [[nodiscard]] std::optional<ReachedMemory> next();
    /// Whether there were too many words to ask about all of them.
    [[nodiscard]] bool gaveUp() const { return m_questions >= kMostQuestions; }

private:
    void look(std::uint64_t word);
    [[nodiscard]] bool isKnown(std::uint64_t address) const;

    /// Allocations of one process lie close together. A word is near an allocation if it lies
    /// within the same or the next block of this size, as a power of two.
    static constexpr unsigned kNeighbourhoodBits = 36;
    /// Allocations begin at multiples of this many bytes, as a power of two.
    static constexpr unsigned kGranuleBits = 8;

    struct ByAddress {
        using is_transparent = void;
        bool operator()(const ReachedMemory& a, const ReachedMemory& b) const {
            return a.address < b.address;
        }
        bool operator()(const ReachedMemory& a, std::uint64_t b) const { return a.address < b; }
        bool operator()(std::uint64_t a, const ReachedMemory& b) const { return a < b.address; }
    };

    Ask m_ask;
    std::set<ReachedMemory, ByAddress> m_known;
    std::deque<ReachedMemory> m_ahead;
    std::set<std::uint64_t> m_neighbourhoods;
    std::unordered_set<std::uint64_t> m_nothing;  ///< granules without an allocation
    std::uint64_t m_lowest = ~0ULL, m_highest = 0;
    std::size_t m_questions = 0;
};

/// What the driver knows about an address; nullopt if nothing.
[[nodiscard]] std::optional<ReachedMemory> memoryAt(const DriverApi& driver, std::uint64_t address);

}  // namespace roofscope::inject
