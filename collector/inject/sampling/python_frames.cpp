// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/python_frames.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace roofscope::inject {
namespace {

constexpr std::size_t kCodesKept = 8192;
constexpr std::size_t kFrameBytes = 112;  // covers all fields that are needed, in every version
constexpr std::uint8_t kOwnedByC = 3;     // and above: frames of the interpreter (3.12 and later)

template <class T>
T valueAt(const std::byte* bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes + offset, sizeof value);
    return value;
}

/// The text of a string object, as UTF-8; absent if there is none at the address.
std::optional<std::string> stringAt(const PythonLayout& layout, const ProcessMemory& memory,
                                    std::uintptr_t address) {
    constexpr std::size_t kLength = 16, kMostCharacters = 1000;
    std::uint64_t length = 0;
    std::uint32_t state = 0;
    if (!memory.read(address + kLength, length) ||
        !memory.read(address + layout.textState, state) || length > kMostCharacters)
        return std::nullopt;
    const unsigned size = (state >> layout.textBits) & 7U;  // bytes per character
    const bool compact = ((state >> (layout.textBits + 3)) & 1U) != 0;
    const bool ascii = ((state >> (layout.textBits + 4)) & 1U) != 0;
    if (!compact || (size != 1 && size != 2 && size != 4)) return std::nullopt;
    std::string raw(length * size, '\0');
    const std::uintptr_t from = address + (ascii ? layout.text : layout.wideText);
    if (memory.copy(from, raw.data(), raw.size()) != raw.size()) return std::nullopt;
    if (ascii) return raw;
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
        std::uint32_t c = 0;
        std::memcpy(&c, raw.data() + i * size, size);
        if (c < 0x80) {
            text += static_cast<char>(c);
        } else if (c < 0x800) {
            text += static_cast<char>(0xc0U | (c >> 6U));
            text += static_cast<char>(0x80U | (c & 0x3fU));
        } else if (c < 0x10000) {
            text += static_cast<char>(0xe0U | (c >> 12U));
            text += static_cast<char>(0x80U | ((c >> 6U) & 0x3fU));
            text += static_cast<char>(0x80U | (c & 0x3fU));
        } else {
            text += static_cast<char>(0xf0U | ((c >> 18U) & 0x07U));
            text += static_cast<char>(0x80U | ((c >> 12U) & 0x3fU));
            text += static_cast<char>(0x80U | ((c >> 6U) & 0x3fU));
            text += static_cast<char>(0x80U | (c & 0x3fU));
        }
    }
    return text;
}

/// The bytes of a bytes object.
std::optional<std::string> bytesAt(const ProcessMemory& memory, std::uintptr_t address) {
    constexpr std::size_t kLength = 16, kBytes = 32, kMost = std::size_t{1} << 20;
    std::uint64_t length = 0;
    if (!memory.read(address + kLength, length) || length > kMost) return std::nullopt;
    std::string bytes(length, '\0');
    for (std::size_t done = 0; done < length;) {
        const std::size_t more =
            memory.copy(address + kBytes + done, bytes.data() + done, length - done);
        if (more == 0) return std::nullopt;
        done += more;
    }
    return bytes;
}

/// Reads the numbers of a line table, which stores 6 bits per byte.
class LineNumbers {
public:
    explicit LineNumbers(std::string_view table) : m_table(table) {}
    [[nodiscard]] bool more() const { return m_at < m_table.size(); }
    unsigned byte() { return more() ? static_cast<unsigned char>(m_table[m_at++]) : 0U; }
    std::uint32_t number() {
        std::uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 6) {
            const unsigned next = byte();
            value |= (next & 0x3fU) << shift;
            if ((next & 0x40U) == 0) break;
        }
        return value;
    }
    std::int64_t signedNumber() {
        const std::uint32_t value = number();
        const auto half = static_cast<std::int64_t>(value >> 1U);
        return (value & 1U) != 0 ? -half : half;
    }

private:
    std::string_view m_table;
    std::size_t m_at = 0;
};

}  // namespace

std::size_t copyPythonFrames(const PythonLayout& layout, std::uintptr_t threadState,
                             std::span<RawPythonFrame> frames, const ProcessMemory& memory) {
    std::uintptr_t at = 0;
    if (!memory.read(threadState + layout.frame, at)) return 0;
    if (layout.indirectFrame && !memory.read(at + *layout.indirectFrame, at)) return 0;
    std::size_t count = 0;
    while (at != 0 && count < frames.size()) {
        std::array<std::byte, kFrameBytes> frame;  // uninitialised, to be fast
        if (!memory.read(at, frame)) break;
        RawPythonFrame& copied = frames[count++];
        copied = {.code = valueAt<std::uintptr_t>(frame.data(), layout.code),
                  .instruction = valueAt<std::uintptr_t>(frame.data(), layout.instruction)};
        if (layout.taggedCode) copied.code &= ~std::uintptr_t{3};
        if (layout.isEntry) {
            copied.last = valueAt<std::uint8_t>(frame.data(), *layout.isEntry) != 0;
        } else {
            copied.last = valueAt<std::uint8_t>(frame.data(), layout.owner) >= kOwnedByC;
            copied.shown = !copied.last;
        }
        at = valueAt<std::uintptr_t>(frame.data(), layout.previous);
    }
    return count;
}

std::uintptr_t pythonThread(const PythonLayout& layout, std::int64_t nativeId,
                            const ProcessMemory& memory) {
    constexpr int kMostInterpreters = 64, kMostThreads = 4096;
    std::uintptr_t interpreter = 0;
    if (!memory.read(layout.runtime + layout.interpreters, interpreter)) return 0;
    for (int i = 0; interpreter != 0 && i < kMostInterpreters; ++i) {
        std::uintptr_t thread = 0;
        if (!memory.read(interpreter + layout.threads, thread)) return 0;
        for (int t = 0; thread != 0 && t < kMostThreads; ++t) {
            std::uint64_t id = 0;
            if (!memory.read(thread + layout.nativeId, id)) break;
            if (id == static_cast<std::uint64_t>(nativeId)) return thread;
            if (!memory.read(thread + layout.nextThread, thread)) break;
        }
        if (!memory.read(interpreter + layout.nextInterpreter, interpreter)) return 0;
    }
    return 0;
}

std::uint32_t lineOf(std::string_view table, std::uint32_t firstLine, std::size_t offset) {
    constexpr unsigned kNone = 15, kLong = 14, kNoColumns = 13, kOneLine = 10;
    LineNumbers numbers(table);
    std::int64_t line = firstLine;
    std::size_t end = 0;
    while (numbers.more()) {
        const unsigned head = numbers.byte();
        const unsigned kind = (head >> 3U) & 15U;
        end += std::size_t{(head & 7U) + 1} * 2;
        if (kind == kLong) {
            line += numbers.signedNumber();
            (void)numbers.number(), (void)numbers.number(), (void)numbers.number();
        } else if (kind == kNoColumns) {
            line += numbers.signedNumber();
        } else if (kind >= kOneLine && kind < kNoColumns) {
            line += kind - kOneLine;
            (void)numbers.byte(), (void)numbers.byte();
        } else if (kind < kOneLine) {
            (void)numbers.byte();
        }
        if (offset < end) return kind == kNone || line <= 0 ? 0 : static_cast<std::uint32_t>(line);
    }
    return 0;
}

void PythonCode::forget(pid_t process) {
    std::erase_if(m_known, [process](const auto& known) { return known.first.first == process; });
}

std::optional<PythonPlace> PythonCode::place(const PythonLayout& layout,
                                             const RawPythonFrame& frame,
                                             const ProcessMemory& memory) {
    std::array<std::byte, 144> object{};
    constexpr std::size_t kType = 8;
    if (frame.code == 0 || !memory.read(frame.code, object) ||
        valueAt<std::uintptr_t>(object.data(), kType) != layout.codeType)
        return std::nullopt;
    // The interpreter itself gave these offsets, but check them anyway.
    for (const std::size_t offset :
         {layout.filename, layout.qualifiedName, layout.lines, layout.firstLine})
        if (offset + sizeof(std::uintptr_t) > object.size()) return std::nullopt;
    const auto filename = valueAt<std::uintptr_t>(object.data(), layout.filename);
    const auto name = valueAt<std::uintptr_t>(object.data(), layout.qualifiedName);
    const auto table = valueAt<std::uintptr_t>(object.data(), layout.lines);
    const Address address(memory.process(), frame.code);
    auto known = m_known.find(address);
    if (known == m_known.end() || known->second.filename != filename ||
        known->second.name != name || known->second.table != table) {
        auto file = stringAt(layout, memory, filename), function = stringAt(layout, memory, name);
        auto lines = bytesAt(memory, table);
        if (!file || !function || !lines) return std::nullopt;
        if (m_known.size() >= kCodesKept) m_known.clear();
        known = m_known
                    .insert_or_assign(address, Known{.filename = filename,
                                                     .name = name,
                                                     .table = table,
                                                     .file = std::move(*file),
                                                     .function = std::move(*function),
                                                     .lines = std::move(*lines),
                                                     .firstLine = valueAt<std::uint32_t>(
                                                         object.data(), layout.firstLine)})
                    .first;
    }
    const Known& code = known->second;
    const std::uintptr_t begin = frame.code + layout.bytecode;
    const std::uint32_t line = frame.instruction < begin
                                   ? code.firstLine
                                   : lineOf(code.lines, code.firstLine, frame.instruction - begin);
    return PythonPlace{
        .file = code.file, .function = code.function, .line = line > 0 ? line : code.firstLine};
}

}  // namespace roofscope::inject
