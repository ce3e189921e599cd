# Installs the binary, header, catalogs, man page and shell completions. The binary itself writes
# the last two, so that they always describe what it parses.
function(lapcast_install)
  file(GLOB adapters CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rent/lapcast-rent-*)
  if(SKBUILD)
    install(TARGETS lapcast RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
    install(PROGRAMS ${adapters} DESTINATION ${SKBUILD_DATA_DIR}/libexec/lapcast COMPONENT wheel)
    install(FILES rent/adapter.py DESTINATION ${SKBUILD_DATA_DIR}/libexec/lapcast COMPONENT wheel)
    lapcast_install_licences(${SKBUILD_METADATA_DIR}/licenses wheel)
    return()
  endif()
  lapcast_install_licences(${CMAKE_INSTALL_DATADIR}/doc/lapcast/licenses Unspecified)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lapcast RENAME copyright)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  add_custom_command(
    TARGET lapcast POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
    COMMAND lapcast man > ${generated}/lapcast.1
    COMMAND lapcast completion bash > ${generated}/lapcast.bash
    COMMAND lapcast completion zsh > ${generated}/_lapcast
    COMMAND lapcast completion fish > ${generated}/lapcast.fish)
  install(TARGETS lapcast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(PROGRAMS ${adapters} DESTINATION libexec/lapcast)
  install(FILES rent/adapter.py DESTINATION libexec/lapcast)
  install(FILES include/lapcast/lap.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lapcast)
  # Other files of the folder are in the binary alone.
  install(FILES catalog/papers.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/lapcast/catalog)
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
