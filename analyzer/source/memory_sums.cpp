// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/memory_sums.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "analyzer/source/producers.h"

namespace roofscope {
namespace {

/// Instructions between the load and the store.
constexpr std::size_t kMostApart = 64;
/// Both run equally often; what sets the address runs at most this often for each time.
constexpr double kEqual = 0.1, kSeldom = 1.0 / 8;

class Finder {
public:
    Finder(const Profile& profile, const SourceAnalysis& source, double least)
        : m_code(profile.sources[source.pass].instructions),
          m_source(source),
          m_waits(source.stalls.find("long_scoreboard")),
          m_least(least),
          m_flow(m_code) {}

    [[nodiscard]] std::vector<MemorySum> find() const {
        if (sharesMemory()) return {};
        std::vector<MemorySum> found;
        for (std::size_t store = 0; store < m_source.facts.size(); ++store)
            if (m_source.facts[store].kind == SassKind::GlobalStore && executed(store) >= m_least)
                if (const auto load = loadOf(store)) found.push_back(sumOf(*load, store));
        return found;
    }

private:
    [[nodiscard]] double executed(std::size_t row) const {
        return m_source.perRow[row].executed.value_or(0);
    }
    /// Of warps that wait for data there.
    [[nodiscard]] double samplesAt(std::size_t row) const {
        return m_waits && row < m_waits->perRow.size() ? m_waits->perRow[row] : 0;
    }

    /// Whether other threads may see the values in between: a loop of these threads has barriers,
    /// fences or atomics, or accesses that must not be cached.
    [[nodiscard]] bool sharesMemory() const {
        for (std::size_t row = 0; row < m_code.size() && row < m_source.perRow.size(); ++row) {
            const SassParts parts = splitSass(m_code[row].sass);
            const bool orders = isAny(parts.name, {"BAR", "MEMBAR", "ERRBAR", "FENCE", "CCTL",
                                                   "ATOM", "ATOMG", "RED", "REDG"});
            if ((orders || parts.opcode.find(".STRONG") != std::string_view::npos) &&
                executed(row) >= kSeldom * m_least)
                return true;
        }
        return false;
    }
    /// Whether a load from the same register, but another place, runs as often: a neighbour.
    [[nodiscard]] bool readsNeighbours(std::size_t store) const {
        const std::string_view address = addressText(m_code[store].sass);
        const std::string_view base = address.substr(0, address.find_first_of(".+]"));
        for (std::size_t row = 0; row < m_source.facts.size(); ++row) {
            const std::string_view other = addressText(m_code[row].sass);
            if (m_source.facts[row].kind == SassKind::GlobalLoad && other != address &&
                other.substr(0, other.find_first_of(".+]")) == base &&
                executed(row) >= kSeldom * executed(store))
                return true;
        }
        return false;
    }

    /// The load that the stored value comes from, at the same address.
    [[nodiscard]] std::optional<std::size_t> loadOf(std::size_t store) const {
        const std::string_view address = addressText(m_code[store].sass);
        if (address.empty() || !staysWhereItIs(store) || readsNeighbours(store))
            return std::nullopt;
        for (const std::size_t load : m_flow.valueOf(store))
            if (load < store && store - load <= kMostApart &&
                m_source.facts[load].kind == SassKind::GlobalLoad &&
                addressText(m_code[load].sass) == address &&
                std::abs(executed(load) - executed(store)) <= kEqual * executed(store))
                return load;
        return std::nullopt;
    }
    [[nodiscard]] bool staysWhereItIs(std::size_t store) const {
        return std::ranges::all_of(m_flow.addressSetBy(store), [&](std::size_t writer) {
            return executed(writer) <= kSeldom * executed(store);
        });
    }

    [[nodiscard]] MemorySum sumOf(std::size_t load, std::size_t store) const {
        MemorySum sum{.load = load, .store = store, .executed = executed(store)};
        sum.samples = samplesAt(load) + samplesAt(store);
        for (std::size_t row = load + 1; row < store; ++row)
            if (const auto waits = m_flow.producerOf(row, "long_scoreboard");
                waits && waits->row == load)
                sum.samples += samplesAt(row);
        return sum;
    }

    const std::vector<Instruction>& m_code;
    const SourceAnalysis& m_source;
    const SampledStalls::State* m_waits;  ///< for data; null if nobody was seen waiting
    double m_least;
    Dataflow m_flow;
};

}  // namespace

std::vector<MemorySum> memorySums(const Profile& profile, const SourceAnalysis& source,
                                  double least) {
    if (!source.hasSass || source.facts.size() != source.perRow.size()) return {};
    return Finder(profile, source, least).find();
}

}  // namespace roofscope
