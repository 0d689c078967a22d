# What `cmake --install` puts where: headers, libraries, pkg-config files, the CMake package.
#
# The plain build is th: include/TH, libTH.so.0, th.pc, find_package(TH).  A build with another index
# base or interface is a variant, th-base1 or th-torch7, that stands beside it: its libraries have a
# SONAME of their own (libTH.so.0-base1), and what programs are built with (headers, libTH.so,
# libTH.a) lies in folders named after the variant.
include(CMakePackageConfigHelpers)

if(TH_VARIANT STREQUAL "")
  set(headers ${CMAKE_INSTALL_INCLUDEDIR})
  set(archives ${CMAKE_INSTALL_LIBDIR})
else()
  set(headers ${CMAKE_INSTALL_INCLUDEDIR}/th${TH_VARIANT})
  set(archives ${CMAKE_INSTALL_LIBDIR}/th${TH_VARIANT})
endif()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/TH${TH_VARIANT})

if(TARGET THC)
  install(DIRECTORY include/ DESTINATION ${headers} FILES_MATCHING PATTERN "*.h")
else()
  install(DIRECTORY include/ DESTINATION ${headers} FILES_MATCHING PATTERN "*.h" PATTERN "THC*" EXCLUDE)
endif()
install(FILES ${PROJECT_BINARY_DIR}/include/TH/THConfig.h DESTINATION ${headers}/TH)

# From the folder that holds th.pc to the prefix, so that an installation can be moved.
file(RELATIVE_PATH TH_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" TH_PC_PREFIX ${TH_PC_PREFIX})
set(TH_PC_HEADERS ${headers})
set(TH_PC_LIBRARIES ${archives})
list(TRANSFORM TH_SYSTEM_LIBRARIES PREPEND -l OUTPUT_VARIABLE libraries)
list(JOIN libraries " " TH_PC_PRIVATE)

foreach(library IN ITEMS TH THNN ATen)
  if(NOT TARGET ${library})
    continue()
  endif()
  install(TARGETS ${library} EXPORT THTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP
          INCLUDES DESTINATION ${headers} ${headers}/TH)
  install(TARGETS ${library}_static EXPORT THTargets
          ARCHIVE DESTINATION ${archives}
          INCLUDES DESTINATION ${headers} ${headers}/TH)
  file(RELATIVE_PATH soname /x/${archives} /x/${CMAKE_INSTALL_LIBDIR}/lib${library}.so.${TH_SOVERSION})
  install(CODE "file(CREATE_LINK ${soname} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${archives}/lib${library}.so\" SYMBOLIC)")

  string(TOLOWER ${library} name)
  configure_file(cmake/${name}.pc.in ${name}${TH_VARIANT}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}${TH_VARIANT}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

if(TARGET ATen)
  install(FILES ${PROJECT_BINARY_DIR}/include/ATen/ATenOps.h DESTINATION ${headers}/ATen)
  install(FILES ${PROJECT_BINARY_DIR}/include/ATen/aten-ops.json
          DESTINATION ${CMAKE_INSTALL_DATADIR}/th)
endif()

install(EXPORT THTargets NAMESPACE TH:: DESTINATION ${package})
file(WRITE ${PROJECT_BINARY_DIR}/TH${TH_VARIANT}Config.cmake
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/THTargets.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TH${TH_VARIANT}ConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TH${TH_VARIANT}Config.cmake
              ${PROJECT_BINARY_DIR}/TH${TH_VARIANT}ConfigVersion.cmake
        DESTINATION ${package})
