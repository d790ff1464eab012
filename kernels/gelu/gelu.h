// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// The operator of all rungs of this family: the Gaussian error linear unit in its tanh form
/// (Hendrycks and Gimpel 2016), elementwise, f32.
///
///     gelu(x) = 0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))
///     out[i]  = gelu(x[i])               rungs unfused, fused_scalar, fused_vec4
///     out[i]  = gelu(x[i] + bias[i])     rungs bias_unfused, bias_fused; bias is as long as x
namespace roofscope::kernels::gelu {

inline constexpr float kCubic = 0.044715F;
inline constexpr float kSqrtTwoOverPi = 0.79788456080286535588F;

/// Device pointers and the length of one call. The arrays do not overlap.
struct GeluArguments {
    const float* x = nullptr;
    const float* bias = nullptr;  ///< Null for the rungs without a bias.
    float* out = nullptr;
    float* scratch[2] = {};  ///< n elements each, for the chains of launches.
    std::int64_t n = 0;
};

using Launcher = void (*)(const GeluArguments&, Stream);

/// n = 2^26: 256 MiB per array.
[[nodiscard]] std::vector<Case> geluCases();
/// Odd and tiny lengths, and some with a few blocks.
[[nodiscard]] std::vector<Case> geluVerifyCases();
/// Why the family does not support a case, or empty.
[[nodiscard]] std::string geluRefusal(const Case& c);

/// Further arrays of an instance besides x and out.
struct Extras {
    bool bias = false;
    int scratch = 0;  ///< Intermediate arrays, 0 to 2.
};
/// Buffers and random inputs for `c`, launched by `launch`.
[[nodiscard]] std::unique_ptr<Instance> makeGeluInstance(const Case& c, std::uint64_t seed,
                                                         Launcher launch, Extras extras);
/// makeGeluInstance() in the form that Rung::make wants.
template <Launcher Launch, bool Bias, int Scratch>
[[nodiscard]] std::unique_ptr<Instance> makeGelu(const Case& c, std::uint64_t seed) {
    return makeGeluInstance(c, seed, Launch, {.bias = Bias, .scratch = Scratch});
}

/// The known answers of a launch that reads `inputs` arrays of n floats and writes one, with
/// `width` floats per access and the n mod width remaining ones one by one.
[[nodiscard]] std::vector<Expectation> expectElementwise(const Case& c, int inputs, int width);
/// The known answers for every launch of a chain of elementwise launches, whatever it reads: each
/// writes one array of n floats, four per access.
[[nodiscard]] std::vector<Expectation> expectElementwiseChain(const Case& c);

}  // namespace roofscope::kernels::gelu
