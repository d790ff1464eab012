// SPDX-License-Identifier: Apache-2.0
//
// FP8 (e4m3) rate of the tensor cores, dense, with fp32 sums. See tensor_product.cuh for why it
// reaches the limit.
#include "kernels/ceilings/tensor_product.cuh"

namespace roofscope::kernels {
namespace {

struct Fp8 {
    static constexpr const char* kName = "tensor_fp8";
    static constexpr int kLeast = 89;
    using Sum = float;
    static constexpr int kElementsPerRow = 32;
    static constexpr std::uint32_t kOnes = 0x38383838;
    static std::uint32_t randomWord(RandomValues& random) {
        // The highest exponent bit is cleared: values are below 2 and never NaN.
        return static_cast<std::uint32_t>(random.bits()) & 0xBFBFBFBF;
    }
    ROOFSCOPE_TENSOR_INSTRUCTION("f32", "e4m3", "32", "+f", ", 1, 1, 1;")
};

}  // namespace

namespace probes {
extern const Probe tensor_fp8;
const Probe tensor_fp8 = tensor::probe<Fp8>(14, "dense FP8 (e4m3) matrix products, sums in fp32");
}  // namespace probes
}  // namespace roofscope::kernels
