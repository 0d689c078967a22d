# How the libraries are named and made.

# A build whose interface differs from the plain one carries a name of its own: see Install.cmake.
if(TH_COMPAT_TORCH7)
  set(TH_VARIANT -torch7)
elseif(TH_INDEX_BASE EQUAL 1)
  set(TH_VARIANT -base1)
else()
  set(TH_VARIANT "")
endif()
set(TH_SOVERSION ${PROJECT_VERSION_MAJOR}${TH_VARIANT})

# What a program that links the installed static archives has to link too, by name.
set(TH_SYSTEM_LIBRARIES ${OpenMP_C_LIB_NAMES} ${CMAKE_DL_LIBS} m)

option(TH_RUNPATH "Installed libraries find each other in their own folder ($ORIGIN)" ON)

# th_shared_library(NAME objects ...): a shared library with a SONAME, whose functions are found and whose tables
# of addresses are made read-only when it is loaded, and which is never unloaded: OpenMP's threads would go on in
# code that is gone.
function(th_shared_library name)
  add_library(${name} SHARED ${ARGN})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C SOVERSION ${TH_SOVERSION}
                        VERSION ${PROJECT_VERSION}${TH_VARIANT})
  target_link_options(${name} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,nodelete)
  if(TH_RUNPATH)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
    target_link_options(${name} PRIVATE -Wl,--enable-new-dtags)
  endif()
  if(NOT TH_SANITIZE)  # whose functions come with the program
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

# th_sources(TARGET a.c ...): sources of the folder that calls it, for a library of a folder above.
function(th_sources target)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(${target} PRIVATE ${ARGN})
endfunction()

# th_library(NAME SOURCES ... LINK ...): an object library NAME_objects, compiled once, and from it the shared library
# NAME and the static archive NAME_static.
function(th_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LINK_STATIC;LINK_PRIVATE" ${ARGN})
  set(first "")
  if(TH_COMPAT_TORCH7) # whose header of layers hides the one in the source
    set(first ${PROJECT_BINARY_DIR}/include)
  endif()
  add_library(${name}_objects OBJECT ${arg_SOURCES})
  target_include_directories(${name}_objects
    PUBLIC ${first} ${PROJECT_SOURCE_DIR}/include/TH ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
           ${PROJECT_BINARY_DIR}/include/TH
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name}_objects PRIVATE th_compile_options th_library_options OpenMP::OpenMP_C
                        ${arg_LINK_PRIVATE})

  th_shared_library(${name} $<TARGET_OBJECTS:${name}_objects>)
  add_library(${name}_static STATIC $<TARGET_OBJECTS:${name}_objects>)
  set_target_properties(${name}_static PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${name})
  foreach(kind "" _static)
    target_include_directories(${name}${kind} INTERFACE  # Install.cmake names the installed ones
      $<BUILD_INTERFACE:${first}>
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/TH>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include/TH>)
    add_library(TH::${name}${kind} ALIAS ${name}${kind})
  endforeach()
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:th_compile_options>
                        OpenMP::OpenMP_C ${CMAKE_DL_LIBS} m)
  target_link_options(${name}_static INTERFACE LINKER:--gc-sections)
  if(TH_PACKS_RELOCATIONS)
    target_link_options(${name} PRIVATE ${TH_PACK_RELOCATIONS})
  endif()
  target_link_libraries(${name}_static PUBLIC ${arg_LINK_STATIC}
                        $<BUILD_INTERFACE:OpenMP::OpenMP_C> $<BUILD_INTERFACE:${CMAKE_DL_LIBS}>
                        $<BUILD_INTERFACE:m> $<INSTALL_INTERFACE:${TH_SYSTEM_LIBRARIES}>)
endfunction()

# th_precompiled_header(TARGET HEADER): for the sources that the target has by now, but those that are written, which
# have options of their own, and those that ask the C library for more than C before its first header.
function(th_precompiled_header target header)
  target_precompile_headers(${target} PRIVATE ${header})
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    set(has_own_options ON)
    if(source MATCHES "^${PROJECT_SOURCE_DIR}" AND NOT source MATCHES "^${PROJECT_BINARY_DIR}")
      file(STRINGS ${source} has_own_options REGEX "^#define _[A-Z_]*_SOURCE" LIMIT_COUNT 1)
    endif()
    if(has_own_options)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# th_tests_need(GROUP PACKAGE): stands for the tests of a group that need a Debian package which is not there, and is skipped, so
# that ctest lists what it left out and why.
function(th_tests_need group package)
  if(TH_BUILD_TESTS)
    add_test(NAME ${group}/needs_${package} COMMAND sh -c "echo 'the tests ${group}/ are left out: ${package} is not installed'; exit 77")
    set_tests_properties(${group}/needs_${package} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()
