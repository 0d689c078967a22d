/* LAPACK on tensors: operands and results of every layout, results that are operands or share their
 * memory.  The values are those of contiguous operands and new results, which THTensorLapack.c
 * looks at. */
#include "THTemplate.h"

#include "th_layouts.h"

enum { OPERANDS = 3, RESULTS = 4 };

/* The kind of matrix that an operand has to be. */
typedef enum Kind {
  ANY,       /* random numbers */
  DEFINITE,  /* symmetric, large on the diagonal */
  TRIANGULAR /* large on the diagonal, small elsewhere */
} Kind;

typedef struct Case {
  const char *name;
  /* r: the results, i: those of int, o: the operands */
  void (*call)(THTensor **r, THIntTensor **i, THTensor **o);
  struct {
    Kind kind;
    int dims;
    int64_t size[3]; /* of an operand or a result that there is not: 0 */
  } operand[OPERANDS];
  struct {
    int byColumns, dims;
    int64_t size[3];
    int same; /* the operand whose shape it has and which it may replace, counted from 1 */
  } result[RESULTS];
} Case;

#define CALL(NAME, ...)                                                                       \
  static void NAME(TH_UNUSED THTensor **r, TH_UNUSED THIntTensor **i, TH_UNUSED THTensor **o) \
  {                                                                                           \
    __VA_ARGS__;                                                                              \
  }

/* 1, 2, ... for each of two matrices: rows exchanged with themselves. */
static THIntTensor *new_rows(int n)
{
  THIntTensor *rows = THIntTensor_newWithSize2d(2, n);
  for (int k = 0; k < 2 * n; k++)
    rows->storage->data[k] = k % n + 1;
  return rows;
}

CALL(gesv, THTensor_(gesv)(r[0], r[1], o[0], o[1]))
CALL(trtrs, THTensor_(trtrs)(r[0], r[1], o[0], o[1], "L", "T", "N"))
CALL(gels, THTensor_(gels)(r[0], r[1], o[0], o[1]))
CALL(getri, THTensor_(getri)(r[0], o[0]))
CALL(potrf, THTensor_(potrf)(r[0], o[0], "U"))
CALL(potrs, THTensor_(potrs)(r[0], o[0], o[1], "L"))
CALL(potri, THTensor_(potri)(r[0], o[0], "U"))
CALL(pstrf, THTensor_(pstrf)(r[0], i[0], o[0], "L", -1))
CALL(geqrf, THTensor_(geqrf)(r[0], r[1], o[0]))
CALL(qr, THTensor_(qr)(r[0], r[1], o[0]))
CALL(orgqr, THTensor_(orgqr)(r[0], o[0], o[1]))
CALL(ormqr, THTensor_(ormqr)(r[0], o[1], o[2], o[0], "L", "T"))
CALL(ormqrRight, THTensor_(ormqr)(r[0], o[1], o[2], o[0], "R", "N"))
CALL(syev, THTensor_(syev)(r[0], r[1], o[0], "V", "L"))
CALL(geev, THTensor_(geev)(r[0], r[1], o[0], "V"))
CALL(gesvd, THTensor_(gesvd)(r[0], r[1], r[2], o[0], "S"))
CALL(gesvd2, THTensor_(gesvd2)(r[0], r[1], r[2], r[3], o[0], "A"))
CALL(btrifact, THTensor_(btrifact)(r[0], i[0], i[1], 1, o[0]))
CALL(btrisolve, THIntTensor *rows = new_rows(4); THTensor_(btrisolve)(r[0], o[0], o[1], rows);
     THIntTensor_free(rows))

#define OPERAND(KIND, ...)                                    \
  {                                                           \
    KIND, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
    {                                                         \
      __VA_ARGS__                                             \
    }                                                         \
  }
#define COLUMNS(SAME, ...) {1, 2, {__VA_ARGS__}, SAME}
#define ROWS(SAME, ...)    {0, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}, SAME}

static const Case cases[] = {
    {"gesv",
     gesv,
     {OPERAND(ANY, 5, 2), OPERAND(TRIANGULAR, 5, 5)},
     {COLUMNS(1, 5, 2), COLUMNS(2, 5, 5)}},
    {"trtrs",
     trtrs,
     {OPERAND(ANY, 5, 2), OPERAND(TRIANGULAR, 5, 5)},
     {COLUMNS(1, 5, 2), COLUMNS(2, 5, 5)}},
    {"gels",
     gels,
     {OPERAND(ANY, 4, 2), OPERAND(TRIANGULAR, 4, 4)},
     {COLUMNS(1, 4, 2), COLUMNS(2, 4, 4)}},
    {"getri", getri, {OPERAND(TRIANGULAR, 5, 5)}, {COLUMNS(1, 5, 5)}},
    {"potrf", potrf, {OPERAND(DEFINITE, 5, 5)}, {COLUMNS(1, 5, 5)}},
    {"potrs", potrs, {OPERAND(ANY, 5, 3), OPERAND(TRIANGULAR, 5, 5)}, {COLUMNS(1, 5, 3)}},
    {"potri", potri, {OPERAND(TRIANGULAR, 5, 5)}, {COLUMNS(1, 5, 5)}},
    {"pstrf", pstrf, {OPERAND(DEFINITE, 5, 5)}, {COLUMNS(1, 5, 5)}},
    {"geqrf", geqrf, {OPERAND(ANY, 6, 4)}, {COLUMNS(1, 6, 4), ROWS(0, 4)}},
    {"qr", qr, {OPERAND(ANY, 6, 4)}, {COLUMNS(0, 6, 4), ROWS(0, 4, 4)}},
    {"qrWide", qr, {OPERAND(ANY, 3, 5)}, {COLUMNS(0, 3, 3), ROWS(0, 3, 5)}},
    {"orgqr", orgqr, {OPERAND(ANY, 6, 4), OPERAND(ANY, 4)}, {COLUMNS(1, 6, 4)}},
    {"ormqr", ormqr, {OPERAND(ANY, 6, 2), OPERAND(ANY, 6, 4), OPERAND(ANY, 4)}, {COLUMNS(1, 6, 2)}},
    {"ormqrRight",
     ormqrRight,
     {OPERAND(ANY, 2, 6), OPERAND(ANY, 6, 4), OPERAND(ANY, 4)},
     {COLUMNS(1, 2, 6)}},
    {"syev", syev, {OPERAND(ANY, 5, 5)}, {ROWS(0, 5), COLUMNS(1, 5, 5)}},
    {"geev", geev, {OPERAND(ANY, 5, 5)}, {ROWS(0, 5, 2), COLUMNS(0, 5, 5)}},
    {"gesvd", gesvd, {OPERAND(ANY, 4, 6)}, {COLUMNS(0, 4, 4), ROWS(0, 4), ROWS(0, 6, 4)}},
    {"gesvd2",
     gesvd2,
     {OPERAND(ANY, 4, 6)},
     {COLUMNS(0, 4, 4), ROWS(0, 4), ROWS(0, 6, 6), COLUMNS(1, 4, 6)}},
    {"btrifact", btrifact, {OPERAND(ANY, 2, 4, 4)}, {ROWS(1, 2, 4, 4)}},
    {"btrisolve",
     btrisolve,
     {OPERAND(ANY, 2, 4, 3), OPERAND(TRIANGULAR, 2, 4, 4)},
     {ROWS(1, 2, 4, 3)}},
    {"btrisolveVectors",
     btrisolve,
     {OPERAND(ANY, 2, 4), OPERAND(TRIANGULAR, 2, 4, 4)},
     {ROWS(1, 2, 4)}},
};
#define FOR_EACH_CASE(C) for (const Case *C = cases; C < cases + sizeof cases / sizeof *cases; C++)

/* --- operands and expected results ----------------------------------------------------------- */

/* Turns random t into a matrix of the kind. */
static void prepare(THTensor *t, Kind kind)
{
  const int64_t n = t->size[t->nDimension - 1];
  for (ptrdiff_t i = 0; i < THTest_(count)(t) && kind != ANY; i++) {
    const int64_t row = i / n % n, column = i % n;
    real *at = THTest_(at)(t, i);
    if (row == column)
      *at = (real)(20 + row);
    else if (kind == TRIANGULAR)
      *at /= 16;
    else if (row > column)
      *at = *THTest_(at)(t, i - row * n - column + column * n + row);
  }
}

/* A case with its operands, the results it is to have, and those that it has. */
typedef struct Run {
  const Case *c;
  THTensor *o[OPERANDS], *plain[OPERANDS]; /* plain: contiguous copies of o */
  THTensor *want[RESULTS], *r[RESULTS];
  THIntTensor *wantInts[2], *ints[2];
} Run;

/* Operand which (-1: none) has that layout, the others are contiguous.  The results are new. */
static Run new_run(const Case *c, int which, int layout)
{
  Run run = {.c = c};
  for (int k = 0; k < OPERANDS && c->operand[k].dims; k++) {
    THTensor *o = THTest_(tensor)(which == k ? layout : TH_CONTIGUOUS, 30 + (uint64_t)k,
                                  c->operand[k].dims, c->operand[k].size);
    prepare(o, c->operand[k].kind);
    THTensor *plain = THTest_(tensor)(TH_CONTIGUOUS, 1, c->operand[k].dims, c->operand[k].size);
    for (ptrdiff_t i = 0; i < THTest_(count)(plain); i++)
      plain->storage->data[i] = *THTest_(at)(o, i);
    run.o[k] = o;
    run.plain[k] = plain;
  }
  for (int k = 0; k < RESULTS; k++) {
    run.want[k] = THTensor_(new)();
    run.r[k] = THTensor_(new)();
  }
  for (int k = 0; k < 2; k++) {
    run.wantInts[k] = THIntTensor_new();
    run.ints[k] = THIntTensor_new();
  }
  c->call(run.want, run.wantInts, run.plain);
  return run;
}

static void free_run(Run *run)
{
  for (int k = 0; k < OPERANDS; k++) {
    THTensor_(free)(run->o[k]);
    THTensor_(free)(run->plain[k]);
  }
  for (int k = 0; k < RESULTS; k++) {
    THTensor_(free)(run->want[k]);
    THTensor_(free)(run->r[k]);
  }
  for (int k = 0; k < 2; k++) {
    THIntTensor_free(run->wantInts[k]);
    THIntTensor_free(run->ints[k]);
  }
}

/* Another result, which the run owns from now on. */
static void replace_result(Run *run, int which, THTensor *r)
{
  THTensor_(free)(run->r[which]);
  run->r[which] = r;
}

static void call(Run *run)
{
  run->c->call(run->r, run->ints, run->o);
}

static void check_results(const Run *run)
{
  const Case *c = run->c;
  for (int k = 0; k < RESULTS && c->result[k].dims; k++) {
    const THTensor *r = run->r[k];
    CHECK_EQ(r->nDimension, c->result[k].dims);
    for (int d = 0; d < r->nDimension; d++)
      CHECK_EQ(r->size[d], c->result[k].size[d]);
    real *values = THTest_(values)(run->want[k]);
    CHECK_VALUES(r, values);
    free(values);
  }
  for (int k = 0; k < 2; k++)
    CHECK(THIntTensor_equal(run->ints[k], run->wantInts[k]));
}

/* --- layouts of operands --------------------------------------------------------------------- */

static void check_operand(const Case *c, int which, int layout)
{
  /* What has to be prepared must be writable, and a matrix that is the same again and again may
   * have no factors. */
  const int writable = th_layout_is_writable(layout);
  if (!th_layout_keeps_shape(layout) ||
      (!writable && (c->operand[which].kind != ANY || c->call == btrifact)))
    return;
  th_note("%s, operand %d %s", c->name, which + 1, th_layout_names[layout]);
  Run run = new_run(c, which, layout);
  THTensor *o = run.o[which];
  real *before = THTest_(storageValues)(o);
  call(&run);
  check_results(&run);
  for (int k = 0; k < RESULTS && c->result[k].dims; k++) {
    const THTensor *r = run.r[k];
    const int last = r->nDimension - 1, columns = c->result[k].byColumns;
    int64_t stride = 1;
    for (int d = last; d >= 0; d--) {
      CHECK_EQ(r->stride[columns ? last - d : d], stride);
      stride *= r->size[columns ? last - d : d];
    }
  }
  /* Operands are only read. */
  for (ptrdiff_t i = 0; i < o->storage->size; i++)
    CHECK_EQ(o->storage->data[i], before[i]);
  free(before);
  free_run(&run);
}

static void THTest_(lapackLayouts)(void)
{
  FOR_EACH_CASE(c)
  for (int which = 0; which < OPERANDS && c->operand[which].dims; which++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++)
      check_operand(c, which, layout);
}

/* --- layouts of results ---------------------------------------------------------------------- */

/* A result of the right shape in any writable layout: memory between its elements stays the
 * same. */
static void check_layout(const Case *c, int which, int layout)
{
  th_note("%s, result %d %s", c->name, which + 1, th_layout_names[layout]);
  Run run = new_run(c, -1, TH_CONTIGUOUS);
  THTensor *r = THTest_(tensor)(layout, 50, c->result[which].dims, c->result[which].size);
  replace_result(&run, which, r);
  real *before = THTest_(storageValues)(r);
  const int64_t first = r->nDimension ? r->stride[0] : 0;
  call(&run);
  check_results(&run);
  if (th_layout_keeps_shape(layout)) {
    CHECK_OUTSIDE(r, before);
    /* A matrix that has its storage to itself turns by columns, nothing else does. */
    const int whole = layout == TH_CONTIGUOUS || layout == TH_PERMUTED;
    CHECK_EQ(r->stride[0], c->result[which].byColumns && whole ? 1 : first);
  }
  free(before);
  free_run(&run);
}

/* A result whose elements share memory: the last of those that share memory counts. */
static void check_shared(const Case *c, int which, int layout)
{
  th_note("%s, result %d %s", c->name, which + 1, th_layout_names[layout]);
  Run run = new_run(c, -1, TH_CONTIGUOUS);
  THTensor *r = THTest_(tensor)(layout, 50, c->result[which].dims, c->result[which].size);
  replace_result(&run, which, r);
  real *storage = THTest_(storageValues)(r);
  Run apart = new_run(c, -1, TH_CONTIGUOUS);
  call(&apart);
  call(&run);
  CHECK(THTensor_(isSameSizeAs)(r, apart.r[which]));
  for (ptrdiff_t i = 0; i < THTest_(count)(r); i++)
    storage[THTest_(at)(r, i) - r->storage->data] = *THTest_(at)(apart.r[which], i);
  CHECK(!memcmp(storage, r->storage->data, (size_t)r->storage->size * sizeof(real)));
  free(storage);
  free_run(&apart);
  free_run(&run);
}

static void THTest_(lapackResults)(void)
{
  FOR_EACH_CASE(c)
  for (int which = 0; which < RESULTS && c->result[which].dims; which++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++)
      if (!th_layout_keeps_shape(layout) || th_layout_is_writable(layout))
        check_layout(c, which, layout);
      else if (layout != TH_WINDOWS || c->result[which].dims > 1)
        check_shared(c, which, layout);
}

/* --- results that are operands --------------------------------------------------------------- */

typedef enum Way { SAME, TURNED, PART, WAYS } Way;

/* A result that replaces an operand: the same tensor, or another view of its memory. */
static void check_in_place(const Case *c, int which, int in, Way way)
{
  th_note("%s, result %d in operand %d, way %d", c->name, which + 1, in + 1, way);
  Run run = new_run(c, -1, TH_CONTIGUOUS);
  THTensor *o = run.o[in];
  if (way == SAME) {
    THTensor_(retain)(o);
    replace_result(&run, which, o);
  } else if (way == TURNED) {
    replace_result(&run, which, THTensor_(newTranspose)(o, 0, o->nDimension - 1));
  } else {
    replace_result(&run, which, THTensor_(newNarrow)(o, 0, 0, 1));
  }
  const int64_t first = o->stride[0];
  call(&run);
  check_results(&run);
  if (way == SAME && c->result[which].same == in + 1)
    CHECK_EQ(o->stride[0], first);
  free_run(&run);
}

static void THTest_(lapackInPlace)(void)
{
  FOR_EACH_CASE(c)
  for (int which = 0; which < RESULTS && c->result[which].dims; which++)
    for (int in = 0; in < OPERANDS && c->operand[in].dims; in++)
      for (Way way = SAME; way < WAYS; way++)
        check_in_place(c, which, in, way);
}

/* Two results that overlap are an error, and nothing changes. */
static void check_twice(const Case *c, int which)
{
  th_note("%s, results %d and %d", c->name, which, which + 1);
  Run run = new_run(c, -1, TH_CONTIGUOUS);
  THTensor *other = run.r[which - 1];
  THTensor_(resize2d)(other, 10, 10);
  THTensor_(fill)(other, 3);
  replace_result(&run, which, THTensor_(newSelect)(other, 0, 5));
  CHECK_RAISES(which + 1, "share memory", call(&run));
  CHECK_EQ(other->nDimension, 2);
  CHECK_EQ(run.r[which]->nDimension, 1);
  for (int i = 0; i < 100; i++)
    CHECK_EQ(other->storage->data[i], (real)3);
  free_run(&run);
}

static void THTest_(lapackTwice)(void)
{
  FOR_EACH_CASE(c)
  for (int which = 1; which < RESULTS && c->result[which].dims; which++)
    check_twice(c, which);
}

/* Results of int: of another shape, with steps between, and with repeated elements. */
static void THTest_(lapackInts)(void)
{
  THTensor *a = THTest_(tensor)(TH_CONTIGUOUS, 60, TH_SHAPE(2, 4, 4)), *r = THTensor_(new)();
  THTensor *one = THTensor_(newSelect)(a, 0, 0);
  THIntTensor *want = THIntTensor_new(), *wide = THIntTensor_newWithSize3d(2, 4, 2);
  THIntTensor *info = THIntTensor_newWithSize2d(3, 3), *wideInfo = THIntTensor_newWithSize2d(2, 2);
  THTensor_(btrifact)(r, want, NULL, 1, a);
  CHECK(THIntTensor_isContiguous(want));
  THIntTensor_fill(wide, -5);
  THIntTensor_fill(wideInfo, -5);
  THIntTensor *odd = THIntTensor_newSelect(wide, 2, 1);
  THIntTensor *oddInfo = THIntTensor_newSelect(wideInfo, 1, 0);
  THTensor_(btrifact)(r, odd, info, 1, a);
  CHECK(THIntTensor_equal(odd, want));
  for (int i = 0; i < 8; i++)
    CHECK_EQ(wide->storage->data[2 * i], -5);
  CHECK_EQ(info->nDimension, 1);
  CHECK_EQ(info->size[0], 2);
  THTensor_(btrifact)(r, odd, oddInfo, 1, a);
  CHECK_EQ(wideInfo->storage->data[0], 0);
  CHECK_EQ(wideInfo->storage->data[1], -5);
  CHECK_EQ(wideInfo->storage->data[2], 0);

  /* btrisolve reads them in any layout too. */
  THTensor *b = THTest_(tensor)(TH_CONTIGUOUS, 61, TH_SHAPE(2, 4)), *x = THTensor_(new)();
  THTensor *x2 = THTensor_(new)();
  THTensor_(btrisolve)(x, b, r, want);
  THTensor_(btrisolve)(x2, b, r, odd);
  CHECK(THTensor_(equal)(x, x2));

  THIntTensor *row = THIntTensor_newWithSize1d(1);
  prepare(one, DEFINITE);
  THIntTensor_resize1d(row, 4);
  THTensor_(pstrf)(r, row, one, "U", -1);
  THIntTensor_free(row);
  THIntTensor_free(want);
  THIntTensor_free(wide);
  THIntTensor_free(odd);
  THIntTensor_free(info);
  THIntTensor_free(wideInfo);
  THIntTensor_free(oddInfo);
  THTensor_(free)(a);
  THTensor_(free)(r);
  THTensor_(free)(one);
  THTensor_(free)(b);
  THTensor_(free)(x);
  THTensor_(free)(x2);
}

TH_TESTS(THTest_(lapackLayouts), THTest_(lapackResults), THTest_(lapackInPlace),
         THTest_(lapackTwice), THTest_(lapackInts))
