# Installs the licences of all that is linked into the binary, as the packages of Debian have them.
function(lapcast_install_licences folder component)
  foreach(package libfmt-dev libexpected-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
                  libsqlite3-dev libsqlitecpp-dev libcsv-dev libre2-dev libeigen3-dev libboost-dev zlib1g-dev
                  libc6-dev libstdc++-12-dev)
    file(REAL_PATH /usr/share/doc/${package}/copyright licence)
    if(EXISTS ${licence})
      install(FILES ${licence} DESTINATION ${folder} RENAME ${package} COMPONENT ${component})
    endif()
  endforeach()
  set(plotly ${CMAKE_BINARY_DIR}/generated/plotly/LICENSE.txt)
  file(SIZE ${plotly} bytes)
  if(bytes GREATER 0)
    install(FILES ${plotly} DESTINATION ${folder} RENAME plotly COMPONENT ${component})
  endif()
endfunction()

# Installs the binary, header, catalogs, man page and shell completions. The binary itself writes
# the last two, so that they always describe what it parses.
function(lapcast_install)
  if(SKBUILD)
    install(TARGETS lapcast RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
    lapcast_install_licences(${SKBUILD_METADATA_DIR}/licenses wheel)
    return()
  endif()
  lapcast_install_licences(${CMAKE_INSTALL_DATADIR}/doc/lapcast/licenses Unspecified)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  add_custom_command(
    TARGET lapcast POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND lapcast man > ${generated}/lapcast.1
    COMMAND lapcast completion bash > ${generated}/lapcast.bash
    COMMAND lapcast completion zsh > ${generated}/_lapcast
    COMMAND lapcast completion fish > ${generated}/lapcast.fish)
  install(TARGETS lapcast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES include/lapcast/lap.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lapcast)
  install(DIRECTORY catalog/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lapcast/catalog
          FILES_MATCHING PATTERN "*.csv")
  if(EXISTS ${CMAKE_SOURCE_DIR}/python)  # for: pip install PREFIX/share/lapcast/python
    install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lapcast/python
            PATTERN "__pycache__" EXCLUDE PATTERN "tests" EXCLUDE PATTERN "*.egg-info" EXCLUDE
            PATTERN "build" EXCLUDE)
  endif()
  install(FILES ${generated}/lapcast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${generated}/lapcast.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lapcast)
  install(FILES ${generated}/_lapcast DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${generated}/lapcast.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()
