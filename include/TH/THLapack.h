/* LAPACK on plain memory: systems of equations, factorisations, eigenvalues.
 *
 * Matrices lie column by column, as in THBlas.h.  Two equations, and what to do about info:
 *
 *     float a[] = {2, 1, 1, 3}, b[] = {3, 5};        2 x + y = 3,  x + 3 y = 5
 *     int pivots[2], info;
 *     THFloatLapack_gesv(2, 1, a, 2, pivots, b, 2, &info);
 *     THLapackCheck("%s: U(%d,%d) is zero", "gesv", info, info);
 *
 * THTensor_(gesv) and the others in generic/THTensorLapack.h do all of this for tensors.  The
 * functions are those of the library that THBlas.h describes; one which that library lacks is an
 * error that names it. */
#ifndef TH_LAPACK_H
#define TH_LAPACK_H

#include "THGeneral.h"

#define THLapack_(NAME) TH_CONCAT_4(TH, Real, Lapack_, NAME)

/* Raises an error unless info is 0: below 0 it is that argument -info was illegal; above 0 it is
 * the text of fmt, made as by printf from func, info and what follows. */
#define THLapackCheck(fmt, func, info, ...) \
  THLapackCheckWithCleanup(fmt, THCleanup(), func, info, ##__VA_ARGS__)

/* THLapackCheck with statements that run before the error. */
#define THLapackCheckWithCleanup(fmt, cleanup, func, info, ...)               \
  do {                                                                        \
    if (TH_UNLIKELY((info) < 0)) {                                            \
      cleanup THError("%s: argument %d of LAPACK is illegal", func, -(info)); \
    } else if (TH_UNLIKELY((info) > 0)) {                                     \
      cleanup THError(fmt, func, info, ##__VA_ARGS__);                        \
    }                                                                         \
  } while (0)

#define TH_GENERIC_FILE "generic/THLapack.h"
#include "THGenerateFloatTypes.h"

#endif
