// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/producers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <unordered_set>

#include "analyzer/source/sass.h"

namespace roofscope {
namespace {

/// How far back to look, in instructions. A producer further away has had time enough.
constexpr std::size_t kFarthest = 4096;
/// At most this many arithmetic steps lead from a load to the next one's address.
constexpr std::size_t kLongestAddress = 64;
/// At most this many steps lead from a load to the comparison of its result.
constexpr std::size_t kLongestComparison = 6;

bool contains(const std::vector<Register>& list, Register wanted) {
    return std::ranges::find(list, wanted) != list.end();
}

/// Whether an instruction's result replaces one of its operands.
bool overwrites(const SassRegisters& registers) {
    return std::ranges::any_of(
        registers.writes, [&](Register written) { return contains(registers.reads, written); });
}

/// Whether an instruction adds a small constant: "IADD3 R4, R4, 0x10, RZ".
bool addsLittle(std::string_view sass) {
    constexpr std::uint32_t kMost = 1024;  // bytes, or elements
    const SassParts parts = splitSass(sass);
    if (!isAny(parts.name, {"IADD3", "IADD", "VIADD", "UIADD3", "IMAD", "LEA"})) return false;
    for (std::size_t at = parts.operands.find(", 0x"); at != parts.operands.npos;
         at = parts.operands.find(", 0x", at + 1)) {
        std::uint32_t value = 0;
        const char* const end = parts.operands.data() + parts.operands.size();
        if (std::from_chars(parts.operands.data() + at + 4, end, value, 16).ec == std::errc{} &&
            value > 0 && value <= kMost)
            return true;
    }
    return false;
}

/// "@!P1" of "@!P1 LDG R2, …"; empty without a condition.
std::string_view conditionOf(std::string_view sass) {
    return sass.starts_with('@') ? sass.substr(0, sass.find(' ')) : std::string_view();
}

/// The predicate that decides what a step writes: P0 of "@!P0 IMAD.MOV.U32 R2, …" and of
/// "SEL R2, R4, R5, !P0". Empty without one, and for carries ("IADD3.X R3, R4, R5, RZ, P0, !PT").
std::string_view decidingPredicate(std::string_view sass) {
    std::string_view predicate = conditionOf(sass);
    if (predicate.empty()) {
        const SassParts parts = splitSass(sass);
        const auto last = parts.operands.rfind(", ");
        if (!isAny(parts.name, {"SEL", "FSEL", "USEL"}) || last == std::string_view::npos)
            return {};
        predicate = parts.operands.substr(last + 2);
    }
    predicate.remove_prefix(std::min(predicate.find_first_not_of("@! "), predicate.size()));
    return predicate.substr(0, predicate.find_first_of(" ;"));
}

/// The predicates that an instruction writes: P0 of "FSETP.GT.AND P0, PT, R4, R5, PT" and of the
/// carry in "IADD3 R4, P0, R5, R6, RZ". Both empty for others; "PR" means all of them.
std::array<std::string_view, 2> predicatesWritten(std::string_view name,
                                                  std::string_view operands) {
    std::array<std::string_view, 2> written;
    if (isAny(name, {"BRA", "JMP", "BRX", "EXIT", "RET", "CALL", "WARPSYNC"})) return written;
    for (std::string_view& predicate : written) {
        operands.remove_prefix(std::min(operands.find_first_not_of(' '), operands.size()));
        const std::string_view operand = operands.substr(0, operands.find_first_of(",;"));
        const bool is = operand == "PR" || (operand.size() == 2 && operand[0] == 'P') ||
                        (operand.size() == 3 && operand.starts_with("UP"));
        if (is && !operand.ends_with('T')) predicate = operand;
        operands.remove_prefix(std::min(operand.size() + 1, operands.size()));
    }
    return written;
}

bool isComparison(std::string_view name) {
    return name.ends_with("SETP") || name.ends_with("SETP2");
}

/// Whether an instruction rounds a float to an integer. Divisions of integers do, too, but to
/// unsigned ones: "F2I.FTZ.U32.TRUNC.NTZ", "F2I.U64.TRUNC".
bool roundsPosition(std::string_view sass) {
    const std::string_view opcode = splitSass(sass).opcode;
    return opcode.starts_with("F2I") && opcode.find(".FTZ.U32") == opcode.npos &&
           opcode.find(".U64") == opcode.npos;
}

bool isJump(std::string_view name) { return isAny(name, {"BRA", "JMP"}); }

/// Whether warps in a state wait for this instruction because of order alone, not for a register.
bool isOrdering(std::string_view state, std::string_view name) {
    if (state == "barrier") return name == "BAR";
    if (state == "membar") return isAny(name, {"MEMBAR", "ERRBAR", "FENCE", "CGAERRBAR"});
    if (state == "gmma") return name.ends_with("GMMA");
    if (state == "drain")
        return isAny(name, {"STG", "STL", "ST", "RED", "REDG", "ATOM", "ATOMG", "STS"});
    return false;
}

}  // namespace

const char* toString(Dependency dependency) {
    switch (dependency) {
        case Dependency::Result:
            return "result";
        case Dependency::Register:
            return "register";
        case Dependency::Order:
            break;
    }
    return "order";
}

Dataflow::Latency Dataflow::latencyOf(std::string_view name) {
    // Through the L1: global, local, generic and texture accesses.
    if (isAny(name, {"LDG", "LDL", "LD", "STG", "STL", "ST", "ATOM", "ATOMG", "RED", "REDG",
                     "LDGSTS", "LDGDEPBAR", "TEX", "TLD", "TLD4", "TXQ", "SULD", "SUST", "SUATOM"}))
        return Latency::Long;
    if (isAny(name, {"LDS",   "LDSM", "STS",  "STSM", "ATOMS", "MUFU",  "S2R",   "S2UR", "SHFL",
                     "LDC",   "LDCU", "POPC", "FLO",  "BREV",  "I2F",   "F2I",   "F2F",  "R2UR",
                     "REDUX", "VOTE", "DADD", "DMUL", "DFMA",  "DSETP", "MATCH", "MOVM", "UPOPC"}))
        return Latency::Short;
    return Latency::Fixed;
}

Dataflow::Dataflow(std::span<const Instruction> instructions)
    : m_instructions(instructions),
      m_before(instructions.size()),
      m_inFlight(instructions.size()),
      m_seenIn(instructions.size()) {
    std::map<std::uint32_t, std::size_t> rowAt;
    for (std::size_t row = 0; row < instructions.size(); ++row) {
        m_registers.push_back(readRegisters(instructions[row].sass));
        const SassParts parts = splitSass(instructions[row].sass);
        m_names.push_back(parts.name);
        m_predicates.push_back(predicatesWritten(parts.name, parts.operands));
        m_latency.push_back(latencyOf(m_names.back()));
        rowAt.emplace(instructions[row].offset, row);
    }
    for (std::size_t row = 0; row < instructions.size(); ++row) {
        const std::string& sass = instructions[row].sass;
        if (row + 1 < instructions.size() && !neverGoesOn(splitSass(sass)))
            m_before[row + 1].push_back(static_cast<std::uint32_t>(row));
        if (!isJump(m_names[row])) continue;
        if (const auto target = jumpTarget(sass))
            if (const auto found = rowAt.find(*target); found != rowAt.end())
                m_before[found->second].push_back(static_cast<std::uint32_t>(row));
    }
    countLoadsInFlight();
}

template <class GoOn>
void Dataflow::walkBack(std::size_t row, const GoOn& goOn) const {
    if (m_walk == std::numeric_limits<std::uint32_t>::max()) {
        std::ranges::fill(m_seenIn, 0);
        m_walk = 0;
    }
    const std::uint32_t walk = ++m_walk;
    std::size_t seen = 0;
    std::vector<std::uint32_t> open;
    const auto add = [&](std::uint32_t at) {
        if (m_seenIn[at] == walk) return;
        m_seenIn[at] = walk;
        ++seen;
        open.push_back(at);
    };
    for (const std::uint32_t before : m_before[row]) add(before);
    while (!open.empty() && seen < kFarthest) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (!goOn(at)) continue;
        for (const std::uint32_t before : m_before[at]) add(before);
    }
}

template <class Visit>
void Dataflow::forEachWriter(std::size_t row, Register wanted, const Visit& visit) const {
    walkBack(row, [&](std::size_t at) {
        if (!contains(m_registers[at].writes, wanted)) return true;
        visit(at);
        // Otherwise, the value from before may still be there.
        return m_registers[at].predicated && !underSameCondition(at, row);
    });
}

bool Dataflow::underSameCondition(std::size_t earlier, std::size_t later) const {
    const std::string_view condition = conditionOf(m_instructions[earlier].sass);
    if (condition.empty() || earlier >= later || later - earlier > kFarthest ||
        condition != conditionOf(m_instructions[later].sass))
        return false;
    const std::string_view predicate = condition.substr(condition.find_first_not_of("@!"));
    for (std::size_t row = earlier + 1; row < later; ++row)
        if (splitSass(m_instructions[row].sass).operands.find(predicate) != std::string_view::npos)
            return false;
    return true;
}

std::size_t Dataflow::distance(std::size_t from, std::size_t to) const {
    return from < to ? to - from : m_instructions.size() + to - from;
}

bool Dataflow::isLoad(std::size_t row) const {
    return m_latency[row] == Latency::Long && !m_registers[row].writes.empty();
}

std::optional<Producer> Dataflow::producerOf(std::size_t row, std::string_view state) const {
    std::optional<Producer> nearest;
    const auto offer = [&](std::size_t at, Dependency dependency) {
        if (!nearest || distance(at, row) < distance(nearest->row, row))
            nearest = Producer{at, dependency};
    };
    if (state != "long_scoreboard" && state != "short_scoreboard") {
        walkBack(row, [&](std::size_t at) {
            if (!isOrdering(state, m_names[at])) return true;
            offer(at, Dependency::Order);
            return false;
        });
        return nearest;
    }
    const Latency latency = state == "long_scoreboard" ? Latency::Long : Latency::Short;
    const SassRegisters& own = m_registers[row];
    for (const Register wanted : own.reads)
        forEachWriter(row, wanted, [&](std::size_t at) {
            if (m_latency[at] == latency) offer(at, Dependency::Result);
        });
    if (nearest) return nearest;
    // Asynchronous copies are waited for by their number, not by register.
    if (latency == Latency::Long && m_names[row] == "DEPBAR")
        walkBack(row, [&](std::size_t at) {
            if (m_names[at] != "LDGSTS") return true;
            offer(at, Dependency::Order);
            return false;
        });
    for (const Register wanted : own.writes)
        walkBack(row, [&](std::size_t at) {
            const SassRegisters& other = m_registers[at];
            const bool touches = contains(other.reads, wanted) || contains(other.writes, wanted);
            if (touches && m_latency[at] == latency) {
                offer(at, Dependency::Register);
                return false;
            }
            return other.predicated || !contains(other.writes, wanted);
        });
    return nearest;
}

void Dataflow::countLoadsInFlight() {
    std::vector<std::size_t> pending;        // loads that nothing has needed yet, ascending
    std::map<Register, std::size_t> writer;  // the last load into a register
    for (std::size_t row = 0; row < m_instructions.size(); ++row) {
        // The last load whose result this row reads. Earlier ones have arrived, too: results arrive
        // in the order of the loads.
        std::optional<std::size_t> needed;
        for (const Register reads : m_registers[row].reads)
            if (const auto found = writer.find(reads); found != writer.end())
                needed = std::max(needed.value_or(0), found->second);
        if (needed && std::ranges::binary_search(pending, *needed)) {
            m_inFlight[row] = pending.size();
            std::erase_if(pending, [&](std::size_t load) { return load <= *needed; });
        }
        for (const Register written : m_registers[row].writes) {
            if (isLoad(row))
                writer[written] = row;
            else if (!m_registers[row].predicated)
                writer.erase(written);
        }
        if (isLoad(row)) pending.push_back(row);
    }
}

std::vector<Register> Dataflow::addressRegistersOf(std::size_t row) const {
    std::vector<Register> own = addressRegisters(m_instructions[row].sass);
    if (own.empty()) own = m_registers[row].reads;  // a texture's coordinates have no brackets
    return own;
}

std::vector<std::size_t> Dataflow::addressSetBy(std::size_t row) const {
    std::vector<std::size_t> found;
    for (const Register wanted : addressRegistersOf(row))
        forEachWriter(row, wanted, [&](std::size_t at) { found.push_back(at); });
    return found;
}

void Dataflow::followBack(std::vector<std::size_t>& steps, std::size_t longest,
                          std::vector<std::size_t>& loads) const {
    for (std::size_t next = 0; next < steps.size() && next < longest; ++next)
        for (const Register wanted : m_registers[steps[next]].reads)
            forEachWriter(steps[next], wanted, [&](std::size_t at) {
                std::vector<std::size_t>& list = isLoad(at) ? loads : steps;
                if (std::ranges::find(list, at) == list.end()) list.push_back(at);
            });
}

std::vector<std::size_t> Dataflow::valueOf(std::size_t store) const {
    constexpr std::size_t kFewSteps = 12;
    const std::vector<Register> address = addressRegistersOf(store);
    std::vector<std::size_t> steps, loads;
    for (const Register wanted : m_registers[store].reads)
        if (!wanted.uniform && !contains(address, wanted))
            forEachWriter(store, wanted,
                          [&](std::size_t at) { (isLoad(at) ? loads : steps).push_back(at); });
    followBack(steps, kFewSteps, loads);
    return loads;
}

std::vector<bool> Dataflow::stepsOfAddresses(std::span<const std::size_t> accesses) const {
    std::vector<bool> found(m_instructions.size(), false);
    std::vector<std::size_t> open;
    const auto follow = [&](std::size_t from, Register wanted) {
        forEachWriter(from, wanted, [&](std::size_t at) {
            if (found[at] || isLoad(at)) return;
            found[at] = true;
            open.push_back(at);
        });
    };
    for (const std::size_t access : accesses)
        for (const Register wanted : addressRegistersOf(access)) follow(access, wanted);
    while (!open.empty()) {
        const std::size_t step = open.back();
        open.pop_back();
        for (const Register wanted : m_registers[step].reads) follow(step, wanted);
    }
    return found;
}

const std::vector<std::size_t>& Dataflow::decidersOfStep(std::size_t row) const {
    const auto [known, isNew] = m_deciders.try_emplace(row);
    std::vector<std::size_t>& loads = known->second;
    const std::string_view predicate = decidingPredicate(m_instructions[row].sass);
    if (!isNew || predicate.empty()) return loads;
    std::vector<std::size_t> steps;
    walkBack(row, [&](std::size_t at) {
        const auto& [first, second] = m_predicates[at];
        if (first != predicate && second != predicate && first != "PR") return true;
        if (isComparison(m_names[at])) steps.push_back(at);
        return m_registers[at].predicated;
    });
    followBack(steps, kLongestComparison, loads);
    return loads;
}

std::vector<std::size_t> Dataflow::decidersOf(const Address& address) const {
    std::vector<std::size_t> found;
    for (const std::size_t step : address.steps) {
        // A counter that goes on while a condition holds only walks.
        if (addsLittle(m_instructions[step].sass) && overwrites(m_registers[step])) continue;
        for (const std::size_t load : decidersOfStep(step))
            if (std::ranges::find(found, load) == found.end()) found.push_back(load);
    }
    return found;
}

Dataflow::Address Dataflow::addressOf(std::size_t row) const {
    Address address;
    std::vector<std::size_t>& steps = address.steps;
    std::unordered_set<std::size_t> seen;
    const auto follow = [&](std::size_t from, Register wanted) {
        forEachWriter(from, wanted, [&](std::size_t at) {
            if (at == from && addsLittle(m_instructions[at].sass)) address.advances = true;
            if (!seen.insert(at).second) return;
            if (roundsPosition(m_instructions[at].sass)) address.fromFloat = true;
            (isLoad(at) ? address.loads : steps).push_back(at);
        });
    };
    for (const Register wanted : addressRegistersOf(row)) follow(row, wanted);
    for (std::size_t next = 0; next < steps.size() && next < kLongestAddress; ++next)
        for (const Register wanted : m_registers[steps[next]].reads) follow(steps[next], wanted);
    if (steps.size() > kLongestAddress) steps.resize(kLongestAddress);
    return address;
}

std::optional<std::size_t> Dataflow::addressFrom(std::size_t row) const {
    if (!isLoad(row)) return std::nullopt;
    for (const std::size_t load : addressOf(row).loads)
        if (!isInLoopAfter(load, row)) return load;
    return std::nullopt;
}

bool Dataflow::isInLoopAfter(std::size_t earlier, std::size_t row) const {
    for (std::size_t begin = earlier + 1; begin <= row; ++begin)
        for (const std::uint32_t before : m_before[begin])
            if (before >= row) return true;
    return false;
}

}  // namespace roofscope
