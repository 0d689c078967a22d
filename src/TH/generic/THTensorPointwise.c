/* The pointwise operations of src/ops/pointwise.h as functions on tensors.  One function does the
 * work for all of them; the table says how each is called. */
#include "THTemplate.h"

#include "THConvert.h"
#include "THPointwise.h"
#include "THTensorCore.h"

TH_DISPATCH(THPointwiseRow, THTensor_(pointwise))

#define SAME_TYPE TH_CONCAT_2(THScalar, Real)

/* A call of a row: what the loop hands to each block. */
typedef struct {
  THPointwiseRow row;
  THPointwiseRow ofValue; /* the same where the last input is one value, or NULL */
  int inputs;
  int bytes; /* the result is of Byte */
  real scalars[2];
} THTensor_(Call);

/* --- a block --------------------------------------------------------------------------------- */

/* Rows are loops over elements side by side.  An operand that lies otherwise passes through a
 * buffer, a piece at a time: so every row is vector code for every layout.  Of a tile of THLoop the
 * buffer holds some rows, a few cache lines of an operand that runs across. */
enum { BUFFER = 16384 / sizeof(real), SHORT = 64, SPREAD = 4096 / sizeof(real) };

/* The part of operand k of a block that begins at row j, column i. */
static char *THTensor_(part)(const THRun *run, const THTensor_(Call) * call, int k, ptrdiff_t j,
                             ptrdiff_t i)
{
  const ptrdiff_t size = k == 0 && call->bytes ? 1 : (ptrdiff_t)sizeof(real);
  return run->at[k] + (j * run->rowStride[k] + i * run->stride[k]) * size;
}

/* Gathers rows x columns elements of an input, where columns are at most so many.  seen is the
 * input that buffer last was full of, if that is one element or one row again and again; more rows
 * than the first time are not asked for. */
static void THTensor_(fetch)(real *buffer, const real *at, ptrdiff_t rows, ptrdiff_t columns,
                             ptrdiff_t step, ptrdiff_t jump, ptrdiff_t most, const real **seen)
{
  const THPointwiseRow fill = THTensor_(pointwise)[TH_POINTWISE_fill];
  if (step == 0 && (rows == 1 || jump == 0)) { /* one element for all */
    const real value[2] = {*at};
    if (*seen != at)
      fill(jump == 0 ? BUFFER : most, buffer, NULL, NULL, NULL, value, 0);
    *seen = at;
  } else if (jump != 0 || *seen != at) {
    const THRun gather = {columns, rows, {(char *)buffer, (char *)at}, {1, step}, {columns, jump}};
    THTensor_(convert)[SAME_TYPE](&gather, NULL);
    *seen = at;
  }
}

static void THTensor_(store)(char *at, ptrdiff_t step, ptrdiff_t jump, void *buffer, ptrdiff_t rows,
                             ptrdiff_t columns, int bytes)
{
  const THRun scatter = {columns, rows, {at, buffer}, {step, 1}, {jump, columns}};
  if (bytes)
    THByteTensor_convert[THScalarByte](&scatter, NULL);
  else
    THTensor_(convert)[SAME_TYPE](&scatter, NULL);
}

/* Asks for what is read soon after a row of a piece of rows: a row further down where rows lie in
 * line, and else the next piece's share of lines that run across.  Only few rows further, because
 * lines that are a power of 2 apart have few places in the first cache. */
static void THTensor_(prefetch)(const THRun *run, int o, const char *row, ptrdiff_t j,
                                ptrdiff_t rows, ptrdiff_t columns)
{
  enum { LINE = 64, FURTHER = 8 };
  const ptrdiff_t step = run->stride[o] * (ptrdiff_t)sizeof(real);
  const ptrdiff_t jump = run->rowStride[o] * (ptrdiff_t)sizeof(real);
  if (run->stride[o] == 1 && jump)
    for (ptrdiff_t i = 0; i < columns * (ptrdiff_t)sizeof(real); i += LINE)
      __builtin_prefetch(row + FURTHER * jump + i);
  else if (run->rowStride[o] == 1 && step)
    for (ptrdiff_t i = columns * j / rows; i < columns * (j + 1) / rows; i++)
      for (ptrdiff_t line = 0; line < rows * jump; line += LINE)
        __builtin_prefetch(row + (rows - j) * jump + i * step + line);
}

/* An input repeats one element along each row, and none needs a buffer for anything else: in rows
 * that are not short, the element is spread over a small buffer, which all pieces of the row share.
 */
static int THTensor_(spreads)(const THRun *run, const THTensor_(Call) * call)
{
  int any = 0;
  for (int o = 1; o <= call->inputs; o++) {
    if (run->stride[o] > 1)
      return 0;
    any |= run->stride[o] == 0;
  }
  return any && run->n >= SPREAD / 8;
}

/* An input is the same row again and again, and all else lies side by side: many rows that are not
 * long are computed as one, with that row as often in a buffer. */
static int THTensor_(repeats)(const THRun *run, const THTensor_(Call) * call)
{
  int any = 0;
  if (run->n >= SPREAD / 2 || run->rowStride[0] != run->n)
    return 0;
  for (int o = 0; o <= call->inputs; o++) {
    if (run->stride[o] != 1 || (run->rowStride[o] != run->n && run->rowStride[o] != 0))
      return 0;
    any |= run->rowStride[o] == 0;
  }
  return any && run->rows > 1;
}

static __attribute__((noinline)) void THTensor_(blockThroughBuffers)(const THRun *run,
                                                                     const THTensor_(Call) * call)
{
  _Alignas(64) real buffer[1 + TH_POINTWISE_INPUTS][BUFFER];
  const real *seen[1 + TH_POINTWISE_INPUTS] = {NULL};
  /* Rows that are long enough are computed one by one, from where they are and to where they go. */
  const int oneByOne = run->n >= SHORT && run->stride[0] == 1 && !THTensor_(repeats)(run, call);
  const int spreads = oneByOne && THTensor_(spreads)(run, call);
  const ptrdiff_t columns = THMin(run->n, spreads ? SPREAD : BUFFER);
  const ptrdiff_t rows = spreads ? 1 : THMin(run->rows, BUFFER / columns);

  for (ptrdiff_t j = 0; j < run->rows; j += rows)
    for (ptrdiff_t i = 0; i < run->n; i += columns) {
      const ptrdiff_t m = THMin(columns, run->n - i), k = THMin(rows, run->rows - j);
      char *at[1 + TH_POINTWISE_INPUTS] = {NULL};
      ptrdiff_t pitch[1 + TH_POINTWISE_INPUTS] = {0};
      for (int o = 0; o <= call->inputs; o++) {
        const ptrdiff_t step = run->stride[o], jump = run->rowStride[o];
        at[o] = THTensor_(part)(run, call, o, j, i);
        pitch[o] = THTensor_(part)(run, call, o, j + 1, i) - at[o];
        if (step == 1 && (oneByOne || k == 1 || jump == m))
          continue; /* side by side */
        if (o > 0)
          THTensor_(fetch)(buffer[o], (const real *)at[o], k, m, step, jump, columns, &seen[o]);
        at[o] = (char *)buffer[o];
        pitch[o] = m * (ptrdiff_t)sizeof(real);
      }
      if (oneByOne) {
        for (ptrdiff_t row = 0; row < k; row++) {
          for (int o = 1; o <= call->inputs && k > 1 && run->streams; o++)
            THTensor_(prefetch)(run, o, THTensor_(part)(run, call, o, j + row, i), row, k, m);
          call->row(m, at[0], at[1], at[2], at[3], call->scalars, run->streams);
          for (int o = 0; o <= call->inputs; o++)
            at[o] += pitch[o];
        }
        continue;
      }
      call->row(k * m, at[0], at[1], at[2], at[3], call->scalars,
                run->streams && at[0] != (char *)buffer[0]);
      if (at[0] == (char *)buffer[0])
        THTensor_(store)(THTensor_(part)(run, call, 0, j, i), run->stride[0], run->rowStride[0],
                         buffer[0], k, m, call->bytes);
    }
}

/* Rows along which the last input is one value need no buffer for it. */
static int THTensor_(isOfValues)(const THRun *run, const THTensor_(Call) * call)
{
  int inLine = call->ofValue && (run->rows == 1 || run->n >= SHORT);
  for (int o = 0; o < call->inputs; o++)
    inLine &= run->stride[o] == 1;
  return inLine && run->stride[call->inputs] == 0;
}

static void THTensor_(blockOfValues)(const THRun *run, const THTensor_(Call) * call)
{
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *value = (const real *)THTensor_(part)(run, call, call->inputs, j, 0);
    const real scalars[2] = {*value, call->scalars[0]};
    call->ofValue(run->n, THTensor_(part)(run, call, 0, j, 0), THTensor_(part)(run, call, 1, j, 0),
                  NULL, NULL, scalars, run->streams);
  }
}

static void THTensor_(block)(const THRun *run, const void *context)
{
  const THTensor_(Call) *call = context;
  if (THTensor_(isOfValues)(run, call)) {
    THTensor_(blockOfValues)(run, call);
    return;
  }
  int inLine = run->rows == 1 || run->n >= SHORT;
  for (int o = 0; o <= call->inputs; o++)
    inLine &= run->stride[o] == 1;
  if (!inLine || THTensor_(repeats)(run, call)) {
    THTensor_(blockThroughBuffers)(run, call);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    char *at[1 + TH_POINTWISE_INPUTS] = {NULL};
    for (int o = 0; o <= call->inputs; o++)
      at[o] = THTensor_(part)(run, call, o, j, 0);
    call->row(run->n, at[0], at[1], at[2], at[3], call->scalars, run->streams);
  }
}

/* --- what the rows need here ------------------------------------------------------------------ */

static int THTensor_(hasRow)(THPointwise op)
{
  return THTensor_(pointwise)[op] != NULL;
}

static void THTensor_(checkPlace)(const THPointwiseInfo *info, const THTensor *r,
                                  THTensor *const in[])
{
}

static int THTensor_(walksWith)(const THTensor *x, const THTensor *in)
{
  return 1;
}

static int THTensor_(orderResult)(const THPointwiseInfo *info, THLoop *loop)
{
  return THLoop_order(loop, 0);
}

static void THTensor_(runRow)(THPointwise op, THLoop *loop, real a, real b)
{
  const THPointwiseInfo *info = &THPointwise_info[op];
  const THPointwiseRow *rows = THTensor_(pointwise);
  const THPointwise ofValue = THPointwise_ofValue(op);
  const THTensor_(Call) call = {.row = rows[op],
                                .ofValue = ofValue == op ? NULL : rows[ofValue],
                                .inputs = info->inputs,
                                .bytes = info->bytes,
                                .scalars = {a, b}};
  THLoop_run(loop, THTensor_(block), &call);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

static void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[], real a)
{
}

#else

/* Sets *found where an element is 0.  Blocks of several threads may all do so. */
static void THTensor_(findZero)(const THRun *run, const void *found)
{
  int any = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *t = (const real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      any |= t[i * run->stride[0]] == 0;
  }
  if (any)
    __atomic_store_n(*(int *const *)found, 1, __ATOMIC_RELAXED);
}

static void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[], real a)
{
  const int last = info->inputs - 1;
  if (last == 0) {
    THArgCheck(a != 0, info->scalar, "%s: integer division by 0", info->name);
    return;
  }
  int zero = 0, *found = &zero;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, in[last]);
  THLoop_run(&loop, THTensor_(findZero), &found);
  THArgCheck(!zero, info->argument[last], "%s: integer division by 0, an element of %s (%s)",
             info->name, info->input[last], THTensor_(sizeDesc)(in[last]).str);
}

#endif

/* --- the functions --------------------------------------------------------------------------- */

#define ALL(...)     __VA_ARGS__
#define INTEGER(...) __VA_ARGS__ /* floating types have no row, and the function raises */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT(...) __VA_ARGS__
#else
#define FLOAT(...)
#endif
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED(...)
#else
#define SIGNED(...) __VA_ARGS__
#endif
#define BUT_HALF ALL

#define TH_ROW_FUNCTION(NAME, Result, ...) void THTensor_(NAME)(Result *r_, __VA_ARGS__)
#define TH_ROW_ENTER
#include "THTensorRows.h"

void THTensor_(zero)(THTensor *r_)
{
  THTensor_(fill)(r_, 0);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
void THTensor_(polygamma)(THTensor *r_, int64_t n, THTensor *t)
{
  THArgCheck(n == 0 || n == 1, 2, "polygamma: n is %lld, and only 0 and 1 are implemented",
             (long long)n);
  THTensor_(callRow)(TH_POINTWISE_polygamma, r_, t, NULL, NULL, (real)n, 0);
}
#endif
