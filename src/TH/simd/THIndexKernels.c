/* Inner loops of the functions that index, mask, gather and scatter. */
#include "THTemplate.h"

#include "../THIndex.h"
#include "THParallel.h"
#include "THStream.h"

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

/* As memcpy, which is a call that a few elements are not worth. */
static inline void copy_few(real *to, const real *from, ptrdiff_t n)
{
  enum { FEW = 64 };
  const size_t bytes = (size_t)n * sizeof(real);
  char *t = (char *)to;
  const char *f = (const char *)from;
  if (bytes > FEW || bytes < 8) {
    memcpy(t, f, bytes);
  } else if (bytes <= 16) { /* both ends, which may overlap */
    uint64_t first, last;
    memcpy(&first, f, 8), memcpy(&last, f + bytes - 8, 8);
    memcpy(t, &first, 8), memcpy(t + bytes - 8, &last, 8);
  } else {
    typedef struct {
      uint64_t word[2];
    } Pair;
    Pair part[4];
    const size_t end = bytes - sizeof(Pair);
    const size_t second = end < 16 ? end : 16, third = end < 32 ? end : 32;
    memcpy(part, f, 16), memcpy(part + 1, f + second, 16);
    memcpy(part + 2, f + third, 16), memcpy(part + 3, f + end, 16);
    memcpy(t, part, 16), memcpy(t + second, part + 1, 16);
    memcpy(t + third, part + 2, 16), memcpy(t + end, part + 3, 16);
  }
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
    copy_few(dense, indexed, n);
  else if (action == COPY)
    copy_few(indexed, dense, n);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      act(action, indexed + i, dense + i, value);
}

static inline __attribute__((always_inline)) void walk(const THRun *run, const void *scalars,
                                                       Action action)
{
  const THIndexed *work = scalars;
  const int atIndexed = action == GATHER ? 2 : 0, atDense = 2 - atIndexed;
  const real value = action == FILL ? *(const real *)work->value : 0;
  const ptrdiff_t stride = work->stride, n = run->n;
  const ptrdiff_t d = run->step[atIndexed], di = run->step[1];
  const ptrdiff_t dx = action == FILL ? d : run->step[atDense];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *indexed = (real *)run->at[atIndexed] + j * run->jump[atIndexed];
    const int64_t *index = (const int64_t *)run->at[1] + j * run->jump[1];
    real *dense = indexed; /* not looked at */
    if (action != FILL)
      dense = (real *)run->at[atDense] + j * run->jump[atDense];
    if (di == 0 && d == 1 && dx == 1)
      act_on_row(action, indexed + (*index - TH_INDEX_BASE) * stride, dense, value, n,
                 run->streams);
    else if (d == 0 && di == 1 && (dx == 1 || action == FILL) && stride == 1)
      for (ptrdiff_t i = 0; i < n; i++)
        act(action, indexed + (index[i] - TH_INDEX_BASE), dense + i, value);
    else
      for (ptrdiff_t i = 0; i < n; i++)
        act(action, indexed + i * d + (index[i * di] - TH_INDEX_BASE) * stride, dense + i * dx,
            value);
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

/* An element's bits: what a mask chooses, it chooses without a branch. */
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
  const ptrdiff_t d = run->step[0], dm = run->step[1];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    word *r = (word *)run->at[0] + j * run->jump[0];
    const uint8_t *mask = (const uint8_t *)run->at[1] + j * run->jump[1];
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

/* Elements go through a buffer: so there is room for those that the next one overwrites, because
 * the mask leaves them out, and there is no branch for it. */
enum { BUFFER = 1024 };

static void mask_select(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dm = run->step[0], dx = run->step[1], step = selection->step;
  ptrdiff_t at = selection->at[run->block];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const uint8_t *mask = (const uint8_t *)run->at[0] + j * run->jump[0];
    const real *x = (const real *)run->at[1] + j * run->jump[1];
    for (ptrdiff_t first = 0; first < run->n; first += BUFFER) {
      const ptrdiff_t end = THMin(run->n, first + BUFFER);
      real buffer[BUFFER], *to = (real *)selection->data + at * step;
      ptrdiff_t taken = 0;
      for (ptrdiff_t i = first; i < end; i++) {
        buffer[taken] = x[i * dx];
        taken += mask[i * dm];
      }
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
  const ptrdiff_t dm = run->step[0], d = run->step[1], last = selection->total - 1;
  const word *from = (const word *)selection->data;
  ptrdiff_t at = selection->at[run->block];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const uint8_t *mask = (const uint8_t *)run->at[0] + j * run->jump[0];
    word *r = (word *)run->at[1] + j * run->jump[1];
    for (ptrdiff_t i = 0; i < run->n; i++) {
      r[i * d] = choose(mask[i * dm], from[at < last ? at : last], r[i * d]);
      at += mask[i * dm];
    }
  }
  selection->at[run->block] = at;
}

/* --- what is not zero ------------------------------------------------------------------------ */

static void nonzero_count(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dx = run->step[0];
  ptrdiff_t count = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *x = (const real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t first = 0; first < run->n; first += BUFFER) {
      const ptrdiff_t end = THMin(run->n, first + BUFFER);
      int few = 0;
      if (dx == 1)
        for (ptrdiff_t i = first; i < end; i++)
          few += x[i] != 0;
      else
        for (ptrdiff_t i = first; i < end; i++)
          few += x[i * dx] != 0;
      count += few;
    }
  }
  selection->at[run->block] += count;
  selection->seen[run->block] += run->rows * run->n;
}

/* The subscripts of elements first + places[0 .. count - 1], which ascend. */
static void list(const THSelection *selection, ptrdiff_t first, const int *places, ptrdiff_t count,
                 ptrdiff_t at)
{
  const int dims = selection->dims;
  const int64_t inner = selection->size[0], *to = selection->to;
  const ptrdiff_t step = selection->step, jump = selection->jump;
  int64_t *row = (int64_t *)selection->data + at * jump;
  if (dims == 1) {
    for (ptrdiff_t k = 0; k < count; k++)
      row[to[0] * step + k * jump] = first + places[k] + TH_INDEX_BASE;
    return;
  }
  int64_t subscript[TH_LOOP_DIMS];
  ptrdiff_t rest = first;
  for (int d = 0; d < dims; d++) {
    subscript[d] = rest % selection->size[d] + TH_INDEX_BASE;
    rest /= selection->size[d];
  }
  ptrdiff_t begins = TH_INDEX_BASE - subscript[0]; /* of the innermost line, as places count */
  for (ptrdiff_t k = 0; k < count; k++, row += jump) {
    while (places[k] - begins >= inner) {
      begins += inner;
      for (int d = 1; d < dims && ++subscript[d] - TH_INDEX_BASE == selection->size[d]; d++)
        subscript[d] = TH_INDEX_BASE;
    }
    row[to[0] * step] = places[k] - begins + TH_INDEX_BASE;
    for (int d = 1; d < dims; d++)
      row[to[d] * step] = subscript[d];
  }
}

static void nonzero_list(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t dx = run->step[0];
  ptrdiff_t at = selection->at[run->block], seen = selection->seen[run->block];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *x = (const real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t first = 0; first < run->n; first += BUFFER) {
      const int n = (int)THMin(run->n - first, BUFFER);
      int places[BUFFER];
      ptrdiff_t taken = 0;
      for (int i = 0; i < n; i++) {
        places[taken] = i;
        taken += x[(first + i) * dx] != 0;
      }
      if (taken)
        list(selection, seen, places, taken, at);
      at += taken;
      seen += n;
    }
  }
  selection->at[run->block] = at;
  selection->seen[run->block] = seen;
}

/* --- the table ------------------------------------------------------------------------------- */

const THKernel TH_LEVEL_(THTensor_(indexKernels))[TH_INDEX_KERNELS] = {
    [TH_INDEX_gather] = gather,
    [TH_INDEX_copy] = copy,
    [TH_INDEX_add] = add,
    [TH_INDEX_fill] = fill,
    [TH_MASK_fill] = mask_fill,
    [TH_MASK_select] = mask_select,
    [TH_MASK_copy] = mask_copy,
    [TH_NONZERO_count] = nonzero_count,
    [TH_NONZERO_list] = nonzero_list,
};
