# SPDX-License-Identifier: Apache-2.0
# Debian packages: `cpack -G DEB` in a build folder writes roofscope and, if the desktop program was
# built, roofscope-gui. See docs/build.md.

install(FILES "${PROJECT_SOURCE_DIR}/docs/man/roofscope.1"
        DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT Runtime)
# The installed program writes the completion itself, because it comes from the parser.
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(data \"\${prefix}/${CMAKE_INSTALL_DATAROOTDIR}\")
  set(bash \"\${data}/bash-completion/completions/roofscope\")
  set(fish \"\${data}/fish/vendor_completions.d/roofscope.fish\")
  foreach(shell bash fish)
    get_filename_component(folder \"\${\${shell}}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"\${prefix}/${CMAKE_INSTALL_BINDIR}/roofscope\"
      completion \${shell} OUTPUT_FILE \"\${\${shell}}\" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR \"roofscope completion \${shell}: \${failed}\")
    endif()
  endforeach()" COMPONENT Runtime)

set(CPACK_COMPONENTS_ALL Runtime)
if(ROOFSCOPE_BUILD_GUI)
  install(FILES "${PROJECT_SOURCE_DIR}/docs/man/roofscope-gui.1"
          DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT Gui)
  list(APPEND CPACK_COMPONENTS_ALL Gui)
endif()

set(CPACK_PACKAGE_NAME roofscope)
set(CPACK_PACKAGE_VENDOR roofscope)
set(CPACK_PACKAGE_CONTACT "roofscope maintainers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME roofscope)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
    "Reads the GPU's hardware counters of any CUDA program, says what limits each
 kernel, by how much, and what to change. Reports need no GPU.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_GUI_PACKAGE_NAME roofscope-gui)
set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "roofscope (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_GUI_DESCRIPTION
    "Desktop program: opens what roofscope recorded, with roofline, kernels, hints,
 source and comparison.")
include(CPack)
