// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "collector/inject/sampling/unwind_row.h"

namespace roofscope::inject {

/// The registers of a thread, by their numbers in unwind tables. For a waiting thread, only the
/// instruction pointer and the stack pointer are known.
struct ThreadRegisters {
    std::array<std::uint64_t, kRegisters> values = {};
    std::bitset<kRegisters> known = {};
    void set(std::size_t number, std::uint64_t value) {
        values[number] = value;
        known.set(number);
    }
};

/// The stack of a thread: its innermost part is a copy; the rest is read from memory.
class StackMemory {
public:
    StackMemory() = default;
    StackMemory(std::uintptr_t from, std::span<const std::byte> copy)
        : m_from(from), m_copy(copy) {}
    [[nodiscard]] bool read(std::uintptr_t address, std::uint64_t& word) const;

private:
    std::uintptr_t m_from = 0;
    std::span<const std::byte> m_copy;
};

/// A frame of compiled code.
struct NativeCodeFrame {
    std::uintptr_t address = 0;   ///< within the current instruction or the call
    std::uintptr_t function = 0;  ///< where its function begins; 0: not known
    const Module* module = nullptr;
};

/// Finds the callers of a thread's current place. For one thread at a time.
class Unwinder {
public:
    explicit Unwinder(Modules& modules) : m_modules(modules) {}

    /// The frames, innermost first, as far as they can be found; at most kMostFrames. The modules
    /// of the frames are valid until forget().
    void walk(ThreadRegisters registers, const StackMemory& stack,
              std::vector<NativeCodeFrame>& frames);
    /// Call it after the list of modules has changed.
    void forget() { m_rows.clear(); }

    static constexpr std::size_t kMostFrames = 64;

private:
    const UnwindRow* row(const Module& module, std::uintptr_t address);
    bool toCaller(const UnwindRow& row, const StackMemory& stack, ThreadRegisters& registers);
    bool byFramePointer(const StackMemory& stack, ThreadRegisters& registers);
    bool findFramePointer(const UnwindRow& row, const StackMemory& stack,
                          ThreadRegisters& registers);
    [[nodiscard]] bool isCall(std::uintptr_t returnsTo, std::uintptr_t function) const;

    Modules& m_modules;
    std::unordered_map<std::uintptr_t, std::optional<UnwindRow>> m_rows;  ///< by address
};

}  // namespace roofscope::inject
