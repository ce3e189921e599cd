# `cpack --config build/release/CPackConfig.cmake` makes an archive and a Debian package of what
# `cmake --install` installs.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME lapcast)
set(CPACK_PACKAGE_VENDOR "the lapcast authors")
set(CPACK_PACKAGE_CONTACT "the lapcast authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)  # the binary is static
include(CPack)
