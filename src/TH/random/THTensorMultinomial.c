/* Indices drawn with given probabilities: by search, by races, and by the alias method. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THRandomDraw.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THScratch.h"

enum { CHUNK = 1024 };

static void *allocate(ptrdiff_t count, size_t size)
{
  ptrdiff_t bytes;
  if (__builtin_mul_overflow(count, (ptrdiff_t)size, &bytes))
    THError("%td elements of %zu bytes are too many", count, size);
  return THAlloc(bytes);
}

/* --- distributions ---------------------------------------------------------------------------- */

/* rows distributions over count indices, contiguous. */
typedef struct Distributions {
  const real *p;
  int64_t rows, count;
} Distributions;

/* Raises an error for the first number of a row that is no probability. */
static void reject_row(const real *p, int64_t count, int64_t row, int argument)
{
  for (int64_t i = 0; i < count; i++)
    THArgCheck(p[i] >= 0 && !isinf(p[i]), argument,
               "prob_dist has the probability %g at %lld of row %lld, not >= 0 and finite",
               (double)p[i], (long long)(i + TH_INDEX_BASE), (long long)(row + TH_INDEX_BASE));
}

/* Checks one row; returns its sum. */
static double check_row(const real *p, int64_t count, int64_t row, int argument, int64_t needed)
{
  double sum = 0;
  int64_t possible = 0;
  int sound = 1;
  TH_PRAGMA(omp simd reduction(+ : sum, possible) reduction(& : sound))
  for (int64_t i = 0; i < count; i++) {
    sound &= p[i] >= 0 && p[i] < (real)INFINITY;
    possible += p[i] > 0;
    sum += (double)p[i];
  }
  if (!sound)
    reject_row(p, count, row, argument);
  THArgCheck(sum > 0 && !isinf(sum), argument,
             "the probabilities of row %lld of prob_dist sum to %g, not > 0 and finite",
             (long long)(row + TH_INDEX_BASE), sum);
  THArgCheck(possible >= needed, argument,
             "row %lld of prob_dist has %lld probabilities > 0, too few for %lld samples",
             (long long)(row + TH_INDEX_BASE), (long long)possible, (long long)needed);
  return sum;
}

/* --- with replacement: the first index whose cumulative probability exceeds a draw ----------- */

/* Cumulative sums of p; returns the total.  Four at a time, so that only one addition of four
 * depends on the one before. */
static double add_up(double *sums, const real *p, int64_t count)
{
  double sum = 0;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const double two = (double)p[i] + p[i + 1], three = two + p[i + 2];
    const double four = two + ((double)p[i + 2] + p[i + 3]);
    sums[i] = sum + p[i];
    sums[i + 1] = sum + two;
    sums[i + 2] = sum + three;
    sums[i + 3] = sum += four;
  }
  for (; i < count; i++)
    sums[i] = sum += p[i];
  return sum;
}

/* The sums are not normalised: the uniform number is scaled instead. */
static void draw_with_replacement(THGenerator *generator, const Distributions *all, double *sums,
                                  int n_sample, int64_t *out, const int64_t *stride)
{
  for (int64_t row = 0; row < all->rows; row++) {
    const real *p = all->p + row * all->count;
    const double sum = add_up(sums, p, all->count);
    int64_t last = all->count - 1; /* the last index that is possible at all */
    while (last > 0 && !(p[last] > 0))
      last--;
    for (int64_t s = 0; s < n_sample; s++) {
      const double target = THRandom_unit(generator) * sum;
      int64_t low = 0, high = last; /* rounding may put target at the end */
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sums[middle] > target)
          high = middle;
        else
          low = middle + 1;
      }
      out[row * stride[0] + s * stride[1]] = low;
    }
  }
}

/* --- without replacement: the winners of a race --------------------------------------------- */

/* Each index gets a time that is exponentially distributed with its probability as rate; the
 * n_sample indices with the least times are drawn.  Speeds are inverse times, so that the largest
 * come first. */
typedef struct Runner {
  real speed; /* -1 where the probability is 0 */
  int64_t index;
} Runner;

static int is_ahead(const Runner *a, const Runner *b)
{
  return a->speed != b->speed ? a->speed > b->speed : a->index < b->index;
}

/* Restores the heap below at, the fastest on top. */
static void sift_down(Runner *heap, int64_t count, int64_t at)
{
  const Runner runner = heap[at];
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count)
      break;
    if (child + 1 < count && is_ahead(&heap[child + 1], &heap[child]))
      child++;
    if (!is_ahead(&heap[child], &runner))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = runner;
}

/* Times are rounded to the type before the division, as in PyTorch.  A time of 0 counts as the
 * least positive number. */
static void line_up(THGenerator *generator, const real *p, int64_t count, Runner *runners)
{
#if defined(TH_REAL_IS_FLOAT)
  const real shortest = FLT_MIN;
#else
  const real shortest = DBL_MIN;
#endif
  TH_SCRATCH(uint32_t, pairs, 2 * CHUNK);
  TH_SCRATCH(double, times, CHUNK);
  for (int64_t i = 0; i < count;) {
    const int64_t some = THMin(count - i, CHUNK);
    THRandom_rawWords(generator, pairs, (ptrdiff_t)(2 * some));
    TH_DISPATCHED(THRandom_kernels)->logarithms(times, pairs, (ptrdiff_t)some, -1, 1);
    for (int64_t k = 0; k < some; k++, i++) {
      const real time = (real)times[k];
      runners[i].index = i;
      runners[i].speed = p[i] > 0 ? p[i] / (time > shortest ? time : shortest) : -1;
    }
  }
}

static void draw_without_replacement(THGenerator *generator, const Distributions *all,
                                     Runner *runners, int n_sample, int64_t *out,
                                     const int64_t *stride)
{
  for (int64_t row = 0; row < all->rows; row++) {
    int64_t count = all->count;
    line_up(generator, all->p + row * count, count, runners);
    for (int64_t i = count / 2 - 1; i >= 0; i--)
      sift_down(runners, count, i);
    for (int64_t s = 0; s < n_sample; s++) {
      out[row * stride[0] + s * stride[1]] = runners[0].index;
      runners[0] = runners[--count];
      if (count > 0)
        sift_down(runners, count, 0);
    }
  }
}

/* --- multinomial ---------------------------------------------------------------------------- */

void THTensor_(multinomial)(THLongTensor *self, THGenerator *_generator, THTensor *prob_dist,
                            int n_sample, int with_replacement)
{
  const int dims = prob_dist->nDimension;
  THArgCheck(dims == 1 || dims == 2, 3, "prob_dist of size %s is no vector and no matrix",
             THTensor_(sizeDesc)(prob_dist).str);
  const int64_t rows = dims == 2 ? prob_dist->size[0] : 1, count = prob_dist->size[dims - 1];
  THArgCheck(n_sample >= 1, 4, "n_sample is %d, not >= 1", n_sample);
  THArgCheck(with_replacement || n_sample <= count, 4,
             "n_sample is %d, more than the %lld indices there are to draw without replacement",
             n_sample, (long long)count);
  THRandom_check(_generator, 2);

  THGuard flat, scratch, lock;
  THTensor_(guard)(&flat);
  const int64_t size[2] = {dims == 2 ? rows : n_sample, n_sample};
  const int isDisjoint =
      THResult_overlapSized(TH_VIEW(self), dims, size, TH_VIEW(prob_dist)) == TH_OVERLAP_NONE;
  THTensor *contiguous = flat.what =
      isDisjoint ? THTensor_(newContiguous)(prob_dist) : THTensor_(newClone)(prob_dist);
  const Distributions all = {THTensor_(data)(contiguous), rows, count};
  for (int64_t row = 0; row < rows; row++)
    check_row(all.p + row * count, count, row, 3, with_replacement ? 0 : n_sample);

  THGuard_enter(&scratch, THFree);
  scratch.what = allocate((ptrdiff_t)count, with_replacement ? sizeof(double) : sizeof(Runner));

  THShape shape;
  THStandIn standIn;
  THShape_openAs(&shape, dims, size, NULL);
  THShape_setStrides(&shape, NULL);
  self = THLongTensor_openStandIn(&standIn, self, &shape, -1, 1);
  THLongTensor_resizeResult(self, &shape);
  const int64_t stride[2] = {dims == 2 ? self->stride[0] : 0, self->stride[dims - 1]};
  int64_t *out = THLongTensor_data(self);
  THRandom_lock(&lock, _generator, 2);
  if (with_replacement)
    draw_with_replacement(_generator, &all, scratch.what, n_sample, out, stride);
  else
    draw_without_replacement(_generator, &all, scratch.what, n_sample, out, stride);
  THGuard_leave(&lock);
  THLongTensor_closeStandIn(&standIn);
  THShape_close(&shape);
  THGuard_leave(&scratch);
  THGuard_leave(&flat);
}

/* --- the alias method ----------------------------------------------------------------------- */

/* Fills the columns of a histogram of height 1 (Walker 1977, in the linear time of Vose 1991): each
 * index has a column, of which it keeps the part q below and gives the part above to its alias.
 * Small indices, which cannot fill their columns, wait at the front of stack; large ones, which
 * have too much, at its end. */
static void fill_columns(int64_t count, double *q, int64_t *alias, int64_t *stack)
{
  int64_t small = 0, large = count;
  for (int64_t i = 0; i < count; i++) {
    alias[i] = i;
    if (q[i] < 1)
      stack[small++] = i;
    else
      stack[--large] = i;
  }
  while (small > 0 && large < count) {
    const int64_t from = stack[--small], to = stack[large];
    alias[from] = to;
    q[to] -= 1 - q[from];
    if (q[to] < 1) {
      large++;
      stack[small++] = to;
    }
  }
  /* Remaining columns would be full without rounding. */
  while (small > 0)
    q[stack[--small]] = 1;
  while (large < count)
    q[stack[large++]] = 1;
}

/* Memory reserved for a vector. */
typedef struct Reserve {
  THLongTensor *tensor;
  ptrdiff_t size; /* of its storage before; -1 if there was none */
} Reserve;

/* The block may stay longer than the storage's size. */
static void give_back(void *what)
{
  const Reserve *reserve = what;
  if (reserve->size >= 0) {
    reserve->tensor->storage->size = reserve->size;
  } else {
    THLongStorage_free(reserve->tensor->storage);
    reserve->tensor->storage = NULL;
  }
}

/* Makes sure that resizing tensor to a vector of count elements cannot fail; guard undoes it. */
static void reserve_vector(THGuard *guard, Reserve *reserve, THLongTensor *tensor, int64_t count)
{
  THLongStorage *storage = tensor->storage;
  *reserve = (Reserve){tensor, storage ? storage->size : -1};
  THGuard_enter(guard, give_back);
  if (tensor->nDimension == 1 && tensor->size[0] == count)
    return;
  ptrdiff_t reach;
  THArgCheck(!__builtin_add_overflow(tensor->storageOffset, (ptrdiff_t)count, &reach), 2,
             "J cannot have %lld elements", (long long)count);
  if (!storage)
    tensor->storage = THLongStorage_newWithSize(reach);
  else if (storage->size < reach)
    THLongStorage_resize(storage, reach);
  else
    return;
  guard->what = reserve;
}

void THTensor_(multinomialAliasSetup)(THTensor *prob_dist, THLongTensor *J, THTensor *q)
{
  THArgCheck(prob_dist->nDimension == 1, 1, "prob_dist of size %s is no vector",
             THTensor_(sizeDesc)(prob_dist).str);
  const int64_t count = prob_dist->size[0];

  THGuard flat, heights, aliases, stack, reserved;
  THTensor_(guard)(&flat);
  THTensor *contiguous = flat.what = THTensor_(newContiguous)(prob_dist);
  const real *p = THTensor_(data)(contiguous);
  const double sum = check_row(p, count, 0, 1, 0);

  THGuard_enter(&heights, THFree);
  double *height = heights.what = allocate((ptrdiff_t)count, sizeof *height);
  THGuard_enter(&aliases, THFree);
  int64_t *alias = aliases.what = allocate((ptrdiff_t)count, sizeof *alias);
  THGuard_enter(&stack, THFree);
  stack.what = allocate((ptrdiff_t)count, sizeof(int64_t));
  for (int64_t i = 0; i < count; i++)
    height[i] = (double)p[i] / sum * (double)count;
  fill_columns(count, height, alias, stack.what);

  Reserve reserve;
  reserve_vector(&reserved, &reserve, J, count);
  THTensor_(resize1d)(q, count);
  THGuard_keep(&reserved);
  THLongTensor_resize1d(J, count);
  for (int64_t i = 0; i < count; i++) {
    THTensor_(data)(q)[i * q->stride[0]] = (real)height[i];
    THLongTensor_data(J)[i * J->stride[0]] = alias[i];
  }
  THGuard_leave(&stack);
  THGuard_leave(&aliases);
  THGuard_leave(&heights);
  THGuard_leave(&flat);
}

/* The contiguous columns that are drawn from. */
typedef struct Columns {
  THGenerator *generator;
  int64_t count;
  const int64_t *alias;
  const real *q;
} Columns;

static void draw_columns(const THRun *run, const void *context)
{
  const Columns *columns = context;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    int64_t *r = (int64_t *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const int64_t at = (int64_t)(THRandom_unit(columns->generator) * (double)columns->count);
      const int64_t column = THMin(at, columns->count - 1);
      r[i * run->stride[0]] = THRandom_unit(columns->generator) < (double)columns->q[column]
                                  ? column
                                  : columns->alias[column] - TH_INDEX_BASE;
    }
  }
}

void THTensor_(multinomialAliasDraw)(THLongTensor *self, THGenerator *_generator, THLongTensor *J,
                                     THTensor *q)
{
  const ptrdiff_t count = THTensor_(nElement)(q), nj = THLongTensor_nElement(J);
  THArgCheck(nj >= 1, 3, "J is empty");
  THArgCheck(count == nj, 4, "q has %td elements, J has %td", count, nj);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, J);
  THLoop_tensor(&loop, q);
  loop.inOrder = 1;

  THGuard first, second, lock;
  THGuard_enter(&first, (THUndo)THLongTensor_free);
  THTensor_(guard)(&second);
  THLongTensor *aliases = first.what = THLoop_overlap(&loop, 0, 1) == TH_OVERLAP_NONE
                                           ? THLongTensor_newContiguous(J)
                                           : THLongTensor_newClone(J);
  THTensor *heights = second.what = THLoop_overlap(&loop, 0, 2) == TH_OVERLAP_NONE
                                        ? THTensor_(newContiguous)(q)
                                        : THTensor_(newClone)(q);
  loop.operands = 1;
  const Columns columns = {_generator, count, THLongTensor_data(aliases), THTensor_(data)(heights)};
  THRandom_lock(&lock, _generator, 2);
  THLoop_run(&loop, draw_columns, &columns);
  THGuard_leave(&lock);
  THGuard_leave(&second);
  THGuard_leave(&first);
}
