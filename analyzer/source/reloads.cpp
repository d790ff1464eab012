// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/reloads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/source/producers.h"

namespace roofscope {
namespace {

/// Instructions between a store and the load.
constexpr std::size_t kFarApart = 512;

/// Whether other threads may be meant to see a value, or to have changed it, beyond this
/// instruction.
bool ordersMemory(std::string_view sass) {
    const SassParts parts = splitSass(sass);
    // A division calls the compiler's own function for rare arguments; it knows no memory.
    if (parts.name == "CALL") return sass.find("$__internal_") == std::string_view::npos;
    return isAny(parts.name,
                 {"BAR", "MEMBAR", "ERRBAR", "FENCE", "CCTL", "ATOM", "ATOMG", "RED", "REDG",
                  "WARPSYNC", "NANOSLEEP", "SYNCS", "UCGABAR_ARV", "UCGABAR_WAIT"}) ||
           parts.opcode.find(".STRONG") != std::string_view::npos;
}

/// Stored values by the text of their address, as long as its registers stay and every way that
/// leads on passes the store.
class StoredValues {
public:
    void forget() { m_byAddress.clear(); }
    /// Ways that left the listing at `row` come back here: they did not pass what was stored later.
    void forgetAfter(std::size_t row) {
        std::erase_if(m_byAddress, [row](const auto& entry) { return entry.second.row > row; });
    }
    void forgetWrittenTo(const std::vector<Register>& written) {
        if (written.empty() || m_byAddress.empty()) return;
        std::erase_if(m_byAddress, [&](const auto& entry) {
            return std::ranges::any_of(entry.second.address, [&](Register used) {
                return std::ranges::find(written, used) != written.end();
            });
        });
    }
    void add(std::string_view address, std::size_t row, std::vector<Register> registers) {
        // Those that are too far back would make a long listing slow.
        constexpr std::size_t kMostKept = 256;
        if (m_byAddress.size() >= kMostKept)
            std::erase_if(m_byAddress, [row](const auto& entry) {
                return row - entry.second.row > kFarApart / 2;
            });
        if (m_byAddress.size() >= kMostKept) m_byAddress.clear();
        m_byAddress[std::string(address)] = {.row = row, .address = std::move(registers)};
    }
    [[nodiscard]] std::optional<std::size_t> storeTo(std::string_view address,
                                                     std::size_t load) const {
        const auto found = m_byAddress.find(std::string(address));
        if (found == m_byAddress.end() || load - found->second.row > kFarApart) return std::nullopt;
        return found->second.row;
    }

private:
    struct Stored {
        std::size_t row = 0;
        std::vector<Register> address;
    };
    std::map<std::string, Stored> m_byAddress;
};

/// By offset of the target of jumps: the first and the last row that jumps there.
std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> jumpsTo(
    std::span<const Instruction> code) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> from;
    for (std::size_t row = 0; row < code.size(); ++row)
        if (isAny(splitSass(code[row].sass).name, {"BRA", "JMP"}))
            if (const auto target = jumpTarget(code[row].sass))
                from.try_emplace(*target, row, row).first->second.second = row;
    return from;
}

}  // namespace

std::vector<Reload> findReloads(const Profile& profile, const SourceAnalysis& source) {
    const auto& code = profile.sources[source.pass].instructions;
    if (!source.hasSass || source.facts.size() != code.size()) return {};
    std::vector<Reload> reloads;
    std::map<std::size_t, std::size_t> ofLoad;  // index into `reloads`
    const auto jumps = jumpsTo(code);
    StoredValues stored;
    for (std::size_t row = 0; row < code.size(); ++row) {
        const std::string_view sass = code[row].sass;
        const SassFacts& facts = source.facts[row];
        if (const auto from = jumps.find(code[row].offset); from != jumps.end()) {
            const auto [first, last] = from->second;
            // Where a loop begins, its end leads here, too.
            last < row ? stored.forgetAfter(first) : stored.forget();
        }
        const SassParts parts = splitSass(sass);
        if (ordersMemory(sass)) stored.forget();
        if (facts.kind == SassKind::GlobalLoad)
            if (const auto store = stored.storeTo(addressText(sass), row);
                store && source.facts[*store].width == facts.width) {
                ofLoad[row] = reloads.size();
                reloads.push_back({.store = *store, .load = row});
            }
        stored.forgetWrittenTo(readRegisters(sass).writes);
        if (facts.kind == SassKind::GlobalStore && !parts.predicated && !addressText(sass).empty())
            stored.add(addressText(sass), row, namedRegisters(addressText(sass)));
        if (neverGoesOn(parts)) stored.forget();
    }
    const SampledStalls::State* const waiting = source.stalls.find("long_scoreboard");
    if (reloads.empty() || !waiting) return reloads;
    const Dataflow flow(code);
    for (std::size_t row = 0; row < code.size(); ++row) {
        if (!(waiting->perRow[row] > 0)) continue;
        const auto producer = flow.producerOf(row, "long_scoreboard");
        if (const auto found = producer ? ofLoad.find(producer->row) : ofLoad.end();
            found != ofLoad.end())
            reloads[found->second].samples += waiting->perRow[row];
    }
    return reloads;
}

}  // namespace roofscope
