# Embeds a small C program as bytes: lapcast_embed_program(TARGET FILE HEADER FUNCTION) builds FILE
# into a program that is linked to libc dynamically (it opens drivers), and adds a source to TARGET
# that defines `std::string_view FUNCTION()`, declared in HEADER.
function(lapcast_embed_program target file header function)
  add_executable(${function} ${CMAKE_SOURCE_DIR}/${file})
  target_compile_options(${function} PRIVATE -Wall -Wextra -O2)
  target_link_libraries(${function} PRIVATE ${CMAKE_DL_LIBS})
  target_link_options(${function} PRIVATE -s)
  set(output ${CMAKE_BINARY_DIR}/generated/${function}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFILE=$<TARGET_FILE:${function}>
            -DHEADER=${header} -DFUNCTION=${function} -P ${LAPCAST_EMBEDDED_TEXT_SCRIPT}
    DEPENDS ${function} ${LAPCAST_EMBEDDED_TEXT_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
