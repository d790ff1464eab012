// SPDX-License-Identifier: Apache-2.0
#include "kernels/case.h"

#include <array>
#include <charconv>
#include <stdexcept>

#include "profile/errors/usage_error.h"

namespace roofscope::kernels {
namespace {

struct TypeFact {
    DType type;
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array kTypes{
    TypeFact{DType::F32, "f32", 4}, TypeFact{DType::F64, "f64", 8},
    TypeFact{DType::F16, "f16", 2}, TypeFact{DType::BF16, "bf16", 2},
    TypeFact{DType::U8, "u8", 1},
};

/// Larger extents are typing errors, and their products would overflow.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;

const TypeFact& fact(DType type) {
    for (const TypeFact& candidate : kTypes)
        if (candidate.type == type) return candidate;
    throw std::out_of_range("element type without a name");
}

constexpr const char* kShapeAdvice =
    "a shape looks like B=64,D=96; a case adds the element type: B=64,D=96,bf16";

std::vector<std::string_view> splitAtCommas(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

std::size_t elementBytes(DType type) { return fact(type).bytes; }
std::string_view name(DType type) { return fact(type).name; }

std::optional<DType> dtypeFromName(std::string_view text) {
    for (const TypeFact& candidate : kTypes)
        if (candidate.name == text) return candidate.type;
    return std::nullopt;
}

std::int64_t Shape::at(std::string_view name) const {
    for (const auto& [key, value] : m_extents)
        if (key == name) return value;
    throw std::out_of_range("shape " + text() + " has no extent " + std::string(name));
}

bool Shape::has(std::string_view name) const {
    for (const auto& extent : m_extents)
        if (extent.first == name) return true;
    return false;
}

void Shape::set(std::string_view name, std::int64_t value) {
    for (auto& [key, old] : m_extents) {
        if (key == name) {
            old = value;
            return;
        }
    }
    m_extents.emplace_back(std::string(name), value);
}

Shape Shape::with(std::string_view name, std::int64_t value) const {
    Shape copy = *this;
    copy.set(name, value);
    return copy;
}

std::string Shape::text() const {
    std::string text;
    for (const auto& [key, value] : m_extents) {
        if (!text.empty()) text += ',';
        text += key + '=' + std::to_string(value);
    }
    return text;
}

std::string Case::id() const {
    const std::string extents = shape.text();
    return extents.empty() ? std::string(name(dtype)) : extents + ',' + std::string(name(dtype));
}

Result<Shape> parseShape(std::string_view text) {
    Shape shape;
    for (std::string_view part : splitAtCommas(text)) {
        const std::size_t equals = part.find('=');
        if (equals == 0 || equals == std::string_view::npos)
            return usageError("'" + std::string(part) + "' in shape '" + std::string(text) +
                                  "' is not NAME=NUMBER",
                              {}, kShapeAdvice);
        const std::string_view key = part.substr(0, equals), digits = part.substr(equals + 1);
        std::int64_t value = 0;
        const auto [end, problem] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (problem != std::errc{} || end != digits.data() + digits.size() || value < 0 ||
            value > kMaxExtent)
            return usageError("'" + std::string(digits) + "' for " + std::string(key) +
                                  " is not a whole number from 0 to " + std::to_string(kMaxExtent),
                              {}, kShapeAdvice);
        if (shape.has(key))
            return usageError("extent " + std::string(key) + " is given twice", {}, kShapeAdvice);
        shape.set(key, value);
    }
    return shape;
}

Result<Case> parseCase(std::string_view text) {
    const std::size_t comma = text.rfind(',');
    const std::string_view last = comma == std::string_view::npos ? text : text.substr(comma + 1);
    const std::optional<DType> dtype = dtypeFromName(last);
    if (!dtype)
        return usageError("case '" + std::string(text) + "' does not end with an element type (" +
                              "f32, f64, f16, bf16, u8)",
                          {}, kShapeAdvice);
    Case parsed{.dtype = *dtype};
    if (comma != std::string_view::npos) {
        Result<Shape> shape = parseShape(text.substr(0, comma));
        if (!shape) return shape.error();
        parsed.shape = *shape;
    }
    return parsed;
}

Result<Shape> applyShape(const Shape& base, const Shape& changes) {
    Shape shape = base;
    for (const auto& [key, value] : changes.extents()) {
        if (!shape.has(key))
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no extent " + key,
                         .advice = base.extents().empty() ? "this rung has no shape"
                                                          : "its shape is " + base.text()};
        shape.set(key, value);
    }
    return shape;
}

}  // namespace roofscope::kernels
