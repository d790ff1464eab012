// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/errors/result.h"

/// The input of a bundled kernel: a shape and an element type. Their text form
/// "B=64,H=64,D=96,E=96,bf16" names the case everywhere (ranges, tables, JSON).
namespace roofscope::kernels {

/// Element type of the tensors that a case varies.
enum class DType { F32, F64, F16, BF16, U8 };

/// Size of one element in bytes.
[[nodiscard]] std::size_t elementBytes(DType type);
/// "f32", "f64", "f16", "bf16", "u8".
[[nodiscard]] std::string_view name(DType type);
/// The inverse of name(); empty if there is no such type.
[[nodiscard]] std::optional<DType> dtypeFromName(std::string_view text);

/// Named extents in the order in which the family declares them.
class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<std::pair<std::string, std::int64_t>> extents)
        : m_extents(extents) {}

    /// The extent called `name`. Throws std::out_of_range if the shape has none.
    [[nodiscard]] std::int64_t at(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// Replaces the extent called `name`, or appends it.
    void set(std::string_view name, std::int64_t value);
    /// A copy with one extent replaced.
    [[nodiscard]] Shape with(std::string_view name, std::int64_t value) const;
    [[nodiscard]] const std::vector<std::pair<std::string, std::int64_t>>& extents() const {
        return m_extents;
    }
    /// "B=64,H=64,D=96,E=96".
    [[nodiscard]] std::string text() const;

    bool operator==(const Shape&) const = default;

private:
    std::vector<std::pair<std::string, std::int64_t>> m_extents;
};

/// One shape with one element type.
struct Case {
    Shape shape;
    DType dtype = DType::F32;

    /// "B=64,H=64,D=96,E=96,bf16".
    [[nodiscard]] std::string id() const;
    bool operator==(const Case&) const = default;
};

/// Reads "B=64,D=96". Extents are integers from 0 to 2^40. Errors: Usage.
[[nodiscard]] Result<Shape> parseShape(std::string_view text);
/// Reads the text of Case::id(). Errors: Usage.
[[nodiscard]] Result<Case> parseCase(std::string_view text);
/// `base` with the extents of `changes` replaced. Errors: Usage, if `base` lacks one of the names.
[[nodiscard]] Result<Shape> applyShape(const Shape& base, const Shape& changes);

}  // namespace roofscope::kernels
