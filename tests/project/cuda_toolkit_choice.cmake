# SPDX-License-Identifier: Apache-2.0
# Tests roofscope_find_cuda_toolkit() on made-up folders: its choice, and its reason for none.
cmake_policy(VERSION 3.22)
include("${SOURCE_DIR}/cmake/RoofscopeCudaToolkit.cmake")

function(expect what actual expected)
  if(NOT "${actual}" STREQUAL "${expected}")
    message(SEND_ERROR "${what}: got \"${actual}\", expected \"${expected}\"")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
# A CUDA 12 toolkit with nvcc and old CUPTI headers; a CUDA 13 tree in the layout of the wheels.
file(WRITE "${WORK}/old/bin/nvcc" "")
file(WRITE "${WORK}/old/extras/CUPTI/include/cupti.h" "")
set(wheels "${WORK}/project/.deps/cuda/nvidia/cu13")
file(WRITE "${wheels}/bin/nvcc" "")
file(WRITE "${wheels}/include/cupti_range_profiler.h" "")

# With an explicit root only that folder counts, whatever else is there.
set(ROOFSCOPE_CUDA_ROOT "${WORK}/old")
roofscope_find_cuda_toolkit(found "${WORK}/project")
expect("nvcc of an old toolkit" "${found_NVCC}" "${WORK}/old/bin/nvcc")
expect("no range profiler in it" "${found_HEADERS}" "")
expect("the headers that are too old" "${found_OLD}" "${WORK}/old/extras/CUPTI/include")

set(ROOFSCOPE_CUDA_ROOT "${wheels}")
roofscope_find_cuda_toolkit(found "${WORK}/project")
expect("wheel layout" "${found_HEADERS}" "${wheels}/include")

# CUDA 12 wheels: one tree per wheel.
file(WRITE "${WORK}/cu12/cuda_nvcc/bin/nvcc" "")
file(WRITE "${WORK}/cu12/cuda_cupti/include/cupti_range_profiler.h" "")
set(ROOFSCOPE_CUDA_ROOT "${WORK}/cu12")
roofscope_find_cuda_toolkit(found "${WORK}/project")
expect("CUDA 12 wheels" "${found_NVCC};${found_HEADERS}"
       "${WORK}/cu12/cuda_nvcc/bin/nvcc;${WORK}/cu12/cuda_cupti/include")

# Searching: a complete toolkit later in the list is preferred to an incomplete one before it.
function(_roofscope_cuda_candidates out project)
  set(${out} "${WORK}/old;${project}/.deps/cuda/nvidia/cu13" PARENT_SCOPE)
endfunction()
roofscope_find_cuda_toolkit(found "${WORK}/project")
expect("complete beats incomplete" "${found_ROOT}" "${wheels}")
function(_roofscope_cuda_candidates out project)
  set(${out} "${WORK}/nowhere;${WORK}/old" PARENT_SCOPE)
endfunction()
roofscope_find_cuda_toolkit(found "${WORK}/project")
expect("incomplete beats none" "${found_ROOT}" "${WORK}/old")
