# SPDX-License-Identifier: Apache-2.0
# Finds the CUPTI headers (range profiler: CUDA 12.8 or later) in a toolkit, in its extras/CUPTI, or
# in the layout of NVIDIA's Python wheels. Sets CUPTI_FOUND, CUPTI_INCLUDE_DIR, CUPTI_CUDA_INCLUDE_DIR,
# CUPTI_LIBRARY_DIR (may be empty), CUPTI_VERSION, CUPTI_REASON (why not found), target CUPTI::headers.

set(_roots "$ENV{CUDA_PATH}" "$ENV{CUDA_HOME}" "${CUDAToolkit_ROOT}" "$ENV{CUDAToolkit_ROOT}"
    /usr/local/cuda /opt/cuda)
file(GLOB _versioned /usr/local/cuda-*)
list(APPEND _roots ${_versioned})
find_program(_nvcc nvcc)
if(_nvcc)
  file(REAL_PATH "${_nvcc}" _nvcc_real)
  get_filename_component(_nvcc_bin "${_nvcc_real}" DIRECTORY)
  get_filename_component(_nvcc_root "${_nvcc_bin}" DIRECTORY)
  list(PREPEND _roots "${_nvcc_root}")
endif()
list(REMOVE_ITEM _roots "")

set(_dirs)
foreach(root IN LISTS _roots)
  list(APPEND _dirs "${root}/include" "${root}/extras/CUPTI/include"
       "${root}/targets/x86_64-linux/include" "${root}/targets/sbsa-linux/include")
endforeach()

find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h PATHS ${_dirs} NO_DEFAULT_PATH)
find_path(CUPTI_CUDA_INCLUDE_DIR cuda.h PATHS ${_dirs} NO_DEFAULT_PATH)
find_path(_cupti_any cupti.h PATHS ${_dirs} /usr/include)
set(CUPTI_REASON "")
if(CUPTI_INCLUDE_DIR AND CUPTI_CUDA_INCLUDE_DIR)
  file(STRINGS "${CUPTI_INCLUDE_DIR}/cupti_version.h" _line REGEX "define CUPTI_API_VERSION")
  string(REGEX MATCH "[0-9]+" CUPTI_VERSION "${_line}")
  get_filename_component(_root "${CUPTI_INCLUDE_DIR}" DIRECTORY)
  find_path(CUPTI_LIBRARY_DIR NAMES libcupti.so.13 libcupti.so.12 libcupti.so
            PATHS "${_root}/lib64" "${_root}/lib" "${_root}/extras/CUPTI/lib64" NO_DEFAULT_PATH)
  if(NOT CUPTI_LIBRARY_DIR)
    set(CUPTI_LIBRARY_DIR "")
  endif()
elseif(_cupti_any)
  set(CUPTI_REASON "the CUPTI headers in ${_cupti_any} have no range profiler (CUDA 12.8 or later is needed)")
else()
  set(CUPTI_REASON "no CUDA toolkit with CUPTI headers was found (set CUDA_PATH to one, 12.8 or later)")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUPTI REQUIRED_VARS CUPTI_INCLUDE_DIR CUPTI_CUDA_INCLUDE_DIR
                                  VERSION_VAR CUPTI_VERSION)
if(CUPTI_FOUND AND NOT TARGET CUPTI::headers)
  add_library(CUPTI::headers INTERFACE IMPORTED)
  target_include_directories(CUPTI::headers SYSTEM INTERFACE
    "${CUPTI_INCLUDE_DIR}" "${CUPTI_CUDA_INCLUDE_DIR}")
endif()
