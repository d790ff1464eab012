// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/language/words.h"
#include "profile/model/profile.h"

/// What no recording of this program shows, however it is made.
namespace roofscope::program {

struct Unseen {
    enum class What {
        KernelsOfKernels,  ///< kernels that its kernels launch
        BeforeCuda         ///< what it did before it first used CUDA
    };
    What what = What::KernelsOfKernels;
    std::optional<Seconds> time;  ///< how much time that is; absent: not known
    Words sentence;
};
/// The name in JSON: "kernels_launched_by_kernels", "time_before_cuda".
[[nodiscard]] std::string_view toString(Unseen::What what);

[[nodiscard]] std::vector<Unseen> unseenOf(const Profile& profile);

/// What it means that kernels launch kernels.
[[nodiscard]] Words kernelsOfKernelsWords();

}  // namespace roofscope::program
