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

#define TO_ACCREAL(x) ((accreal)(x))
#include "ops/reduce_elements.h"

#ifdef TH_REAL_IS_FLOATING
#define ADD(a, b) ((a) + (accreal)(b))
#define FABS(x)   fabs(x)

#define NONZERO(x)  ((x) != 0)
#define ABSOLUTE(x) fabs((accreal)(x))
#define POWER(x, p) pow(x, p)

#else
#define ADD(a, b) ((accreal)((uint64_t)(a) + (uint64_t)(b)))
#endif

/* Elements that a thread loads before it computes: 32 bytes, or 16 bytes of Byte and Char.
 * Contiguous elements are loaded 16 bytes at a time. */
enum { UNROLL = sizeof(item) == 1 ? 16 : 32 / (int)sizeof(item) };

typedef struct __align__(16) Pack {
  item of[UNROLL];
} Pack;

/* --- reductions: a struct of State and functions each ---------------------------------------- */

/* Kernels are templates of such a struct, name_op:
 *
 *     State                                   what a thread accumulates
 *     start()                                 the initial state
 *     accumulate(a, some, n, first, indexStride, p)        a with n elements, whose indices are indexStride apart
 *     join(a, b)                              of two states
 *     result(a, work), index(a)               of the last state
 *
 * Every type's structs have the same names: the namespace keeps their functions apart. */
namespace
{

/* The reduction of a row, whose state is a scalar. */
template <class Row>
struct Scalar : Row {
  typedef typename Row::State State;

  THC_DEVICE State accumulate(State a, const real *some, int n, ptrdiff_t, ptrdiff_t, double p)
  {
    THC_UNROLL
    for (int i = 0; i < UNROLL; i++)
      if (i < n)
        a = Row::add(a, some[i], (accreal)p);
    return a;
  }

  THC_DEVICE accreal result(State a, const THCReduceWork *work)
  {
    return Row::finish(a, (accreal)work->p, work->count);
  }

  THC_DEVICE int64_t index(State)
  {
    return 0;
  }
};

/* The expressions of a row of the table. */
/* clang-format off */
#define ROW(name, state, initial, accumulate, joined, finished)                                    \
  struct name##_row {                                                                              \
    typedef state State;                                                                           \
    THC_DEVICE State start(void) { return initial; }                                               \
    THC_DEVICE State add(State a, real x, accreal p) { return (State)(accumulate); }               \
    THC_DEVICE State join(State a, State b) { return (State)(joined); }                            \
    THC_DEVICE accreal finish(State a, accreal p, ptrdiff_t count) { return (accreal)(finished); } \
  };                                                                                               \
  typedef Scalar<name##_row> name##_op;
/* clang-format on */

TH_REDUCTIONS(ROW)
#ifdef TH_REAL_IS_FLOATING
TH_FLOAT_REDUCTIONS(ROW)
#else
/* The mean of integers is truncated. */
ROW(mean, accreal, 0, ADD(a, x), ADD(a, b), count > 0 ? a / (accreal)count : 0)
#endif
#ifdef TH_REAL_IS_BYTE
TH_BYTE_REDUCTIONS(ROW)
#endif

/* --- the maximum or minimum, with its index -------------------------------------------------- */

struct ArgMax {
  int64_t index; /* of the first element with this value */
  real value;
};

/* Whether x wins over a: x is larger (smaller), or the first NaN. */
THC_DEVICE int wins(int largest, real x, real a)
{
  return ((largest ? x > a : x < a) || IS_NAN(x)) && !IS_NAN(a);
}

THC_DEVICE ArgMax pick(int largest, ArgMax a, ArgMax b)
{
  const int tie = !wins(largest, a.value, b.value) && b.index < a.index;
  return wins(largest, b.value, a.value) || tie ? b : a;
}

template <int largest>
struct ArgReduce {
  typedef ArgMax State;

  THC_DEVICE ArgMax start(void)
  {
    const ArgMax none = {INT64_MAX, (real)(largest ? LOWEST : HIGHEST)};
    return none;
  }

  THC_DEVICE ArgMax accumulate(ArgMax a, const real *some, int n, ptrdiff_t first,
                               ptrdiff_t indexStride, double)
  {
    THC_UNROLL
    for (int i = 0; i < UNROLL; i++)
      if (i < n) {
        const ArgMax b = {first + i * indexStride, some[i]};
        a = pick(largest, a, b);
      }
    return a;
  }

  THC_DEVICE ArgMax join(ArgMax a, ArgMax b)
  {
    return pick(largest, a, b);
  }

  THC_DEVICE accreal result(ArgMax a, const THCReduceWork *)
  {
    return (accreal)a.value;
  }

  THC_DEVICE int64_t index(ArgMax a)
  {
    return a.index;
  }
};

typedef ArgReduce<1> argmax_op;
typedef ArgReduce<0> argmin_op;

/* --- variance -------------------------------------------------------------------------------- */

#ifdef TH_REAL_IS_FLOATING

struct Moments {
  accreal n, mean, squares; /* the sum of squared deviations from the mean */
};

struct var_op {
  typedef Moments State;

  THC_DEVICE Moments start(void)
  {
    const Moments none = {0, 0, 0};
    return none;
  }

  /* Chan, Golub, LeVeque 1979.  Two equal means give exactly the same mean.  A sum of squares is
   * infinite only if finite elements overflow (infinite elements make it NaN); it stays infinite
   * even if the means overflow too. */
  THC_DEVICE Moments join(Moments a, Moments b)
  {
    if (b.n == 0)
      return a;
    if (a.n == 0)
      return b;
    const accreal n = a.n + b.n, fraction = b.n / n, difference = b.mean - a.mean;
    const accreal within = a.squares + b.squares;
    const Moments both = {
        n, a.mean + difference * fraction,
        isinf(within) ? within : within + difference * difference * a.n * fraction};
    return both;
  }

  /* Joins the moments of n elements.  Sums are relative to the first of them, so that equal
   * elements deviate by exactly 0. */
  THC_DEVICE Moments accumulate(Moments a, const real *some, int n, ptrdiff_t, ptrdiff_t, double)
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
    const Moments b = {(accreal)n, mean, squares};
    return join(a, b);
  }

  THC_DEVICE accreal result(Moments a, const THCReduceWork *work)
  {
    return a.squares / ((accreal)work->count - (accreal)work->p);
  }

  THC_DEVICE int64_t index(Moments)
  {
    return 0;
  }
};

struct std_op : var_op {
  THC_DEVICE accreal result(Moments a, const THCReduceWork *work)
  {
    return sqrt(var_op::result(a, work));
  }
};

#endif

/* --- the work of a thread -------------------------------------------------------------------- */

/* The state of the lane of the warp that is so many lanes further on. */
template <class State>
THC_DEVICE State of_lane_after(const State &a, int distance)
{
  int words[(sizeof(State) + sizeof(int) - 1) / sizeof(int)] = {};
  State other;
  memcpy(words, &a, sizeof a);
  THC_UNROLL
  for (int &word : words)
    word = __shfl_down_sync(0xFFFFFFFFu, word, (unsigned)distance);
  memcpy(&other, words, sizeof other);
  return other;
}

/* Joins the states of the threads that share a line, stride apart; the first of them returns the result.  Those of
 * other warps are joined through shared memory, then those of one warp by shuffles. */
template <class Op>
THC_DEVICE typename Op::State fold(typename Op::State a, typename Op::State *shared, int number,
                                   int share, int stride)
{
  const int t = (int)threadIdx.x;
  int half = share / 2;
  if (half * stride >= 32)
    shared[t] = a;
  for (; half * stride >= 32; half /= 2) {
    __syncthreads();
    if (number < half)
      shared[t] = a = Op::join(a, shared[t + half * stride]);
  }
  for (; half > 0; half /= 2) /* threads that join the wrong ones are not asked */
    a = Op::join(a, of_lane_after(a, half * stride));
  return a;
}

template <class Op>
THC_DEVICE void finish(typename Op::State a, const THCReduceWork *work, const THCLines *lines,
                       ptrdiff_t line)
{
  typedef typename Op::State State;
  if (work->before) {
    if (!work->fresh)
      a = Op::join(*(State *)work->before, a);
    *(State *)work->before = a;
  }
  const accreal result = Op::result(a, work);
  if (work->total) {
    *(accreal *)work->total = result;
    return;
  }
  ((item *)work->result)[THCLines_at(lines, 1, line)] = STORE(result);
  if (work->index)
    work->index[THCLines_at(lines, 2, line)] = Op::index(a) + TH_INDEX_BASE;
}

/* Loads the n elements at indices k, k + stride, ... of the line at `at`; step is their distance in
 * memory. */
THC_DEVICE void load(real *x, const item *at, ptrdiff_t k, int n, ptrdiff_t stride, ptrdiff_t step,
                     const THCReduceWork &work, const THCLines &lines, const THCWalk &walk)
{
  if (work.packed && n == UNROLL) {
    const Pack pack = *(const Pack *)(at + k);
    THC_UNROLL
    for (int u = 0; u < UNROLL; u++)
      x[u] = LOAD(pack.of[u]);
  } else if (!work.walked) {
    const item *from = at + k * lines.step[0];
    THC_UNROLL
    for (int u = 0; u < UNROLL; u++)
      x[u] = u < n ? LOAD(from[u * step]) : (real)0;
  } else {
    THC_UNROLL
    for (int u = 0; u < UNROLL; u++) {
      uint32_t offset = 0;
      x[u] = 0;
      if (u < n) {
        THCWalk_find(&walk, 1, (uint32_t)(k + u * stride), &offset);
        x[u] = LOAD(at[offset]);
      }
    }
  }
}

template <class Op>
THC_DEVICE void reduce_lines(const THCReduceWork &work, const THCLines &lines, const THCWalk &walk,
                             typename Op::State *shared)
{
  const int t = (int)threadIdx.x;
  const int number = work.across ? t / work.lanes : t % work.share;
  const int lane = work.across ? t % work.lanes : t / work.share;
  const ptrdiff_t line = (ptrdiff_t)blockIdx.x * work.lanes + lane;
  const ptrdiff_t first = (ptrdiff_t)blockIdx.y * work.chunk;
  const ptrdiff_t last = first + work.chunk;
  const ptrdiff_t end = last < lines.length ? last : lines.length, indexStride = work.share;
  const ptrdiff_t each = work.grouped ? UNROLL : 1, stride = work.grouped ? 1 : indexStride;
  typename Op::State a = Op::start();
  if (line < lines.count) {
    const item *at = (const item *)work.from;
    if (!work.walked)
      at += THCLines_at(&lines, 0, line);
    const ptrdiff_t step = lines.step[0] * stride;
    THC_ROLL
    for (ptrdiff_t k = first + number * each; k < end; k += UNROLL * indexStride) {
      real x[UNROLL];
      const ptrdiff_t left = (end - k + stride - 1) / stride;
      const int n = left < UNROLL ? (int)left : UNROLL;
      load(x, at, k, n, stride, step, work, lines, walk);
      a = Op::accumulate(a, x, n, k, stride, work.p);
    }
  }
  a = fold<Op>(a, shared, number, work.share, work.across ? work.lanes : 1);
  if (number > 0 || line >= lines.count)
    return;
  if (work.states)
    ((typename Op::State *)work.states)[(ptrdiff_t)blockIdx.y * lines.count + line] = a;
  else
    finish<Op>(a, &work, &lines, line);
}

template <class Op>
THC_DEVICE void join_chunks(const THCReduceWork &work, const THCLines &lines,
                            typename Op::State *shared)
{
  const int number = (int)threadIdx.x % work.share;
  const ptrdiff_t line = (ptrdiff_t)blockIdx.x * work.lanes + (int)threadIdx.x / work.share;
  typename Op::State a = Op::start();
  if (line < lines.count) {
    THC_ROLL
    for (ptrdiff_t c = number; c < work.chunks; c += work.share)
      a = Op::join(a, ((const typename Op::State *)work.states)[c * lines.count + line]);
  }
  a = fold<Op>(a, shared, number, work.share, 1);
  if (number == 0 && line < lines.count)
    finish<Op>(a, &work, &lines, line);
}

unsigned blocks(const THCReduceWork *work, const THCLines *lines)
{
  return (unsigned)((lines->count + work->lanes - 1) / work->lanes);
}

/* --- kernels and launchers ------------------------------------------------------------------- */

template <class Op>
__global__ void reduce_kernel(THCReduceWork work, THCLines lines, THCWalk walk)
{
  THC_DYNAMIC_SHARED(typename Op::State, shared);
  reduce_lines<Op>(work, lines, walk, shared);
}

template <class Op>
void reduce(const THCReduceWork *work, const THCLines *lines, const THCWalk *walk,
            cudaStream_t stream)
{
  const dim3 grid(blocks(work, lines), (unsigned)work->chunks);
  const size_t shared = THC_REDUCE_THREADS * sizeof(typename Op::State);
  THC_LAUNCH(reduce_kernel<Op>, grid, THC_REDUCE_THREADS, shared, stream, *work, *lines, *walk);
}

template <class Op>
__global__ void join_kernel(THCReduceWork work, THCLines lines)
{
  THC_DYNAMIC_SHARED(typename Op::State, shared);
  join_chunks<Op>(work, lines, shared);
}

template <class Op>
void join(const THCReduceWork *work, const THCLines *lines, cudaStream_t stream)
{
  const size_t shared = THC_REDUCE_THREADS * sizeof(typename Op::State);
  THC_LAUNCH(join_kernel<Op>, blocks(work, lines), THC_REDUCE_THREADS, shared, stream, *work,
             *lines);
}

}  // namespace

/* --- the table, in the order of THReductionName ---------------------------------------------- */

#define ENTRY(name, ...) \
  {sizeof(item), sizeof(name##_op::State), sizeof(accreal), reduce<name##_op>, join<name##_op>},
#define NONE(name, ...) {0, 0, 0, NULL, NULL},

extern "C" const THCReduction THC_NAME(THCReductions_)[THReductionNames];
const THCReduction THC_NAME(THCReductions_)[THReductionNames] = {
    TH_REDUCTIONS(ENTRY)
#ifdef TH_REAL_IS_FLOATING
        TH_FLOAT_REDUCTIONS(ENTRY) TH_BYTE_REDUCTIONS(NONE)
#elif defined(TH_REAL_IS_BYTE)
        TH_MEAN(ENTRY) TH_NORMS(NONE) TH_BYTE_REDUCTIONS(ENTRY)
#else
        TH_MEAN(ENTRY) TH_NORMS(NONE) TH_BYTE_REDUCTIONS(NONE)
#endif
            ENTRY(argmax) ENTRY(argmin)
#ifdef TH_REAL_IS_FLOATING
                ENTRY(var) ENTRY(std)
#else
                NONE(var) NONE(std)
#endif
                    NONE(logSumExp)};
