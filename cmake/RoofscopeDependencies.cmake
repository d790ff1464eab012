# SPDX-License-Identifier: Apache-2.0
# Finds what this machine has and decides what is built. Every part that is left out says why.

# A folder with header-only libraries (nlohmann/, CLI/, fmt/) for machines without packages.
set(ROOFSCOPE_DEPS_DIR "" CACHE PATH "Folder with header-only dependencies")
option(ROOFSCOPE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

function(_roofscope_header_library name header package target)
  if(ROOFSCOPE_DEPS_DIR AND EXISTS "${ROOFSCOPE_DEPS_DIR}/${header}")
    add_library(roofscope_${name} INTERFACE)
    target_include_directories(roofscope_${name} SYSTEM INTERFACE
      $<BUILD_INTERFACE:${ROOFSCOPE_DEPS_DIR}>)
    message(STATUS "${name}: ${ROOFSCOPE_DEPS_DIR}")
  else()
    find_package(${package} QUIET)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "${package} was not found. Install it (./dev setup does), or put its "
        "headers into a folder and pass -DROOFSCOPE_DEPS_DIR=FOLDER (expected there: ${header}).")
    endif()
    add_library(roofscope_${name} INTERFACE)
    target_link_libraries(roofscope_${name} INTERFACE $<BUILD_INTERFACE:${target}>)
  endif()
  add_library(roofscope::${name} ALIAS roofscope_${name})
endfunction()

_roofscope_header_library(json nlohmann/json.hpp nlohmann_json nlohmann_json::nlohmann_json)
_roofscope_header_library(cli11 CLI/CLI.hpp CLI11 CLI11::CLI11)
_roofscope_header_library(fmt fmt/format.h fmt fmt::fmt-header-only)
target_compile_definitions(roofscope_fmt INTERFACE FMT_HEADER_ONLY=1)

# CUPTI headers: the collector loads libcupti at run time, so headers are all it needs to build.
find_package(CUPTI QUIET)
if(CUPTI_FOUND)
  set(_collector_default ON)
  set(ROOFSCOPE_WHY_COLLECTOR "CUPTI ${CUPTI_VERSION} in ${CUPTI_INCLUDE_DIR}")
else()
  set(_collector_default OFF)
  set(ROOFSCOPE_WHY_COLLECTOR "${CUPTI_REASON}")
endif()
option(ROOFSCOPE_BUILD_COLLECTOR "Build the CUPTI collector" ${_collector_default})

# nvcc for the bundled kernels.
include(CheckLanguage)
set(ROOFSCOPE_CUDA_ARCHITECTURES "75-virtual;90-real" CACHE STRING
    "CUDA architectures of the bundled kernels")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "${ROOFSCOPE_CUDA_ARCHITECTURES}")
endif()
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  set(_kernels_default ON)
  set(ROOFSCOPE_WHY_KERNELS "nvcc: ${CMAKE_CUDA_COMPILER}")
else()
  set(_kernels_default OFF)
  set(ROOFSCOPE_WHY_KERNELS "no CUDA compiler (nvcc) was found")
endif()
option(ROOFSCOPE_BUILD_KERNELS "Build the bundled CUDA kernels" ${_kernels_default})
if(ROOFSCOPE_BUILD_KERNELS)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
endif()

find_package(Qt6 6.4 QUIET COMPONENTS Widgets Svg Test)
if(Qt6_FOUND)
  set(_gui_default ON)
  set(ROOFSCOPE_WHY_GUI "Qt ${Qt6_VERSION}")
else()
  set(_gui_default OFF)
  set(ROOFSCOPE_WHY_GUI "Qt 6.4 or later (Widgets, Svg) was not found")
endif()
option(ROOFSCOPE_BUILD_GUI "Build the desktop program" ${_gui_default})

if(ROOFSCOPE_BUILD_TESTS)
  find_package(Catch2 3 QUIET)
  if(NOT Catch2_FOUND)
    find_package(Catch2 2.13 QUIET)
  endif()
  if(NOT TARGET Catch2::Catch2)
    message(FATAL_ERROR "Catch2 was not found. Install it (./dev setup does), or configure with "
      "-DROOFSCOPE_BUILD_TESTS=OFF.")
  endif()
endif()
