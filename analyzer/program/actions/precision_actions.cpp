// SPDX-License-Identifier: Apache-2.0
/// Library products whose inputs could be smaller.
#include "analyzer/names/library_product.h"
#include "analyzer/program/actions/action_finder.h"

#include "analyzer/program/account/sites.h"

namespace roofscope::program {

void ActionFinder::tf32Products() {
    constexpr double kLeast = 0.1;  // of the window
    // Tensor cores multiply bf16 at twice the rate, and half the bytes are read. But the start and
    // the end of a launch stay, results are written, and casts are added.
    constexpr double kSaves = 0.3;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            constexpr int kOfTf32 = 4;  // values in 16 bytes
            const auto product = libraryProduct(kernel.fullName);
            return product && product->wanted == kOfTf32 && kernel.origin == KernelOrigin::Library;
        });
    if (found.time < m_program.window.seconds * kLeast) return;
    add({.rule = "tf32-product",
         .kernels = found.kernels,
         .bound = found.time * kSaves,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("Products in TF32"),
         .sentence = Words("{launches} {launches?launch multiplies:launches multiply} fp32 inputs "
                           "in TF32 and {launches?takes:take} {time}; with bf16 inputs tensor "
                           "cores are twice as fast, and half the bytes are read."),
         .edit = m_frameworks.torch
                     ? Words("Use torch.autocast(\"cuda\", dtype=torch.bfloat16), where the result "
                             "tolerates 7 bits of mantissa.")
                 : m_frameworks.xla
                     ? Words("Compute in bf16: cast inputs and weights to jnp.bfloat16 within the "
                             "jitted step and keep fp32 weights for the update, where the result "
                             "tolerates 7 bits of mantissa.")
                     : Words("Pass bf16 or fp16 inputs with fp32 sums, where the result tolerates "
                             "it."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

}  // namespace roofscope::program
