/* Inner loops of the functions that index, mask, gather and scatter. */
#include "THTemplate.h"

#include "THIndex.h"
#include "TH/simd/THBits.h"
#include "TH/core/THScratch.h"
#include "THCompact.h"
#include "THParallel.h"
#include "TH/loop/THRow.h"
#include "TH/loop/THStream.h"

/* --- indices --------------------------------------------------------------------------------- */

typedef enum { GATHER, COPY, ADD, FILL } Action;

static inline __attribute__((always_inline)) void act(Action action, real *indexed, real *dense,
                                                      real value)
{
  switch (action) {
    case GATHER:
      *dense = *indexed;
      break;
    case COPY:
      *indexed = *dense;
      break;
    case ADD:
      *indexed = (real)(*indexed + *dense);
      break;
    case FILL:
      *indexed = value;
      break;
  }
}

/* Prefetches size bytes to read, or to write if writes; past the end of the array that does
 * nothing. */
static inline __attribute__((always_inline)) void prefetch(uintptr_t at, size_t size, int writes)
{
  for (size_t k = 0; k < size; k += TH_STREAM_LINE)
    if (writes)
      __builtin_prefetch((const void *)(at + k), 1);
    else
      __builtin_prefetch((const void *)(at + k));
}

/* A row whose elements have one index. */
static inline __attribute__((always_inline)) void act_on_row(Action action, real *indexed,
                                                             real *dense, real value, ptrdiff_t n,
                                                             int streams)
{
  enum { WORTH_STREAMING = 512 / sizeof(real) };
  if (action == GATHER && streams && n >= WORTH_STREAMING)
    THStream_copy(dense, indexed, (size_t)n * sizeof(real));
  else if (action == GATHER)
    THRow_copy(dense, indexed, (size_t)n * sizeof(real));
  else if (action == COPY)
    THRow_copy(indexed, dense, (size_t)n * sizeof(real));
  else
    for (ptrdiff_t i = 0; i < n; i++)
      act(action, indexed + i, dense + i, value);
}

/* A row of contiguous indices and contiguous dense elements.  Indices take so much of the memory
 * bandwidth that they and the dense elements are prefetched (PREFETCH_BYTES and NEAR bytes ahead).
 * So are the indexed elements, LATER or SOON elements ahead, except those of a line shorter than
 * SHORT, which are in the cache. */
static inline __attribute__((always_inline)) void act_on_indices(Action action, real *indexed,
                                                                 ptrdiff_t d, ptrdiff_t stride,
                                                                 const int64_t *index, real *dense,
                                                                 real value, ptrdiff_t n, int far)
{
  enum { UNROLL = 16, PREFETCH_BYTES = 4096, NEAR = 2048, LATER = 64, SOON = 32, SHORT = 4096 };
  const ptrdiff_t soon = far ? SOON : n;
  const ptrdiff_t later = d == 0 && n < SHORT ? n : action == GATHER ? soon : LATER;
  ptrdiff_t i = 0;
  for (; i + UNROLL <= n; i += UNROLL) {
    prefetch((uintptr_t)(index + i) + PREFETCH_BYTES, UNROLL * sizeof *index, 0);
    if (action != FILL)
      prefetch((uintptr_t)(dense + i) + NEAR, UNROLL * sizeof(real), action == GATHER);
    if (i + later + UNROLL <= n)
      for (ptrdiff_t k = i + later; k < i + later + UNROLL; k++)
        prefetch((uintptr_t)(indexed + k * d + (index[k] - TH_INDEX_BASE) * stride), 1,
                 action != GATHER);
    for (ptrdiff_t k = i; k < i + UNROLL; k++)
      act(action, indexed + k * d + (index[k] - TH_INDEX_BASE) * stride, dense + k, value);
  }
  for (; i < n; i++)
    act(action, indexed + i * d + (index[i] - TH_INDEX_BASE) * stride, dense + i, value);
}

static inline __attribute__((always_inline)) void walk(const THRun *run, const void *scalars,
                                                       Action action)
{
  enum { LATER = 8, MOST = 1024 }; /* rows to prefetch ahead, and the most bytes of a row */
  const THIndexed *work = scalars;
  const int atIndexed = action == GATHER ? 2 : 0, atDense = 2 - atIndexed;
  const real value = action == FILL ? *(const real *)work->value : 0;
  const ptrdiff_t stride = work->stride, n = run->n;
  const ptrdiff_t d = run->stride[atIndexed], di = run->stride[1];
  const ptrdiff_t dx = action == FILL ? d : run->stride[atDense];
  const size_t ahead = (size_t)THMin(n * (ptrdiff_t)sizeof(real), MOST);
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *indexed = (real *)run->at[atIndexed] + j * run->rowStride[atIndexed];
    const int64_t *index = (const int64_t *)run->at[1] + j * run->rowStride[1];
    real *dense = indexed; /* not read */
    if (action != FILL)
      dense = (real *)run->at[atDense] + j * run->rowStride[atDense];
    if (di == 0 && d == 1 && dx == 1) {
      if (j + LATER < run->rows) {
        const int64_t later = index[LATER * run->rowStride[1]] - TH_INDEX_BASE;
        prefetch((uintptr_t)(indexed + LATER * run->rowStride[atIndexed] + later * stride), ahead,
                 action != GATHER);
      }
      act_on_row(action, indexed + (*index - TH_INDEX_BASE) * stride, dense, value, n,
                 run->streams);
    } else if (d == 0 && stride == 1 && di == 1 && (dx == 1 || action == FILL)) {
      act_on_indices(action, indexed, 0, 1, index, dense, value, n, work->far);
    } else if (di == 1 && (dx == 1 || action == FILL)) {
      act_on_indices(action, indexed, d, stride, index, dense, value, n, work->far);
    } else {
      for (ptrdiff_t i = 0; i < n; i++)
        act(action, indexed + i * d + (index[i * di] - TH_INDEX_BASE) * stride, dense + i * dx,
            value);
    }
  }
}

static void gather(const THRun *run, const void *scalars)
{
  walk(run, scalars, GATHER);
}

static void copy(const THRun *run, const void *scalars)
{
  walk(run, scalars, COPY);
}

static void add(const THRun *run, const void *scalars)
{
  walk(run, scalars, ADD);
}

static void fill(const THRun *run, const void *scalars)
{
  walk(run, scalars, FILL);
}

/* --- masks ----------------------------------------------------------------------------------- */

/* The bits of an element: masks select them without a branch. */
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
typedef uint8_t word;
#elif defined(TH_REAL_IS_SHORT)
typedef uint16_t word;
#elif defined(TH_REAL_IS_INT) || defined(TH_REAL_IS_FLOAT)
typedef uint32_t word;
#else
typedef uint64_t word;
#endif

static inline word choose(uint8_t mask, word ifOne, word ifZero)
{
  return (word)(ifZero ^ ((ifZero ^ ifOne) & (word)-mask));
}

static void mask_fill(const THRun *run, const void *scalars)
{
  const word value = *(const word *)scalars;
  const ptrdiff_t d = run->stride[0], dm = run->stride[1];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    word *r = (word *)run->at[0] + j * run->rowStride[0];
    const uint8_t *mask = (const uint8_t *)run->at[1] + j * run->rowStride[1];
    if (d == 1 && dm == 1) {
      TH_PRAGMA(omp simd)
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i] = choose(mask[i], value, r[i]);
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * d] = choose(mask[i * dm], value, r[i * d]);
    }
  }
}

/* Selected elements go through a buffer.  It is longer than they are, since each store also writes
 * elements that the mask excludes and the next store overwrites. */
enum { BUFFER = 1024 };

/* n elements of size bytes that are step elements apart, contiguous: where they are, or copied to
 * buffer. */
static inline __attribute__((always_inline)) const void *make_contiguous(void *to, const void *x,
                                                                         ptrdiff_t step,
                                                                         ptrdiff_t n, size_t size)
{
  if (step == 1)
    return x;
  for (ptrdiff_t i = 0; i < n; i++)
    memcpy((char *)to + (size_t)i * size, (const char *)x + i * step * (ptrdiff_t)size, size);
  return to;
}

static void mask_select(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dm = run->stride[0], dx = run->stride[1], step = selection->step;
  ptrdiff_t at = selection->at[run->block];
  TH_SCRATCH(uint8_t, maskBuffer, BUFFER);
  TH_SCRATCH(real, contiguous, BUFFER);
  TH_SCRATCH(real, buffer, BUFFER + TH_COMPACT_SLACK);
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const uint8_t *mask = (const uint8_t *)run->at[0] + j * run->rowStride[0];
    const real *x = (const real *)run->at[1] + j * run->rowStride[1];
    for (ptrdiff_t first = 0; first < run->n; first += BUFFER) {
      real *to = (real *)selection->data + at * step;
      const ptrdiff_t n = THMin(run->n - first, BUFFER);
      const ptrdiff_t taken =
          THCompact(buffer, make_contiguous(contiguous, x + first * dx, dx, n, sizeof(real)),
                    make_contiguous(maskBuffer, mask + first * dm, dm, n, 1), n, sizeof(real));
      if (step == 1)
        memcpy(to, buffer, (size_t)taken * sizeof(real));
      else
        for (ptrdiff_t i = 0; i < taken; i++)
          to[i * step] = buffer[i];
      at += taken;
    }
  }
  selection->at[run->block] = at;
}

static void mask_copy(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dm = run->stride[0], d = run->stride[1], last = selection->total - 1;
  const word *from = (const word *)selection->data;
  ptrdiff_t at = selection->at[run->block];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const uint8_t *mask = (const uint8_t *)run->at[0] + j * run->rowStride[0];
    word *r = (word *)run->at[1] + j * run->rowStride[1];
    for (ptrdiff_t i = 0; i < run->n; i++) {
      r[i * d] = choose(mask[i * dm], from[at < last ? at : last], r[i * d]);
      at += mask[i * dm];
    }
  }
  selection->at[run->block] = at;
}

/* --- nonzero elements ------------------------------------------------------------------------ */

/* The bits of n elements of a block, the first of which is at x: those kept from before, or
 * computed now, in buffer. */
static const uint64_t *bits_of(const THSelection *selection, const real *x, ptrdiff_t step,
                               ptrdiff_t n, uint64_t *buffer, int kept)
{
  uint64_t *bits = selection->bits
                       ? selection->bits + (x - (const real *)selection->first) / TH_BITS_WORD
                       : buffer;
  if (!kept || !selection->bits)
    THBits_find(bits, x, step, n);
  return bits;
}

static ptrdiff_t words_of(ptrdiff_t n)
{
  return (n + TH_BITS_WORD - 1) / TH_BITS_WORD;
}

static void nonzero_count(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dx = run->stride[0];
  ptrdiff_t count = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *x = (const real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t first = 0; first < run->n; first += BUFFER) {
      const ptrdiff_t n = THMin(run->n - first, BUFFER);
      uint64_t buffer[BUFFER / TH_BITS_WORD];
      const uint64_t *bits = bits_of(selection, x + first * dx, dx, n, buffer, 0);
      for (ptrdiff_t w = 0; w < words_of(n); w++)
        count += __builtin_popcountll(bits[w]);
    }
  }
  selection->at[run->block] += count;
  selection->seen[run->block] += run->rows * run->n;
}

/* Writes first + indices[0 .. count - 1] and prefetches lines of the result that are written
 * later. */
static inline void list_contiguous(int64_t *row, int64_t first, const int *indices, ptrdiff_t count)
{
  enum { UNROLL = 64 / sizeof(int64_t), PREFETCH_BYTES = 2048 };
  ptrdiff_t k = 0;
  for (; k + UNROLL <= count; k += UNROLL) {
    __builtin_prefetch((const void *)((uintptr_t)(row + k) + PREFETCH_BYTES), 1);
    for (int i = 0; i < UNROLL; i++)
      row[k + i] = first + indices[k + i];
  }
  for (; k < count; k++)
    row[k] = first + indices[k];
}

/* The subscripts of elements first + indices[0 .. count - 1], which ascend. */
static void list(const THSelection *selection, ptrdiff_t first, const int *indices, ptrdiff_t count,
                 ptrdiff_t at)
{
  const int dims = selection->dims;
  const int64_t inner = selection->size[0], *to = selection->to;
  const ptrdiff_t step = selection->step, rowStride = selection->rowStride;
  int64_t *row = (int64_t *)selection->data + at * rowStride;
  if (dims == 1 && rowStride == 1) {
    list_contiguous(row, first, indices, count);
    return;
  }
  if (dims == 1) {
    for (ptrdiff_t k = 0; k < count; k++)
      row[to[0] * step + k * rowStride] = first + indices[k];
    return;
  }
  int64_t subscript[TH_LOOP_DIMS];
  ptrdiff_t rest = first;
  for (int d = 0; d < dims; d++) {
    subscript[d] = rest % selection->size[d];
    rest /= selection->size[d];
  }
  ptrdiff_t begins = -subscript[0]; /* the index of the first element of the innermost line,
                                     * relative to first */
  for (ptrdiff_t k = 0; k < count; k++, row += rowStride) {
    while (indices[k] - begins >= inner) {
      begins += inner;
      for (int d = 1; d < dims && ++subscript[d] == selection->size[d]; d++)
        subscript[d] = 0;
    }
    row[to[0] * step] = indices[k] - begins;
    for (int d = 1; d < dims; d++)
      row[to[d] * step] = subscript[d];
  }
}

static void nonzero_list(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dx = run->stride[0];
  ptrdiff_t at = selection->at[run->block], seen = selection->seen[run->block];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *x = (const real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t first = 0; first < run->n; first += BUFFER) {
      const ptrdiff_t n = THMin(run->n - first, BUFFER);
      uint64_t buffer[BUFFER / TH_BITS_WORD];
      int indices[BUFFER + TH_COMPACT_SLACK];
      const uint64_t *bits = bits_of(selection, x + first * dx, dx, n, buffer, 1);
      const ptrdiff_t taken = THBits_indices(indices, bits, words_of(n));
      if (taken)
        list(selection, seen, indices, taken, at);
      at += taken;
      seen += n;
    }
  }
  selection->at[run->block] = at;
  selection->seen[run->block] = seen;
}

/* --- the tables ------------------------------------------------------------------------------ */

/* Each is found alone, so that a static program has those that it calls. */
const THKernel TH_LEVEL_(THTensor_(TH_INDEX_gather))[] = {gather};
const THKernel TH_LEVEL_(THTensor_(TH_INDEX_copy))[] = {copy};
const THKernel TH_LEVEL_(THTensor_(TH_INDEX_add))[] = {add};
const THKernel TH_LEVEL_(THTensor_(TH_INDEX_fill))[] = {fill};
const THKernel TH_LEVEL_(THTensor_(TH_MASK_fill))[] = {mask_fill};
const THKernel TH_LEVEL_(THTensor_(TH_MASK_select))[] = {mask_select};
const THKernel TH_LEVEL_(THTensor_(TH_MASK_copy))[] = {mask_copy};
const THKernel TH_LEVEL_(THTensor_(TH_NONZERO_count))[] = {nonzero_count};
const THKernel TH_LEVEL_(THTensor_(TH_NONZERO_list))[] = {nonzero_list};
