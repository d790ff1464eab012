# SPDX-License-Identifier: Apache-2.0
# Finds what this machine has and decides what is built. For each part left out it says why.
#
# ROOFSCOPE_BUILD_{TESTS,COLLECTOR,KERNELS,GUI} are AUTO (build the part if its needs are met,
# decided at each configuration), ON (fail if they are not met) or OFF.

include(RoofscopeCudaToolkit)

set(ROOFSCOPE_DEPS_DIR "" CACHE PATH
    "Folder with the header-only dependencies (nlohmann/, CLI/, fmt/, catch2/) for machines without \
packages; zlib.h with libz.a or libz.so is taken from there too")
set(ROOFSCOPE_CUDA_ROOT "" CACHE PATH "CUDA toolkit to use; empty: search")
option(ROOFSCOPE_WITHOUT_CUDA "Do not look for a CUDA toolkit" OFF)
set(_deps "${ROOFSCOPE_DEPS_DIR}")
if(NOT _deps AND IS_DIRECTORY "${PROJECT_SOURCE_DIR}/.deps/include")
  set(_deps "${PROJECT_SOURCE_DIR}/.deps/include")
endif()
if(ROOFSCOPE_DEPS_DIR AND NOT IS_DIRECTORY "${ROOFSCOPE_DEPS_DIR}")
  message(FATAL_ERROR "ROOFSCOPE_DEPS_DIR is ${ROOFSCOPE_DEPS_DIR}, which is not a folder.")
endif()

# The standard library must have <span>, <bit>, <source_location> and so on.
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "roofscope needs C++20: g++ 12 or clang++ 14, or later. This is "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}). "
    "Choose another with -DCMAKE_CXX_COMPILER=g++-12 in a fresh build folder.")
endif()

# roofscope_part(GUI available "why"): decides ROOFSCOPE_BUILD_GUI and ROOFSCOPE_WHY_GUI.
macro(roofscope_part part available why)
  set(ROOFSCOPE_BUILD_${part} AUTO CACHE STRING "Build this part: AUTO, ON or OFF")
  set_property(CACHE ROOFSCOPE_BUILD_${part} PROPERTY STRINGS AUTO ON OFF)
  set(ROOFSCOPE_WHY_${part} "${why}")
  if("$CACHE{ROOFSCOPE_BUILD_${part}}" STREQUAL "AUTO")
    set(ROOFSCOPE_BUILD_${part} ${available})
  elseif($CACHE{ROOFSCOPE_BUILD_${part}})
    if(NOT ${available})
      message(FATAL_ERROR "ROOFSCOPE_BUILD_${part} is ON, but: ${why}.")
    endif()
    set(ROOFSCOPE_BUILD_${part} ON)
  else()
    set(ROOFSCOPE_BUILD_${part} OFF)
    set(ROOFSCOPE_WHY_${part} "switched off (-DROOFSCOPE_BUILD_${part}=OFF)")
  endif()
endmacro()

# --- Libraries ---------------------------------------------------------------------------------
find_package(Threads REQUIRED)
if(_deps AND EXISTS "${_deps}/zlib.h")
  set(ZLIB_ROOT "${_deps}")
  list(PREPEND CMAKE_LIBRARY_PATH "${_deps}" "${_deps}/lib")
  list(PREPEND CMAKE_INCLUDE_PATH "${_deps}")
endif()
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib was not found. Install it (./dev setup does; package zlib1g-dev), or put "
    "zlib.h, zconf.h and libz.a into a folder and pass -DROOFSCOPE_DEPS_DIR=FOLDER.")
endif()

# Header-only libraries are only used in .cpp files, so their targets are part of the build but
# never of an installation.
function(_roofscope_header_library name header package debian target)
  add_library(roofscope_${name} INTERFACE)
  add_library(roofscope::${name} ALIAS roofscope_${name})
  if(_deps AND EXISTS "${_deps}/${header}")
    target_include_directories(roofscope_${name} SYSTEM INTERFACE $<BUILD_INTERFACE:${_deps}>)
    message(STATUS "${package}: headers in ${_deps}")
    return()
  endif()
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${package} was not found. Install it (./dev setup does; package ${debian}), "
      "or put its headers into a folder and pass -DROOFSCOPE_DEPS_DIR=FOLDER (expected there: "
      "${header}).")
  endif()
  target_link_libraries(roofscope_${name} INTERFACE $<BUILD_INTERFACE:${target}>)
endfunction()

_roofscope_header_library(json nlohmann/json.hpp nlohmann_json nlohmann-json3-dev
                          nlohmann_json::nlohmann_json)
_roofscope_header_library(cli11 CLI/CLI.hpp CLI11 libcli11-dev CLI11::CLI11)
include(RoofscopeFmt)            # roofscope::fmt

# --- CUDA: CUPTI headers for the collector, nvcc for the bundled kernels -------------------------
if(ROOFSCOPE_WITHOUT_CUDA)
  set(ROOFSCOPE_TOOLKIT_ROOT "")
  set(ROOFSCOPE_TOOLKIT_NVCC "")
  set(CUPTI_FOUND FALSE)
  set(_cupti_why "switched off (-DROOFSCOPE_WITHOUT_CUDA=ON)")
  set(_nvcc_why "${_cupti_why}")
else()
  if(ROOFSCOPE_CUDA_ROOT AND NOT IS_DIRECTORY "${ROOFSCOPE_CUDA_ROOT}")
    message(FATAL_ERROR "ROOFSCOPE_CUDA_ROOT is ${ROOFSCOPE_CUDA_ROOT}, which is not a folder.")
  endif()
  roofscope_find_cuda_toolkit(ROOFSCOPE_TOOLKIT "${PROJECT_SOURCE_DIR}")
  find_package(CUPTI QUIET)
  if(CUPTI_FOUND)
    set(_cupti_why "CUPTI ${CUPTI_VERSION} in ${CUPTI_INCLUDE_DIR}")
  else()
    set(_cupti_why "${CUPTI_REASON}")
  endif()
  set(_nvcc_why "no CUDA compiler (nvcc) was found")
endif()
roofscope_part(COLLECTOR ${CUPTI_FOUND} "${_cupti_why}")

# 90 means machine code and PTX: newer GPUs must not fall back to 7.5, which lacks what 9.0 added.
set(ROOFSCOPE_CUDA_ARCHITECTURES "75-virtual;90" CACHE STRING
    "CUDA architectures of the bundled kernels")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "${ROOFSCOPE_CUDA_ARCHITECTURES}")
endif()
set(_nvcc_found FALSE)
set(_wanted "$CACHE{ROOFSCOPE_BUILD_KERNELS}")
if(ROOFSCOPE_TOOLKIT_NVCC AND (_wanted STREQUAL "" OR _wanted STREQUAL "AUTO" OR _wanted))
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER)
    # A failed search of an earlier configuration must not outlast the installation of nvcc.
    unset(CMAKE_CUDA_COMPILER CACHE)
    set(ENV{CUDACXX} "${ROOFSCOPE_TOOLKIT_NVCC}")
  endif()
  check_language(CUDA)  # compiles a test program: a broken nvcc is a reason, not an error
  if(CMAKE_CUDA_COMPILER)
    set(_nvcc_found TRUE)
    set(_nvcc_why "${CMAKE_CUDA_COMPILER}")
  else()
    set(_nvcc_why "${ROOFSCOPE_TOOLKIT_NVCC} does not work with ${CMAKE_CXX_COMPILER_ID} \
${CMAKE_CXX_COMPILER_VERSION} (-DCMAKE_CUDA_HOST_COMPILER=g++-12 chooses another, details: \
${CMAKE_BINARY_DIR}/CMakeFiles/CMakeError.log)")
  endif()
endif()
roofscope_part(KERNELS ${_nvcc_found} "${_nvcc_why}")
if(ROOFSCOPE_BUILD_KERNELS)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(ROOFSCOPE_WHY_KERNELS "nvcc ${CMAKE_CUDA_COMPILER_VERSION}: ${CMAKE_CUDA_COMPILER}")
endif()

# --- Desktop program -----------------------------------------------------------------------------
if("$CACHE{ROOFSCOPE_BUILD_GUI}" STREQUAL "OFF")
  set(Qt6_FOUND FALSE)
else()
  find_package(Qt6 6.4 QUIET COMPONENTS Widgets Svg Test
               OPTIONAL_COMPONENTS LinguistTools)
endif()
if(Qt6_FOUND)
  set(_languages "English, Chinese")
  if(NOT TARGET Qt6::lrelease)
    set(_languages "English only: Qt's LinguistTools were not found (qt6-tools-dev, qt6-l10n-tools)")
  endif()
  roofscope_part(GUI ON "Qt ${Qt6_VERSION}; ${_languages}")
else()
  roofscope_part(GUI OFF
    "Qt 6.4 or later (Widgets, Svg, Test) was not found (packages qt6-base-dev and libqt6svg6-dev)")
endif()

# --- Tests ---------------------------------------------------------------------------------------
set(_catch_why "not the top-level project")
set(_catch_found FALSE)
if(PROJECT_IS_TOP_LEVEL AND NOT "$CACHE{ROOFSCOPE_BUILD_TESTS}" STREQUAL "OFF")
  if(_deps AND EXISTS "${_deps}/catch2/catch.hpp")
    add_library(roofscope_catch_headers INTERFACE)
    target_include_directories(roofscope_catch_headers SYSTEM INTERFACE "${_deps}")
    add_library(Catch2::Catch2 ALIAS roofscope_catch_headers)
    set(Catch2_VERSION "2 (${_deps})")
  else()
    find_package(Catch2 3 QUIET)
    if(NOT Catch2_FOUND)
      find_package(Catch2 2.13 QUIET)
    endif()
  endif()
  if(TARGET Catch2::Catch2)
    set(_catch_found TRUE)
    set(_catch_why "Catch2 ${Catch2_VERSION}")
  else()
    set(_catch_why "Catch2 was not found (package catch2, or catch2/catch.hpp in ROOFSCOPE_DEPS_DIR)")
  endif()
endif()
roofscope_part(TESTS ${_catch_found} "${_catch_why}")
