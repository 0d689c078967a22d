/* Loops over all elements of one, two or three tensors, for programs that define their own
 * operations:
 *
 *     TH_TENSOR_APPLY2(float, a, float, b, *a_data += 2 * *b_data;)
 *
 * runs the code once per element in row-major order.  Tensors are named by plain identifiers and
 * may differ in shape but not in their number of elements, which is an error before anything has
 * run.  Nothing is allocated: the code may return, or raise an error that leaves by longjmp.
 *
 * For a tensor t the code sees TYPE *t_data, the element.  Dimensions of size 1 are dropped and
 * neighbours merged where the strides allow it; of the remaining dimensions the code sees
 *
 *     t_dim, t_sizes[], t_strides[], t_counter[]   dimensions, and the index in all but the last
 *     t_size, t_stride, t_i                        the last one, and the index in it
 *     t_n                                          the number of elements
 *     t_dimOffset                                  in the _D forms: points to the index along DIM,
 *                                                  which is never merged (NULL for DIM -1)
 *
 * A break leaves only the straight run that the element belongs to; to stop altogether, set
 * TH_TENSOR_APPLY_hasFinished = 1 and break. */
#ifndef TH_TENSOR_APPLY_H
#define TH_TENSOR_APPLY_H

#include "THGeneral.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* --- the walk through one tensor ---------------------------------------------------------- */

enum {
  /* Dimensions of size 1 are dropped, all but one that is to be kept, and the rest multiply to less
   * than 2^63. */
  TH_APPLY_DIMS = 64
};

typedef struct THApply {
  int64_t sizes[TH_APPLY_DIMS], strides[TH_APPLY_DIMS], counter[TH_APPLY_DIMS];
  int64_t n;    /* elements */
  int64_t zero; /* the index along a dimension that the tensor does not have */
  int dim;      /* at least 1 */
  int kept;     /* the index of the kept dimension, -1 if there is none */
} THApply;

#ifndef TH_NO_INLINE

/* Collapses a tensor's dimensions without dimension skip; dimension keep stays by itself.  Either
 * may be -1. */
static inline void THApply_init(THApply *apply, int nDimension, const int64_t *size,
                                const int64_t *stride, int keep, int skip)
{
  int d, dim = 0, mergeable = 0;
  int64_t n = nDimension > 0;
  apply->zero = 0;
  apply->kept = -1;
  for (d = 0; d < nDimension && n > 0; d++) {
    if (d == skip)
      continue;
    n *= size[d];
    if (d == keep)
      apply->kept = dim;
    else if (size[d] == 1)
      continue;

    if (mergeable && d != keep && apply->strides[dim - 1] == size[d] * stride[d]) {
      apply->sizes[dim - 1] *= size[d];
      apply->strides[dim - 1] = stride[d];
    } else {
      apply->sizes[dim] = size[d];
      apply->strides[dim] = stride[d];
      apply->counter[dim] = 0;
      dim++;
    }
    mergeable = d != keep;
  }
  if (n == 0 || dim == 0) {
    apply->sizes[0] = n;
    apply->strides[0] = 1;
    apply->counter[0] = 0;
    dim = 1;
  }
  apply->n = n;
  apply->dim = dim;
}

/* Adds 1 to the counter of dimension d and carries.  Returns 1, and in *moved the distance to the
 * new element, or 0 at the end. */
static inline int THApply_carry(THApply *apply, int d, int64_t *moved)
{
  int64_t way = 0;
  for (; d >= 0; d--) {
    way += apply->strides[d];
    if (++apply->counter[d] < apply->sizes[d]) {
      *moved = way;
      return 1;
    }
    way -= apply->sizes[d] * apply->strides[d];
    apply->counter[d] = 0;
  }
  return 0;
}

/* Sets the counters of all dimensions to element index and returns how far it is from the first. */
static inline int64_t THApply_seek(THApply *apply, int64_t index)
{
  int64_t way = 0;
  int d;
  for (d = apply->dim - 1; d >= 0; d--) {
    apply->counter[d] = index % apply->sizes[d];
    way += apply->counter[d] * apply->strides[d];
    index /= apply->sizes[d];
  }
  return way;
}

static inline int64_t THApply_count(int nDimension, const int64_t *size)
{
  int64_t n = nDimension > 0;
  int d;
  for (d = 0; d < nDimension; d++)
    n *= size[d];
  return n;
}

/* Which of count elements the calling thread of the team takes. */
static inline int64_t THApply_share(int64_t count, int64_t *begin)
{
#ifdef _OPENMP
  const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
  const int64_t share = count / team, rest = count % team;
  *begin = me * share + THMin(me, rest);
  return share + (me < rest);
#else
  *begin = 0;
  return count;
#endif
}

#endif

/* --- the halves of every loop ------------------------------------------------------------- */

/* Declares the dimensions that the code sees of a tensor. */
#define __TH_TENSOR_APPLYX_DIMENSIONS(TENSOR, DIM)                                              \
  THApply TENSOR##_THApply;                                                                     \
  THApply_init(&TENSOR##_THApply, TENSOR->nDimension, TENSOR->size, TENSOR->stride, (DIM), -1); \
  TH_UNUSED const int64_t TENSOR##_n = TENSOR##_THApply.n;                                      \
  const int64_t TENSOR##_dim = TENSOR##_THApply.dim;                                            \
  TH_UNUSED int64_t *const TENSOR##_sizes = TENSOR##_THApply.sizes;                             \
  TH_UNUSED int64_t *const TENSOR##_strides = TENSOR##_THApply.strides;                         \
  TH_UNUSED int64_t *const TENSOR##_counter = TENSOR##_THApply.counter;

/* Declares the last dimension, the index in it, and where the index along DIM is. */
#define __TH_TENSOR_APPLYX_INDICES(TENSOR, DIM)                            \
  const int64_t TENSOR##_size = TENSOR##_sizes[TENSOR##_dim - 1];          \
  const int64_t TENSOR##_stride = TENSOR##_strides[TENSOR##_dim - 1];      \
  int64_t TENSOR##_i = 0;                                                  \
  TH_UNUSED int64_t *const TENSOR##_dimOffset =                            \
      (DIM) < 0                                   ? NULL                   \
      : TENSOR##_THApply.kept < 0                 ? &TENSOR##_THApply.zero \
      : TENSOR##_THApply.kept == TENSOR##_dim - 1 ? &TENSOR##_i            \
                                                  : TENSOR##_counter + TENSOR##_THApply.kept;

/* Declares all that the code sees of a tensor; without elements the code does not run.
 * ALLOW_CONTIGUOUS is ignored: a contiguous tensor collapses to one dimension. */
#define __TH_TENSOR_APPLYX_PREAMBLE(TYPE, TENSOR, DIM, ALLOW_CONTIGUOUS) \
  __TH_TENSOR_APPLYX_DIMENSIONS(TENSOR, DIM)                             \
  __TH_TENSOR_APPLYX_INDICES(TENSOR, DIM)                                \
  TH_UNUSED TYPE *TENSOR##_data =                                        \
      TENSOR##_n ? TENSOR->storage->data + TENSOR->storageOffset : NULL; \
  if (TENSOR##_n == 0)                                                   \
    TH_TENSOR_APPLY_hasFinished = 1;
/* To the next run, if this one is through (or ALWAYS_UPDATE); stands in the outer loop and leaves
 * it after the last run. */
#define __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR, ALWAYS_UPDATE)                    \
  if (TENSOR##_i == TENSOR##_size || (ALWAYS_UPDATE)) {                              \
    int64_t TENSOR##_moved;                                                          \
    if (!THApply_carry(&TENSOR##_THApply, (int)TENSOR##_dim - 2, &TENSOR##_moved)) { \
      TH_TENSOR_APPLY_hasFinished = 1;                                               \
      break;                                                                         \
    }                                                                                \
    TENSOR##_data += TENSOR##_moved - TENSOR##_i * TENSOR##_stride;                  \
    TENSOR##_i = 0;                                                                  \
  }

/* STEPS elements further in the same run, of one, two or three tensors. */
#define __TH_TENSOR_APPLYX_STEP(TENSOR, STEPS) \
  TENSOR##_i += (STEPS), TENSOR##_data += (STEPS) * TENSOR##_stride
#define __TH_TENSOR_APPLYX_STEP2(TENSOR1, TENSOR2, STEPS) \
  __TH_TENSOR_APPLYX_STEP(TENSOR1, STEPS), __TH_TENSOR_APPLYX_STEP(TENSOR2, STEPS)
#define __TH_TENSOR_APPLYX_STEP3(TENSOR1, TENSOR2, TENSOR3, STEPS) \
  __TH_TENSOR_APPLYX_STEP2(TENSOR1, TENSOR2, STEPS), __TH_TENSOR_APPLYX_STEP(TENSOR3, STEPS)

/* The elements that are left of a run, or of the run that tensors have in common. */
#define __TH_TENSOR_APPLYX_LEFT(TENSOR) (TENSOR##_size - TENSOR##_i)
#define __TH_TENSOR_APPLYX_LEFT2(TENSOR1, TENSOR2) \
  THMin(__TH_TENSOR_APPLYX_LEFT(TENSOR1), __TH_TENSOR_APPLYX_LEFT(TENSOR2))
#define __TH_TENSOR_APPLYX_LEFT3(TENSOR1, TENSOR2, TENSOR3) \
  THMin(__TH_TENSOR_APPLYX_LEFT2(TENSOR1, TENSOR2), __TH_TENSOR_APPLYX_LEFT(TENSOR3))
#define __TH_TENSOR_APPLYX_CHECK2(TENSOR1, TENSOR2)                                            \
  if (TENSOR1##_n != TENSOR2##_n)                                                              \
    THError("inconsistent sizes: " #TENSOR1 " %s has %lld elements, " #TENSOR2 " %s has %lld", \
            _THSizeDesc(TENSOR1->size, TENSOR1->nDimension).str, (long long)TENSOR1##_n,       \
            _THSizeDesc(TENSOR2->size, TENSOR2->nDimension).str, (long long)TENSOR2##_n);

/* The declarations of a loop over one, two or three tensors. */
#define __TH_TENSOR_APPLYX_BEGIN1(TYPE, TENSOR, DIM) \
  int TH_TENSOR_APPLY_hasFinished = 0;               \
  __TH_TENSOR_APPLYX_PREAMBLE(TYPE, TENSOR, DIM, 1)

#define __TH_TENSOR_APPLYX_BEGIN2(TYPE1, TENSOR1, TYPE2, TENSOR2, DIM) \
  __TH_TENSOR_APPLYX_BEGIN1(TYPE1, TENSOR1, DIM)                       \
  __TH_TENSOR_APPLYX_PREAMBLE(TYPE2, TENSOR2, DIM, 1)                  \
  __TH_TENSOR_APPLYX_CHECK2(TENSOR1, TENSOR2)

#define __TH_TENSOR_APPLYX_BEGIN3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIM) \
  __TH_TENSOR_APPLYX_BEGIN2(TYPE1, TENSOR1, TYPE2, TENSOR2, DIM)                       \
  __TH_TENSOR_APPLYX_PREAMBLE(TYPE3, TENSOR3, DIM, 1)                                  \
  __TH_TENSOR_APPLYX_CHECK2(TENSOR1, TENSOR3)

/* Begins a run of LEFT elements, or of REST if that is less; REST counts down. */
#define __TH_TENSOR_APPLYX_BEGIN_RUN(LEFT, REST)              \
  int64_t TH_TENSOR_APPLY_left = (LEFT);                      \
  TH_TENSOR_APPLY_left = THMin(TH_TENSOR_APPLY_left, (REST)); \
  (REST) -= TH_TENSOR_APPLY_left;

/* The runs that the tensors have in common, up to REST elements in all.  The step
 * behind the inner loop is for code that leaves it by a break. */
#define __TH_TENSOR_APPLYX_RUNS1(TENSOR, REST, ...)                                                \
  while (!TH_TENSOR_APPLY_hasFinished && (REST) > 0) {                                             \
    __TH_TENSOR_APPLYX_BEGIN_RUN(__TH_TENSOR_APPLYX_LEFT(TENSOR), REST)                            \
    for (; TH_TENSOR_APPLY_left > 0; TH_TENSOR_APPLY_left--, __TH_TENSOR_APPLYX_STEP(TENSOR, 1)) { \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
    __TH_TENSOR_APPLYX_STEP(TENSOR, TH_TENSOR_APPLY_left);                                         \
    __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR, 0)                                                  \
  }

#define __TH_TENSOR_APPLYX_RUNS2(TENSOR1, TENSOR2, REST, ...)                      \
  while (!TH_TENSOR_APPLY_hasFinished && (REST) > 0) {                             \
    __TH_TENSOR_APPLYX_BEGIN_RUN(__TH_TENSOR_APPLYX_LEFT2(TENSOR1, TENSOR2), REST) \
    for (; TH_TENSOR_APPLY_left > 0;                                               \
         TH_TENSOR_APPLY_left--, __TH_TENSOR_APPLYX_STEP2(TENSOR1, TENSOR2, 1)) {  \
      __VA_ARGS__                                                                  \
    }                                                                              \
    __TH_TENSOR_APPLYX_STEP2(TENSOR1, TENSOR2, TH_TENSOR_APPLY_left);              \
    __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR1, 0)                                 \
    __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR2, 0)                                 \
  }

#define __TH_TENSOR_APPLYX_UPDATE_COUNTERS3(TENSOR1, TENSOR2, TENSOR3) \
  __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR1, 0)                       \
  __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR2, 0)                       \
  __TH_TENSOR_APPLYX_UPDATE_COUNTERS(TENSOR3, 0)

#define __TH_TENSOR_APPLYX_RUNS3(TENSOR1, TENSOR2, TENSOR3, REST, ...)                      \
  while (!TH_TENSOR_APPLY_hasFinished && (REST) > 0) {                                      \
    __TH_TENSOR_APPLYX_BEGIN_RUN(__TH_TENSOR_APPLYX_LEFT3(TENSOR1, TENSOR2, TENSOR3), REST) \
    for (; TH_TENSOR_APPLY_left > 0;                                                        \
         TH_TENSOR_APPLY_left--, __TH_TENSOR_APPLYX_STEP3(TENSOR1, TENSOR2, TENSOR3, 1)) {  \
      __VA_ARGS__                                                                           \
    }                                                                                       \
    __TH_TENSOR_APPLYX_STEP3(TENSOR1, TENSOR2, TENSOR3, TH_TENSOR_APPLY_left);              \
    __TH_TENSOR_APPLYX_UPDATE_COUNTERS3(TENSOR1, TENSOR2, TENSOR3)                          \
  }

/* --- one after the other ------------------------------------------------------------------ */

#define TH_TENSOR_APPLY_D(TYPE, TENSOR, DIM, ...)                       \
  {                                                                     \
    __TH_TENSOR_APPLYX_BEGIN1(TYPE, TENSOR, DIM)                        \
    int64_t TH_TENSOR_APPLY_todo = TENSOR##_n;                          \
    __TH_TENSOR_APPLYX_RUNS1(TENSOR, TH_TENSOR_APPLY_todo, __VA_ARGS__) \
  }

#define TH_TENSOR_APPLY2_D(TYPE1, TENSOR1, TYPE2, TENSOR2, DIM, ...)              \
  {                                                                               \
    __TH_TENSOR_APPLYX_BEGIN2(TYPE1, TENSOR1, TYPE2, TENSOR2, DIM)                \
    int64_t TH_TENSOR_APPLY_todo = TENSOR1##_n;                                   \
    __TH_TENSOR_APPLYX_RUNS2(TENSOR1, TENSOR2, TH_TENSOR_APPLY_todo, __VA_ARGS__) \
  }

#define TH_TENSOR_APPLY3_D(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIM, ...)       \
  {                                                                                        \
    __TH_TENSOR_APPLYX_BEGIN3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, DIM)         \
    int64_t TH_TENSOR_APPLY_todo = TENSOR1##_n;                                            \
    __TH_TENSOR_APPLYX_RUNS3(TENSOR1, TENSOR2, TENSOR3, TH_TENSOR_APPLY_todo, __VA_ARGS__) \
  }

#define TH_TENSOR_APPLY(TYPE, TENSOR, ...) TH_TENSOR_APPLY_D(TYPE, TENSOR, -1, __VA_ARGS__)

#define TH_TENSOR_APPLY2(TYPE1, TENSOR1, TYPE2, TENSOR2, ...) \
  TH_TENSOR_APPLY2_D(TYPE1, TENSOR1, TYPE2, TENSOR2, -1, __VA_ARGS__)

#define TH_TENSOR_APPLY3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, ...) \
  TH_TENSOR_APPLY3_D(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, -1, __VA_ARGS__)

/* --- on several threads, in programs compiled with OpenMP --------------------------------- */

/* The code then runs in any order and must not raise an error. */

#ifndef TH_OMP_OVERHEAD_THRESHOLD_OMP
#define TH_OMP_OVERHEAD_THRESHOLD_OMP 5000 /* elements, from which on threads are used */
#endif
#ifndef TH_OMP_OVERHEAD_THRESHOLD
#define TH_OMP_OVERHEAD_THRESHOLD \
  100000 /* elements from which on the _CONTIG forms use threads: their code is a kernel */
#endif

#ifdef _OPENMP
#ifndef PRAGMA
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#endif
#define __TH_TENSOR_APPLYX_PRAGMA(...) PRAGMA(__VA_ARGS__)
#else
#define __TH_TENSOR_APPLYX_PRAGMA(...)
#endif

/* The calling thread's part of the elements. */
#define __TH_TENSOR_APPLYX_SHARE(COUNT) \
  int64_t TH_TENSOR_APPLY_begin;        \
  int64_t TH_TENSOR_APPLY_todo = THApply_share((COUNT), &TH_TENSOR_APPLY_begin);

#define __TH_TENSOR_APPLYX_SEEK(TENSOR)                                      \
  if (TH_TENSOR_APPLY_todo > 0) {                                            \
    TENSOR##_data += THApply_seek(&TENSOR##_THApply, TH_TENSOR_APPLY_begin); \
    TENSOR##_i = TENSOR##_counter[TENSOR##_dim - 1];                         \
  }

/* What a thread does: its part of the tensors. */
#define __TH_TENSOR_APPLYX_PART1(TYPE, TENSOR, ...) \
  __TH_TENSOR_APPLYX_SHARE(TENSOR##_count)          \
  __TH_TENSOR_APPLYX_BEGIN1(TYPE, TENSOR, -1)       \
  __TH_TENSOR_APPLYX_SEEK(TENSOR)                   \
  __TH_TENSOR_APPLYX_RUNS1(TENSOR, TH_TENSOR_APPLY_todo, __VA_ARGS__)

#define __TH_TENSOR_APPLYX_PART2(TYPE1, TENSOR1, TYPE2, TENSOR2, ...) \
  __TH_TENSOR_APPLYX_SHARE(TENSOR1##_count)                           \
  __TH_TENSOR_APPLYX_BEGIN2(TYPE1, TENSOR1, TYPE2, TENSOR2, -1)       \
  __TH_TENSOR_APPLYX_SEEK(TENSOR1)                                    \
  __TH_TENSOR_APPLYX_SEEK(TENSOR2)                                    \
  __TH_TENSOR_APPLYX_RUNS2(TENSOR1, TENSOR2, TH_TENSOR_APPLY_todo, __VA_ARGS__)

#define __TH_TENSOR_APPLYX_PART3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, ...) \
  __TH_TENSOR_APPLYX_SHARE(TENSOR1##_count)                                           \
  __TH_TENSOR_APPLYX_BEGIN3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, -1)       \
  __TH_TENSOR_APPLYX_SEEK(TENSOR1)                                                    \
  __TH_TENSOR_APPLYX_SEEK(TENSOR2)                                                    \
  __TH_TENSOR_APPLYX_SEEK(TENSOR3)                                                    \
  __TH_TENSOR_APPLYX_RUNS3(TENSOR1, TENSOR2, TENSOR3, TH_TENSOR_APPLY_todo, __VA_ARGS__)

/* All elements of TENSOR, with OPERATION as OpenMP's reduction: +:sum. */
#define TH_TENSOR_APPLY_REDUCTION_OMP(TYPE, TENSOR, OPERATION, ...)                            \
  {                                                                                            \
    const int64_t TENSOR##_count = THApply_count(TENSOR->nDimension, TENSOR->size);            \
    __TH_TENSOR_APPLYX_PRAGMA(omp parallel if (TENSOR##_count > TH_OMP_OVERHEAD_THRESHOLD_OMP) \
                                  reduction(OPERATION))                                        \
    {                                                                                          \
      __TH_TENSOR_APPLYX_PART1(TYPE, TENSOR, __VA_ARGS__)                                      \
    }                                                                                          \
  }

#define __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR, SIZE)                           \
  if (THApply_count(TENSOR->nDimension, TENSOR->size) != (SIZE))              \
    THError("inconsistent sizes: " #TENSOR " %s has %lld elements, not %lld", \
            _THSizeDesc(TENSOR->size, TENSOR->nDimension).str,                \
            (long long)THApply_count(TENSOR->nDimension, TENSOR->size), (long long)(SIZE));

/* Two or three tensors of SIZE elements.  Whether they are contiguous is found out in any case: the
 * CONTIG arguments are of no matter. */
#define TH_TENSOR_APPLY2_OMP(SIZE, CONTIG1, CONTIG2, TYPE1, TENSOR1, TYPE2, TENSOR2, ...)        \
  {                                                                                              \
    const int64_t TENSOR1##_count = (SIZE);                                                      \
    __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR1, TENSOR1##_count)                                      \
    __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR2, TENSOR1##_count)                                      \
    (void)(CONTIG1), (void)(CONTIG2);                                                            \
    __TH_TENSOR_APPLYX_PRAGMA(omp parallel if (TENSOR1##_count > TH_OMP_OVERHEAD_THRESHOLD_OMP)) \
    {                                                                                            \
      __TH_TENSOR_APPLYX_PART2(TYPE1, TENSOR1, TYPE2, TENSOR2, __VA_ARGS__)                      \
    }                                                                                            \
  }

#define __TH_TENSOR_APPLYX_CHECK_SIZES3(TENSOR1, TENSOR2, TENSOR3, SIZE) \
  __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR1, SIZE)                           \
  __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR2, SIZE)                           \
  __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR3, SIZE)

#define TH_TENSOR_APPLY3_OMP(SIZE, CONTIG1, CONTIG2, CONTIG3, TYPE1, TENSOR1, TYPE2, TENSOR2,    \
                             TYPE3, TENSOR3, ...)                                                \
  {                                                                                              \
    const int64_t TENSOR1##_count = (SIZE);                                                      \
    __TH_TENSOR_APPLYX_CHECK_SIZES3(TENSOR1, TENSOR2, TENSOR3, TENSOR1##_count)                  \
    (void)(CONTIG1), (void)(CONTIG2), (void)(CONTIG3);                                           \
    __TH_TENSOR_APPLYX_PRAGMA(omp parallel if (TENSOR1##_count > TH_OMP_OVERHEAD_THRESHOLD_OMP)) \
    {                                                                                            \
      __TH_TENSOR_APPLYX_PART3(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, __VA_ARGS__)      \
    }                                                                                            \
  }

/* --- contiguous tensors, a chunk at a time ------------------------------------------------ */

/* The code runs once per thread and sees t_data, the first element of a chunk, and t_len, its
 * length.  A tensor that is not contiguous is an error. */

#define __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR)                                                    \
  {                                                                                                \
    THApply TENSOR##_THApply;                                                                      \
    THApply_init(&TENSOR##_THApply, TENSOR->nDimension, TENSOR->size, TENSOR->stride, -1, -1);     \
    if (TENSOR##_THApply.dim != 1 || TENSOR##_THApply.strides[0] != 1)                             \
      THError(#TENSOR " %s is not contiguous", _THSizeDesc(TENSOR->size, TENSOR->nDimension).str); \
  }

#define __TH_TENSOR_APPLYX_CHUNK(TYPE, TENSOR)                               \
  TH_UNUSED TYPE *TENSOR##_data =                                            \
      TENSOR->storage->data + TENSOR->storageOffset + TH_TENSOR_APPLY_begin; \
  TH_UNUSED const ptrdiff_t TENSOR##_len = (ptrdiff_t)TH_TENSOR_APPLY_todo;

/* Runs the code on each thread; CHUNKS declares what the code sees. */
#define __TH_TENSOR_APPLYX_CHUNKS(COUNT, CHUNKS, ...)                              \
  __TH_TENSOR_APPLYX_PRAGMA(omp parallel if ((COUNT) > TH_OMP_OVERHEAD_THRESHOLD)) \
  {                                                                                \
    __TH_TENSOR_APPLYX_SHARE(COUNT)                                                \
    if (TH_TENSOR_APPLY_todo > 0) {                                                \
      CHUNKS                                                                       \
      __VA_ARGS__                                                                  \
    }                                                                              \
  }

#define TH_TENSOR_APPLY_CONTIG(TYPE, TENSOR, ...)                                                  \
  {                                                                                                \
    const int64_t TENSOR##_count = THApply_count(TENSOR->nDimension, TENSOR->size);                \
    __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR)                                                        \
    __TH_TENSOR_APPLYX_CHUNKS(TENSOR##_count, __TH_TENSOR_APPLYX_CHUNK(TYPE, TENSOR), __VA_ARGS__) \
  }

#define TH_TENSOR_APPLY2_CONTIG(TYPE1, TENSOR1, TYPE2, TENSOR2, ...)                   \
  {                                                                                    \
    const int64_t TENSOR1##_count = THApply_count(TENSOR1->nDimension, TENSOR1->size); \
    __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR1)                                           \
    __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR2)                                           \
    __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR2, TENSOR1##_count)                            \
    __TH_TENSOR_APPLYX_CHUNKS(TENSOR1##_count,                                         \
                              __TH_TENSOR_APPLYX_CHUNK(TYPE1, TENSOR1)                 \
                                  __TH_TENSOR_APPLYX_CHUNK(TYPE2, TENSOR2),            \
                              __VA_ARGS__)                                             \
  }

#define __TH_TENSOR_APPLYX_CHECK_CONTIG3(TENSOR1, TENSOR2, TENSOR3)                  \
  const int64_t TENSOR1##_count = THApply_count(TENSOR1->nDimension, TENSOR1->size); \
  __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR1)                                           \
  __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR2)                                           \
  __TH_TENSOR_APPLYX_CHECK_CONTIG(TENSOR3)                                           \
  __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR2, TENSOR1##_count)                            \
  __TH_TENSOR_APPLYX_CHECK_SIZE(TENSOR3, TENSOR1##_count)

#define TH_TENSOR_APPLY3_CONTIG(TYPE1, TENSOR1, TYPE2, TENSOR2, TYPE3, TENSOR3, ...) \
  {__TH_TENSOR_APPLYX_CHECK_CONTIG3(TENSOR1, TENSOR2, TENSOR3)                       \
       __TH_TENSOR_APPLYX_CHUNKS(TENSOR1##_count,                                    \
                                 __TH_TENSOR_APPLYX_CHUNK(TYPE1, TENSOR1)            \
                                     __TH_TENSOR_APPLYX_CHUNK(TYPE2, TENSOR2)        \
                                         __TH_TENSOR_APPLYX_CHUNK(TYPE3, TENSOR3),   \
                                 __VA_ARGS__)}
#endif
