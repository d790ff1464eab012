# SPDX-License-Identifier: Apache-2.0
# `cmake --install build --prefix P` installs
#   P/bin/                roofscope, and roofscope-kernels and roofscope-gui if they were built
#   P/<libdir>/           libroofscope_inject.so and the static libraries
#   P/include/roofscope/  the public headers of profile/, analyzer/, gate/ and reports/, and ranges.h
#   P/<libdir>/cmake/     find_package(roofscope) → roofscope::profile, ::analyzer, ::gate, ::reports
# Everything is relocatable: programs find each other and the injected library by relative paths,
# and libraries are found through the package file.

include(CMakePackageConfigHelpers)

# gui/ installs the desktop program with its icon and file type.
foreach(program roofscope roofscope-kernels)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT Runtime)
  endif()
endforeach()
if(TARGET roofscope_inject)
  # The CUDA driver loads it by path; programs do not link with it.
  install(TARGETS roofscope_inject LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime)
endif()
include(RoofscopeShare)           # the sample and the Python package
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Runtime)
install(FILES "${PROJECT_SOURCE_DIR}/third_party/re2/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE.re2 COMPONENT Runtime)

install(TARGETS roofscope_fmt roofscope_re2 roofscope_profile roofscope_analyzer roofscope_gate
                roofscope_reports
        EXPORT roofscopeTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development)
# Only the public headers: tests/project/consumer compiles each one without the build's own
# libraries, so one that includes an internal header fails there.
set(_public
  profile/model/argument_lists.h profile/model/call_sites.h profile/model/cpu_samples.h profile/model/launch_pace.h profile/model/launch_shape.h
  profile/chips/chip.h
  profile/codec/codec.h
  profile/model/counter_table.h profile/files/embedded_file.h profile/names/function_name.h profile/model/profile.h
  profile/errors/result.h
  profile/model/over_time.h profile/model/source_pass.h profile/text/text_sink.h profile/model/timeline.h
  profile/model/snap.h profile/model/units.h analyzer/model/analysis.h
  analyzer/compare/comparison.h analyzer/compare/kernel_identity.h
  analyzer/compare/kernel_pattern.h analyzer/model/counter_group.h gate/by_name.h
  analyzer/model/derived.h analyzer/model/finding.h analyzer/model/kernel_origin.h
  analyzer/model/moved.h
  analyzer/language/language.h analyzer/language/words.h
  analyzer/diagnosis/rule.h analyzer/model/shared_text.h gate/baseline.h gate/gate.h gate/rules.h
  reports/compare/compare_report.h reports/document/document.h reports/document/text.h
  reports/document/tokens.h reports/gate/gate_report.h reports/plot/dot_grid.h
  reports/plot/draw_list.h reports/plot/roofline_layout.h reports/report.h
  reports/report_formats.h)
foreach(header IN LISTS _public)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/roofscope/${folder}" COMPONENT Development)
endforeach()

# For profiled programs: needs nothing else of the package.
install(FILES "${PROJECT_SOURCE_DIR}/include/roofscope/ranges.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/roofscope" COMPONENT Development)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/roofscope")
install(EXPORT roofscopeTargets NAMESPACE roofscope:: DESTINATION "${_package_dir}"
        COMPONENT Development)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/roofscopeConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/roofscopeConfig.cmake" INSTALL_DESTINATION "${_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/roofscopeConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/roofscopeConfig.cmake"
              "${PROJECT_BINARY_DIR}/roofscopeConfigVersion.cmake"
        DESTINATION "${_package_dir}" COMPONENT Development)
