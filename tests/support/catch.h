// SPDX-License-Identifier: Apache-2.0
// Not `#pragma once`: it recognizes a file by its content. After an edit of a comment ccache still
// gives the precompiled header of the old content, and this file would be read twice.
#ifndef ROOFSCOPE_TESTS_SUPPORT_CATCH_H
#define ROOFSCOPE_TESTS_SUPPORT_CATCH_H

/// Catch2 3.x and 2.13 behind one header.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
using Catch::Detail::Approx;
#endif

#include <cstdlib>

namespace roofscope::test {

/// If tests run as a task of a job (srun --pty), they must not think they are its ranks.
inline const bool kOutsideOfJobs = [] {
    for (const char* name : {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                             "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "SLURM_PTY_PORT"})
        unsetenv(name);
    return true;
}();

}  // namespace roofscope::test

#endif  // ROOFSCOPE_TESTS_SUPPORT_CATCH_H
