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

/// Finds the allocations to which words point, and those to which words in these point, and so on.
/// Independent of CUDA: what lies at an address is asked through a function.
class ReachableMemory {
public:
    /// nullopt: nothing is allocated at this address.
    using Ask = std::function<std::optional<ReachedMemory>(std::uint64_t address)>;
    /// A launch must not wait forever while random numbers are taken for addresses.
    static constexpr std::size_t kMostQuestions = 2'000'000;

    explicit ReachableMemory(Ask ask) : m_ask(std::move(ask)) {}

    /// Asks for every word that may be an address: for arguments.
    void arguments(std::span<const unsigned char> bytes);
    /// Asks only for words near allocations that are already known: for memory, in which most words
    /// are numbers. `bytes` begin at a multiple of 8.
    void contents(std::span<const unsigned char> bytes);
    /// The next allocation whose contents have not been passed yet; it is then taken as passed.
    [[nodiscard]] std::optional<ReachedMemory> next();
    /// Whether there were too many words to ask for all.
    [[nodiscard]] bool gaveUp() const { return m_questions >= kMostQuestions; }

private:
    void look(std::uint64_t word);
    [[nodiscard]] bool isKnown(std::uint64_t address) const;

    /// Allocations of one process lie close together; this is how far from one another is looked
    /// for, as a power of two.
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

/// What the driver knows of an address. nullopt: nothing.
[[nodiscard]] std::optional<ReachedMemory> memoryAt(const DriverApi& driver, std::uint64_t address);

}  // namespace roofscope::inject
