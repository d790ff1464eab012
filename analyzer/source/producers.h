// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/source/sass_registers.h"
#include "profile/model/source_pass.h"

/// Finds what a waiting instruction waits for. Follows the machine code back to the instruction
/// whose result it needs, or which must first be done with a register.
namespace roofscope {

/// How one instruction depends on an earlier one.
enum class Dependency {
    Result,    ///< reads what the earlier one loads or computes
    Register,  ///< overwrites a register that the earlier one still reads or writes
    Order      ///< may not begin before the earlier one has ended: a barrier, a fence
};

[[nodiscard]] const char* toString(Dependency dependency);  ///< "result", "register", "order"

struct Producer {
    std::size_t row = 0;  ///< index into SourcePass::instructions
    Dependency dependency = Dependency::Result;
    auto operator<=>(const Producer&) const = default;
};

/// The instructions of one kernel: what each reads and writes, and from where it is reached. Jumps
/// are followed if the listing shows their target address ("BRA 0x640"). Jumps to labels without an
/// address are not, so the previous round of such a loop is not seen. The instructions must outlive
/// it. Not thread-safe.
class Dataflow {
public:
    explicit Dataflow(std::span<const Instruction> instructions);

    /// What the instruction of `row` waits for in a state ("long_scoreboard"): the nearest earlier
    /// instruction that it depends on and that this state is about. nullopt if the code does not
    /// show it, or if the state is not about an earlier instruction.
    [[nodiscard]] std::optional<Producer> producerOf(std::size_t row, std::string_view state) const;

    /// How many global or local loads of a warp are in flight when the instruction of `row` first
    /// needs one of them, that one included. Assumes straight code before it. 0 if it needs none.
    [[nodiscard]] std::size_t loadsInFlight(std::size_t row) const { return m_inFlight[row]; }

    /// What the address of an access is computed from.
    struct Address {
        std::vector<std::size_t> loads = {};  ///< rows whose results it uses, nearest steps first
        std::vector<std::size_t> steps = {};  ///< rows of the arithmetic between, likewise
        /// A step adds a small constant to its own last value, as a loop's counter does.
        bool advances = false;
        bool fromFloat = false;  ///< a step rounds a float to an integer
    };
    /// The address of the memory access of `row`. Does not follow the addresses of the loads that
    /// it uses.
    [[nodiscard]] Address addressOf(std::size_t row) const;

    /// Rows of loads whose results, compared, decide between values that an address uses.
    [[nodiscard]] std::vector<std::size_t> decidersOf(const Address& address) const;

    /// Rows that may have written the registers of an access' address last.
    [[nodiscard]] std::vector<std::size_t> addressSetBy(std::size_t row) const;
    /// Rows of loads that the value of a store was computed from, in a few steps.
    [[nodiscard]] std::vector<std::size_t> valueOf(std::size_t store) const;

    /// By row: the steps that addresses of these accesses are computed by, without loads and what
    /// these need.
    [[nodiscard]] std::vector<bool> stepsOfAddresses(std::span<const std::size_t> accesses) const;

    /// The load whose result the address of the load of `row` is computed from, if one comes before
    /// it in the code and in the same loop. The two cannot be in flight together.
    [[nodiscard]] std::optional<std::size_t> addressFrom(std::size_t row) const;

private:
    /// Whether the latency of a result is fixed, or which scoreboard tracks its arrival.
    enum class Latency { Fixed, Long, Short };
    static Latency latencyOf(std::string_view name);

    /// Walks back from `row` on all paths, beyond a row only if `goOn(row)` is true. Visits each
    /// row once.
    template <class GoOn>
    void walkBack(std::size_t row, const GoOn& goOn) const;
    /// Visits the instructions that may have written `wanted` last.
    template <class Visit>
    void forEachWriter(std::size_t row, Register wanted, const Visit& visit) const;
    /// Whether `later` runs only where the earlier instruction ran: both have the same condition,
    /// which nothing between them in the code changes.
    [[nodiscard]] bool underSameCondition(std::size_t earlier, std::size_t later) const;
    /// The registers that an access takes its address from.
    [[nodiscard]] std::vector<Register> addressRegistersOf(std::size_t row) const;
    /// Follows what `steps` read, at most `longest` of them, back to loads.
    void followBack(std::vector<std::size_t>& steps, std::size_t longest,
                    std::vector<std::size_t>& loads) const;
    /// The loads whose results decide whether, or with which value, the step of `row` writes.
    [[nodiscard]] const std::vector<std::size_t>& decidersOfStep(std::size_t row) const;
    [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const;
    [[nodiscard]] bool isLoad(std::size_t row) const;
    /// Whether a loop has the instruction of `row`, but not the earlier one.
    [[nodiscard]] bool isInLoopAfter(std::size_t earlier, std::size_t row) const;
    void countLoadsInFlight();

    std::span<const Instruction> m_instructions;
    std::vector<SassRegisters> m_registers;
    std::vector<std::string_view> m_names;  ///< "LDG": views into the instructions' texts
    std::vector<std::array<std::string_view, 2>> m_predicates;  ///< that a row writes
    std::vector<Latency> m_latency;
    std::vector<std::vector<std::uint32_t>> m_before;  ///< rows from which a row is reached
    std::vector<std::size_t> m_inFlight;
    /// The last walk that met a row, so that a walk needs no set of its own.
    mutable std::vector<std::uint32_t> m_seenIn;
    mutable std::uint32_t m_walk = 0;
    mutable std::map<std::size_t, std::vector<std::size_t>> m_deciders;  ///< by row, once asked for
};

}  // namespace roofscope
