/* The engine that reduces: over all elements, or along one dimension.
 *
 * Here a reduction is a row of the tables of src/ops/reduce.h, or one of TH_OTHER_REDUCTIONS; a row
 * is a row of elements.  A reduction keeps states (a sum; a mean with its squared deviations; a
 * value with its index).  Its kernels work on a row of states at a time, the lanes.  Each lane
 * takes in (accumulates) the elements below it, so that one vectorised loop serves every direction:
 *
 *     across rows     each column of a matrix is a lane, updated row by row
 *     along a row     the row is folded into a matrix of some columns; the lanes are joined at the
 *                     end, in pairs
 *     narrow columns  several adjacent rows make one row of lanes, which are joined at the end
 *
 * Work is cut into items that depend on shapes and strides alone, and their states are joined in
 * pairs, in a fixed order: the result has the same bits for any number of threads. */
#ifndef TH_REDUCE_H
#define TH_REDUCE_H

#include <math.h>

#include "ops/reduce.h"
#include "THKernel.h"
#include "TH/loop/THLines.h"
#include "THTypes.h"

/* Reductions whose state is no single number; logSumExp computes at AVX-512 only, and for Float. */
#define TH_OTHER_REDUCTIONS(X)       X(argmax) X(argmin)
#define TH_OTHER_FLOAT_REDUCTIONS(X) X(var) X(std) X(logSumExp)

typedef enum THReductionName {
#define TH_ENUMERATOR(name, ...) TH_REDUCE_##name,
  TH_REDUCTIONS(TH_ENUMERATOR) TH_FLOAT_REDUCTIONS(TH_ENUMERATOR) TH_BYTE_REDUCTIONS(TH_ENUMERATOR)
      TH_OTHER_REDUCTIONS(TH_ENUMERATOR) TH_OTHER_FLOAT_REDUCTIONS(TH_ENUMERATOR)
#undef TH_ENUMERATOR
          THReductionNames
} THReductionName;

typedef struct THReduceScalars {
  double p;        /* of the p-norm; of var and std: subtracted from count */
  ptrdiff_t count; /* elements reduced to one: set by the engine */
  int far;         /* whether the elements come from memory rather than caches: set by the engine */
} THReduceScalars;

/* The elements that are reduced.  They may have another type than the reduction and are then
 * converted as they are taken in, so few at a time that they stay in L1. */
typedef struct THReduceSource {
  ptrdiff_t itemSize;  /* bytes of an element */
  ptrdiff_t converted; /* bytes of an element of the reduction's type */
  THKernel convert;    /* to the reduction's type; NULL if elements have this type already */
  const void *scalars; /* argument of convert */
} THReduceSource;

/* A block of elements: `rows` rows of `lanes` lanes.  The element in row i of lane j lies i * rowStride
 * + j * stride elements from `at`; in its line it has the index first + i * rowIndex + j / group *
 * laneIndex. */
typedef struct THRows {
  const void *at;
  ptrdiff_t lanes, stride;
  ptrdiff_t rows, rowStride;
  ptrdiff_t first, rowIndex, laneIndex, group;
} THRows;

typedef struct THReduction {
  ptrdiff_t stateSize;
  ptrdiff_t
      shortLine; /* lines of fewer contiguous elements are reduced many at a time, by `rows` */
  void (*start)(void *state, ptrdiff_t lanes);
  void (*rows)(void *state, const THRows *block, const THReduceScalars *scalars);
  /* Reduces a line of n adjacent elements, whose indices start at first, to one state. */
  void (*line)(void *state, const void *at, ptrdiff_t n, ptrdiff_t first,
               const THReduceScalars *scalars);
  /* Joins other[j] into state[j]. */
  void (*join)(void *state, const void *other, ptrdiff_t lanes);
  /* The results: of type real, and their indices where there are some. */
  void (*finish)(const void *state, ptrdiff_t lanes, const THReduceScalars *scalars, void *result,
                 ptrdiff_t step, int64_t *index, ptrdiff_t indexStep);
  /* The result of a single state, of type accreal. */
  void (*total)(const void *state, const THReduceScalars *scalars, void *result);
  int wide; /* items of more lines are faster, since memory is read in longer runs */
} THReduction;

/* A reduction of each type, at each level; NULL for types that do not have it. */
typedef struct THReductions {
  const THReduction *const *of[THScalarTypes];
} THReductions;

#define TH_DECLARE(name, ...) TH_API const THReductions THReductions_##name;
TH_REDUCTIONS(TH_DECLARE)
TH_FLOAT_REDUCTIONS(TH_DECLARE)
TH_BYTE_REDUCTIONS(TH_DECLARE)
TH_OTHER_REDUCTIONS(TH_DECLARE)
TH_OTHER_FLOAT_REDUCTIONS(TH_DECLARE)
#undef TH_DECLARE

/* The reduction of elements of the type at the level in use, NULL if there is none. */
TH_API const THReduction *THReductions_of(const THReductions *reduction, THScalarType type);

/* Reduces the operand of a loop to one result of type accreal. */
TH_API void THReduce_all(const THReduction *op, const THReduceSource *source,
                         THReduceScalars scalars, THLoop *loop, void *result);

/* A reduction along a dimension, in two steps: preparation, which can fail, and the run, which
 * cannot.  Operand 0 of lines is reduced, operand 1 is the result, operand 2 (if any) the
 * indices. */
typedef struct THReduce {
  const THReduction *op;
  const THReduceSource *source;
  THReduceScalars scalars;
  const THLines *lines;
  int vertical;            /* lanes are neighbouring lines */
  ptrdiff_t tile, tiles;   /* lines of a tile, and tiles along the innermost dimension */
  ptrdiff_t chunk, chunks; /* elements of a chunk of a line, and chunks of a line */
  ptrdiff_t group;         /* narrow columns: rows that make one row of lanes; 1 otherwise */
  const char *from;
  char *result;
  int64_t *index;
  THGuard guard; /* holds the states of items where lines are cut */
} THReduce;

TH_API void THReduce_prepare(THReduce *reduce, const THReduction *op, const THReduceSource *source,
                             THReduceScalars scalars, const THLines *lines);
TH_API void THReduce_run(THReduce *reduce, const void *from, void *result, int64_t *index);

#endif
