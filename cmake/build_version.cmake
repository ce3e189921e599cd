# Adds a source that defines build_version() of cli/version.h: lapcast_build_version(TARGET). Run as a
# script before each build, it writes that source where the commit has changed: cmake -DOUTPUT=..
# -DVERSION=.. -DTYPE=.. -P this.
set(LAPCAST_VERSION_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(lapcast_build_version target)
  set(output ${CMAKE_BINARY_DIR}/generated/build_version.cc)
  add_custom_target(
    build_version BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DVERSION=${PROJECT_VERSION}
            -DTYPE=${CMAKE_BUILD_TYPE} -P ${LAPCAST_VERSION_SCRIPT}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
  target_sources(${target} PRIVATE ${output})
  add_dependencies(${target} build_version)
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND OUTPUT AND VERSION)
  execute_process(COMMAND git describe --always --dirty --abbrev=10 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT commit)
    set(commit "commit not known")
  endif()
  set(text "// Written by cmake/build_version.cmake.
#include \"cli/version.h\"

namespace lapcast {

const char* build_version() {
  return \"lapcast ${VERSION} (${commit}, ${TYPE})\";
}

}  // namespace lapcast
")
  set(old "")
  if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${OUTPUT} "${text}")
  endif()
endif()
