# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers, hardening and fuzzing instrumentation for all targets of the project.

option(ROOFSCOPE_WERROR "Treat warnings as errors" OFF)
set(ROOFSCOPE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
option(ROOFSCOPE_HARDENED "Position-independent programs, checked stacks and copies, no build paths" OFF)
option(ROOFSCOPE_FUZZ "Build the fuzz targets as libFuzzer programs (clang)" OFF)

add_library(roofscope_options INTERFACE)
target_compile_options(roofscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wno-missing-field-initializers>
  # These warnings of g++ about inlined standard-library code are too often wrong (GCC bug 105651
  # and related), and with a precompiled header g++ no longer sees that the code is the library's.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict$<SEMICOLON>-Wno-array-bounds$<SEMICOLON>-Wno-maybe-uninitialized$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-stringop-overread>
  # Only shadowed locals matter. By default newer compilers also warn if an enumerator of a scoped
  # enum shadows a type.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow=local> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wshadow>
  $<$<AND:$<BOOL:${ROOFSCOPE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
if(ROOFSCOPE_SANITIZE)
  target_compile_options(roofscope_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ROOFSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(roofscope_options INTERFACE -fsanitize=${ROOFSCOPE_SANITIZE})
endif()
if(ROOFSCOPE_HARDENED)
  # Malicious files must not get further than an abort, and binaries must not contain build paths.
  # For every target, third-party code too: RE2 has __FILE__ in its messages. -U and -D replace a
  # compiler's own choice.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>"
    "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/;-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>")
  target_link_options(roofscope_options INTERFACE
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>" -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
if(ROOFSCOPE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ROOFSCOPE_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # Also for libraries, because libFuzzer does not see branches in uninstrumented code.
  target_compile_options(roofscope_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# roofscope_add_library(profile a.cpp b.cpp): static library roofscope_profile, alias
# roofscope::profile, includes rooted at the source tree ("profile/model/units.h").
function(roofscope_add_library name)
  add_library(roofscope_${name} STATIC ${ARGN})
  add_library(roofscope::${name} ALIAS roofscope_${name})
  set_target_properties(roofscope_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(roofscope_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/roofscope>)
  target_compile_features(roofscope_${name} PUBLIC cxx_std_20)
  target_link_libraries(roofscope_${name} PRIVATE $<BUILD_INTERFACE:roofscope_options>)
endfunction()

# Most of a file's compile time goes into headers that its neighbours include as well. With ON,
# eight files are compiled as one. When editing a single file, OFF compiles faster.
option(ROOFSCOPE_UNITY "Compile several files of a target together" OFF)
set(CMAKE_UNITY_BUILD "${ROOFSCOPE_UNITY}")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
if(ROOFSCOPE_UNITY)
  # In a unity build a .cpp file's internal types look like those of a header.
  target_compile_options(roofscope_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# roofscope_precompile(roofscope_reports <vector> <fmt/format.h>): precompiles headers that most
# files of a target include and that never change in our commits. ROOFSCOPE_PRECOMPILE=OFF compiles
# without, which reveals missing includes.
option(ROOFSCOPE_PRECOMPILE "Precompile the headers of libraries" ON)
set(ROOFSCOPE_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map>
    <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant>
    <vector>)
function(roofscope_precompile target)
  if(ROOFSCOPE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ROOFSCOPE_STANDARD_HEADERS} ${ARGN})
  endif()
endfunction()

# roofscope_precompiled_as(roofscope_gate roofscope_profile): uses the precompiled header of another
# target with the same compiler options, because creating one takes as long as several files.
function(roofscope_precompiled_as target other)
  if(ROOFSCOPE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
