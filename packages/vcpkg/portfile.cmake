# A port for vcpkg (not run): vcpkg install th --overlay-ports=packages/vcpkg
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_find_acquire_program(PYTHON3)
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DTH_BUILD_TESTS=OFF -DTH_BUILD_EXAMPLES=OFF -DTH_BUILD_PROGRAMS=OFF -DTH_BUILD_BINDINGS=OFF
          -DPython3_EXECUTABLE=${PYTHON3} -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME TH CONFIG_PATH lib/cmake/TH)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
