# SPDX-License-Identifier: Apache-2.0
# roofscope_embed(TARGET target NAMESPACE roofscope::chips FILES a.json …)
# compiles files into a target as `std::span<const EmbeddedFile> NAMESPACE::files()`
# (profile/files/embedded_file.h), so that binaries need no data folder at run time. The function is
# declared by hand where it is used. A file's name is without its folder, or with ROOT its path
# relative to that.

set(_roofscope_embed_script "${CMAKE_CURRENT_LIST_DIR}/EmbedScript.cmake")

function(roofscope_embed)
  cmake_parse_arguments(arg "" "TARGET;NAMESPACE;ROOT" "FILES" ${ARGN})
  string(MAKE_C_IDENTIFIER "${arg_NAMESPACE}" id)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embedded_${id}.cpp")
  set(files)
  foreach(file IN LISTS arg_FILES)
    get_filename_component(path "${file}" ABSOLUTE)
    list(APPEND files "${path}")
  endforeach()
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DNAMESPACE=${arg_NAMESPACE}" "-DROOT=${arg_ROOT}" "-DFILES=${files}"
            -P "${_roofscope_embed_script}"
    DEPENDS ${files} "${_roofscope_embed_script}" VERBATIM)
  target_sources(${arg_TARGET} PRIVATE "${out}")
endfunction()
