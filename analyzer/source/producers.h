// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/source/sass_registers.h"
#include "profile/model/source_pass.h"

/// What a waiting instruction waits for: its machine code is followed back to the instruction whose
/// result, or whose reading of a register, it needs.
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

/// The instructions of one kernel, with what each reads and writes and from where it is reached.
/// Jumps are followed where the listing says their targets ("BRA 0x640"); those to labels without
/// an address are not, so that a loop's previous round stays unseen there. The instructions must
/// outlive it. For one thread.
class Dataflow {
public:
    explicit Dataflow(std::span<const Instruction> instructions);

    /// What the instruction of `row` waits for in a state ("long_scoreboard"): the nearest earlier
    /// instruction of the kind that this state is about and on which it depends. Nothing where the
    /// code does not tell, or the state is about no earlier instruction.
    [[nodiscard]] std::optional<Producer> producerOf(std::size_t row, std::string_view state) const;

    /// Loads from global or local memory that are on their way when the instruction of `row` first
    /// needs one of them, that one included: of one warp, in straight code before it. 0 where it
    /// needs none.
    [[nodiscard]] std::size_t loadsInFlight(std::size_t row) const { return m_inFlight[row]; }

    /// The load whose result the address of the load of `row` is computed from, where there is one
    /// before it in the code: the two cannot be on their way together.
    [[nodiscard]] std::optional<std::size_t> addressFrom(std::size_t row) const;

private:
    /// Which kind of results come at a time that is not known beforehand.
    enum class Latency { Fixed, Long, Short };
    static Latency latencyOf(std::string_view name);

    /// Goes back from `row` on all ways to it, as long as `goOn(row)` says so. Each row once.
    template <class GoOn>
    void walkBack(std::size_t row, const GoOn& goOn) const;
    /// Goes back to the instructions that may have written `wanted` last.
    template <class Visit>
    void forEachWriter(std::size_t row, Register wanted, const Visit& visit) const;
    [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const;
    [[nodiscard]] bool isLoad(std::size_t row) const;
    void countLoadsInFlight();

    std::span<const Instruction> m_instructions;
    std::vector<SassRegisters> m_registers;
    std::vector<std::string_view> m_names;  ///< "LDG": views into the instructions' texts
    std::vector<Latency> m_latency;
    std::vector<std::vector<std::uint32_t>> m_before;  ///< rows from which a row is reached
    std::vector<std::size_t> m_inFlight;
    /// The walk that met a row last: a walk needs no set of its own.
    mutable std::vector<std::uint32_t> m_seenIn;
    mutable std::uint32_t m_walk = 0;
};

}  // namespace roofscope
