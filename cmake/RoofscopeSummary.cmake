# SPDX-License-Identifier: Apache-2.0
# The last lines of a configuration: what is built, what is not, and why. Shown by `./dev build`.

function(_roofscope_line name flag why)
  string(LENGTH "${name}" length)
  math(EXPR pad "30 - ${length}")
  string(REPEAT " " ${pad} space)
  if(${flag})
    set(state "yes")
  else()
    set(state "NO ")
  endif()
  message(STATUS "  ${name}${space}${state}  ${why}")
endfunction()

set(_kind "${CMAKE_BUILD_TYPE}")
if(ROOFSCOPE_SANITIZE)
  string(APPEND _kind ", sanitizers: ${ROOFSCOPE_SANITIZE}")
endif()
message(STATUS "roofscope ${PROJECT_VERSION} (${_kind}; "
  "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) builds:")
_roofscope_line("analysis, reports, roofscope" ON "")
_roofscope_line("collector (CUPTI)" ROOFSCOPE_BUILD_COLLECTOR "${ROOFSCOPE_WHY_COLLECTOR}")
_roofscope_line("bundled kernels (nvcc)" ROOFSCOPE_BUILD_KERNELS "${ROOFSCOPE_WHY_KERNELS}")
_roofscope_line("desktop program (Qt 6)" ROOFSCOPE_BUILD_GUI "${ROOFSCOPE_WHY_GUI}")
_roofscope_line("tests (Catch2)" ROOFSCOPE_BUILD_TESTS "${ROOFSCOPE_WHY_TESTS}")
