# CUDA: libTHC for GPUs, where nvcc is, and libTHC_sim, the same sources on the simulator of
# tests/cusim, which needs CUDA's headers only.

set(TH_CUDA OFF CACHE STRING "Build libTHC with nvcc: ON, OFF, or AUTO (where nvcc is found)")
set_property(CACHE TH_CUDA PROPERTY STRINGS ON OFF AUTO)
option(TH_CUDA_SIM "Build THC for the simulator, where CUDA's headers are found" ${TH_BUILD_TESTS})

# --- what is there ----------------------------------------------------------------------------

set(hints ${CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
list(TRANSFORM hints APPEND /include OUTPUT_VARIABLE include_hints)
list(TRANSFORM hints APPEND /bin OUTPUT_VARIABLE program_hints)

find_path(TH_CUDA_INCLUDE cuda_runtime_api.h HINTS ${include_hints} DOC "The headers of CUDA")
set(version 0)
if(TH_CUDA_INCLUDE)
  file(STRINGS ${TH_CUDA_INCLUDE}/cuda_runtime_api.h line REGEX "^#define CUDART_VERSION ")
  string(REGEX MATCH "[0-9]+" version "${line}")
endif()

if(TH_CUDA_SIM)
  set(missing "")
  if(version LESS 13000)
    set(missing "no headers of CUDA 13 or later are found")
  elseif(NOT (EXISTS ${TH_CUDA_INCLUDE}/cublas_v2.h AND EXISTS ${TH_CUDA_INCLUDE}/cublasLt.h
              AND EXISTS ${TH_CUDA_INCLUDE}/cusparse.h
              AND EXISTS ${TH_CUDA_INCLUDE}/cusolverDn.h
              AND EXISTS ${TH_CUDA_INCLUDE}/cuda_fp16.h
              AND EXISTS ${TH_CUDA_INCLUDE}/cccl/cuda/std/complex))
    set(missing "cublas_v2.h, cublasLt.h, cusparse.h, cusolverDn.h, cuda_fp16.h or cccl is missing in ${TH_CUDA_INCLUDE}")
  elseif(NOT (CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
    set(missing "it takes gcc and g++")
  endif()
  if(missing)
    message(STATUS "CUDA simulator: skipped, ${missing}")
    set(TH_CUDA_SIM OFF)
  else()
    message(STATUS "CUDA simulator: with the headers in ${TH_CUDA_INCLUDE}")
  endif()
endif()

if(TH_CUDA)
  find_program(nvcc nvcc HINTS ${program_hints} NO_CACHE)
  if(nvcc)
    set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "nvcc")
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual CACHE STRING
        "The GPUs that kernels are compiled for; those to come compile the virtual one")
    set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
  elseif(TH_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA: libTHC is not built, nvcc is not found")
    set(TH_CUDA OFF)
  else()
    message(FATAL_ERROR "TH_CUDA is ON, but nvcc is not found; CUDAToolkit_ROOT may say where it is")
  endif()
endif()

if(TH_CUDA)
  add_custom_target(gpu COMMENT "What runs on GPUs, and nothing else")
endif()
if(TH_CUDA OR TH_CUDA_SIM)
  set(TH_HAVE_THC ON)
else()
  set(TH_HAVE_THC OFF)
endif()
# The race hooks replace the sanitizer's own functions, so a build has one or the other.  A kernel
# that races does so for every type, so one type is enough where kernels are written; `./run nightly` adds a byte and half,
# whose atomic operations are on words.
option(TH_CUDA_RACE "Test the kernels with race hooks too" OFF)
set(TH_RACE_TYPES Float CACHE STRING "The element types that kernels with race hooks are compiled for")
if(NOT TH_CUDA_SIM OR TH_SANITIZE)
  set(TH_CUDA_RACE OFF)
endif()

# --- kernels ----------------------------------------------------------------------------------

# thc_kernels(TARGET sim|race|nvcc [TYPES "Float;Double"] FILES a.cu b.cu)
# Makes the object library TARGET, if need be, and adds each file to it, once per type: for the
# simulator, for the simulator with race hooks, or for GPUs.
function(thc_kernels target mode)
  cmake_parse_arguments(arg "" "" "TYPES;FILES" ${ARGN})
  if(NOT TARGET ${target})
    add_library(${target} OBJECT)
    target_include_directories(${target} PRIVATE
      ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include/TH
      ${PROJECT_SOURCE_DIR}/include/THC ${PROJECT_SOURCE_DIR}/include
      ${PROJECT_BINARY_DIR}/include ${PROJECT_BINARY_DIR}/include/TH)
    if(mode STREQUAL "nvcc")
      target_compile_options(${target} PRIVATE -Xfatbin -compress-mode=size -ftz=false
                             -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-Wall,-fwrapv)
    else()
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/cusim)
      target_include_directories(${target} SYSTEM PRIVATE ${TH_CUDA_INCLUDE})
      target_compile_definitions(${target} PRIVATE TH_CUDA_SIM)
      target_compile_options(${target} PRIVATE -O1 -fwrapv -fno-exceptions -fno-threadsafe-statics
                             -Wno-sign-compare)
      target_link_libraries(${target} PRIVATE th_compile_options)
      set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
      if(mode STREQUAL "race")
        target_compile_options(${target} PRIVATE -g1 -fsanitize=thread
                               --param=tsan-distinguish-volatile=1)
      elseif(TH_SANITIZE MATCHES "address")
        target_compile_options(${target} PRIVATE -fsanitize-sections=cusim_*
                               --param=asan-use-after-return=0)
      endif()
    endif()
  endif()
  if(mode STREQUAL "nvcc")
    set(extension cu)
  else()
    set(extension cpp)
  endif()

  set(types none)
  if(arg_TYPES)
    set(types ${arg_TYPES})
  endif()
  foreach(file IN LISTS arg_FILES)
    get_filename_component(name ${file} NAME_WE)
    get_filename_component(path ${file} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
    foreach(type IN LISTS types)
      set(stub ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/${name})
      set(text "")
      set(section cusim_${name})
      if(arg_TYPES)
        string(APPEND text "#define TH_INSTANTIATE_${type}\n")
        string(APPEND stub ".${type}")
        string(APPEND section "_${type}")
      endif()
      if(NOT mode STREQUAL "nvcc")
        string(APPEND text "#define CUSIM_SHARED ${section}\n")
      endif()
      string(APPEND text "#include \"${path}\"\n")
      file(CONFIGURE OUTPUT ${stub}.${extension} CONTENT "${text}" @ONLY)
      target_sources(${target} PRIVATE ${stub}.${extension})
      if(TH_SANITIZE MATCHES "address" AND NOT mode STREQUAL "nvcc")
        # AddressSanitizer finds the same errors and names the kernel.  Has to follow -fsanitize.
        set_source_files_properties(${stub}.${extension} PROPERTIES COMPILE_OPTIONS
                                    -fno-sanitize=object-size)
      endif()
    endforeach()
  endforeach()
endfunction()

# --- libraries --------------------------------------------------------------------------------

# The ways in which a library's kernels are built here.
set(TH_CUDA_MODES "")
if(TH_CUDA_SIM)
  list(APPEND TH_CUDA_MODES sim)
endif()
if(TH_CUDA_RACE)
  list(APPEND TH_CUDA_MODES race)
endif()
if(TH_CUDA)
  list(APPEND TH_CUDA_MODES nvcc)
endif()

# thc_library(THC LINK TH SOURCES a.c ...)
# The host's sources are compiled once.  With the kernels of each mode they make
#   libTHC_sim.so and THC_sim_static   on the simulator (sim)
#   THC_race_static                    on the simulator, kernels with race hooks (race)
#   libTHC.so and THC_static           on GPUs (nvcc)
# LINK names libraries of TH, and THC, without _static or mode.  More sources come from thc_templates.
function(thc_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  set(first "")
  if(TH_COMPAT_TORCH7) # whose headers of layers hide those in the source
    set(first ${PROJECT_BINARY_DIR}/include)
  endif()
  add_library(${name}_objects OBJECT ${arg_SOURCES})
  target_include_directories(${name}_objects
    PUBLIC ${first} ${PROJECT_SOURCE_DIR}/include/TH ${PROJECT_SOURCE_DIR}/include/THC
           ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
           ${PROJECT_BINARY_DIR}/include/TH
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name}_objects SYSTEM PUBLIC ${TH_CUDA_INCLUDE})
  target_link_libraries(${name}_objects PRIVATE th_compile_options OpenMP::OpenMP_C)
  foreach(mode IN LISTS TH_CUDA_MODES)
    if(mode STREQUAL "nvcc")
      set(library ${name})
      set(runtime CUDA::cudart CUDA::cublas ${CMAKE_DL_LIBS})
    else()
      set(library ${name}_${mode})
      set(runtime cusim)
    endif()
    set(static "")
    set(shared "")
    foreach(other IN LISTS arg_LINK)
      if(other MATCHES "^THC" AND NOT mode STREQUAL "nvcc")
        set(other ${other}_${mode})
      endif()
      list(APPEND static ${other}_static)
      list(APPEND shared ${other})
    endforeach()
    set(kernels ${name}_${mode}_kernels)
    thc_kernels(${kernels} ${mode})
    set(objects $<TARGET_OBJECTS:${name}_objects> $<TARGET_OBJECTS:${kernels}>)

    add_library(${library}_static STATIC ${objects})
    set_target_properties(${library}_static PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(${library}_static PUBLIC ${static} ${runtime}
                          $<INSTALL_INTERFACE:CUDA::toolkit>)
    set(made ${library}_static)
    if(NOT mode STREQUAL "race")
      th_shared_library(${library} ${objects})
      target_link_libraries(${library} PUBLIC ${shared} $<INSTALL_INTERFACE:CUDA::toolkit>
                            PRIVATE ${runtime} $<BUILD_INTERFACE:th_compile_options>
                            OpenMP::OpenMP_C m)
      list(APPEND made ${library})
    endif()
    if(mode STREQUAL "nvcc")
      add_dependencies(gpu ${library})
    endif()
    foreach(target IN LISTS made)
      target_include_directories(${target} INTERFACE # Install.cmake names the installed ones
        $<BUILD_INTERFACE:${first}>
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/TH>
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/THC>
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
      target_include_directories(${target} SYSTEM INTERFACE
                                 "$<BUILD_INTERFACE:${TH_CUDA_INCLUDE}>")
    endforeach()
  endforeach()
endfunction()

# thc_templates(THC [TYPES "Float;Double"] [DEVICE header.h] FILES a.c b.cu ...)
# Adds files to a library of thc_library, each once per type.  Without TYPES a file has none.  DEVICE is that
# of th_templates.
function(thc_templates name)
  cmake_parse_arguments(arg "" "DEVICE" "TYPES;FILES" ${ARGN})
  set(host ${arg_FILES})
  set(kernels ${arg_FILES})
  list(FILTER host EXCLUDE REGEX "\\.cu$")
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(host)
    th_templates(${name}_objects TYPES ${arg_TYPES} DEVICE ${arg_DEVICE} FILES ${host})
  endif()
  if(NOT kernels)
    return()
  endif()
  # Kernels without a version with race hooks are compiled once for both modes of the simulator.
  set(types ${arg_TYPES})
  set(shared "")
  if(TH_CUDA_RACE AND arg_TYPES)
    list(REMOVE_ITEM types ${TH_RACE_TYPES})
    set(shared ${types})
    set(types ${arg_TYPES})
    list(REMOVE_ITEM types ${shared})
  endif()
  foreach(mode IN LISTS TH_CUDA_MODES)
    if(mode STREQUAL "nvcc")
      thc_kernels(${name}_nvcc_kernels nvcc TYPES ${arg_TYPES} FILES ${kernels})
    elseif(types OR NOT arg_TYPES)
      thc_kernels(${name}_${mode}_kernels ${mode} TYPES ${types} FILES ${kernels})
    endif()
  endforeach()
  if(shared)
    set(objects ${name}_shared_kernels)
    if(NOT TARGET ${objects})
      foreach(library IN ITEMS ${name}_sim ${name}_sim_static ${name}_race_static)
        target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
      endforeach()
    endif()
    thc_kernels(${objects} sim TYPES ${shared} FILES ${kernels})
  endif()
endfunction()
