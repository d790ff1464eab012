// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The parts of a Nsight Compute report (.ncu-rep) as stored in the file. All views point into the
/// file's bytes. Internal to importer/.
namespace roofscope::ncufile {

/// Limits the number of fields that are read from a file, including nested ones.
class WireBudget {
public:
    explicit WireBudget(std::size_t most) : m_left(most) {}
    /// Uses up one field; false if none is left.
    bool take() { return m_left > 0 && m_left-- > 0; }

private:
    std::size_t m_left;
};

/// How a field is encoded (https://protobuf.dev/programming-guides/encoding/).
enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t value = 0;  ///< for Varint, Fixed64 and Fixed32
    std::string_view bytes;   ///< for Bytes: a text or a nested message

    /// Whether this is field `wanted` in this encoding. In any other encoding it counts as unknown.
    [[nodiscard]] bool is(std::uint32_t wanted, WireType encoding) const {
        return number == wanted && type == encoding;
    }
};

/// Why a message could not be read to its end.
enum class WireFault : std::uint8_t {
    None,
    Truncated,   ///< a field extends beyond the end
    BadVarint,   ///< a number with more than 64 bits
    BadNumber,   ///< a field number outside 1 to 2^29-1
    BadType,     ///< an encoding that reports do not use, such as groups
    BudgetSpent  ///< more fields than WireBudget allows
};

/// The fault as part of a sentence: "a field goes beyond its end".
[[nodiscard]] std::string_view toString(WireFault fault);

/// Reads the fields of one protobuf message in order. Never reads outside the message, whatever it
/// contains. Use another reader for each nested message.
class WireReader {
public:
    WireReader(std::string_view message, WireBudget& budget) : m_rest(message), m_budget(budget) {}

    /// Reads the next field. False at the end and after a fault.
    [[nodiscard]] bool next(WireField& field);
    [[nodiscard]] WireFault fault() const { return m_fault; }

private:
    bool fail(WireFault fault);
    bool varint(std::uint64_t& value);
    bool fixed(std::size_t bytes, std::uint64_t& value);

    std::string_view m_rest;
    WireBudget& m_budget;
    WireFault m_fault = WireFault::None;
};

}  // namespace roofscope::ncufile
