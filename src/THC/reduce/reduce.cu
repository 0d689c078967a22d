/* Kernels that reduce: threads accumulate elements into states, then a block joins the states in
 * pairs. */
#include "THC/core/thc_template.h"

#include "thc_reduce.h"

#include "TH/reduce/THReduce.h"

/* --- macros for the table's expressions ------------------------------------------------------ */

/* Memory holds item, expressions use real. */
#if defined(TH_REAL_IS_HALF)
typedef THHalf item;
#undef real
#define real     float
#define LOAD(x)  THC_halfToFloat(x)
#define STORE(x) THC_floatToHalf(x)
#else
typedef real item;
#define LOAD(x)  (x)
#define STORE(x) ((item)(x))
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define IS_FLOATING
#define ADD(a, b) ((a) + (accreal)(b))
#define MUL(a, b) ((accreal)(a) * (accreal)(b))
#define IS_NAN(x) ((x) != (x))
#define HIGHEST   ((real)INFINITY)
#define LOWEST    (-HIGHEST)
#define FABS(x)   fabs(x)

#define NONZERO(x)  ((x) != 0)
#define ABSOLUTE(x) fabs((accreal)(x))
#define POWER(x, p) pow(x, p)

#else
#define ADD(a, b) ((accreal)((uint64_t)(a) + (uint64_t)(b)))
#define MUL(a, b) ((accreal)((uint64_t)(a) * (uint64_t)(b)))
#define IS_NAN(x) 0
#define HIGHEST   THInf
#ifdef TH_REAL_IS_BYTE
#define LOWEST 0
#else
#define LOWEST (-THInf - 1)
#endif
#endif

/* Elements that a thread loads before it computes: 32 bytes, or 16 bytes of Byte and Char.
 * Contiguous elements are loaded 16 bytes at a time. */
enum { UNROLL = sizeof(item) == 1 ? 16 : 32 / (int)sizeof(item) };

typedef struct __align__(16) Pack {
  item of[UNROLL];
} Pack;

/* --- the rows of the table, whose states are scalars ----------------------------------------- */

/* Each reduction has a type of state and these functions: start (the initial state), take
 * (accumulates n elements whose indices are jump apart), join (of two states), result, index. */
#define FUNCTIONS(name, state, initial, accumulate, joined, finished)                          \
  typedef state name##_state;                                                                  \
                                                                                               \
  static __device__ __forceinline__ name##_state name##_start(void)                            \
  {                                                                                            \
    return initial;                                                                            \
  }                                                                                            \
                                                                                               \
  static __device__ __forceinline__ name##_state name##_take(name##_state a, const real *some, \
                                                             int n, ptrdiff_t first,           \
                                                             ptrdiff_t jump, double given)     \
  {                                                                                            \
    const accreal p = (accreal)given;                                                          \
    (void)p, (void)first, (void)jump;                                                          \
    THC_UNROLL                                                                                 \
    for (int i = 0; i < UNROLL; i++)                                                           \
      if (i < n) {                                                                             \
        const real x = some[i];                                                                \
        a = (name##_state)(accumulate);                                                        \
      }                                                                                        \
    return a;                                                                                  \
  }                                                                                            \
                                                                                               \
  static __device__ __forceinline__ name##_state name##_join(name##_state a, name##_state b)   \
  {                                                                                            \
    return (name##_state)(joined);                                                             \
  }                                                                                            \
                                                                                               \
  static __device__ __forceinline__ accreal name##_result(name##_state a,                      \
                                                          const THCReduceWork *work)           \
  {                                                                                            \
    const accreal p = (accreal)work->p;                                                        \
    const ptrdiff_t count = work->count;                                                       \
    (void)p, (void)count;                                                                      \
    return (accreal)(finished);                                                                \
  }                                                                                            \
                                                                                               \
  static __device__ __forceinline__ int64_t name##_index(name##_state)                         \
  {                                                                                            \
    return 0;                                                                                  \
  }                                                                                            \
  KERNELS(name)

/* --- the kernels ----------------------------------------------------------------------------- */

#define KERNELS(name)                                                                              \
  /* Joins the states of the threads that share a line; the first of them returns the result. */   \
  static __device__ __forceinline__ name##_state name##_fold(name##_state a, int number,           \
                                                             int share, int apart)                 \
  {                                                                                                \
    __shared__ name##_state shared[THC_REDUCE_THREADS];                                            \
    const int t = (int)threadIdx.x;                                                                \
    shared[t] = a;                                                                                 \
    for (int half = share / 2; half > 0; half /= 2) {                                              \
      __syncthreads();                                                                             \
      if (number < half)                                                                           \
        shared[t] = a = name##_join(a, shared[t + half * apart]);                                  \
    }                                                                                              \
    return a;                                                                                      \
  }                                                                                                \
                                                                                                   \
  static __device__ __forceinline__ void name##_finish(name##_state a, const THCReduceWork *work,  \
                                                       const THCLines *lines, ptrdiff_t line)      \
  {                                                                                                \
    if (work->before) {                                                                            \
      if (!work->fresh)                                                                            \
        a = name##_join(*(name##_state *)work->before, a);                                         \
      *(name##_state *)work->before = a;                                                           \
    }                                                                                              \
    const accreal result = name##_result(a, work);                                                 \
    if (work->total) {                                                                             \
      *(accreal *)work->total = result;                                                            \
      return;                                                                                      \
    }                                                                                              \
    ((item *)work->result)[THCLines_at(lines, 1, line)] = STORE(result);                           \
    if (work->index)                                                                               \
      work->index[THCLines_at(lines, 2, line)] = name##_index(a) + TH_INDEX_BASE;                  \
  }                                                                                                \
                                                                                                   \
  __global__ static void name##_kernel(THCReduceWork work, THCLines lines, THCWalk walk)           \
  {                                                                                                \
    const int t = (int)threadIdx.x;                                                                \
    const int number = work.across ? t / work.lanes : t % work.share;                              \
    const int lane = work.across ? t % work.lanes : t / work.share;                                \
    const ptrdiff_t line = (ptrdiff_t)blockIdx.x * work.lanes + lane;                              \
    const ptrdiff_t first = (ptrdiff_t)blockIdx.y * work.chunk;                                    \
    const ptrdiff_t last = first + work.chunk;                                                     \
    const ptrdiff_t end = last < lines.length ? last : lines.length, jump = work.share;            \
    const ptrdiff_t each = work.grouped ? UNROLL : 1, apart = work.grouped ? 1 : jump;             \
    name##_state a = name##_start();                                                               \
    if (line < lines.count) {                                                                      \
      const item *at = (const item *)work.from;                                                    \
      if (!work.walked)                                                                            \
        at += THCLines_at(&lines, 0, line);                                                        \
      const ptrdiff_t step = lines.step[0] * apart;                                                \
      THC_ROLL                                                                                     \
      for (ptrdiff_t k = first + number * each; k < end; k += UNROLL * jump) {                     \
        real x[UNROLL];                                                                            \
        const ptrdiff_t left = (end - k + apart - 1) / apart;                                      \
        const int n = left < UNROLL ? (int)left : UNROLL;                                          \
        if (work.packed && n == UNROLL) {                                                          \
          const Pack pack = *(const Pack *)(at + k);                                               \
          THC_UNROLL                                                                               \
          for (int u = 0; u < UNROLL; u++)                                                         \
            x[u] = LOAD(pack.of[u]);                                                               \
        } else if (!work.walked) {                                                                 \
          const item *from = at + k * lines.step[0];                                               \
          THC_UNROLL                                                                               \
          for (int u = 0; u < UNROLL; u++)                                                         \
            x[u] = u < n ? LOAD(from[u * step]) : (real)0;                                         \
        } else {                                                                                   \
          THC_UNROLL                                                                               \
          for (int u = 0; u < UNROLL; u++) {                                                       \
            uint32_t offset = 0;                                                                   \
            x[u] = 0;                                                                              \
            if (u < n) {                                                                           \
              THCWalk_find(&walk, 1, (uint32_t)(k + u * apart), &offset);                          \
              x[u] = LOAD(at[offset]);                                                             \
            }                                                                                      \
          }                                                                                        \
        }                                                                                          \
        a = name##_take(a, x, n, k, apart, work.p);                                                \
      }                                                                                            \
    }                                                                                              \
    a = name##_fold(a, number, work.share, work.across ? work.lanes : 1);                          \
    if (number > 0 || line >= lines.count)                                                         \
      return;                                                                                      \
    if (work.states)                                                                               \
      ((name##_state *)work.states)[(ptrdiff_t)blockIdx.y * lines.count + line] = a;               \
    else                                                                                           \
      name##_finish(a, &work, &lines, line);                                                       \
  }                                                                                                \
                                                                                                   \
  __global__ static void name##_joining(THCReduceWork work, THCLines lines)                        \
  {                                                                                                \
    const int number = (int)threadIdx.x % work.share;                                              \
    const ptrdiff_t line = (ptrdiff_t)blockIdx.x * work.lanes + (int)threadIdx.x / work.share;     \
    name##_state a = name##_start();                                                               \
    if (line < lines.count)                                                                        \
      THC_ROLL                                                                                     \
    for (ptrdiff_t c = number; c < work.chunks; c += work.share)                                   \
      a = name##_join(a, ((const name##_state *)work.states)[c * lines.count + line]);             \
    a = name##_fold(a, number, work.share, 1);                                                     \
    if (number == 0 && line < lines.count)                                                         \
      name##_finish(a, &work, &lines, line);                                                       \
  }                                                                                                \
                                                                                                   \
  static void name##_reduce(const THCReduceWork *work, const THCLines *lines, const THCWalk *walk, \
                            cudaStream_t stream)                                                   \
  {                                                                                                \
    const dim3 grid((unsigned)((lines->count + work->lanes - 1) / work->lanes),                    \
                    (unsigned)work->chunks);                                                       \
    THC_LAUNCH(name##_kernel, grid, THC_REDUCE_THREADS, 0, stream, *work, *lines, *walk);          \
  }                                                                                                \
                                                                                                   \
  static void name##_joins(const THCReduceWork *work, const THCLines *lines, cudaStream_t stream)  \
  {                                                                                                \
    const unsigned grid = (unsigned)((lines->count + work->lanes - 1) / work->lanes);              \
    THC_LAUNCH(name##_joining, grid, THC_REDUCE_THREADS, 0, stream, *work, *lines);                \
  }

TH_REDUCTIONS(FUNCTIONS)
#ifdef IS_FLOATING
TH_FLOAT_REDUCTIONS(FUNCTIONS)
#else
/* The mean of integers is truncated. */
FUNCTIONS(mean, accreal, 0, ADD(a, x), ADD(a, b), count > 0 ? a / (accreal)count : 0)
#endif
#ifdef TH_REAL_IS_BYTE
TH_BYTE_REDUCTIONS(FUNCTIONS)
#endif

/* --- the maximum or minimum, with its index -------------------------------------------------- */

typedef struct Best {
  int64_t index; /* of the first element with this value */
  real value;
} Best;

/* Whether x wins over a: x is larger (smaller), or the first NaN. */
static __device__ __forceinline__ int beats(int largest, real x, real a)
{
  return ((largest ? x > a : x < a) || IS_NAN(x)) && !IS_NAN(a);
}

static __device__ __forceinline__ Best better(int largest, Best a, Best b)
{
  const int tie = !beats(largest, a.value, b.value) && b.index < a.index;
  return beats(largest, b.value, a.value) || tie ? b : a;
}

#define BEST(name, largest, worst)                                                            \
  typedef Best name##_state;                                                                  \
                                                                                              \
  static __device__ __forceinline__ Best name##_start(void)                                   \
  {                                                                                           \
    const Best none = {INT64_MAX, (real)(worst)};                                             \
    return none;                                                                              \
  }                                                                                           \
                                                                                              \
  static __device__ __forceinline__ Best name##_take(Best a, const real *some, int n,         \
                                                     ptrdiff_t first, ptrdiff_t jump, double) \
  {                                                                                           \
    THC_UNROLL                                                                                \
    for (int i = 0; i < UNROLL; i++)                                                          \
      if (i < n) {                                                                            \
        const Best b = {first + i * jump, some[i]};                                           \
        a = better(largest, a, b);                                                            \
      }                                                                                       \
    return a;                                                                                 \
  }                                                                                           \
                                                                                              \
  static __device__ __forceinline__ Best name##_join(Best a, Best b)                          \
  {                                                                                           \
    return better(largest, a, b);                                                             \
  }                                                                                           \
                                                                                              \
  static __device__ __forceinline__ accreal name##_result(Best a, const THCReduceWork *)      \
  {                                                                                           \
    return (accreal)a.value;                                                                  \
  }                                                                                           \
                                                                                              \
  static __device__ __forceinline__ int64_t name##_index(Best a)                              \
  {                                                                                           \
    return a.index;                                                                           \
  }                                                                                           \
  KERNELS(name)

BEST(argmax, 1, LOWEST)
BEST(argmin, 0, HIGHEST)

/* --- variance -------------------------------------------------------------------------------- */

#ifdef IS_FLOATING

typedef struct Moments {
  accreal n, mean, squares; /* the sum of squared deviations from the mean */
} var_state;

static __device__ __forceinline__ var_state var_start(void)
{
  const var_state none = {0, 0, 0};
  return none;
}

/* Chan, Golub, LeVeque 1979.  Two equal means give exactly the same mean.  A sum of squares is
 * infinite only if finite elements overflow (infinite elements make it NaN); it stays infinite even
 * if the means overflow too. */
static __device__ __forceinline__ var_state var_join(var_state a, var_state b)
{
  if (b.n == 0)
    return a;
  if (a.n == 0)
    return b;
  const accreal n = a.n + b.n, share = b.n / n, apart = b.mean - a.mean;
  const accreal within = a.squares + b.squares;
  const var_state both = {n, a.mean + apart * share,
                          isinf(within) ? within : within + apart * apart * a.n * share};
  return both;
}

/* Joins the moments of n elements.  Sums are relative to the first of them, so that equal elements
 * deviate by exactly 0. */
static __device__ __forceinline__ var_state var_take(var_state a, const real *some, int n,
                                                     ptrdiff_t, ptrdiff_t, double)
{
  accreal sum = 0, squares = 0;
  THC_UNROLL
  for (int i = 1; i < UNROLL; i++)
    if (i < n)
      sum += (accreal)some[i] - (accreal)some[0];
  const accreal mean = (accreal)some[0] + sum / (accreal)n;
  THC_UNROLL
  for (int i = 0; i < UNROLL; i++)
    if (i < n)
      squares += ((accreal)some[i] - mean) * ((accreal)some[i] - mean);
  const var_state b = {(accreal)n, mean, squares};
  return var_join(a, b);
}

static __device__ __forceinline__ accreal var_result(var_state a, const THCReduceWork *work)
{
  return a.squares / ((accreal)work->count - (accreal)work->p);
}

static __device__ __forceinline__ int64_t var_index(var_state)
{
  return 0;
}

KERNELS(var)

typedef var_state std_state;
#define std_start var_start
#define std_take  var_take
#define std_join  var_join
#define std_index var_index

static __device__ __forceinline__ accreal std_result(std_state a, const THCReduceWork *work)
{
  return sqrt(var_result(a, work));
}

KERNELS(std)

#endif

/* --- the table, in the order of THReductionName ---------------------------------------------- */

#define ENTRY(name, ...) \
  {sizeof(item), sizeof(name##_state), sizeof(accreal), name##_reduce, name##_joins},
#define NONE(name, ...)          {0, 0, 0, NULL, NULL},
#define NONE_BUT_MEAN(name, ...) TH_CONCAT_2(ENTRY_OR_NONE_, name)(name)
#define ENTRY_OR_NONE_mean       ENTRY
#define ENTRY_OR_NONE_norm0      NONE
#define ENTRY_OR_NONE_norm1      NONE
#define ENTRY_OR_NONE_norm2      NONE
#define ENTRY_OR_NONE_normP      NONE
#define ENTRY_OR_NONE_normMax    NONE
#define ENTRY_OR_NONE_normMin    NONE

extern "C" const THCReduction THC_NAME(THCReductions_)[THReductionNames];
const THCReduction THC_NAME(THCReductions_)[THReductionNames] = {
    TH_REDUCTIONS(ENTRY)
#ifdef IS_FLOATING
        TH_FLOAT_REDUCTIONS(ENTRY) TH_BYTE_REDUCTIONS(NONE)
#elif defined(TH_REAL_IS_BYTE)
        TH_FLOAT_REDUCTIONS(NONE_BUT_MEAN) TH_BYTE_REDUCTIONS(ENTRY)
#else
        TH_FLOAT_REDUCTIONS(NONE_BUT_MEAN) TH_BYTE_REDUCTIONS(NONE)
#endif
            ENTRY(argmax) ENTRY(argmin)
#ifdef IS_FLOATING
                ENTRY(var) ENTRY(std)
#else
                NONE(var) NONE(std)
#endif
                    NONE(logSumExp)};
