# Where OpenBLAS is looked for first, by libTH and by what stands for cuSOLVER in tests.
find_file(TH_BLAS_PATH libopenblas.so.0
  HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib/openblas-openmp
  DOC "The OpenMP build of OpenBLAS")
if(NOT TH_BLAS_PATH)
  set(TH_BLAS_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp/libopenblas.so.0)
endif()
