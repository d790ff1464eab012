# SPDX-License-Identifier: Apache-2.0
# roofscope::fmt: {fmt}, compiled once into a static library of ours. Used header-only, every file
# that formats a number compiles the formatter again: 8 s instead of 4 for a file of the reports. A
# distribution's library is shared, and the injected library must not need that.
#
# If our one file does not fit the version of {fmt}, it is used header-only instead.

set(_fmt_include "${_deps}")
if(NOT _fmt_include OR NOT EXISTS "${_fmt_include}/fmt/format-inl.h")
  find_package(fmt QUIET)
  if(NOT TARGET fmt::fmt-header-only)
    message(FATAL_ERROR "fmt was not found. Install it (./dev setup does; package libfmt-dev), or put "
      "its headers into a folder and pass -DROOFSCOPE_DEPS_DIR=FOLDER (expected there: fmt/format.h).")
  endif()
  get_target_property(_fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
endif()

set(_fmt_source "${CMAKE_CURRENT_LIST_DIR}/fmt/compiled.cpp")
if(NOT DEFINED ROOFSCOPE_FMT_COMPILES OR NOT ROOFSCOPE_FMT_TRIED STREQUAL _fmt_include)
  try_compile(_compiles "${CMAKE_BINARY_DIR}/try-fmt"
    SOURCES "${_fmt_source}" "${CMAKE_CURRENT_LIST_DIR}/fmt/uses.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${_fmt_include}"
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  set(ROOFSCOPE_FMT_COMPILES "${_compiles}" CACHE INTERNAL "fmt can be compiled once")
  set(ROOFSCOPE_FMT_TRIED "${_fmt_include}" CACHE INTERNAL "the headers that were tried")
endif()
if(ROOFSCOPE_FMT_COMPILES)
  add_library(roofscope_fmt STATIC "${_fmt_source}")
else()
  add_library(roofscope_fmt INTERFACE)
  target_compile_definitions(roofscope_fmt INTERFACE FMT_HEADER_ONLY=1)
  message(STATUS "fmt: header-only, which compiles longer (${_fmt_include})")
endif()
add_library(roofscope::fmt ALIAS roofscope_fmt)
set_target_properties(roofscope_fmt PROPERTIES EXPORT_NAME fmt)
if(ROOFSCOPE_FMT_COMPILES)
  target_include_directories(roofscope_fmt SYSTEM PUBLIC $<BUILD_INTERFACE:${_fmt_include}>)
else()
  target_include_directories(roofscope_fmt SYSTEM INTERFACE $<BUILD_INTERFACE:${_fmt_include}>)
endif()
