# Embeds the files of web/ and Plotly: lapcast_embed_web(TARGET) defines the functions of
# report/page.h that return them. The scripts are joined in the order of their paths. Plotly's JavaScript comes from
# its Python wheel, by tools/plotly_files.py; where there is none, reports draw plain SVG.
function(lapcast_embed_web target)
  set(folder ${CMAKE_BINARY_DIR}/generated/web)
  file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.js)
  list(SORT scripts)
  add_custom_command(
    OUTPUT ${folder}/scripts.js
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E cat ${scripts} > ${folder}/scripts.js
    DEPENDS ${scripts} VERBATIM)
  lapcast_embed_text(${target} ${folder}/scripts.js report/page.h web_scripts)
  lapcast_embed_text(${target} web/page.html report/page.h web_page)
  lapcast_embed_text(${target} web/style.css report/page.h web_style)

  find_package(Python3 QUIET COMPONENTS Interpreter)
  set(files ${CMAKE_BINARY_DIR}/generated/plotly)
  file(MAKE_DIRECTORY ${files})
  set(why "no python3")
  if(Python3_Interpreter_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/plotly_files.py
                            ${files} ${CMAKE_SOURCE_DIR}/build/plotly
                    ERROR_VARIABLE why ERROR_STRIP_TRAILING_WHITESPACE)
  endif()
  foreach(file plotly.deflate LICENSE.txt)
    if(NOT EXISTS ${files}/${file})
      message(STATUS "Reports draw plain SVG, without Plotly: ${why}")
      file(TOUCH ${files}/${file})
    endif()
  endforeach()
  lapcast_embed_text(${target} ${files}/plotly.deflate report/page.h plotly_deflated)
  lapcast_embed_text(${target} ${files}/LICENSE.txt report/page.h plotly_licence)
  file(SIZE ${files}/LICENSE.txt bytes)
  if(bytes GREATER 0)
    lapcast_licence(plotly ${files}/LICENSE.txt)
  endif()
endfunction()
