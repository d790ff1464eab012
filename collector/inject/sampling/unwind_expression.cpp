// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/unwind_expression.h"

#include <array>
#include <utility>

#include "collector/inject/sampling/byte_reader.h"

namespace roofscope::inject {
namespace {

/// Runs the operations (DW_OP_…) that occur in unwind tables: of the linker's stubs, of signal
/// frames, and of functions that align their stack.
class StackMachine {
public:
    StackMachine(const ThreadRegisters& registers, const StackMemory& memory)
        : m_registers(registers), m_memory(memory) {}

    void push(std::uint64_t value) {
        if (m_size == m_values.size())
            m_ok = false;
        else
            m_values[m_size++] = value;
    }
    std::uint64_t pop() {
        if (m_size == 0) return m_ok = false, 0;
        return m_values[--m_size];
    }
    [[nodiscard]] bool ok() const { return m_ok; }

    void step(ByteReader& code) {
        const auto op = code.next<std::uint8_t>();
        if (op >= 0x30 && op <= 0x4f) return push(op - 0x30U);  // lit0 …
        if (op >= 0x70 && op <= 0x8f) {                         // breg0 …
            const std::size_t number = op - 0x70U;
            const std::int64_t offset = code.signedLeb();
            if (number >= kRegisters || !m_registers.known[number]) return void(m_ok = false);
            return push(m_registers.values[number] + static_cast<std::uint64_t>(offset));
        }
        if (constant(op, code) || shuffle(op, code)) return;
        binary(op);
    }

private:
    bool constant(std::uint8_t op, ByteReader& code) {
        switch (op) {
            case 0x03:
            case 0x0e:
            case 0x0f:
                return push(code.next<std::uint64_t>()), true;
            case 0x08:
                return push(code.next<std::uint8_t>()), true;
            case 0x09:
                return push(static_cast<std::uint64_t>(std::int64_t{code.next<std::int8_t>()})),
                       true;
            case 0x0a:
                return push(code.next<std::uint16_t>()), true;
            case 0x0b:
                return push(static_cast<std::uint64_t>(std::int64_t{code.next<std::int16_t>()})),
                       true;
            case 0x0c:
                return push(code.next<std::uint32_t>()), true;
            case 0x0d:
                return push(static_cast<std::uint64_t>(std::int64_t{code.next<std::int32_t>()})),
                       true;
            case 0x10:
                return push(code.unsignedLeb()), true;
            case 0x11:
                return push(static_cast<std::uint64_t>(code.signedLeb())), true;
            default:
                return false;
        }
    }
    bool shuffle(std::uint8_t op, ByteReader& code) {
        switch (op) {
            case 0x06: {  // deref
                std::uint64_t value = 0;
                if (!m_memory.read(pop(), value)) m_ok = false;
                return push(value), true;
            }
            case 0x12: {  // dup
                const std::uint64_t value = pop();
                push(value);
                return push(value), true;
            }
            case 0x13:  // drop
                return (void)pop(), true;
            case 0x16: {  // swap
                const std::uint64_t upper = pop(), lower = pop();
                push(upper);
                return push(lower), true;
            }
            case 0x1f:  // neg
                return push(0 - pop()), true;
            case 0x20:  // not
                return push(~pop()), true;
            case 0x23:  // plus_uconst
                return push(pop() + code.unsignedLeb()), true;
            case 0x96:  // nop
                return true;
            default:
                return false;
        }
    }
    void binary(std::uint8_t op) {
        const std::uint64_t b = pop(), a = pop();
        const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
        constexpr std::uint64_t kBits = 64;
        switch (op) {
            case 0x1a:
                return push(a & b);
            case 0x1c:
                return push(a - b);
            case 0x1e:
                return push(a * b);
            case 0x21:
                return push(a | b);
            case 0x22:
                return push(a + b);
            case 0x24:
                return push(b < kBits ? a << b : 0);
            case 0x25:
                return push(b < kBits ? a >> b : 0);
            case 0x27:
                return push(a ^ b);
            case 0x29:
                return push(a == b);
            case 0x2a:
                return push(sa >= sb);
            case 0x2b:
                return push(sa > sb);
            case 0x2c:
                return push(sa <= sb);
            case 0x2d:
                return push(sa < sb);
            case 0x2e:
                return push(a != b);
            default:
                m_ok = false;  // an operation that is not supported
        }
    }

    const ThreadRegisters& m_registers;
    const StackMemory& m_memory;
    std::array<std::uint64_t, 16> m_values{};
    std::size_t m_size = 0;
    bool m_ok = true;
};

}  // namespace

std::optional<std::uint64_t> evaluate(std::uintptr_t expression, std::uint32_t length,
                                      const ThreadRegisters& registers, const StackMemory& stack,
                                      std::optional<std::uint64_t> first) {
    constexpr std::uint32_t kLongest = 256;
    if (length > kLongest) return std::nullopt;
    StackMachine machine(registers, stack);
    if (first) machine.push(*first);
    ByteReader code(expression, expression + length);
    while (code.more() && machine.ok()) machine.step(code);
    const std::uint64_t value = machine.pop();
    return code.ok() && machine.ok() ? std::optional(value) : std::nullopt;
}

}  // namespace roofscope::inject
