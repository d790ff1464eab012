// SPDX-License-Identifier: Apache-2.0
//
// BF16 rate of the tensor cores, dense, with fp32 sums. See tensor_product.cuh for why it reaches
// the limit.
#include "kernels/ceilings/tensor_product.cuh"
#include "kernels/element.h"

namespace roofscope::kernels {
namespace {

struct Bf16 {
    static constexpr const char* kName = "tensor_bf16";
    static constexpr int kLeast = 80;
    using Sum = float;
    static constexpr int kElementsPerRow = 16;
    static constexpr std::uint32_t kOnes = 0x3F803F80;
    static std::uint32_t randomWord(RandomValues& random) {
        const std::uint32_t low = toBfloat16(random.uniform(-1.0F, 1.0F));
        return low | std::uint32_t{toBfloat16(random.uniform(-1.0F, 1.0F))} << 16;
    }
    ROOFSCOPE_TENSOR_INSTRUCTION("f32", "bf16", "16", "+f", ", 1, 1, 1, 0, 0;")
};

}  // namespace

namespace probes {
extern const Probe tensor_bf16;
const Probe tensor_bf16 = tensor::probe<Bf16>(12, "dense BF16 matrix products, sums in fp32");
}  // namespace probes
}  // namespace roofscope::kernels
