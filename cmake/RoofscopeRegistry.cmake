# SPDX-License-Identifier: Apache-2.0
# Lists generated from the files in a folder, so that a new rule or kernel rung is just a new file.
#
# roofscope_registry(TARGET t OUT file.cpp TEMPLATE file.in SYMBOLS a b c)
# configures TEMPLATE with @DECLARATIONS@ ("extern const TYPE a;") and @POINTERS@ ("&a,"), one line
# per symbol, and adds the result to the target. TYPE and NAMESPACE come from the call.

function(roofscope_registry)
  cmake_parse_arguments(arg "" "TARGET;OUT;TEMPLATE;TYPE;NAMESPACE" "SYMBOLS" ${ARGN})
  set(DECLARATIONS "")
  set(POINTERS "")
  foreach(symbol IN LISTS arg_SYMBOLS)
    string(APPEND DECLARATIONS "extern const ${arg_TYPE} ${symbol};\n")
    string(APPEND POINTERS "    &${arg_NAMESPACE}::${symbol},\n")
  endforeach()
  configure_file("${arg_TEMPLATE}" "${arg_OUT}" @ONLY)
  target_sources(${arg_TARGET} PRIVATE "${arg_OUT}")
endfunction()
