/* Matrices that LAPACK works on, some of which become results.
 *
 * A function of LAPACK overwrites its operands, and may find out late that there is no solution.
 * So all it touches is a work of its own, and results change when it has succeeded:
 *
 *     THWorks works = {0};
 *     real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);      starts as a copy of b
 *     real *lu = THTensor_(workOn)(&works, ra_, 2, a, n, n);
 *     int *pivots = THIntTensor_workVector(&works, NULL, 0, n);  scratch: it has no result
 *     THLapack_(gesv)(n, k, lu, n, pivots, x, n, &info);
 *     THLapackCheck(...);                                        an error frees everything
 *     THWorks_deliver(&works);                                   so does this, after copying */
#ifndef TH_WORK_H
#define TH_WORK_H

#include "TH/loop/THResult.h"

/* The layout of a work, and of a result whose shape changes; always contiguous, the matrices of a
 * batch one after the other. */
typedef enum THWorkOrder {
  TH_COLUMNS,        /* matrices column by column */
  TH_ROWS,           /* matrices row by row */
  TH_COLUMNS_TO_ROWS /* the work column by column, the result row by row */
} THWorkOrder;

/* Functions for an element type. */
typedef struct THWorkType {
  void (*resize)(THBefore *before, void *tensor, const THShape *shape);
  void (*copy)(void *tensor, void *src);
} THWorkType;

typedef struct THWork {
  const THWorkType *type;
  void *result; /* the tensor that will get a copy of the work, or NULL */
  THView view;  /* of result */
  THShape shape;
  THGuard tensor; /* holds the work */
} THWork;

enum { TH_MOST_WORKS = 8 };

typedef struct THWorks {
  int count;
  THWork work[TH_MOST_WORKS];
} THWorks;

/* Row-major strides, or column-major ones in the last two dimensions.  Checks for overflow. */
TH_API void THWork_setStrides(THShape *shape, int byColumns);

/* Gives the results, argument by argument, the shape and the elements of their works, and frees the
 * works.  An error leaves all results as they were. */
TH_API void THWorks_deliver(THWorks *works);

/* --- checks of arguments --------------------------------------------------------------------- */

/* The letter that text begins with, as a capital; an error about argument arg, called name, unless
 * it is one of letters. */
TH_API char THWork_letter(const char *text, const char *letters, const char *name, int arg);

/* How much scratch to use: query, what LAPACK asked for in a number of epsilon's precision, if it
 * can count that; but no less than it needs. */
TH_API int THWork_scratch(double query, double epsilon, int64_t least, const char *function);

#endif
