// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/unseen.h"

#include <algorithm>

#include "analyzer/language/sentence.h"
#include "analyzer/program/account/account.h"

namespace roofscope::program {

std::string_view toString(Unseen::What what) {
    return what == Unseen::What::KernelsOfKernels ? "kernels_launched_by_kernels"
                                                  : "time_before_cuda";
}

Words kernelsOfKernelsWords() {
    return Words(
        "Kernels of this program launch kernels themselves. CUPTI does not show those, so "
        "the GPU may be busy where no kernel is seen.");
}

std::vector<Unseen> unseenOf(const Profile& profile) {
    std::vector<Unseen> unseen;
    if (launchesFromKernels(profile))
        unseen.push_back({.what = Unseen::What::KernelsOfKernels,
                          .time = std::nullopt,
                          .sentence = kernelsOfKernelsWords()});
    // Of several processes, take the one that waits longest; most are alike.
    Nanoseconds before = 0;
    bool sampled = false;
    for (const Process& process : profile.processes) {
        if (!process.run) continue;
        const Nanoseconds cuda = process.run->setup.start;
        before = std::max(before, cuda - process.run->time.start);
        sampled = sampled || (process.cpuSamples &&
                              std::ranges::any_of(
                                  process.cpuSamples->samples,
                                  [cuda](Nanoseconds at) { return at < cuda; }, &CpuSample::time));
    }
    if (before > 0) {
        const Seconds time{static_cast<double>(before) / 1e9};
        unseen.push_back(
            {.what = Unseen::What::BeforeCuda,
             .time = time,
             .sentence =
                 sampled
                     ? wordsOf("The recorder follows the program from its first use of CUDA. Of "
                               "the {:.3g} s before that, it has no NVTX ranges.",
                               time.value)
                     : wordsOf("The recorder is loaded when the program first uses CUDA. Of the "
                               "{:.3g} s before that, it has no NVTX ranges and no samples of the "
                               "CPU.",
                               time.value)});
    }
    return unseen;
}

}  // namespace roofscope::program
