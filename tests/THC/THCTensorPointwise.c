/* The rows of src/ops/pointwise.h on the device against TH's functions: layouts, results in place
 * and in the way, special values, errors.  The reference for Half is TH's Float, rounded. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_test.h"

#if defined(TH_REAL_IS_HALF)
#define RefTensor  THFloatTensor
#define Ref_(NAME) TH_CONCAT_2(THFloatTensor_, NAME)
#define ref        float
#define REF_OF(X)  TH_half2float(X)
#define REAL_OF(X) TH_float2half((float)(X))
#define EPSILON    0x1p-10
#define LEAST      0x1p-24
#elif defined(TH_REAL_IS_FLOAT)
#define EPSILON 0x1p-23
#define LEAST   0x1p-126
#elif defined(TH_REAL_IS_DOUBLE)
#define EPSILON 0x1p-52
#define LEAST   0x1p-1022
#else
#define EPSILON 0.
#define LEAST   0.
#endif
#ifndef ref
#define RefTensor  THTensor
#define Ref_(NAME) THTensor_(NAME)
#define ref        real
#define REF_OF(X)  (X)
#define REAL_OF(X) ((real)(X))
#endif

/* --- rows ----------------------------------------------------------------------------------- */

#define ALL(...) __VA_ARGS__
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define FLOAT(...) __VA_ARGS__
#define INTEGER(...)
#else
#define FLOAT(...)
#define INTEGER(...) __VA_ARGS__
#endif
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED(...) /* there is no reference; see absOfBytes */
#else
#define SIGNED(...) __VA_ARGS__
#endif
#ifdef TH_REAL_IS_HALF
#define BUT_HALF(...)
#else
#define BUT_HALF(...) __VA_ARGS__
#endif

#define HOST   void *r, RefTensor *x, RefTensor *y, RefTensor *z, ref a, ref b
#define DEVICE THCState *state, void *r, THCTensor *x, THCTensor *y, THCTensor *z, real a, real b
#define BOTH(NAME, ...)                      \
  static void host_##NAME(HOST)              \
  {                                          \
    Ref_(NAME)(r, __VA_ARGS__);              \
  }                                          \
  static void device_##NAME(DEVICE)          \
  {                                          \
    THCTensor_(NAME)(state, r, __VA_ARGS__); \
  }

/* clang-format off */
#define FILL(TYPES, COST, NAME, ...)     TYPES(BOTH(NAME, a))
#define UNARY(TYPES, COST, NAME, ...)    TYPES(BOTH(NAME, x))
#define SCALAR(TYPES, COST, NAME, ...)   TYPES(BOTH(NAME, x, a))
#define SCALARS(TYPES, COST, NAME, ...)  TYPES(BOTH(NAME, x, a, b))
#define BASE(TYPES, COST, NAME, ...)     TYPES(BOTH(NAME, a, x))
#define ORDER(TYPES, COST, NAME, ...)    TYPES(BOTH(NAME, 1, x))
#define BINARY(TYPES, COST, NAME, ...)   TYPES(BOTH(NAME, x, y))
#define SCALED(TYPES, COST, NAME, ...)   TYPES(BOTH(NAME, x, a, y))
#define WEIGHTED(TYPES, COST, NAME, ...) TYPES(BOTH(NAME, x, y, a))
#define TERNARY(TYPES, COST, NAME, ...)  TYPES(BOTH(NAME, x, a, y, z))
#define COMPARE_VALUE    SCALAR
#define COMPARE_VALUE_T  SCALAR
#define COMPARE_TENSOR   BINARY
#define COMPARE_TENSOR_T BINARY
/* clang-format on */
#include "src/ops/pointwise.h"

typedef enum Cost { CHEAP, DIVIDES, COSTLY, SLOW } Cost;

typedef struct Row {
  const char *name;
  int inputs, bytes;
  Cost cost;
  void (*host)(HOST);
  void (*device)(DEVICE);
} Row;

/* clang-format off */
#define ENTRY(TYPES, COST, NAME, INPUTS, BYTES) \
  TYPES({#NAME, INPUTS, BYTES, COST, host_##NAME, device_##NAME},)
static const Row rows[] = {
#define ROW(TYPES, COST, NAME, ...)            ENTRY(TYPES, COST, NAME, 1, 0)
#define FILL(TYPES, COST, NAME, ...)           ENTRY(TYPES, COST, NAME, 0, 0)
#define BINARY(TYPES, COST, NAME, ...)         ENTRY(TYPES, COST, NAME, 2, 0)
#define SCALED           BINARY
#define WEIGHTED         BINARY
#define COMPARE_TENSOR_T BINARY
#define TERNARY(TYPES, COST, NAME, ...)        ENTRY(TYPES, COST, NAME, 3, 0)
#define COMPARE_VALUE(TYPES, COST, NAME, ...)  ENTRY(TYPES, COST, NAME, 1, 1)
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) ENTRY(TYPES, COST, NAME, 2, 1)
#include "src/ops/pointwise.h"
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

/* --- one call ------------------------------------------------------------------------------- */

/* The tolerance of a result: 0 for integers and comparisons; else the rounding of Half, fused
 * multiply-adds on a GPU, and some ulp of functions.  cusim_allow_races is a function of the simulator, NULL
 * on a GPU. */
static double tolerance(const Row *row, double expected)
{
  const int exact = row->bytes || (cusim_allow_races && row->cost <= DIVIDES);
  if (exact && strcmp(row->name, "rsqrt"))
    return sizeof(real) == 2 ? EPSILON * fabs(expected) + 2 * LEAST : 0;
  return EPSILON * (sizeof(real) == 2 ? 1 : 64) * (fabs(expected) + 1) + 2 * LEAST;
}

static RefTensor *flat(const THTensor *t)
{
  const ptrdiff_t n = THTest_(count)(t);
  RefTensor *r = Ref_(new)();
  if (n == 0)
    return r;
  Ref_(resize1d)(r, n);
  for (ptrdiff_t i = 0; i < n; i++)
    r->storage->data[i] = REF_OF(*THTest_(at)(t, i));
  return r;
}

/* The row's results on the host, as doubles and in row-major order (an integer is never so large
 * that it is not one). */
static long double *expected_of(const Row *row, THTensor *const in[], real a, real b, ptrdiff_t n)
{
  RefTensor *flats[3] = {NULL};
  for (int i = 0; i < row->inputs; i++)
    flats[i] = flat(in[i]);
  long double *expected = malloc((size_t)(n + 1) * sizeof *expected);
  RefTensor *r = Ref_(new)();
  THByteTensor *bytes = THByteTensor_new();
  if (row->inputs == 0 && n)
    Ref_(resize1d)(r, n);
  row->host(row->bytes ? (void *)bytes : r, flats[0], flats[1], flats[2], REF_OF(a), REF_OF(b));
  for (ptrdiff_t i = 0; i < n; i++) {
    if (row->bytes) {
      expected[i] = bytes->storage->data[i];
    } else {
      const ref value = r->storage->data[i];
      expected[i] = TH_NUMBER(value).value;
    }
  }
  THByteTensor_free(bytes);
  Ref_(free)(r);
  for (int i = 0; i < row->inputs; i++)
    Ref_(free)(flats[i]);
  return expected;
}

static void check_element(const Row *row, ptrdiff_t i, long double actual, long double expected)
{
#ifdef TH_REAL_IS_HALF
  if (!row->bytes) /* rounded as Half is: infinite from 65520 on */
    expected = TH_half2float(TH_float2half((float)expected));
#endif
  if (actual == expected || (isnan(actual) && isnan(expected)))
    return;
  const double allowed = tolerance(row, (double)expected);
  CHECK_MSG(fabsl(actual - expected) <= allowed,
            "element %td is %.20Lg, and %.20Lg on the host, a difference of more than %g", i,
            actual, expected, allowed);
}

static void check_result(const Row *row, const void *r, const long double *expected, ptrdiff_t n)
{
  if (row->bytes) {
    THByteTensor *host = THByteTensor_new();
    const THCudaByteTensor *bytes = r;
    THByteTensor_resizeNd(host, bytes->nDimension, bytes->size, NULL);
    THByteTensor_copyCudaByte(thc_state(), host, (THCudaByteTensor *)bytes);
    CHECK_EQ(THByteTensor_nElement(host), n);
    for (ptrdiff_t i = 0; i < n; i++)
      check_element(row, i, host->storage->data[i], expected[i]);
    THByteTensor_free(host);
    return;
  }
  THTensor *host = THCTest_(twin)(r);
  CHECK_EQ(THTest_(count)(host), n);
  for (ptrdiff_t i = 0; i < n; i++)
    check_element(row, i, TH_NUMBER(*THTest_(at)(host, i)).value, expected[i]);
  THTensor_(free)(host);
}

static int writable(const THTensor *t, int layout)
{
  return th_layout_is_writable(layout) && t->nDimension > 0;
}

/* A result: new, with a layout and then its storage in *before, or an input.  NULL where the row
 * has none. */
static void *make_result(const Row *row, THTensor *const in[3], THCTensor *const x[3],
                         const int layout[3], int result, int kind, real **before)
{
  THCState *state = thc_state();
  const int inputs = row->inputs;
  void *r = NULL;
  *before = NULL;
  if (kind == 0 && row->bytes) {
    r = THCudaByteTensor_new(state);
  } else if (kind == 0 && inputs > 0) {
    r = THCTensor_(new)(state);
  } else if (kind == 1 && !row->bytes) {
    THTensor *t = THTest_(tensor)(result, 9, TH_SHAPE(3, 5, 7));
    if (writable(t, result) && (inputs == 0 || THTensor_(isSameSizeAs)(t, in[0]))) {
      r = THCTest_(upload)(t);
      *before = THTest_(storageValues)(t);
    }
    THTensor_(free)(t);
  } else if (kind > 1 && !row->bytes && writable(in[kind - 2], layout[kind - 2])) {
    r = x[kind - 2];
    THCTensor_(retain)(state, r);
  }
  return r;
}

static void check_any(const Row *row, void *r, THTensor *in, const long double *expected,
                      ptrdiff_t n, real a, real *before)
{
  if (row->inputs > 0) {
    CHECK_EQ(((THCTensor *)r)->nDimension, in->nDimension);
    for (int d = 0; d < in->nDimension; d++)
      CHECK_EQ(((THCTensor *)r)->size[d], in->size[d]);
    check_result(row, r, expected, n);
  } else {
    THTensor *filled = THCTest_(twin)(r);
    for (ptrdiff_t i = 0; i < THTest_(count)(filled); i++)
      CHECK_EQ(*THTest_(at)(filled, i), a);
    THTensor_(free)(filled);
  }
  if (before) {
    THTensor *twin = THCTest_(twin)(r);
    CHECK_OUTSIDE(twin, before);
    THTensor_(free)(twin);
    free(before);
  }
}

/* All kinds of results for inputs of these layouts: a new one, one of another layout (which keeps
 * what lies between its elements), and each input itself. */
static void all_results(const Row *row, const int layout[3], int result, real a, real b)
{
  THCState *state = thc_state();
  THTensor *in[3] = {NULL};
  for (int i = 0; i < 3; i++)
    in[i] = THTest_(tensor)(layout[i], 3 + (uint64_t)i, TH_SHAPE(3, 5, 7));
  const int inputs = row->inputs;
  const ptrdiff_t n = THTest_(count)(in[0]);
  long double *expected = expected_of(row, in, a, b, n);

  for (int kind = 0; kind < 2 + inputs; kind++) {
    THCTensor *x[3] = {NULL};
    for (int i = 0; i < inputs; i++)
      x[i] = THCTest_(upload)(in[i]);
    real *before;
    void *r = make_result(row, in, x, layout, result, kind, &before);
    th_note("%s of %s, %s, %s into %s", row->name, th_layout_names[layout[0]],
            th_layout_names[layout[1]], th_layout_names[layout[2]],
            kind == 0   ? "a new result"
            : kind == 1 ? th_layout_names[result]
                        : "an input");
    if (r) {
      row->device(state, r, x[0], x[1], x[2], a, b);
      check_any(row, r, in[0], expected, n, a, before);
      if (row->bytes)
        THCudaByteTensor_free(state, r);
      else
        THCTensor_(free)(state, r);
    }
    for (int i = 0; i < inputs; i++)
      THCTensor_(free)(state, x[i]);
  }
  free(expected);
  for (int i = 0; i < 3; i++)
    THTensor_(free)(in[i]);
}

/* Each row with every layout of its first input; a layout of the others comes by in turn. */
static void THTest_(layouts)(void)
{
  const real a = REAL_OF(2.385), b = REAL_OF(5.75);
  for (int k = 0; k < ROWS; k++)
    for (int lx = 0; lx < TH_LAYOUTS; lx++) {
      int layout[] = {lx, (lx + k) % TH_ONE, (5 * lx + k + 1) % TH_ONE};
      for (int i = 1; i < 3; i++)
        if (!th_layouts_agree(lx, layout[i]))
          layout[i] = lx;
      all_results(&rows[k], layout, (lx + 3 * k) % TH_ONE, a, b);
    }
}

/* All pairs of layouts. */
static void THTest_(pairs)(void)
{
  const real a = REAL_OF(2.385), b = REAL_OF(5.75);
  for (int k = 0; k < ROWS; k++)
    if (!strcmp(rows[k].name, "cadd") || !strcmp(rows[k].name, "ltTensor"))
      for (int lx = 0; lx < TH_LAYOUTS; lx++)
        for (int ly = 0; ly < TH_LAYOUTS; ly++)
          if (th_layouts_agree(lx, ly))
            all_results(&rows[k], (int[]){lx, ly, lx}, (lx + 3 * ly) % TH_ONE, a, b);
}

/* --- values --------------------------------------------------------------------------------- */

/* Whatever does not divide by 0: extremes, neighbours of 0 and 1, infinities, NaN; each with each.
 */
static void THTest_(specials)(void)
{
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
  static const double values[] = {
      0.,    -0.,   1,    -1,    0.5,  -0.5,  2,      -2,    2.5,      -3,        3.5,
      1e-3,  -1e-3, 6e-5, -6e-5, 6e-8, 0.999, 1.001,  10.5,  -7.25,    88,        -88,
      100.5, -104,  300,  -300,  1000, 65504, -65504, 12345, INFINITY, -INFINITY, NAN};
#else
  static const int64_t values[] = {
      1,     -1,    2,     -2,        3,         7,         -7,           8,    31,
      32,    63,    64,    127,       128,       -128,      255,          -129, 32767,
      32768, 65535, 65537, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN + 1};
#endif
  enum { N = sizeof values / sizeof *values };
  THCState *state = thc_state();
  THTensor *in[3];
  THCTensor *x[3];
  for (int i = 0; i < 3; i++) {
    in[i] = THTensor_(newWithSize1d)(N * N);
    for (int j = 0; j < N * N; j++) {
      real value = REAL_OF(values[i == 0 ? j / N : i == 1 ? j % N : (j * 7 + 3) % N]);
#ifdef ureal
      value = value ? value : 1;
#endif
      in[i]->storage->data[j] = value;
    }
    x[i] = THCTest_(upload)(in[i]);
  }
  for (int k = 0; k < ROWS; k++) {
    if (rows[k].inputs == 0)
      continue;
    for (int s = 0; s < (rows[k].inputs > 1 ? 1 : N); s++) {
      const real a = in[0]->storage->data[s * N], b = REAL_OF(3);
      th_note("%s with %s", rows[k].name, TH_TEXT(a));
      long double *expected = expected_of(&rows[k], in, a, b, N * N);
      void *r = rows[k].bytes ? (void *)THCudaByteTensor_new(state) : THCTensor_(new)(state);
      rows[k].device(state, r, x[0], x[1], x[2], a, b);
      check_result(&rows[k], r, expected, N * N);
      if (rows[k].bytes)
        THCudaByteTensor_free(state, r);
      else
        THCTensor_(free)(state, r);
      free(expected);
    }
  }
  for (int i = 0; i < 3; i++) {
    THTensor_(free)(in[i]);
    THCTensor_(free)(state, x[i]);
  }
}

/* More than a block, at every alignment, with a remainder that fills no pack. */
static void THTest_(large)(void)
{
  THCState *state = thc_state();
  for (int offset = 0; offset < 3; offset++)
    for (ptrdiff_t n = 4095; n < 4098; n++) {
      THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(3, 5000));
      THCTensor *all = THCTest_(upload)(t), *x = THCTensor_(new)(state),
                *y = THCTensor_(new)(state), *r = THCTensor_(new)(state);
      THCTensor_(setStorage1d)(state, x, all->storage, offset, n, 1);
      THCTensor_(setStorage1d)(state, y, all->storage, 5000 - offset, n, 1);
      THCTensor_(setStorage1d)(state, r, all->storage, 10000 + offset, n, 1);
      THCTensor_(cmul)(state, r, x, y);
      THTensor *twin = THCTest_(twin)(all);
      const real *v = t->storage->data, *w = twin->storage->data;
      for (ptrdiff_t i = 0; i < 15000; i++) {
        const ptrdiff_t j = i - 10000 - offset;
        if (j < 0 || j >= n)
          CHECK_EQ(w[i], v[i]);
        else
          CHECK_EQ(w[i], REAL_OF(REF_OF(v[offset + j]) * REF_OF(v[5000 - offset + j])));
      }
      THTensor_(free)(twin);
      THTensor_(free)(t);
      THCTensor *made[] = {all, x, y, r};
      for (int i = 0; i < 4; i++)
        THCTensor_(free)(state, made[i]);
    }
}

/* A result that overlaps an input otherwise than element for element. */
static void THTest_(overlaps)(void)
{
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(6, 6));
  THCTensor *d = THCTest_(upload)(t), *turned = THCTensor_(newTranspose)(state, d, 0, 1);
  THCTensor_(cadd)(state, d, turned, REAL_OF(1), d); /* d + its transpose */
  THTensor *twin = THCTest_(twin)(d);
  for (int64_t i = 0; i < 6; i++)
    for (int64_t j = 0; j < 6; j++)
      CHECK_EQ(THTensor_(get2d)(twin, i, j),
               REAL_OF(REF_OF(THTensor_(get2d)(t, i, j)) + REF_OF(THTensor_(get2d)(t, j, i))));
  THTensor_(free)(twin);
  /* Shapes without a common refinement, with strides that are not in order. */
  THTensor *wide = THTest_(tensor)(TH_TRANSPOSED, 7, TH_SHAPE(4, 9)),
           *tall = THTest_(tensor)(TH_TRANSPOSED, 8, TH_SHAPE(6, 6));
  THCTensor *dw = THCTest_(upload)(wide), *dt = THCTest_(upload)(tall);
  THCTensor_(cmul)(state, dw, dw, dt);
  twin = THCTest_(twin)(dw);
  for (ptrdiff_t i = 0; i < 36; i++)
    CHECK_EQ(*THTest_(at)(twin, i),
             REAL_OF(REF_OF(*THTest_(at)(wide, i)) * REF_OF(*THTest_(at)(tall, i))));
  THTensor_(free)(twin);
  THTensor_(free)(wide);
  THTensor_(free)(tall);
  THTensor_(free)(t);
  THCTensor *made[] = {d, turned, dw, dt};
  for (int i = 0; i < 4; i++)
    THCTensor_(free)(state, made[i]);
}

/* Tensors of Byte and Char have no absolute values in TH. */
static void THTest_(absOfBytes)(void)
{
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
  THCState *state = thc_state();
  THTensor *t = THTensor_(newWithSize1d)(256);
  for (int i = 0; i < 256; i++)
    t->storage->data[i] = (real)i;
  THCTensor *d = THCTest_(upload)(t);
  THCTensor_(abs)(state, d, d);
  THTensor *twin = THCTest_(twin)(d);
  for (int i = 0; i < 256; i++)
    CHECK_EQ(twin->storage->data[i], (real)abs((int)(real)i));
  THTensor_(free)(twin);
  THTensor_(free)(t);
  THCTensor_(free)(state, d);
#endif
}

/* --- divisors of 0, and errors -------------------------------------------------------------- */

static void THTest_(zeroDivisors)(void)
{
#ifdef ureal
  THCState *state = thc_state();
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(7));
  THCTensor *x = THCTest_(upload)(t), *zeros = THCTensor_(newWithSize1d)(state, 7),
            *r = THCTensor_(new)(state);
  THCTensor_(zero)(state, zeros);
  real nothing[7] = {0};
  THCTensor_(cdiv)(state, r, x, zeros);
  CHECK_DEVICE_VALUES(r, nothing);
  THCTensor_(cfmod)(state, r, x, zeros);
  CHECK_DEVICE_VALUES(r, t->storage->data);
  THCTensor_(cremainder)(state, r, x, zeros);
  CHECK_DEVICE_VALUES(r, t->storage->data);
  THCTensor_(addcdiv)(state, r, x, 3, x, zeros);
  CHECK_DEVICE_VALUES(r, t->storage->data);
  CHECK_RAISES(3, "div: integer division by 0", THCTensor_(div)(state, r, x, 0));
  CHECK_RAISES(3, "fmod: integer division by 0", THCTensor_(fmod)(state, r, x, 0));
  CHECK_RAISES(3, "remainder: integer division by 0", THCTensor_(remainder)(state, r, x, 0));
  CHECK_DEVICE_VALUES(r, t->storage->data);
  THCTensor *made[] = {x, zeros, r};
  for (int i = 0; i < 3; i++)
    THCTensor_(free)(state, made[i]);
  THTensor_(free)(t);
#endif
}

static void THTest_(errors)(void)
{
  THCState *state = thc_state();
  THCTensor *x = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(3, 4)),
            *y = THCTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(11)),
            *wide = THCTest_(tensor)(TH_EXPANDED, 6, TH_SHAPE(3, 4));
  CHECK_RAISES(3, "cmul: src has 11 elements ([11]), t has 12 ([3 x 4])",
               THCTensor_(cmul)(state, x, x, y));
  CHECK_RAISES(1, "share memory with each other", THCTensor_(neg)(state, wide, x));
  CHECK_RAISES(1, "share memory with each other", THCTensor_(fill)(state, wide, REAL_OF(1)));
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
  CHECK_RAISES(0, "bitand is for integers", THCTensor_(bitand)(state, x, x, REAL_OF(1)));
  CHECK_RAISES(0, "cbitxor is for integers", THCTensor_(cbitxor)(state, x, x, x));
  CHECK_RAISES(2, "only 0 and 1 are implemented", THCTensor_(polygamma)(state, x, 2, x));
#endif
#ifdef TH_REAL_IS_HALF
  CHECK_RAISES(0, "lshift is for", THCTensor_(lshift)(state, x, x, REAL_OF(1)));
  CHECK_RAISES(0, "crshift is for", THCTensor_(crshift)(state, x, x, x));
#endif
  if (thc_devices() > 1) {
    int can;
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
    THCState_setPeerToPeerAccess(state, 0, 1, 0);
    CHECK_CUDA(cudaSetDevice(1));
    THCTensor *there = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(3, 4));
    CHECK_CUDA(cudaSetDevice(0));
    CHECK_RAISES(3, "cmul: src is on device 1", THCTensor_(cmul)(state, x, x, there));
    CHECK_RAISES(1, "cmul: the result is on device 1", THCTensor_(cmul)(state, there, x, x));
    if (can) {
      THCState_setPeerToPeerAccess(state, 0, 1, 1);
    }
    THCTensor_(free)(state, there);
  }
  THCTensor *made[] = {x, y, wide};
  for (int i = 0; i < 3; i++)
    THCTensor_(free)(state, made[i]);
}

TH_TESTS(THTest_(layouts), THTest_(pairs), THTest_(specials), THTest_(large), THTest_(overlaps),
         THTest_(absOfBytes), THTest_(zeroDivisors), THTest_(errors))
