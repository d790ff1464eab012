// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/unwinder.h"

#include <cstring>

#include "collector/inject/sampling/own_memory.h"
#include "collector/inject/sampling/unwind_expression.h"

namespace roofscope::inject {
namespace {

/// How many rows of unwind tables are kept, of 300 bytes each.
constexpr std::size_t kMostRows = 8192;
constexpr std::size_t kWord = 8;
/// Only frames with huge arrays are larger.
constexpr std::uint64_t kLargestFrame = std::uint64_t{64} << 20;

}  // namespace

bool StackMemory::read(std::uintptr_t address, std::uint64_t& word) const {
    if (address >= m_from && m_copy.size() >= kWord && address - m_from <= m_copy.size() - kWord) {
        std::memcpy(&word, m_copy.data() + (address - m_from), kWord);
        return true;
    }
    return own_memory::read(address, word);
}

const UnwindRow* Unwinder::row(const Module& module, std::uintptr_t address) {
    if (const auto known = m_rows.find(address); known != m_rows.end())
        return known->second ? &*known->second : nullptr;
    if (m_rows.size() >= kMostRows) m_rows.clear();
    const auto& row = m_rows.emplace(address, unwindRow(module, address)).first->second;
    return row ? &*row : nullptr;
}

void Unwinder::walk(ThreadRegisters registers, const StackMemory& stack,
                    std::vector<NativeCodeFrame>& frames) {
    frames.clear();
    bool exact = true;  // the address is that of an instruction, not the one after a call
    while (frames.size() < kMostFrames && registers.known[kReturn] && registers.known[kRsp]) {
        const std::uintptr_t address = registers.values[kReturn] - (exact ? 0 : 1);
        const Module* module = m_modules.at(address);
        const UnwindRow* known = module ? row(*module, address) : nullptr;
        if (!module && !frames.empty() && !registers.known[kRbp]) return;
        frames.push_back(
            {.address = address, .function = known ? known->function : 0, .module = module});
        const std::uint64_t before = registers.values[kRsp];
        // Code without an unwind table was generated at run time or is assembly. Both mostly use
        // frame pointers.
        const bool found =
            known ? toCaller(*known, stack, registers) : byFramePointer(stack, registers);
        if (!found) return;
        exact = known && known->signalFrame;
        const std::uint64_t now = registers.values[kRsp];
        if (!exact && (now <= before || now - before > kLargestFrame)) return;
        if (registers.values[kReturn] == 0) return;
    }
}

bool Unwinder::toCaller(const UnwindRow& row, const StackMemory& stack,
                        ThreadRegisters& registers) {
    std::uint64_t frame = 0;
    if (row.expression != 0) {
        const auto value = evaluate(row.expression, row.expressionLength, registers, stack);
        if (!value) return false;
        frame = *value;
    } else {
        if (row.frameRegister >= kRegisters) return false;
        if (!registers.known[row.frameRegister] && !findFramePointer(row, stack, registers))
            return false;
        frame = registers.values[row.frameRegister] + static_cast<std::uint64_t>(row.frameOffset);
    }
    ThreadRegisters caller;
    for (std::size_t number = 0; number < kRegisters; ++number) {
        const RegisterRule& rule = row.registers[number];
        const auto value = static_cast<std::uint64_t>(rule.value);
        std::uint64_t word = 0;
        switch (rule.how) {
            case RegisterRule::How::Same:
                if (registers.known[number]) caller.set(number, registers.values[number]);
                break;
            case RegisterRule::How::Unknown:
                break;
            case RegisterRule::How::AtOffset:
                if (stack.read(frame + value, word)) caller.set(number, word);
                break;
            case RegisterRule::How::IsOffset:
                caller.set(number, frame + value);
                break;
            case RegisterRule::How::Register:
                if (value < kRegisters && registers.known[value])
                    caller.set(number, registers.values[value]);
                break;
            case RegisterRule::How::AtExpression:
            case RegisterRule::How::IsExpression: {
                const auto result = evaluate(value, rule.length, registers, stack, frame);
                if (!result) break;
                if (rule.how == RegisterRule::How::IsExpression)
                    caller.set(number, *result);
                else if (stack.read(*result, word))
                    caller.set(number, word);
                break;
            }
        }
    }
    registers = caller;
    return true;
}

bool Unwinder::byFramePointer(const StackMemory& stack, ThreadRegisters& registers) {
    const std::uint64_t frame = registers.values[kRbp];
    std::uint64_t saved = 0, returnsTo = 0;
    if (!registers.known[kRbp] || frame < registers.values[kRsp] || frame % kWord != 0 ||
        !stack.read(frame, saved) || !stack.read(frame + kWord, returnsTo) || !isCall(returnsTo, 0))
        return false;
    registers = {};
    registers.set(kRsp, frame + 2 * kWord);
    registers.set(kRbp, saved);
    registers.set(kReturn, returnsTo);
    return true;
}

/// Guesses rbp of a waiting thread: the system does not report it, and the C library rarely saves
/// it. A function that addresses its frame by rbp has pushed its caller's rbp just below its own
/// return address. So this searches the stack for the first return address that follows a call of
/// this function, and takes the word below it as that place.
bool Unwinder::findFramePointer(const UnwindRow& row, const StackMemory& stack,
                                ThreadRegisters& registers) {
    constexpr std::int64_t kUsual = 16;  // CFA = rbp + 16, with rbp and the return address below
    constexpr std::size_t kMostWords = 2048;
    const RegisterRule& saved = row.registers[kRbp];
    if (row.frameRegister != kRbp || row.frameOffset != kUsual ||
        saved.how != RegisterRule::How::AtOffset || saved.value != -kUsual)
        return false;
    const std::uintptr_t from = registers.values[kRsp] & ~std::uint64_t{kWord - 1};
    std::vector<std::uint64_t> words(kMostWords);
    if (std::uint64_t first = 0; !stack.read(from, first)) return false;
    // The thread is waiting, so its stack does not change.
    words.resize(own_memory::copy(from, words.data(), words.size() * kWord) / kWord);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (!isCall(words[i + 1], row.function)) continue;
        registers.set(kRbp, from + i * kWord);
        return true;
    }
    return false;
}

/// Whether the instruction before this address is a call of `function`, as far as the target is
/// known. With `function` 0, any call counts.
bool Unwinder::isCall(std::uintptr_t returnsTo, std::uintptr_t function) const {
    constexpr std::size_t kLongest = 7;
    if (returnsTo < kLongest || !m_modules.at(returnsTo - 1)) return false;
    std::array<std::uint8_t, kLongest> code{};
    if (own_memory::copy(returnsTo - kLongest, code.data(), kLongest) != kLongest) return false;
    if (code[2] == 0xe8) {  // call rel32
        std::int32_t distance = 0;
        std::memcpy(&distance, &code[3], sizeof distance);
        const std::uintptr_t target =
            returnsTo + static_cast<std::uintptr_t>(std::int64_t{distance});
        if (function == 0 || target == function) return true;
        std::array<std::uint8_t, 8> stub{};  // a linker stub: jmp, possibly after endbr64
        if (own_memory::copy(target, stub.data(), stub.size()) == stub.size() &&
            (stub[0] == 0xff || (stub[0] == 0xf3 && (stub[4] == 0xff || stub[4] == 0xf2))))
            return true;
    }
    // call by register or memory: ff /2, 2 to 7 bytes long
    for (std::size_t length = 2; length <= kLongest; ++length) {
        const std::uint8_t first = code[kLongest - length], second = code[kLongest - length + 1];
        if (first == 0xff && (second & 0x38U) == 0x10) return true;
    }
    return false;
}

}  // namespace roofscope::inject
