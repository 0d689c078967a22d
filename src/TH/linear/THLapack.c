/* LAPACK's functions with C's arguments, made from the list in THBlasLibrary.h. */
#include "THTemplate.h"

#include "THBlasLibrary.h"
#include "THLapackComplex.h"

#define PARAMETER(KIND, NAME)   PARAMETER_##KIND(NAME),
#define PARAMETER_Z(KIND, NAME) PARAMETER_##KIND(NAME)
#define PARAMETER_letter(NAME)  char NAME
#define PARAMETER_size(NAME)    int NAME
#define PARAMETER_value(NAME)   real NAME
#define PARAMETER_reals(NAME)   real *NAME
#define PARAMETER_ints(NAME)    int *NAME

#define ARGUMENT(KIND, NAME)   ARGUMENT_##KIND(NAME),
#define ARGUMENT_Z(KIND, NAME) ARGUMENT_##KIND(NAME)
#define ARGUMENT_letter(NAME)  &NAME
#define ARGUMENT_size(NAME)    &NAME
#define ARGUMENT_value(NAME)   &NAME
#define ARGUMENT_reals(NAME)   NAME
#define ARGUMENT_ints(NAME)    NAME
#define LENGTHS_0
#define LENGTHS_1 , 1
#define LENGTHS_2 , 1, 1
#define LENGTHS_3 , 1, 1, 1
#define LENGTHS_4 , 1, 1, 1, 1

#define CALL(FUNCTION, ARGUMENTS, LETTERS)                                             \
  {                                                                                    \
    const THBlasLibrary *library = THBlasLibrary_get();                                \
    if (!library->FUNCTION)                                                            \
      THBlasLibrary_lacks(TH_STRING_OF(FUNCTION) "_");                                 \
    const int threads = THBlasLibrary_begin();                                         \
    library->FUNCTION(TH_FORTRAN_##ARGUMENTS(ARGUMENT, ARGUMENT_Z) LENGTHS_##LETTERS); \
    THBlasLibrary_end(threads);                                                        \
  }

#define WRAPPER(NAME, LETTERS)                                    \
  void THLapack_(NAME)(TH_FORTRAN_##NAME(PARAMETER, PARAMETER_Z)) \
      CALL(TH_FORTRAN(NAME), NAME, LETTERS)
TH_FOR_EACH_LAPACK_FUNCTION(WRAPPER)

#define COMPLEX_WRAPPER(NAME, ARGUMENTS, LETTERS)                                \
  void THLapack_(complex_##NAME)(TH_FORTRAN_##ARGUMENTS(PARAMETER, PARAMETER_Z)) \
      CALL(TH_FORTRAN_COMPLEX(NAME), ARGUMENTS, LETTERS)
TH_FOR_EACH_COMPLEX_LAPACK_FUNCTION(COMPLEX_WRAPPER)
