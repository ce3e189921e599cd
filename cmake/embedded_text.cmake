# Embeds a file as C++: lapcast_embed_text(TARGET FILE HEADER FUNCTION) adds a source that defines
# `std::string_view FUNCTION()`, declared in HEADER. A relative FILE is one of the project. Run as a
# script it writes that source: cmake -DOUTPUT=.. -DFILE=.. -DHEADER=.. -DFUNCTION=.. -P this.
set(LAPCAST_EMBEDDED_TEXT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(lapcast_embed_text target file header function)
  set(output ${CMAKE_BINARY_DIR}/generated/${function}.cc)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFILE=${file}
            -DHEADER=${header} -DFUNCTION=${function} -P ${LAPCAST_EMBEDDED_TEXT_SCRIPT}
    DEPENDS ${file} ${LAPCAST_EMBEDDED_TEXT_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND OUTPUT AND FUNCTION)
  file(READ ${FILE} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
  file(WRITE ${OUTPUT} "// Written by cmake/embedded_text.cmake.
#include \"${HEADER}\"

namespace lapcast {

std::string_view ${FUNCTION}() {
  return {\"${text}\", ${bytes}};
}

}  // namespace lapcast
")
endif()
