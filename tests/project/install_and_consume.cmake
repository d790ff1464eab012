# SPDX-License-Identifier: Apache-2.0
# Installs the build into an empty folder and moves it, because a package must be relocatable.
# Checks where files are, then configures, builds and runs a project that uses
# find_package(roofscope).
cmake_policy(VERSION 3.22)

function(must what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${out}")
  endif()
  set(OUTPUT "${out}" PARENT_SCOPE)
endfunction()

function(must_exist file)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
must("install" ${CMAKE_COMMAND} --install "${BINARY_DIR}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${WORK}/prefix")
set(prefix "${WORK}/prefix")
must_exist("${prefix}/${BINDIR}/roofscope")
must_exist("${prefix}/${INCLUDEDIR}/roofscope/profile/model/profile.h")
must_exist("${prefix}/${INCLUDEDIR}/roofscope/reports/plot/draw_list.h")
must_exist("${prefix}/${INCLUDEDIR}/roofscope/ranges.h")
if(WITH_INJECT)
  must_exist("${prefix}/${LIBDIR}/libroofscope_inject.so")
endif()
must("installed roofscope --version" "${prefix}/${BINDIR}/roofscope" --version)

# The package must not refer to the build machine: no header-only libraries, no paths.
file(GLOB package "${prefix}/${LIBDIR}/cmake/roofscope/*.cmake")
foreach(file IN LISTS package)
  file(READ "${file}" text)
  foreach(leak "nlohmann" "fmt::" "CLI11" "roofscope_options" "${BINARY_DIR}")
    string(FIND "${text}" "${leak}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} mentions ${leak}")
    endif()
  endforeach()
endforeach()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
must("configuring the consumer" ${CMAKE_COMMAND} -G "${GENERATOR}" -S "${CONSUMER}"
  -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_CXX_FLAGS=${flags}" "-DHEADERS=${prefix}/${INCLUDEDIR}/roofscope")
must("building the consumer" ${CMAKE_COMMAND} --build "${WORK}/build")

# A missing file must give an error that names it (exit 3 of the consumer's main).
execute_process(COMMAND "${WORK}/build/consumer" "${WORK}/nowhere.roofscope.json"
                RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_VARIABLE out)
if(NOT code EQUAL 3 OR NOT err MATCHES "nowhere.roofscope.json")
  message(FATAL_ERROR "the consumer ended with ${code} and said: ${err}${out}")
endif()
