// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/measurement_words.h"

#include <fmt/format.h>

#include "analyzer/language/words.h"
#include "profile/chips/chip.h"
#include "reports/language/say.h"

namespace roofscope {

std::string strategyWords(const Capture& capture, Language language) {
    std::string text =
        capture.strategy.empty()       ? say(language, "strategy not recorded")
        : capture.origin == "imported" ? capture.strategy
        : capture.strategy == "kernel" ? say(language, "each launch replayed (kernel replay)")
        : capture.strategy == "application"
            ? say(language, "the program run once per group of counters (application replay)")
        : capture.strategy == "multiplex"
            ? say(language, "one run, counter groups rotate over the launches (multiplexing)")
        : capture.strategy == "timing" ? say(language, "without counters (timing only)")
                                       : say(language, "{} strategy", capture.strategy);
    if (capture.passes > 0)
        text += std::string(marksOf(language).comma) +
                sayCount(language, static_cast<std::size_t>(capture.passes), "{} pass per launch",
                         "{} passes per launch");
    return text;
}

std::string cudaVersion(std::uint32_t version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string deviceNumbers(const std::vector<std::uint32_t>& devices) {
    std::string text;
    for (std::size_t first = 0; first < devices.size();) {
        std::size_t last = first;
        while (last + 1 < devices.size() && devices[last + 1] == devices[last] + 1) ++last;
        // Two consecutive numbers are not written as a range.
        if (last == first + 1) last = first;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", devices[first]);
        if (last > first) text += fmt::format("–{}", devices[last]);
        first = last + 1;
    }
    return text;
}

std::vector<std::string> missingFeatures(const Device& device, Language language) {
    static const struct {
        ChipFeature feature;
        Words words;
    } kFeatures[]{
        {ChipFeature::AsyncCopies, Words("asynchronous copies to shared memory (cp.async)")},
        {ChipFeature::Bf16TensorCores, Words("bf16 and TF32 tensor cores")},
        {ChipFeature::Fp8TensorCores, Words("FP8 tensor cores")},
        {ChipFeature::BulkCopies, Words("tensor memory accelerator (TMA, bulk copies)")},
        {ChipFeature::Clusters, Words("thread block clusters and distributed shared memory")},
        {ChipFeature::Wgmma, Words("warp-group matrix products (wgmma, CC 9.0 only)")},
        {ChipFeature::Fp4TensorCores, Words("FP4 tensor cores")},
        {ChipFeature::TensorMemory, Words("tensor memory (tcgen05)")}};
    std::vector<std::string> lacks;
    for (const auto& [feature, words] : kFeatures)
        if (!chipHas(device, feature).value_or(true)) lacks.push_back(words.in(language));
    return lacks;
}

}  // namespace roofscope
