// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/reloads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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
    return isAny(parts.name, {"BAR", "MEMBAR", "ERRBAR", "FENCE", "CCTL", "ATOM", "ATOMG", "RED",
                              "REDG", "WARPSYNC", "NANOSLEEP"}) ||
           parts.opcode.find(".STRONG") != std::string_view::npos;
}

/// Stored values by the text of their address, as long as its registers stay.
class StoredValues {
public:
    void forget() { m_byAddress.clear(); }
    void forgetWrittenTo(const std::vector<Register>& written) {
        std::erase_if(m_byAddress, [&](const auto& entry) {
            return std::ranges::any_of(entry.second.address, [&](Register used) {
                return std::ranges::find(written, used) != written.end();
            });
        });
    }
    void add(std::string_view address, std::size_t row, std::vector<Register> registers) {
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

}  // namespace

std::vector<Reload> findReloads(const Profile& profile, const SourceAnalysis& source) {
    const auto& code = profile.sources[source.pass].instructions;
    if (!source.hasSass || source.facts.size() != code.size()) return {};
    std::vector<Reload> reloads;
    std::map<std::size_t, std::size_t> ofLoad;  // index into `reloads`
    StoredValues stored;
    for (std::size_t row = 0; row < code.size(); ++row) {
        const std::string_view sass = code[row].sass;
        const SassFacts& facts = source.facts[row];
        if (ordersMemory(sass)) stored.forget();
        if (facts.kind == SassKind::GlobalLoad)
            if (const auto store = stored.storeTo(addressText(sass), row);
                store && source.facts[*store].width == facts.width) {
                ofLoad[row] = reloads.size();
                reloads.push_back({.store = *store, .load = row});
            }
        stored.forgetWrittenTo(readRegisters(sass).writes);
        if (facts.kind == SassKind::GlobalStore && !addressText(sass).empty())
            stored.add(addressText(sass), row, addressRegisters(sass));
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
