// SPDX-License-Identifier: Apache-2.0
/// Numbers that could be smaller: inputs of products, arrays that were promoted to FP64, and real
/// data as complex numbers.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/names/cupy_types.h"
#include "analyzer/names/library_product.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/action_finder.h"
#include "profile/chips/chip.h"

namespace roofscope::program {
namespace {

/// Whether this is a library's product in TF32, by its name.
bool isTf32Product(const KernelAnalysis& kernel) {
    constexpr int kOfTf32 = 4;  // values in 16 bytes
    const auto product = libraryProduct(kernel.fullName);
    return product && product->wanted == kOfTf32;
}

/// Whether this is PyTorch's attention for FP32 inputs, by its name.
bool isFp32Attention(const KernelAnalysis& kernel) {
    return kernel.fullName.find("fmha_cutlass") != std::string::npos &&
           kernel.fullName.find("_f32_") != std::string::npos;
}

bool isDouble(std::string_view type) { return type == "float64" || type == "complex128"; }
bool isSingle(std::string_view type) { return type == "float32" || type == "complex64"; }

/// Whether an operator took arrays of both precisions, so that it computes in FP64. A conversion
/// that the program asks for has a single input.
bool mixesPrecisions(std::string_view name) {
    if (name.find("at::native::") != name.npos)
        return name.find("LoadWithCast<2>") != name.npos &&
               name.find("Functor<double, double") != name.npos;
    const auto types = cupyTypes(name);
    if (types.size() < 3 || !isDouble(types.back())) return false;
    const std::span inputs(types.begin(), types.end() - 1);
    return std::ranges::any_of(inputs, isSingle) && std::ranges::any_of(inputs, isDouble);
}

/// Whether a kernel computes in FP64, by its types or by what it was counted to do.
bool computesInDouble(const KernelAnalysis& kernel) {
    const auto types = cupyTypes(kernel.fullName);
    if (!types.empty()) return std::ranges::any_of(types, isDouble);
    const auto& flops = kernel.quantities.flops;
    const auto& fp64 = flops[Precision::Fp64];
    const auto& fp32 = flops[Precision::Fp32];
    return fp64.has() && fp64->value > 0 && !(fp32.has() && fp32->value >= fp64->value);
}

/// Whether this copies a real array into a complex one, as CuPy does before a complex transform.
bool makesComplex(std::string_view name) {
    return name.starts_with("cupy_copy__float64_complex128") ||
           name.starts_with("cupy_copy__float32_complex64");
}

}  // namespace

void ActionFinder::tf32Products() {
    constexpr double kLeast = 0.1;  // of the window
    // Tensor cores multiply bf16 at twice the rate of TF32, and half the bytes are read. But the
    // start and the end of a launch stay, results are written, and casts are added.
    constexpr double kSaves = 0.3;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            return isTf32Product(kernel) && kernel.origin == KernelOrigin::Library;
        });
    if (found.time < m_program.window.seconds * kLeast) return;
    add({.rule = action_rule::kTf32Product,
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
            // Counted kernels are left to the rule for missing tensor cores.
            if (kernel.quantities.counterDuration.has()) return false;
            const auto product = libraryProduct(kernel.fullName);
            if (!product || !product->plainFp32) return false;
            const Device& device = deviceOf(kernel);
            const auto chip = chipTable(device);
            if (!chip || !chip->sums.contains("tensor_fp16_ops")) return false;
            tf32 = tf32 && chip->sums.contains("tensor_tf32_ops");
            // GPUs for data centres: compute capability 7.0, 8.0, 9.0, 10.0 and 10.3. Those with
            // 8.6, 8.9 and 12.0 are graphics cards.
            fast = fast && (device.computeMajor == 10 ||
                            (device.computeMinor == 0 && device.computeMajor < 10));
            return true;
        });
    if (found.time < m_program.window.seconds * kLeast) return;
    // If other products use TF32, it is allowed, and the library had a reason not to use it here.
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

void ActionFinder::modelInFp32() {
    constexpr double kLeast = 0.05;  // of the window, each
    // The flash kernel and tensor cores are several times as fast. But casts are added, and the
    // start and the end of each launch stay.
    constexpr double kSaves = 0.5;
    if (!m_frameworks.torch) return;
    const KernelsPerWindow attention = kernelsThat(m_analysis, m_program, isFp32Attention);
    const KernelsPerWindow products =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            const auto product = libraryProduct(kernel.fullName);
            return product && product->plainFp32;
        });
    const Seconds least = m_program.window.seconds * kLeast;
    if (attention.time < least || products.time < least) return;
    std::vector<std::uint32_t> kernels = attention.kernels;
    kernels.insert(kernels.end(), products.kernels.begin(), products.kernels.end());
    std::ranges::stable_sort(kernels, std::greater{},
                             [this](std::uint32_t k) { return m_program.kernels[k].time.value; });
    const std::set<std::uint32_t> all(kernels.begin(), kernels.end());
    std::vector<ActionSite> sites = launchSites(kernels);
    if (!add({.rule = "model-in-fp32",
              .kernels = kernels,
              .bound = (attention.time + products.time) * kSaves,
              .estimate = true,
              .sites = std::move(sites),
              .title = Words("Attention and products in FP32"),
              .sentence = Words("Attention for fp32 inputs takes {attention}, products of fp32 "
                                "inputs take {products}; both have several times as fast kernels "
                                "for 16-bit inputs."),
              .edit = Words("Run the model in bf16 (model.to(torch.bfloat16), or "
                            "torch.autocast(\"cuda\", dtype=torch.bfloat16) for training): "
                            "attention becomes the flash kernel, products use tensor cores, and "
                            "all other tensors are half as large."),
              .args = {number("attention", attention.time.value, Unit::Seconds),
                       number("products", products.time.value, Unit::Seconds)}}))
        return;
    // It contains what single kernels are told.
    std::erase_if(m_actions, [&](const Action& action) {
        return action.rule != "model-in-fp32" && !action.kernels.empty() &&
               std::ranges::all_of(action.kernels,
                                   [&](std::uint32_t k) { return all.contains(k); });
    });
}

void ActionFinder::promotedToDouble() {
    constexpr double kLeast = 0.2;  // of the window
    constexpr double kSaves = 0.5;  // half of the bytes
    if (!m_frameworks.torch && !m_frameworks.cupy) return;
    const KernelsPerWindow mixed =
        kernelsThat(m_analysis, m_program,
                    [](const KernelAnalysis& kernel) { return mixesPrecisions(kernel.fullName); });
    const KernelsPerWindow found = kernelsThat(m_analysis, m_program, computesInDouble);
    if (found.time < m_program.window.seconds * kLeast) return;
    if (mixed.kernels.empty()) return networkInDouble(found, kSaves);
    add({.rule = "promoted-to-double",
         .kernels = found.kernels,
         .bound = found.time * kSaves,
         .estimate = true,
         .sites = launchSites(mixed.kernels),
         .title = Words("float32 data becomes float64"),
         .sentence = Words("{mixed} {mixed?launch combines:launches combine} arrays of both "
                           "precisions, so the result is float64; {launches} launches compute in "
                           "FP64 and take {time}. In float32 they would move half the bytes."),
         .edit = Words("Find the float64 operand and convert it once, before the loop "
                       "(.astype(np.float32), dtype=torch.float32): results of NumPy are float64 "
                       "unless told otherwise, and one such operand makes all that follows float64 "
                       "(complex128), where the result tolerates 7 digits."),
         .args = {number("mixed", mixed.launches, Unit::Count),
                  number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

void ActionFinder::networkInDouble(const KernelsPerWindow& found, double saves) {
    const bool convolves = std::ranges::any_of(found.kernels, [&](std::uint32_t k) {
        const auto product = libraryProduct(m_analysis.kernels[k].fullName);
        return product && product->kind == LibraryProduct::Kind::Convolution;
    });
    if (!m_frameworks.torch || !convolves) return;
    add({.rule = "network-in-double",
         .kernels = found.kernels,
         .bound = found.time * saves,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("The network computes in float64"),
         .sentence = Words("{launches} launches, convolutions among them, compute in FP64 and take "
                           "{time}. In float32 they would move half the bytes, and tensor cores "
                           "could do the products."),
         .edit = Words("Make the model and its inputs float32 (model.float(), x.float(): arrays of "
                       "NumPy are float64), without torch.set_default_dtype(torch.float64), then "
                       "allow TF32 or autocast to bf16. Keep float64 for what needs its digits."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

void ActionFinder::realTransforms() {
    constexpr double kLeast = 0.1;  // of the window
    constexpr double kSaves = 0.5;
    if (!m_frameworks.cupy) return;
    const KernelsPerWindow casts =
        kernelsThat(m_analysis, m_program,
                    [](const KernelAnalysis& kernel) { return makesComplex(kernel.fullName); });
    if (casts.kernels.empty()) return;
    const KernelsPerWindow transforms =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            return isTransform(m_analysis.profile->kernels[kernel.group.kernel]);
        });
    if (transforms.time < m_program.window.seconds * kLeast) return;
    std::vector<std::uint32_t> kernels = transforms.kernels;
    kernels.insert(kernels.end(), casts.kernels.begin(), casts.kernels.end());
    add({.rule = "real-transforms",
         .kernels = std::move(kernels),
         .bound = transforms.time * kSaves + casts.time,
         .estimate = true,
         .sites = launchSites(casts.kernels),
         .title = Words("Complex transforms of real data"),
         .sentence =
             Words("{casts} {casts?launch copies:launches copy} a real array into a complex "
                   "one before it is transformed; the transforms take {time}."),
         .edit =
             Words("Use cupy.fft.rfftn and irfftn (rfft, irfft) in place of fftn and ifftn: the "
                   "last axis of the spectrum has n/2 + 1 entries, so that it and all products "
                   "with it take half of the time and memory."),
         .args = {number("casts", casts.launches, Unit::Count),
                  number("time", transforms.time.value, Unit::Seconds)}});
}

}  // namespace roofscope::program
