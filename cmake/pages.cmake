# Embeds pages of docs for `lapcast help NAME`: lapcast_embed_pages(TARGET FILE...) adds a source that
# defines pages() of cli/pages.h. Run as a script it writes that source: cmake -DOUTPUT=..
# -DFILES=.. -P this.
set(LAPCAST_PAGES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(lapcast_embed_pages target)
  set(output ${CMAKE_BINARY_DIR}/generated/pages.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${ARGN}" -P ${LAPCAST_PAGES_SCRIPT}
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
#include \"cli/pages.h\"

namespace lapcast {

std::span<const Page> pages() {
  static constexpr Page kPages[] = {
${entries}  };
  return kPages;
}

}  // namespace lapcast
")
endif()
