// SPDX-License-Identifier: Apache-2.0
#include "profile/names/foreign_modules.h"

#include "tests/support/catch.h"

using roofscope::isInstalledHeader;

TEST_CASE("headers of compilers, CUDA and the system are installed headers") {
    for (const char* path :
         {"/usr/include/c++/12/bits/stl_algo.h", "/usr/local/cuda-13.0/include/cuda_fp16.hpp",
          "/opt/nvidia/cuda/include/cuda_fp16.h", "/opt/cuda-12.4/targets/x/include/vector_types.h",
          "/opt/nvidia/hpc_sdk/cuda/12.3/include/cuda_fp16.h",
          "/opt/conda/sysroot/usr/include/math.h", "/home/a/third_party/cub/block/block_scan.cuh",
          "/tmp/tmpxft_000025f3_00000000-6_app.cudafe1.stub.c",
          "/home/a/env/site-packages/nvidia/cuda_runtime/include/driver_types.h"}) {
        CAPTURE(path);
        CHECK(isInstalledHeader(path));
    }
}

TEST_CASE("a program's own files stay its own in folders that are called like CUDA's") {
    for (const char* path :
         {"/home/a/cuda/main.cu", "/home/a/cuda-solver/include/solver.h", "/usr/src/app/solve.cpp",
          "/home/a/src/thrust/main.cu", "/home/a/cuda/kernels.cuh", "/home/a/cuda-12/step.h",
          "/home/a/cuda_app/include/app.h", "/home/a/cuda/app/include/step.cuh"}) {
        CAPTURE(path);
        CHECK_FALSE(isInstalledHeader(path));
    }
}
