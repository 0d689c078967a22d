# th_library(NAME SOURCES ... LINK ...): an object library NAME_objects, compiled once, and from it the shared library
# NAME and the static archive NAME_static.
function(th_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LINK_STATIC;LINK_PRIVATE" ${ARGN})
  add_library(${name}_objects OBJECT ${arg_SOURCES})
  target_include_directories(${name}_objects
    PUBLIC ${PROJECT_SOURCE_DIR}/include/TH ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
           ${PROJECT_BINARY_DIR}/include/TH
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name}_objects PRIVATE th_compile_options OpenMP::OpenMP_C ${arg_LINK_PRIVATE})

  add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects>)
  add_library(${name}_static STATIC $<TARGET_OBJECTS:${name}_objects>)
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                        LINKER_LANGUAGE C)
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)
  if(TH_INDEX_BASE EQUAL 1)
    set_target_properties(${name} PROPERTIES SOVERSION "${PROJECT_VERSION_MAJOR}-base1")
  endif()
  foreach(kind "" _static)
    target_include_directories(${name}${kind} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/TH>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include/TH>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/TH>)
    add_library(TH::${name}${kind} ALIAS ${name}${kind})
  endforeach()
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:th_compile_options>
                        OpenMP::OpenMP_C Threads::Threads ${CMAKE_DL_LIBS} m)
  target_link_libraries(${name}_static PUBLIC ${arg_LINK_STATIC} OpenMP::OpenMP_C Threads::Threads
                        ${CMAKE_DL_LIBS} m)
endfunction()
