# What `cmake --install` puts where: headers, libraries, pkg-config files, the CMake package.
#
# The plain build is th: include/TH, libTH.so.0, th.pc, find_package(TH).  A build with another index
# base or interface is a variant, th-base1 or th-torch7, that can be installed next to it: its libraries have a
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

set(but REGEX "/THNN/generic/THNN\\.h$" EXCLUDE)
if(NOT TARGET THC)
  list(APPEND but PATTERN "THC*" EXCLUDE)
endif()
if(NOT TARGET ATen)
  list(APPEND but PATTERN "ATen*" EXCLUDE)
endif()
install(DIRECTORY include/ DESTINATION ${headers} FILES_MATCHING PATTERN "*.h" ${but})
install(FILES ${TH_LAYERS_HEADER} DESTINATION ${headers}/THNN/generic)
if(TARGET THCUNN)
  install(FILES ${THC_LAYERS_HEADER} DESTINATION ${headers}/THCUNN/generic)
endif()
install(FILES ${PROJECT_BINARY_DIR}/include/TH/THConfig.h DESTINATION ${headers}/TH)

# From the folder that holds th.pc to the prefix, so that an installation can be moved.
file(RELATIVE_PATH TH_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" TH_PC_PREFIX ${TH_PC_PREFIX})
set(TH_PC_HEADERS ${headers})
set(TH_PC_LIBRARIES ${archives})
list(TRANSFORM TH_SYSTEM_LIBRARIES PREPEND -l OUTPUT_VARIABLE libraries)
list(PREPEND libraries -Wl,--gc-sections)
list(JOIN libraries " " TH_PC_PRIVATE)

# th_install(THTargets THNN DIRECTORIES THNN) installs the library with its archive and pkg-config file.
function(th_install export library)
  cmake_parse_arguments(arg "" "" "DIRECTORIES" ${ARGN})
  set(includes ${headers})
  foreach(folder IN LISTS arg_DIRECTORIES)
    list(APPEND includes ${headers}/${folder})
  endforeach()
  install(TARGETS ${library} EXPORT ${export}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP
          INCLUDES DESTINATION ${includes})
  install(TARGETS ${library}_static EXPORT ${export}
          ARCHIVE DESTINATION ${archives}
          INCLUDES DESTINATION ${includes})
  file(RELATIVE_PATH soname /x/${archives} /x/${CMAKE_INSTALL_LIBDIR}/lib${library}.so.${TH_SOVERSION})
  install(CODE "file(CREATE_LINK ${soname} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${archives}/lib${library}.so\" SYMBOLIC)")

  string(TOLOWER ${library} name)
  configure_file(cmake/${name}.pc.in ${name}${TH_VARIANT}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}${TH_VARIANT}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

foreach(library IN ITEMS TH THNN ATen ATenDistributed)
  if(TARGET ${library})
    th_install(THTargets ${library} DIRECTORIES TH)
  endif()
endforeach()
if(TARGET THC)
  set(TH_PC_CUDA_HEADERS ${TH_CUDA_INCLUDE})
  set(TH_PC_CUDA_LIBRARIES ${CUDAToolkit_LIBRARY_DIR})
  foreach(library IN ITEMS THC THCUNN ATenCUDA)
    if(TARGET ${library})
      th_install(THCTargets ${library} DIRECTORIES TH THC)
    endif()
  endforeach()
endif()

if(TARGET ATen)
  install(FILES ${PROJECT_BINARY_DIR}/include/ATen/ATenOps.h
                ${PROJECT_BINARY_DIR}/include/ATen/ATenLayers.h DESTINATION ${headers}/ATen)
  install(FILES ${PROJECT_BINARY_DIR}/include/ATen/aten-ops.json
                ${PROJECT_BINARY_DIR}/include/ATen/aten-api.json
                tools/aten/aten-ops.schema.json tools/aten/aten-api.schema.json
          DESTINATION ${CMAKE_INSTALL_DATADIR}/th)
endif()

# What a stranger runs first in each language (docs/tutorials/languages.md).
install(FILES examples/run/run.c bindings/cpp/examples/run.cpp bindings/python/examples/run.py bindings/lua/examples/run.lua
        DESTINATION ${CMAKE_INSTALL_DATADIR}/th/examples COMPONENT languages EXCLUDE_FROM_ALL)

foreach(name IN ITEMS openmpi mpich) # what libATenDistributed loads
  if(TARGET ATenMPI-${name})
    install(TARGETS ATenMPI-${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

if(TARGET ATen_cpp)
  install(TARGETS ATen_cpp EXPORT THTargets INCLUDES DESTINATION ${headers})
  install(DIRECTORY bindings/cpp/include/aten ${PROJECT_BINARY_DIR}/bindings/cpp/written/aten DESTINATION ${headers}
          FILES_MATCHING PATTERN "*.hpp")
  configure_file(cmake/aten-cpp.pc.in aten-cpp.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/aten-cpp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

install(EXPORT THTargets NAMESPACE TH:: DESTINATION ${package})
set(config "include(\"\${CMAKE_CURRENT_LIST_DIR}/THTargets.cmake\")\n")
if(TARGET THC) # programs that use the CPU alone need no toolkit
  install(EXPORT THCTargets NAMESPACE TH:: DESTINATION ${package})
  string(APPEND config
         "find_package(CUDAToolkit QUIET)\n"
         "if(CUDAToolkit_FOUND)\n"
         "  include(\"\${CMAKE_CURRENT_LIST_DIR}/THCTargets.cmake\")\n"
         "endif()\n")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/TH${TH_VARIANT}Config.cmake "${config}")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TH${TH_VARIANT}ConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TH${TH_VARIANT}Config.cmake
              ${PROJECT_BINARY_DIR}/TH${TH_VARIANT}ConfigVersion.cmake
        DESTINATION ${package})
