# `cpack --config build/release/CPackConfig.cmake` makes an archive and a Debian package of what
# `cmake --install` installs, see docs/install.md.
set(CPACK_GENERATOR TGZ DEB)
# Without the component `workloads`, which runs only beside the LibTorch that it was built with.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};lapcast;Unspecified;/")
set(CPACK_PACKAGE_NAME lapcast)
set(CPACK_PACKAGE_VENDOR "the lapcast authors")
set(CPACK_PACKAGE_CONTACT "the lapcast authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)  # the binary is static
include(CPack)
