// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/unwind_row.h"

#include <limits>
#include <string>
#include <vector>

#include "collector/inject/sampling/byte_reader.h"

namespace roofscope::inject {
namespace {

constexpr std::uintptr_t kEverywhere = std::numeric_limits<std::uintptr_t>::max();

/// What entries from the same compiler share (a DWARF "common information entry").
struct SharedEntry {
    std::uint64_t codeUnit = 1;
    std::int64_t dataUnit = -8;
    std::uint64_t returnRegister = kReturn;
    std::uint8_t encoding = 0;  ///< of pointers
    bool augmented = false, signalFrame = false;
    std::uintptr_t program = 0, programEnd = 0;
};

/// Reads the length of the .eh_frame entry at the reader's position; returns the entry's end. 0:
/// none.
std::uintptr_t entryEnd(ByteReader& reader) {
    const auto length = reader.next<std::uint32_t>();
    constexpr std::uint32_t kLong = 0xffffffff;  // never written on x86-64
    if (!reader.ok() || length == 0 || length == kLong) return 0;
    return reader.at() + length;
}

std::optional<SharedEntry> sharedEntry(std::uintptr_t address) {
    ByteReader reader(address, kEverywhere);
    SharedEntry entry;
    entry.programEnd = entryEnd(reader);
    if (entry.programEnd == 0 || reader.next<std::uint32_t>() != 0) return std::nullopt;
    const auto version = reader.next<std::uint8_t>();
    if (version != 1 && version != 3) return std::nullopt;
    constexpr std::size_t kLongest = 16;
    std::string augmentation;
    for (char c = reader.next<char>(); c != 0; c = reader.next<char>()) {
        augmentation += c;
        if (!reader.ok() || augmentation.size() > kLongest) return std::nullopt;
    }
    entry.codeUnit = reader.unsignedLeb();
    entry.dataUnit = reader.signedLeb();
    entry.returnRegister = version == 1 ? reader.next<std::uint8_t>() : reader.unsignedLeb();
    if (augmentation.starts_with('z')) {
        entry.augmented = true;
        const std::uint64_t length = reader.unsignedLeb();
        entry.program = reader.at() + length;
        for (const char c : augmentation.substr(1)) {
            if (c == 'R') entry.encoding = reader.next<std::uint8_t>();
            if (c == 'L') (void)reader.next<std::uint8_t>();
            if (c == 'P') (void)reader.pointer(reader.next<std::uint8_t>() & 0x7fU);
            if (c == 'S') entry.signalFrame = true;
        }
    } else {
        if (!augmentation.empty()) return std::nullopt;
        entry.program = reader.at();
    }
    if (!reader.ok() || entry.program > entry.programEnd || entry.returnRegister != kReturn)
        return std::nullopt;
    return entry;
}

/// Executes the instructions that build a function's rows, up to an address.
class RowProgram {
public:
    RowProgram(const SharedEntry& shared, std::uintptr_t function, std::uintptr_t address)
        : m_shared(shared), m_place(function), m_address(address) {
        m_row.registers[kRsp] = {.how = RegisterRule::How::IsOffset};
        m_row.registers[kReturn].how = RegisterRule::How::Unknown;
        m_row.function = function;
        m_row.signalFrame = shared.signalFrame;
    }

    bool run(std::uintptr_t from, std::uintptr_t to) {
        ByteReader reader(from, to);
        while (reader.more() && !m_done)
            if (!step(reader)) return false;
        return reader.ok();
    }
    /// Makes the present row the one that DW_CFA_restore goes back to.
    void keepAsInitial() { m_initial = m_row; }
    [[nodiscard]] const UnwindRow& row() const { return m_row; }

private:
    using How = RegisterRule::How;

    void advance(std::uint64_t by) {
        m_place += by * m_shared.codeUnit;
        m_done = m_place > m_address;
    }
    void set(std::uint64_t number, How how, std::int64_t value = 0, std::uint32_t length = 0) {
        if (number < kRegisters)
            m_row.registers[number] = {.how = how, .length = length, .value = value};
    }
    void restore(std::uint64_t number) {
        if (number < kRegisters) m_row.registers[number] = m_initial.registers[number];
    }
    static std::uint32_t expressionAt(ByteReader& reader, std::uintptr_t& address) {
        const auto length = static_cast<std::uint32_t>(reader.unsignedLeb());
        address = reader.at();
        reader.skip(length);
        return length;
    }
    void setExpression(ByteReader& reader, How how) {
        const std::uint64_t number = reader.unsignedLeb();
        std::uintptr_t address = 0;
        const std::uint32_t length = expressionAt(reader, address);
        set(number, how, static_cast<std::int64_t>(address), length);
    }
    void setFrame(std::uint64_t number, std::int64_t offset) {
        m_row.frameRegister = static_cast<std::uint32_t>(number);
        m_row.frameOffset = offset;
        m_row.expression = 0;
    }

    /// Executes one instruction; first the DW_CFA_… whose operand is in the same byte.
    bool step(ByteReader& reader) {
        const auto code = reader.next<std::uint8_t>();
        const unsigned operand = code & 0x3fU;
        switch (code >> 6U) {
            case 1:
                return advance(operand), true;
            case 2:
                set(operand, How::AtOffset,
                    static_cast<std::int64_t>(reader.unsignedLeb()) * m_shared.dataUnit);
                return true;
            case 3:
                return restore(operand), true;
            default:
                return further(code, reader);
        }
    }

    bool further(std::uint8_t code, ByteReader& reader) {
        switch (code) {
            case 0x00:  // nop
                return true;
            case 0x01:  // set_loc
                m_place = reader.pointer(m_shared.encoding);
                m_done = m_place > m_address;
                return true;
            case 0x02:
                return advance(reader.next<std::uint8_t>()), true;
            case 0x03:
                return advance(reader.next<std::uint16_t>()), true;
            case 0x04:
                return advance(reader.next<std::uint32_t>()), true;
            case 0x0a:  // remember_state
                if (m_remembered.size() >= kMostRemembered) return false;
                m_remembered.push_back(m_row);
                return true;
            case 0x0b:  // restore_state
                if (m_remembered.empty()) return false;
                m_row = m_remembered.back();
                m_remembered.pop_back();
                return true;
            case 0x06:  // restore_extended
                return restore(reader.unsignedLeb()), true;
            case 0x2e:  // GNU_args_size
                return (void)reader.unsignedLeb(), true;
            default:
                return frameRule(code, reader) || registerRule(code, reader);
        }
    }

    bool frameRule(std::uint8_t code, ByteReader& reader) {
        switch (code) {
            case 0x0c: {  // def_cfa
                const std::uint64_t number = reader.unsignedLeb();
                setFrame(number, static_cast<std::int64_t>(reader.unsignedLeb()));
                return true;
            }
            case 0x12: {  // def_cfa_sf
                const std::uint64_t number = reader.unsignedLeb();
                setFrame(number, reader.signedLeb() * m_shared.dataUnit);
                return true;
            }
            case 0x0d:  // def_cfa_register
                return setFrame(reader.unsignedLeb(), m_row.frameOffset), true;
            case 0x0e:  // def_cfa_offset
                m_row.frameOffset = static_cast<std::int64_t>(reader.unsignedLeb());
                return true;
            case 0x13:  // def_cfa_offset_sf
                m_row.frameOffset = reader.signedLeb() * m_shared.dataUnit;
                return true;
            case 0x0f:  // def_cfa_expression
                m_row.expressionLength = expressionAt(reader, m_row.expression);
                return true;
            default:
                return false;
        }
    }

    bool registerRule(std::uint8_t code, ByteReader& reader) {
        switch (code) {
            case 0x05:
            case 0x11:
            case 0x14:
            case 0x15: {  // offset_extended, …_sf, val_offset, …_sf
                const std::uint64_t number = reader.unsignedLeb();
                const std::int64_t factored = code == 0x11 || code == 0x15
                                                  ? reader.signedLeb()
                                                  : static_cast<std::int64_t>(reader.unsignedLeb());
                set(number, code >= 0x14 ? How::IsOffset : How::AtOffset,
                    factored * m_shared.dataUnit);
                return true;
            }
            case 0x07:
                return set(reader.unsignedLeb(), How::Unknown), true;
            case 0x08:
                return set(reader.unsignedLeb(), How::Same), true;
            case 0x09: {  // register
                const std::uint64_t number = reader.unsignedLeb();
                set(number, How::Register, static_cast<std::int64_t>(reader.unsignedLeb()));
                return true;
            }
            case 0x10:
                return setExpression(reader, How::AtExpression), true;
            case 0x16:
                return setExpression(reader, How::IsExpression), true;
            default:
                return false;
        }
    }

    static constexpr std::size_t kMostRemembered = 16;
    const SharedEntry& m_shared;
    UnwindRow m_row, m_initial;
    std::vector<UnwindRow> m_remembered;
    std::uintptr_t m_place, m_address;
    bool m_done = false;
};

/// The entry of the function at `address`, found in the header's sorted table; 0: none.
std::uintptr_t functionEntry(const Module& module, std::uintptr_t address) {
    const std::uintptr_t header = module.unwindHeader;
    ByteReader reader(header, kEverywhere);
    const auto version = reader.next<std::uint8_t>();
    const auto ofFrame = reader.next<std::uint8_t>();
    const auto ofCount = reader.next<std::uint8_t>();
    const auto ofTable = reader.next<std::uint8_t>();
    (void)reader.pointer(ofFrame, header);
    std::uint64_t count = reader.pointer(ofCount, header);
    constexpr std::uint8_t kUsual = 0x3b;  // what linkers write: 4 bytes, relative to the header
    constexpr std::uint64_t kMost = std::uint64_t{1} << 27;
    if (!reader.ok() || version != 1 || ofTable != kUsual || count == 0 || count > kMost) return 0;
    struct Pair {
        std::int32_t function, entry;
    } pair{};
    const std::uintptr_t table = reader.at();
    const auto load = [&](std::uint64_t i) {
        return own_memory::read(table + i * sizeof(Pair), pair);
    };
    std::uint64_t from = 0;
    for (; count > 1;) {  // the last one that does not begin after `address`
        const std::uint64_t half = count / 2;
        if (!load(from + half)) return 0;
        const bool after =
            header + static_cast<std::uintptr_t>(std::int64_t{pair.function}) > address;
        if (!after) from += half;
        count = after ? half : count - half;
    }
    if (!load(from)) return 0;
    return header + static_cast<std::uintptr_t>(std::int64_t{pair.entry});
}

}  // namespace

std::optional<UnwindRow> unwindRow(const Module& module, std::uintptr_t address) {
    if (module.unwindHeader == 0) return std::nullopt;
    const std::uintptr_t entry = functionEntry(module, address);
    if (entry == 0) return std::nullopt;
    ByteReader reader(entry, kEverywhere);
    const std::uintptr_t end = entryEnd(reader);
    const std::uintptr_t here = reader.at();
    const auto toShared = reader.next<std::uint32_t>();
    if (end == 0 || toShared == 0 || !reader.ok()) return std::nullopt;
    const auto shared = sharedEntry(here - toShared);
    if (!shared) return std::nullopt;
    const std::uintptr_t function = reader.pointer(shared->encoding);
    const std::uintptr_t length = reader.pointer(shared->encoding & 0x0fU);
    if (!reader.ok() || address < function || address - function >= length) return std::nullopt;
    if (shared->augmented) reader.skip(reader.unsignedLeb());
    if (!reader.ok()) return std::nullopt;
    RowProgram program(*shared, function, address);
    if (!program.run(shared->program, shared->programEnd)) return std::nullopt;
    program.keepAsInitial();
    if (!program.run(reader.at(), end)) return std::nullopt;
    return program.row();
}

}  // namespace roofscope::inject
