# Embeds the Python package and its hook (python/) as C++; the binary unpacks them before it runs a
# program (src/probe/hook_folder.h). Run as a script it writes that file:
# cmake -DOUTPUT=.. -DSOURCE=.. -P this.
set(LAPCAST_HOOK_FILES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# Returns where a file of python/ is placed below the folder that is put on the PYTHONPATH.
function(lapcast_hook_path file result)
  string(REGEX REPLACE "^hook/" "" path "${file}")
  set(${result} ${path} PARENT_SCOPE)
endfunction()

function(lapcast_glob_hook source result)
  file(GLOB_RECURSE files RELATIVE ${source} ${ARGN}
       ${source}/lapcast/*.py ${source}/lapcast/py.typed ${source}/hook/sitecustomize.py)
  list(SORT files)
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# Adds the generated source to a target. It is written anew when a file changes, appears or
# disappears.
function(lapcast_embed_hook target)
  set(source ${CMAKE_SOURCE_DIR}/python)
  set(output ${CMAKE_BINARY_DIR}/generated/hook_files.cc)
  lapcast_glob_hook(${source} files CONFIGURE_DEPENDS)
  list(JOIN files "\n" names)
  file(GENERATE OUTPUT ${output}.list CONTENT "${names}\n")  # changes when a file comes or goes
  list(TRANSFORM files PREPEND ${source}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSOURCE=${source} -P ${LAPCAST_HOOK_FILES_SCRIPT}
    DEPENDS ${files} ${output}.list ${LAPCAST_HOOK_FILES_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE AND OUTPUT)
  lapcast_glob_hook(${SOURCE} files)
  set(entries "")
  foreach(file ${files})
    file(READ ${SOURCE}/${file} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR bytes "${digits} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
    lapcast_hook_path(${file} path)
    string(APPEND entries "      {\"${path}\", {\"${text}\", ${bytes}}},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Written by cmake/hook_files.cmake from python/.
#include <vector>

#include \"probe/hook_folder.h\"

namespace lapcast {

std::span<const HookFile> hook_files() {
  static const std::vector<HookFile> files{
${entries}  };
  return files;
}

}  // namespace lapcast
")
endif()
