// SPDX-License-Identifier: Apache-2.0
//
// TF32 rate of the tensor cores, dense, with fp32 sums. See tensor_product.cuh for why it reaches
// the limit.
#include <bit>

#include "kernels/ceilings/tensor_product.cuh"

namespace roofscope::kernels {
namespace {

struct Tf32 {
    static constexpr const char* kName = "tensor_tf32";
    static constexpr int kLeast = 80;
    using Sum = float;
    static constexpr int kElementsPerRow = 8;
    static constexpr std::uint32_t kOnes = 0x3F800000;
    static std::uint32_t randomWord(RandomValues& random) {
        return std::bit_cast<std::uint32_t>(random.uniform(-1.0F, 1.0F));
    }
    ROOFSCOPE_TENSOR_INSTRUCTION("f32", "tf32", "8", "+f", ", 1, 1, 1;")
};

}  // namespace

namespace probes {
extern const Probe tensor_tf32;
const Probe tensor_tf32 = tensor::probe<Tf32>(13, "dense TF32 matrix products, sums in fp32");
}  // namespace probes
}  // namespace roofscope::kernels
