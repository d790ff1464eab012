// SPDX-License-Identifier: Apache-2.0
//
// FP16 rate of the tensor cores, dense, with fp32 sums. See tensor_product.cuh for why it reaches
// the limit.
#include <cuda_fp16.h>

#include "kernels/ceilings/tensor_product.cuh"

namespace roofscope::kernels {
namespace {

struct Fp16 {
    static constexpr const char* kName = "tensor_fp16";
    static constexpr int kLeast = 80;
    using Sum = float;
    static constexpr int kElementsPerRow = 16;
    static constexpr std::uint32_t kOnes = 0x3C003C00;
    static std::uint32_t randomWord(RandomValues& random) {
        const auto half = [&random] {
            const __half_raw raw = __float2half_rn(random.uniform(-1.0F, 1.0F));
            return std::uint32_t{raw.x};
        };
        const std::uint32_t low = half();
        return low | half() << 16;
    }
    ROOFSCOPE_TENSOR_INSTRUCTION("f32", "f16", "16", "+f", ", 1, 1, 1, 0, 0;")
};

}  // namespace

namespace probes {
extern const Probe tensor_fp16;
const Probe tensor_fp16 = tensor::probe<Fp16>(11, "dense FP16 matrix products, sums in fp32");
}  // namespace probes
}  // namespace roofscope::kernels
