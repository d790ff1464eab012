// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

namespace roofscope {

/// A number with a unit that the compiler checks. `value` is in the SI base of the unit
/// (bytes, seconds, operations, hertz); prefixes such as GB or µs exist only in renderers.
template <class Tag>
struct Quantity {
    double value = 0.0;

    constexpr auto operator<=>(const Quantity&) const = default;
    constexpr Quantity operator+(Quantity other) const { return {value + other.value}; }
    constexpr Quantity operator-(Quantity other) const { return {value - other.value}; }
    constexpr Quantity operator*(double factor) const { return {value * factor}; }
    constexpr Quantity operator/(double divisor) const { return {value / divisor}; }
    /// Dividing two quantities of the same unit gives a plain number.
    constexpr double operator/(Quantity other) const { return value / other.value; }
    constexpr Quantity& operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
};

using Bytes = Quantity<struct BytesTag>;
using Seconds = Quantity<struct SecondsTag>;
/// Floating-point operations (a fused multiply-add counts as two).
using Flops = Quantity<struct FlopsTag>;
using Hertz = Quantity<struct HertzTag>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;
/// Arithmetic intensity: operations per byte moved at one memory level.
using FlopsPerByte = Quantity<struct FlopsPerByteTag>;
/// A share, 0 to 1 unless documented otherwise. Percent appears only in renderers.
using Ratio = Quantity<struct RatioTag>;

constexpr BytesPerSecond operator/(Bytes b, Seconds s) { return {b.value / s.value}; }
constexpr FlopsPerSecond operator/(Flops f, Seconds s) { return {f.value / s.value}; }
constexpr FlopsPerByte operator/(Flops f, Bytes b) { return {f.value / b.value}; }
constexpr Seconds operator/(Bytes b, BytesPerSecond r) { return {b.value / r.value}; }
constexpr Seconds operator/(Flops f, FlopsPerSecond r) { return {f.value / r.value}; }
constexpr FlopsPerSecond operator*(FlopsPerByte i, BytesPerSecond r) { return {i.value * r.value}; }

}  // namespace roofscope
