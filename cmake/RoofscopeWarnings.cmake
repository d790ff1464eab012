# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers, hardening and the instrumentation of fuzzing for every target of the project.

option(ROOFSCOPE_WERROR "Treat warnings as errors" OFF)
set(ROOFSCOPE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
option(ROOFSCOPE_HARDENED "Position-independent programs, checked stacks and copies, no build paths" OFF)
option(ROOFSCOPE_FUZZ "Build the fuzz targets as libFuzzer programs (clang)" OFF)

add_library(roofscope_options INTERFACE)
target_compile_options(roofscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wno-missing-field-initializers>
  # What g++ guesses after inlining the standard library is wrong too often (GCC bug 105651 and
  # kin), and with a precompiled header it no longer sees that the place is the library's.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict$<SEMICOLON>-Wno-array-bounds$<SEMICOLON>-Wno-maybe-uninitialized$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-stringop-overread>
  # Newer compilers call an enumerator of a scoped enum a shadow of a type: locals are what matters.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow=local> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wshadow>
  $<$<AND:$<BOOL:${ROOFSCOPE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
if(ROOFSCOPE_SANITIZE)
  target_compile_options(roofscope_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ROOFSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(roofscope_options INTERFACE -fsanitize=${ROOFSCOPE_SANITIZE})
endif()
if(ROOFSCOPE_HARDENED)
  # A fault in what reads foreign files must end in an abort, and no binary names the folder that it
  # was built in. For every target, third-party code too: RE2 has __FILE__ in its messages. -U and -D
  # replace what the compiler chose itself.
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
  # The libraries too: libFuzzer is blind in what does not say which branches it took.
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

# Most of a file's time goes into the headers that all of its neighbours read, too: with ON, eight
# are compiled as one. Whoever edits one file all day compiles quicker with OFF.
option(ROOFSCOPE_UNITY "Compile several files of a target together" OFF)
set(CMAKE_UNITY_BUILD "${ROOFSCOPE_UNITY}")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
if(ROOFSCOPE_UNITY)
  # What a .cpp file keeps to itself is seen as a header's there.
  target_compile_options(roofscope_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# roofscope_precompile(roofscope_reports <vector> <fmt/format.h>): headers that most files of a
# target include and that change with no commit of ours. ROOFSCOPE_PRECOMPILE=OFF compiles without,
# which shows a file that forgot to include what it uses.
option(ROOFSCOPE_PRECOMPILE "Precompile the headers of libraries" ON)
set(ROOFSCOPE_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map>
    <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant>
    <vector>)
function(roofscope_precompile target)
  if(ROOFSCOPE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ROOFSCOPE_STANDARD_HEADERS} ${ARGN})
  endif()
endfunction()

# roofscope_precompiled_as(roofscope_gate roofscope_profile): takes what another target has
# precompiled with the same compiler options, because making it takes as long as several files.
function(roofscope_precompiled_as target other)
  if(ROOFSCOPE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
