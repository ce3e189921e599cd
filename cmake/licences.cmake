# Collects the licences of all that is linked into the binary or embedded in it. Whoever passes it on
# must pass them on, too: the wheel, the packages and `cmake --install` have them.

# lapcast_licence(NAME FILE): adds a text, which will be installed under that name.
function(lapcast_licence name file)
  if(EXISTS "${file}")
    set_property(GLOBAL APPEND PROPERTY LAPCAST_LICENCES "${name}:${file}")
  else()
    message(WARNING "no licence text of ${name} (${file}): do not pass this build on without it")
  endif()
endfunction()

# lapcast_licences_of(PACKAGE...): adds the texts that packages of Debian have.
function(lapcast_licences_of)
  foreach(package ${ARGN})
    file(REAL_PATH /usr/share/doc/${package}/copyright file)
    lapcast_licence(${package} ${file})
  endforeach()
endfunction()

# Adds the texts of the libraries that the compiler links into every static program. Their packages
# have the compiler's version in their names.
function(lapcast_licences_of_compiler)
  foreach(library libstdc++.a libgcc.a libc.a)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library}
                    OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH "${file}" file)
    execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX MATCH "^[^:,]+" package "${owner}")
    if(NOT package)
      set(package ${library})
    endif()
    lapcast_licences_of(${package})
  endforeach()
endfunction()

function(lapcast_install_licences folder component)
  if(LAPCAST_STATIC)
    lapcast_licences_of_compiler()
  endif()
  get_property(licences GLOBAL PROPERTY LAPCAST_LICENCES)
  foreach(licence ${licences})
    string(REGEX MATCH "^([^:]+):(.*)$" licence ${licence})
    install(FILES ${CMAKE_MATCH_2} DESTINATION ${folder} RENAME ${CMAKE_MATCH_1}
            COMPONENT ${component})
  endforeach()
endfunction()
