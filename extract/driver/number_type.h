// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace roofscope::replay {

/// How the bytes of a result are compared.
enum class NumberType { Bytes, F16, BF16, F32, F64 };

[[nodiscard]] inline const char* nameOf(NumberType type) {
    switch (type) {
        case NumberType::F16:
            return "f16";
        case NumberType::BF16:
            return "bf16";
        case NumberType::F32:
            return "f32";
        case NumberType::F64:
            return "f64";
        default:
            return "bytes";
    }
}

[[nodiscard]] inline std::optional<NumberType> numberTypeOf(const std::string& name) {
    for (const NumberType type :
         {NumberType::Bytes, NumberType::F16, NumberType::BF16, NumberType::F32, NumberType::F64})
        if (name == nameOf(type)) return type;
    return {};
}

[[nodiscard]] inline std::size_t sizeOf(NumberType type) {
    switch (type) {
        case NumberType::F16:
        case NumberType::BF16:
            return 2;
        case NumberType::F32:
            return 4;
        case NumberType::F64:
            return 8;
        default:
            return 1;
    }
}

/// The number at `from`, which need not be aligned.
[[nodiscard]] inline double numberAt(NumberType type, const unsigned char* from) {
    if (type == NumberType::F64) {
        double value = 0;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    std::uint32_t bits = 0;
    float value = 0;
    if (type == NumberType::F32) {
        std::memcpy(&bits, from, 4);
    } else if (type == NumberType::BF16) {
        std::uint16_t half = 0;
        std::memcpy(&half, from, 2);
        bits = static_cast<std::uint32_t>(half) << 16;
    } else {
        std::uint16_t half = 0;
        std::memcpy(&half, from, 2);
        const int exponent = (half >> 10) & 31, mantissa = half & 1023;
        const double sign = half & 0x8000 ? -1 : 1;
        if (exponent == 31) return mantissa ? std::nan("") : sign * HUGE_VAL;
        return sign * (exponent == 0 ? std::ldexp(mantissa, -24)
                                     : std::ldexp(mantissa + 1024, exponent - 25));
    }
    std::memcpy(&value, &bits, 4);
    return value;
}

/// How far two results may be apart: |got - expected| ≤ absolute + relative · |expected|.
struct Tolerance {
    double relative = 0, absolute = 0;

    [[nodiscard]] bool holds(double got, double expected) const {
        if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
        if (std::isinf(got) || std::isinf(expected)) return got == expected;
        return std::fabs(got - expected) <= absolute + relative * std::fabs(expected);
    }
};

/// The defaults of PyTorch's torch.testing.assert_close.
[[nodiscard]] inline Tolerance usualTolerance(NumberType type) {
    switch (type) {
        case NumberType::F16:
            return {1e-3, 1e-5};
        case NumberType::BF16:
            return {1.6e-2, 1e-5};
        case NumberType::F32:
            return {1.3e-6, 1e-5};
        case NumberType::F64:
            return {1e-7, 1e-7};
        default:
            return {};
    }
}

/// The type of a kernel's results, guessed from its readable name if all number types in it are the
/// same: `void k<float>(float4*, int)`. Otherwise Bytes.
[[nodiscard]] inline NumberType typeInName(const std::string& name) {
    struct Word {
        const char* text;
        NumberType type;
    };
    static constexpr Word kWords[] = {
        {"__nv_bfloat16", NumberType::BF16}, {"BFloat16", NumberType::BF16},
        {"__half", NumberType::F16},         {"half", NumberType::F16},
        {"Half", NumberType::F16},           {"float", NumberType::F32},
        {"double", NumberType::F64}};
    NumberType found = NumberType::Bytes;
    std::string word;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const char c = i < name.size() ? name[i] : ' ';
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
            word += c;
            continue;
        }
        for (const Word& known : kWords) {
            const std::string text = known.text;
            // Vector types such as float4 and __half2.
            const bool vector = word.size() == text.size() + 1 && word.back() >= '2' &&
                                word.back() <= '4' && word.compare(0, text.size(), text) == 0;
            if (word != text && !vector) continue;
            if (found != NumberType::Bytes && found != known.type) return NumberType::Bytes;
            found = known.type;
        }
        word.clear();
    }
    return found;
}

}  // namespace roofscope::replay
