# How every target of the project is compiled.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include(CheckCSourceRuns)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

# Addresses that are filled in when a library is loaded are listed as bits: a third of a megabyte less
# of libATen.  Linkers know this for longer than loaders do, therefore a program with one must run.
set(TH_PACK_RELOCATIONS -Wl,-z,pack-relative-relocs)
if(NOT CMAKE_CROSSCOMPILING)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -pie ${TH_PACK_RELOCATIONS})
  check_c_source_runs("static int x = 5; int *volatile p = &x; int main(void) { return *p != 5; }"
                      TH_PACKS_RELOCATIONS)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()

add_library(th_compile_options INTERFACE)
target_compile_options(th_compile_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wno-sign-compare -Wno-missing-field-initializers
    -Wno-type-limits       # templates ask whether an unsigned element is below 0
    $<$<C_COMPILER_ID:GNU>:-Wno-clobbered>  # it warns of locals in TH_TRY that no failure reads
    -fexceptions           # a C++ error handler may throw through C frames
    -fwrapv                # integers wrap around, in tensors too
    -fno-math-errno
    -fno-trapping-math
    -ffp-contract=off      # the same bits at every instruction set; fma() where one is meant
    -fno-strict-aliasing   # tensors of all types share code that reads their common fields
    -fno-semantic-interposition
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
  target_compile_options(th_compile_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:SHELL:-include ${PROJECT_SOURCE_DIR}/src/TH/simd/THShuffle.h>)
endif()
if(TH_WERROR)
  target_compile_options(th_compile_options INTERFACE -Werror)
endif()
foreach(level IN ITEMS avx2 avx512)
  if(NOT level IN_LIST TH_LEVELS)
    string(TOUPPER ${level} name)
    target_compile_definitions(th_compile_options INTERFACE TH_WITHOUT_${name})
  endif()
endforeach()

if(TH_SANITIZE)
  # Sanitizers keep loops from being vectorized: no warning about that.
  target_compile_options(th_compile_options INTERFACE -fsanitize=${TH_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
  target_link_options(th_compile_options INTERFACE -fsanitize=${TH_SANITIZE})
  target_compile_definitions(th_compile_options INTERFACE TH_SANITIZED)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
endif()

# Hardening that takes no time that can be measured: copies of the C library check the size of what they
# write to where the compiler knows it, and jumps and returns are checked by processors that can.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TH_SANITIZE)
  set(TH_HARDENED ON)
  target_compile_options(th_compile_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    target_compile_options(th_compile_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fcf-protection>)
  endif()
endif()

# th_protect_stack(FILES ...): source files of this directory that read files or write messages.  Their arrays have
# a mark behind them which functions look at before they return.  Everywhere it would make a short call
# a tenth slower.
function(th_protect_stack)
  if(TH_HARDENED)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fstack-protector-strong)
  endif()
endfunction()

# What the libraries alone are compiled with.  A call into them is to need no more than 32 KB of stack, of which
# no function may have more than this; kernels take large buffers from THScratch.h.
add_library(th_library_options INTERFACE)
# A static program leaves out the sections that nothing reaches.
target_compile_options(th_library_options INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffunction-sections> $<$<COMPILE_LANGUAGE:C,CXX>:-fdata-sections>)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TH_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(th_library_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wframe-larger-than=12288>)
endif()
