# LAPCAST_GROUPS compiles files of a folder together, because the headers of the libraries take most
# of the time: ./demo, ./check, ./bench and the wheel turn it on. Without it each file is an object of
# its own, and compile_commands.json names every file, as editors want it.
option(LAPCAST_GROUPS "Compile the files of a folder together: a whole build is then twice as fast" OFF)

# lapcast_compile_in_groups(TARGET SIZE): compiles up to SIZE files of a folder as one translation
# unit. A name in an unnamed namespace must therefore be unique within its folder.
function(lapcast_compile_in_groups target size)
  if(NOT LAPCAST_GROUPS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    math(EXPR group "(${count_${folder}} - 1) / ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
