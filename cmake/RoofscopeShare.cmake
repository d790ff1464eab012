# SPDX-License-Identifier: Apache-2.0
# share/roofscope/: the recording named "sample" and, unless the Python package itself is installed
# (so for a .deb or `cmake --install`), that package.
set(_root "${CMAKE_CURRENT_LIST_DIR}/..")
# A PyTorch step with copies, waits and the lines that launch: what most users will record.
set(ROOFSCOPE_SAMPLE "${_root}/tests/frameworks/recorded/torch_copies.roofscope.json.gz")
install(FILES "${ROOFSCOPE_SAMPLE}" DESTINATION share/roofscope
        RENAME sample.roofscope.json.gz COMPONENT Runtime)
if(NOT SKBUILD)
  install(DIRECTORY "${_root}/python/roofscope" DESTINATION share/roofscope/python
          COMPONENT Runtime FILES_MATCHING PATTERN "*.py" PATTERN "*.md" PATTERN "py.typed"
          PATTERN "__pycache__" EXCLUDE)
  configure_file("${ROOFSCOPE_SAMPLE}"
    "${CMAKE_BINARY_DIR}/share/roofscope/sample.roofscope.json.gz" COPYONLY)
endif()
