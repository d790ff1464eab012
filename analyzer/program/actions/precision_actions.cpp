// SPDX-License-Identifier: Apache-2.0
/// Library products whose inputs could be smaller.
#include "analyzer/names/library_product.h"
#include "analyzer/program/actions/action_finder.h"

#include "analyzer/program/account/sites.h"
#include "profile/chips/chip.h"

namespace roofscope::program {
namespace {

/// By its name, a library's product in TF32.
bool isTf32Product(const KernelAnalysis& kernel) {
    constexpr int kOfTf32 = 4;  // values in 16 bytes
    const auto product = libraryProduct(kernel.fullName);
    return product && product->wanted == kOfTf32;
}

}  // namespace

void ActionFinder::tf32Products() {
    constexpr double kLeast = 0.1;  // of the window
    // Tensor cores multiply bf16 at twice the rate, and half the bytes are read. But the start and
    // the end of a launch stay, results are written, and casts are added.
    constexpr double kSaves = 0.3;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            return isTf32Product(kernel) && kernel.origin == KernelOrigin::Library;
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

void ActionFinder::fp32Products() {
    constexpr double kLeast = 0.1;  // of the window
    // Tensor cores of data-centre GPUs multiply TF32 or fp16 8 times as fast as FP32 pipes, but the
    // bytes, the start and the end of a launch stay: ResNet-50 trains 2 to 3 times as fast on a
    // V100. Those of other GPUs have the rate of the pipes in TF32, and twice that in bf16.
    constexpr double kSaves = 0.5, kSavesElsewhere = 0.3;
    const auto deviceOf = [&](const KernelAnalysis& kernel) -> const Device& {
        const Launch& launch = m_analysis.profile->launches[kernel.group.launches.front()];
        return m_analysis.profile->devices[launch.device];
    };
    bool tf32 = true, fast = true;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            // What was counted has findings of the rule for missing tensor cores.
            if (kernel.quantities.counterDuration.has()) return false;
            const auto product = libraryProduct(kernel.fullName);
            if (!product || !product->plainFp32) return false;
            const Device& device = deviceOf(kernel);
            const auto chip = chipTable(device);
            if (!chip || !chip->sums.contains("tensor_fp16_ops")) return false;
            tf32 = tf32 && chip->sums.contains("tensor_tf32_ops");
            // 7.0, 8.0, 9.0, 10.0 and 10.3; 8.6, 8.9 and 12.0 are cards for graphics.
            fast = fast && (device.computeMajor == 10 ||
                            (device.computeMinor == 0 && device.computeMajor < 10));
            return true;
        });
    if (found.time < m_program.window.seconds * kLeast) return;
    // Where other products use TF32, it is allowed, and the library had a reason.
    const bool allowed = kernelsThat(m_analysis, m_program, isTf32Product).time.value > 0;
    add({.rule = "fp32-product",
         .kernels = found.kernels,
         .bound = found.time * (fast ? kSaves : kSavesElsewhere),
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("Products in FP32 without tensor cores"),
         .sentence =
             fast ? Words("{launches} {launches?launch multiplies:launches multiply} without "
                          "tensor cores, by their names, and {launches?takes:take} {time}; tensor "
                          "cores multiply about 8 times as fast.")
                  : Words("{launches} {launches?launch multiplies:launches multiply} without "
                          "tensor cores, by their names, and {launches?takes:take} {time}; tensor "
                          "cores multiply 16-bit inputs at least twice as fast."),
         .edit = allowed
                     ? Words("TF32 is allowed, and other products use it; for these the library "
                             "chose FP32 for their shape or alignment: make their sizes multiples "
                             "of 8, or compute them in bf16 or fp16.")
                 : !m_frameworks.torch
                     ? (tf32 && fast
                            ? Words("Let the library use TF32, or pass bf16 or fp16 inputs with "
                                    "fp32 sums, where the result tolerates it.")
                            : Words("Pass fp16 inputs with fp32 sums, where the result tolerates "
                                    "it."))
                 : !tf32 ? Words("Use torch.autocast(\"cuda\", dtype=torch.float16), with "
                                 "torch.amp.GradScaler for training: this GPU has tensor cores "
                                 "for fp16 and none for TF32.")
                 : fast  ? Words("Allow TF32 (torch.set_float32_matmul_precision(\"high\"), "
                                  "torch.backends.cudnn.allow_tf32 = True), where the result "
                                  "tolerates 10 bits of mantissa; or use torch.autocast(\"cuda\", "
                                  "dtype=torch.bfloat16).")
                         : Words("Use torch.autocast(\"cuda\", dtype=torch.bfloat16), where the "
                                  "result tolerates 7 bits of mantissa."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

}  // namespace roofscope::program
