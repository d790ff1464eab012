# SPDX-License-Identifier: Apache-2.0
# Finds the CUPTI headers with the range profiler (CUDA 12.8 or later): in a toolkit, in its
# extras/CUPTI, in a distribution's folders, or in the layout of NVIDIA's Python wheels. Nothing is
# linked, because the collector loads libcupti at run time. Sets
#   CUPTI_FOUND, CUPTI_INCLUDE_DIR, CUPTI_CUDA_INCLUDE_DIR (cuda.h),
#   CUPTI_VERSION        CUPTI_API_VERSION of the headers, 130001
#   CUPTI_LIBRARY_DIR    the folder with libcupti.so.*, "" if it is not next to the headers
#   CUPTI_REASON         why CUPTI was not found
# and the target CUPTI::headers.

include(RoofscopeCudaToolkit)
if(NOT DEFINED ROOFSCOPE_TOOLKIT_ROOT)
  roofscope_find_cuda_toolkit(ROOFSCOPE_TOOLKIT "${PROJECT_SOURCE_DIR}")
endif()

# Earlier configurations of this build folder may have cached these; a toolkit installed or removed
# since then must be noticed.
unset(CUPTI_INCLUDE_DIR CACHE)
unset(CUPTI_CUDA_INCLUDE_DIR CACHE)
unset(CUPTI_LIBRARY_DIR CACHE)
set(CUPTI_INCLUDE_DIR "${ROOFSCOPE_TOOLKIT_HEADERS}")
set(CUPTI_CUDA_INCLUDE_DIR "")
set(CUPTI_LIBRARY_DIR "")
set(CUPTI_VERSION "")
set(CUPTI_REASON "")

if(CUPTI_INCLUDE_DIR)
  roofscope_cuda_include_dirs(_dirs "${ROOFSCOPE_TOOLKIT_ROOT}")
  foreach(_dir IN LISTS _dirs)
    if(EXISTS "${_dir}/cuda.h" AND NOT CUPTI_CUDA_INCLUDE_DIR)
      set(CUPTI_CUDA_INCLUDE_DIR "${_dir}")
    endif()
  endforeach()
  if(EXISTS "${CUPTI_INCLUDE_DIR}/cupti_version.h")
    file(STRINGS "${CUPTI_INCLUDE_DIR}/cupti_version.h" _line
         REGEX "^#define[ \t]+CUPTI_API_VERSION[ \t]+[0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+" CUPTI_VERSION "${_line}")
  endif()
  get_filename_component(_beside "${CUPTI_INCLUDE_DIR}" DIRECTORY)
  foreach(_dir "${_beside}/lib64" "${_beside}/lib" "${ROOFSCOPE_TOOLKIT_ROOT}/lib64"
          "${ROOFSCOPE_TOOLKIT_ROOT}/lib" "${ROOFSCOPE_TOOLKIT_ROOT}/extras/CUPTI/lib64"
          "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
    file(GLOB _libraries "${_dir}/libcupti.so*")
    if(_libraries AND NOT CUPTI_LIBRARY_DIR)
      set(CUPTI_LIBRARY_DIR "${_dir}")
    endif()
  endforeach()
  if(NOT CUPTI_CUDA_INCLUDE_DIR)
    set(CUPTI_REASON "CUPTI is in ${CUPTI_INCLUDE_DIR}, but cuda.h is not in the same toolkit")
  endif()
elseif(ROOFSCOPE_TOOLKIT_OLD)
  set(CUPTI_REASON "the CUPTI headers in ${ROOFSCOPE_TOOLKIT_OLD} have no range profiler \
(CUDA 12.8 or later is needed, ./dev setup fetches one)")
elseif(ROOFSCOPE_CUDA_ROOT)
  set(CUPTI_REASON "no CUPTI headers in ${ROOFSCOPE_CUDA_ROOT} (ROOFSCOPE_CUDA_ROOT)")
else()
  set(CUPTI_REASON "no CUDA toolkit with CUPTI headers, 12.8 or later, was found \
(./dev setup fetches one, or set CUDA_PATH or -DROOFSCOPE_CUDA_ROOT=FOLDER)")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUPTI REQUIRED_VARS CUPTI_INCLUDE_DIR CUPTI_CUDA_INCLUDE_DIR
                                  VERSION_VAR CUPTI_VERSION REASON_FAILURE_MESSAGE "${CUPTI_REASON}")
if(CUPTI_FOUND AND NOT TARGET CUPTI::headers)
  add_library(CUPTI::headers INTERFACE IMPORTED)
  target_include_directories(CUPTI::headers SYSTEM INTERFACE
    "${CUPTI_INCLUDE_DIR}" "${CUPTI_CUDA_INCLUDE_DIR}")
endif()
