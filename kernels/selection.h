// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// Turns names and options of the command line into rungs and cases. Needs no GPU.
namespace roofscope::kernels {

/// One rung on one case.
struct Job {
    const Rung* rung = nullptr;
    Case c;
};

/// The rungs selected by `names`, each once, in ladder order; all if `names` is empty. A name is
/// "family/rung", a rung, a family, or a pattern of these with * ? [ ]. A name that selects nothing
/// is an error (Usage) that lists the closest names.
[[nodiscard]] Result<std::vector<const Rung*>> selectRungs(const std::vector<std::string>& names);

/// What to change in the cases of the selected rungs.
struct CaseOptions {
    std::optional<Shape> shape;  ///< Extents to replace; the others keep their default.
    std::optional<DType> dtype;
    bool allShapes = false;  ///< All of Rung::cases() instead of the first.
};

/// The jobs of `rungs`. Errors: Usage, if a rung lacks an extent or refuses a case.
[[nodiscard]] Result<std::vector<Job>> planJobs(std::span<const Rung* const> rungs,
                                                const CaseOptions& options);

}  // namespace roofscope::kernels
