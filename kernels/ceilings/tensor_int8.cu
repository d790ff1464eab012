// SPDX-License-Identifier: Apache-2.0
//
// INT8 rate of the tensor cores, dense, with sums in 32-bit integers. See tensor_product.cuh for
// why it reaches the limit.
#include "kernels/ceilings/tensor_product.cuh"

namespace roofscope::kernels {
namespace {

struct Int8 {
    static constexpr const char* kName = "tensor_int8";
    static constexpr int kLeast = 80;
    using Sum = int;
    static constexpr int kElementsPerRow = 32;
    static constexpr std::uint32_t kOnes = 0x01010101;
    static std::uint32_t randomWord(RandomValues& random) {
        return static_cast<std::uint32_t>(random.bits());
    }
    ROOFSCOPE_TENSOR_INSTRUCTION("s32", "s8", "32", "+r", ", 1;")
};

}  // namespace

namespace probes {
extern const Probe tensor_int8;
const Probe tensor_int8 =
    tensor::probe<Int8>(15, "dense INT8 matrix products, sums in 32-bit integers");
}  // namespace probes
}  // namespace roofscope::kernels
