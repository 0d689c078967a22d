# Templates: one source file, compiled once per element type and, for kernels, once per instruction set.

# The element types, read from the one list in include/TH/THTypes.h.
file(READ ${PROJECT_SOURCE_DIR}/include/TH/THTypes.h text)
string(REGEX MATCHALL "\n  X\\([A-Z][a-z]+" rows "${text}")
string(REGEX REPLACE "\n  X\\(" "" TH_TYPES "${rows}")
set(TH_ALL_TYPES ${TH_TYPES})                      # with Half
list(REMOVE_ITEM TH_TYPES Half)                    # the types that compute
set(TH_FLOAT_TYPES Float Double)

# The instruction sets kernels are compiled for, and the compiler's flags for each.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(TH_LEVELS default)
endif()
set(TH_LEVEL_FLAGS_default "")
if(NOT TH_LEVELS STREQUAL "default")
  # For processors of 2012 and before: unrolled loops would add a megabyte for few users.
  set(TH_LEVEL_FLAGS_default $<$<CONFIG:Release>:-O2> $<$<CONFIG:Release>:-ftree-vectorize>)
  # Files that lose little there without what -O2 writes out at length (docs/notes/calls.md).
  set(TH_SHORT_FILES FusedCellsKernels MaxPoolKernels PointwiseKernels THConvertKernels Winograd3x3Kernels)
  set(TH_SHORT_FLAGS $<$<CONFIG:Release>:-Os> $<$<CONFIG:Release>:-ftree-vectorize>)
  set(TH_LEVEL_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
  set(TH_LEVEL_FLAGS_avx512 ${TH_LEVEL_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl
      -mavx512cd -mprefer-vector-width=512)
endif()

# Files that only check and call spend no time in loops, which need not be unrolled either.
set(TH_CALLER_FLAGS $<$<CONFIG:Release>:-O2>)

# Builds that test a few element types need no fast code of the others.
set(TH_UNTESTED_FLAGS $<$<CONFIG:Debug>:-O0>)

# th_templates(TARGET TYPES "Float;Double" [LEVELS] [CALLERS] [DEVICE header.h] FILES a.c b.c)
# Adds each file once per type; with LEVELS, once per type and instruction set.  Without TYPES the
# file has no element type.  CALLERS marks files that only check arguments and call kernels.
# DEVICE compiles the templates of another library for a device, which that header describes.
function(th_templates target)
  cmake_parse_arguments(arg "LEVELS;CALLERS" "DEVICE" "TYPES;FILES" ${ARGN})
  if(arg_LEVELS)
    set(levels ${TH_LEVELS})
  else()
    set(levels none)
  endif()
  if(arg_TYPES)
    set(types ${arg_TYPES})
  else()
    set(types none)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  foreach(file IN LISTS arg_FILES)
    get_filename_component(name ${file} NAME_WE)
    get_filename_component(path ${file} ABSOLUTE)
    # Relative to the project, so that equal checkouts have equal stubs.
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
    foreach(type IN LISTS types)
      foreach(level IN LISTS levels)
        set(text "")
        set(stub ${CMAKE_CURRENT_BINARY_DIR}/${target}.templates/${name})
        if(arg_TYPES)
          string(APPEND text "#define TH_INSTANTIATE_${type}\n")
          string(APPEND stub ".${type}")
        endif()
        if(arg_LEVELS)
          string(APPEND text "#define TH_LEVEL ${level}\n")
          string(APPEND stub ".${level}")
        endif()
        if(arg_DEVICE)
          string(APPEND text "#define TH_TEMPLATE_DEVICE \"${arg_DEVICE}\"\n")
        endif()
        string(APPEND text "#include \"${path}\"\n")
        file(CONFIGURE OUTPUT ${stub}.c CONTENT "${text}" @ONLY)  # written only when it changes
        target_sources(${target} PRIVATE ${stub}.c)
        if(TH_TEST_TYPES AND arg_TYPES AND NOT type IN_LIST TH_TEST_TYPES)
          set_source_files_properties(${stub}.c TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS
                                      "${TH_LEVEL_FLAGS_${level}};${TH_UNTESTED_FLAGS}")
        elseif(level STREQUAL default AND name IN_LIST TH_SHORT_FILES)
          set_source_files_properties(${stub}.c TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${TH_SHORT_FLAGS}")
        elseif(arg_LEVELS)
          set_source_files_properties(${stub}.c TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS
                                      "${TH_LEVEL_FLAGS_${level}}")
        elseif(arg_CALLERS)
          set_source_files_properties(${stub}.c TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${TH_CALLER_FLAGS}")
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

# th_room(TARGET TYPES "Float;Double"): all C files of the folder that calls it, for a library of a folder above.  A file that
# includes a Template.h is a template, one called ...Kernels.c has a version for each instruction set besides, and the
# others are compiled once.
function(th_room target)
  cmake_parse_arguments(arg "" "" "TYPES" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.c)
  foreach(file IN LISTS files)
    file(STRINGS ${file} template REGEX "^#include \"([A-Za-z0-9]+/)*Template\\.h\"" LIMIT_COUNT 1)
    if(NOT template)
      th_sources(${target} ${file})
    elseif(file MATCHES "Kernels\\.c$")
      th_templates(${target} LEVELS TYPES ${arg_TYPES} FILES ${file})
    else()
      th_templates(${target} TYPES ${arg_TYPES} FILES ${file})
    endif()
  endforeach()
endfunction()
