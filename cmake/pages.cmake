# Embeds pages of docs for `lapcast help NAME`: lapcast_embed_pages(TARGET FUNCTION HEADER
# FILE...) adds a source that defines `std::span<const Page> FUNCTION()`, declared in HEADER. Run as a
# script it writes that source: cmake -DOUTPUT=.. -DFUNCTION=.. -DHEADER=.. -DFILES=.. -P this.
set(LAPCAST_PAGES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(lapcast_embed_pages target function header)
  set(output ${CMAKE_BINARY_DIR}/generated/${function}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} -DHEADER=${header}
            "-DFILES=${ARGN}" -P ${LAPCAST_PAGES_SCRIPT}
    DEPENDS ${ARGN} ${LAPCAST_PAGES_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND OUTPUT AND FILES)
  set(entries "")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR bytes "${digits} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
    string(APPEND entries "    {\"${name}\", {\"${text}\", ${bytes}}},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Written by cmake/pages.cmake.
#include \"${HEADER}\"

namespace lapcast {

std::span<const Page> ${FUNCTION}() {
  static constexpr Page kPages[] = {
${entries}  };
  return kPages;
}

}  // namespace lapcast
")
endif()
