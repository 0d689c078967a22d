/* Tensors made from a rule, joined, compared, and vector products, on the device against TH's
 * functions.  The reference for Half is TH's Float, rounded. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_test.h"

#if defined(TH_REAL_IS_HALF)
#define RefTensor  THFloatTensor
#define Ref_(NAME) TH_CONCAT_2(THFloatTensor_, NAME)
#define REF_OF(X)  TH_half2float(X)
#define REAL_OF(X) TH_float2half((float)(X))
#else
#define RefTensor  THTensor
#define Ref_(NAME) THTensor_(NAME)
#define REF_OF(X)  (X)
#define REAL_OF(X) ((real)(X))
#endif
#if defined(TH_REAL_IS_HALF) || defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define IS_FLOATING 1
#endif

/* A contiguous tensor of the reference's type with t's elements. */
static RefTensor *ref_of(const THTensor *t)
{
  RefTensor *r = Ref_(new)();
  Ref_(resizeNd)(r, t->nDimension, t->size, NULL);
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    r->storage->data[i] = REF_OF(*THTest_(at)(t, i));
  return r;
}

/* The device tensor has the contiguous reference's size and elements. */
static void check_same(THCTensor *d, const RefTensor *expected, double relative)
{
  CHECK_EQ(d->nDimension, expected->nDimension);
  for (int k = 0; k < d->nDimension; k++)
    CHECK_EQ(d->size[k], expected->size[k]);
  THTensor *twin = THCTest_(twin)(d);
  for (ptrdiff_t i = 0; i < THTest_(count)(twin); i++)
    if (relative > 0)
      CHECK_CLOSE(*THTest_(at)(twin, i), REAL_OF(expected->storage->data[i]), relative);
    else
      CHECK_EQ(*THTest_(at)(twin, i), REAL_OF(expected->storage->data[i]));
  THTensor_(free)(twin);
}

/* Checks what a rule made, in a new result and in one that was of the same size, and frees all. */
static void check_rule(RefTensor *expected, THCTensor *made, THCTensor *transposed, double relative)
{
  check_same(made, expected, relative);
  if (expected->nDimension == 1 && Ref_(nElement)(expected) == 24) { /* keeps its shape */
    CHECK_EQ(transposed->nDimension, 2);
    Ref_(resize2d)(expected, 4, 6);
  }
  check_same(transposed, expected, relative);
  THCTensor_(free)(thc_state(), transposed);
  THCTensor_(free)(thc_state(), made);
  Ref_(free)(expected);
}

/* A function without inputs, into a new result and into one of the same size that is transposed. */
#define SAME_RULE(RELATIVE, NAME, ...)                                          \
  do {                                                                          \
    th_note("%s(%s)", #NAME, #__VA_ARGS__);                                     \
    RefTensor *expected = Ref_(new)();                                          \
    THCTensor *d = THCTensor_(new)(state);                                      \
    THCTensor *transposed = THCTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(4, 6)); \
    Ref_(NAME)(expected, __VA_ARGS__);                                          \
    THCTensor_(NAME)(state, d, __VA_ARGS__);                                    \
    THCTensor_(NAME)(state, transposed, __VA_ARGS__);                           \
    check_rule(expected, d, transposed, RELATIVE);                              \
  } while (0)

static void THTest_(rules)(void)
{
  THCState *state = thc_state();
  THLongStorage *size = THLongStorage_newWithSize3(2, 3, 4);
  SAME_RULE(0, zeros, size);
  SAME_RULE(0, ones, size);
  THLongStorage_free(size);
  SAME_RULE(0, eye, 4, 6);
  SAME_RULE(0, eye, 6, 4);
  SAME_RULE(0, eye, 5, 0);
  SAME_RULE(0, range, 1, 24, 1);
  SAME_RULE(0, arange, 1, 24, 1);
  SAME_RULE(0, range, 100, 7, -3);
  SAME_RULE(0, arange, 5, 5, 2);
#ifdef IS_FLOATING
  SAME_RULE(0, range, -1.5, 10, 0.5);
  SAME_RULE(0, arange, 2, -3, -0.25);
#ifdef TH_REAL_IS_HALF
#define NUMBER(X) (X)
  RefTensor *points = THFloatTensor_new();
  THCTensor *d = THCTensor_(new)(state);
  for (int n = 2; n < 30; n += 11) {
    THFloatTensor_linspace(points, -1.5f, 7.25f, n);
    THCTensor_(linspace)(state, d, REAL_OF(-1.5f), REAL_OF(7.25f), n);
    check_same(d, points, 0);
    THFloatTensor_logspace(points, -1.5f, 2.25f, n);
    THCTensor_(logspace)(state, d, REAL_OF(-1.5f), REAL_OF(2.25f), n);
    check_same(d, points, 0x1p-10);
  }
  THCTensor_(free)(state, d);
  THFloatTensor_free(points);
#else
  SAME_RULE(0, linspace, (real)-1.5, (real)7.2, 24);
  SAME_RULE(0, linspace, (real)3, (real)3, 1);
  SAME_RULE(0x1p-21, logspace, (real)-1.5, (real)2.25, 24);
  SAME_RULE(0x1p-21, logspace, (real)2, (real)-2, 7);
#endif
#endif
  THTensor *t = THTest_(tensor)(TH_PERMUTED, 5, TH_SHAPE(3, 4, 2));
  RefTensor *like = ref_of(t), *expected = Ref_(new)();
  THCTensor *d_like = THCTest_(upload)(t), *made = THCTensor_(new)(state);
  Ref_(onesLike)(expected, like);
  THCTensor_(onesLike)(state, made, d_like);
  check_same(made, expected, 0);
  Ref_(zerosLike)(expected, like);
  THCTensor_(zerosLike)(state, made, d_like);
  check_same(made, expected, 0);
  THCTensor_(onesLike)(state, d_like, d_like);
  Ref_(onesLike)(expected, like);
  check_same(d_like, expected, 0);
  CHECK_EQ(THCTensor_(numel)(state, d_like), 24);
  THCTensor_(free)(state, made);
  THCTensor_(free)(state, d_like);
  Ref_(free)(like);
  Ref_(free)(expected);
  THTensor_(free)(t);
}

/* The results that a function of src is tried with: a new one, a transposed one, src itself. */
enum { NEW_RESULT, TRANSPOSED_RESULT, IN_PLACE };

static THCTensor *result_of(int kind, THCTensor *src)
{
  th_note("kind %d", kind);
  return kind == NEW_RESULT          ? THCTensor_(new)(thc_state())
         : kind == TRANSPOSED_RESULT ? THCTest_(tensor)(TH_TRANSPOSED, 8, TH_SHAPE(5, 6))
                                     : src;
}

static void check_result(THCTensor *r, THCTensor *src, const RefTensor *expected)
{
  check_same(r, expected, 0);
  if (r != src)
    THCTensor_(free)(thc_state(), r);
  THCTensor_(free)(thc_state(), src);
}

static void free_both(RefTensor *a, RefTensor *b)
{
  Ref_(free)(a);
  Ref_(free)(b);
}

/* A function of one input, t, into each of these results. */
#define SAME_OF(NAME, ...)                                                        \
  do {                                                                            \
    RefTensor *input = ref_of(t), *expected = Ref_(new)();                        \
    Ref_(NAME)(expected, input, __VA_ARGS__);                                     \
    for (int kind = 0; kind < IN_PLACE + th_layout_is_writable(layout); kind++) { \
      THCTensor *src = THCTest_(upload)(t), *r = result_of(kind, src);            \
      THCTensor_(NAME)(state, r, src, __VA_ARGS__);                               \
      check_result(r, src, expected);                                             \
    }                                                                             \
    free_both(input, expected);                                                   \
  } while (0)

static void THTest_(matrices)(void)
{
  THCState *state = thc_state();
  THLongStorage *size = THLongStorage_newWithSize3(3, 2, 5);
  for (int layout = 0; layout < TH_ONE; layout++) {
    if (!th_layout_keeps_shape(layout))
      continue;
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(5, 6));
    for (int64_t k = -6; k < 8; k++) {
      SAME_OF(tril, k);
      SAME_OF(triu, k);
      SAME_OF(diag, (int)k);
    }
    SAME_OF(reshape, size);
    THCTensor *d = THCTest_(upload)(t);
    RefTensor *input = ref_of(t);
    CHECK_CLOSE(THCTensor_(trace)(state, d), Ref_(trace)(input), 1e-6);
    Ref_(free)(input);
    THCTensor_(free)(state, d);
    THTensor_(free)(t);

    t = THTest_(tensor)(layout, 3, TH_SHAPE(7));
    for (int k = -3; k < 4; k++)
      SAME_OF(diag, k);
    THTensor_(free)(t);
  }
  THLongStorage_free(size);
  /* Wide enough for several blocks, and more rows than a grid has. */
  int layout = TH_CONTIGUOUS;
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(3, 600));
  SAME_OF(triu, 300);
  THTensor_(free)(t);
  t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(66000, 2));
  SAME_OF(tril, -65990);
  THTensor_(free)(t);
  t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(1000, 700));
  RefTensor *input = ref_of(t);
  THCTensor *d = THCTest_(upload)(t);
  CHECK_CLOSE(THCTensor_(trace)(state, d), Ref_(trace)(input), 1e-5);
  THCTensor_(free)(state, d);
  Ref_(free)(input);
  THTensor_(free)(t);
}

static void THTest_(joining)(void)
{
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_ONE; layout++) {
    if (!th_layout_keeps_shape(layout))
      continue;
    for (int dim = 0; dim < 4; dim++) {
      int64_t sizes[3][3] = {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}};
      if (dim < 3)
        sizes[1][dim] = 5;
      THTensor *in[3];
      RefTensor *refs[4];
      THCTensor *devices[4];
      for (int i = 0; i < 3; i++) {
        in[i] = THTest_(tensor)((layout + i * dim) % TH_WITH_ONES, 5 + (uint64_t)i, 3, sizes[i]);
        refs[i] = ref_of(in[i]);
        devices[i] = THCTest_(upload)(in[i]);
      }
      refs[3] = Ref_(new)();
      devices[3] = THCTensor_(new)(state);
      for (int kind = 0; kind < 3; kind++) {
        th_note("joining %s along %d, kind %d", th_layout_names[layout], dim, kind);
        RefTensor *expected = Ref_(new)();
        THCTensor *r = kind == 0   ? THCTensor_(new)(state)
                       : kind == 1 ? THCTest_(tensor)(TH_TRANSPOSED, 9, TH_SHAPE(2, 3, 4))
                                   : devices[0];
        Ref_(catArray)(expected, refs, 4, dim);
        THCTensor_(catArray)(state, r, devices, 4, dim);
        check_same(r, expected, 0);
        if (kind < 2) {
          Ref_(cat)(expected, refs[1], refs[2], dim);
          THCTensor_(cat)(state, r, devices[1], devices[2], dim);
          check_same(r, expected, 0);
          THCTensor_(free)(state, r);
        }
        Ref_(free)(expected);
      }
      for (int i = 0; i < 4; i++) {
        if (i < 3)
          THTensor_(free)(in[i]);
        Ref_(free)(refs[i]);
        THCTensor_(free)(state, devices[i]);
      }
    }
  }
}

/* More tensors than a launch joins, some of them with gaps. */
static void THTest_(joiningMany)(void)
{
  enum { PARTS = 70 };
  THCState *state = thc_state();
  RefTensor *refs[PARTS], *expected = Ref_(new)();
  THCTensor *devices[PARTS], *r = THCTensor_(new)(state);
  for (int i = 0; i < PARTS; i++) {
    THTensor *t = THTest_(tensor)(i % 7 == 3 ? TH_NARROWED : TH_CONTIGUOUS, 3 + (uint64_t)i,
                                  TH_SHAPE(3, 1 + i % 5, 4));
    refs[i] = ref_of(t);
    devices[i] = THCTest_(upload)(t);
    THTensor_(free)(t);
  }
  for (int some = PARTS; some > 0; some -= 38) { /* 70 and 32 */
    THCTensor_(catArray)(state, r, devices, some, 1);
    Ref_(catArray)(expected, refs, some, 1);
    check_same(r, expected, 0);
  }
  for (int i = 0; i < PARTS; i++) {
    Ref_(free)(refs[i]);
    THCTensor_(free)(state, devices[i]);
  }
  Ref_(free)(expected);
  THCTensor_(free)(state, r);
}

static void THTest_(cross)(void)
{
  THCState *state = thc_state();
  for (int la = 0; la < TH_ONE; la++)
    for (int lb = 0; lb < TH_ONE; lb++) {
      if (!th_layout_keeps_shape(la) || !th_layout_keeps_shape(lb))
        continue;
      for (int dim = -1; dim < 3; dim += 2) {
        int64_t size[3] = {4, 3, 5};
        THTensor *a = THTest_(tensor)(la, 3, 3, size), *b = THTest_(tensor)(lb, 4, 3, size);
        RefTensor *ra = ref_of(a), *rb = ref_of(b), *expected = Ref_(new)();
        Ref_(cross)(expected, ra, rb, dim);
        for (int kind = 0; kind < 4; kind++) {
          th_note("cross of %s and %s along %d, kind %d", th_layout_names[la], th_layout_names[lb],
                  dim, kind);
          THCTensor *da = THCTest_(upload)(a), *db = THCTest_(upload)(b);
          THCTensor *r = kind == 0   ? THCTensor_(new)(state)
                         : kind == 1 ? THCTest_(tensor)(TH_TRANSPOSED, 9, 3, size)
                         : kind == 2 ? da
                                     : db;
          if (kind < 2 || th_layout_is_writable(kind == 2 ? la : lb)) {
            THCTensor_(cross)(state, r, da, db, dim);
            check_same(r, expected, 0);
          }
          if (kind < 2)
            THCTensor_(free)(state, r);
          THCTensor_(free)(state, da);
          THCTensor_(free)(state, db);
        }
        Ref_(free)(ra);
        Ref_(free)(rb);
        Ref_(free)(expected);
        THTensor_(free)(a);
        THTensor_(free)(b);
      }
    }
  /* A result that overlaps an input otherwise. */
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(3, 3));
  THCTensor *d = THCTest_(upload)(t), *turned = THCTensor_(newTranspose)(state, d, 0, 1);
  RefTensor *a = ref_of(t), *b = Ref_(newTranspose)(a, 0, 1), *expected = Ref_(new)();
  Ref_(cross)(expected, a, b, 0);
  THCTensor_(cross)(state, d, d, turned, 0);
  check_same(d, expected, 0);
  Ref_(free)(a);
  Ref_(free)(b);
  Ref_(free)(expected);
  THCTensor_(free)(state, d);
  THCTensor_(free)(state, turned);
  THTensor_(free)(t);
}

static void THTest_(equal)(void)
{
  THCState *state = thc_state();
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(4, 5, 60));
    THCTensor *d = THCTest_(upload)(t), *same = THCTensor_(newClone)(state, d);
    CHECK_EQ(THCTensor_(equal)(state, d, same), 1);
    CHECK_EQ(THCTensor_(equal)(state, d, d), 1);
    const ptrdiff_t n = THTest_(count)(t);
    const ptrdiff_t positions[] = {0, n / 2, n - 1};
    for (int k = 0; k < 3 && n > 0; k++) {
      const ptrdiff_t offset = same->storageOffset + positions[k];
      const real before = THCStorage_(get)(state, same->storage, offset);
      THCStorage_(set)(state, same->storage, offset, THTest_(value)(77, 3));
      CHECK_EQ(THCTensor_(equal)(state, d, same), 0);
      CHECK_EQ(THCTensor_(equal)(state, same, d), 0);
      THCStorage_(set)(state, same->storage, offset, before);
    }
    THCTensor_(free)(state, same);
    THCTensor_(free)(state, d);
    THTensor_(free)(t);
  }
  THCTensor *a = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(3, 4)),
            *b = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(4, 3));
  CHECK_EQ(THCTensor_(equal)(state, a, b), 0);
#ifdef IS_FLOATING
  THCStorage_(set)(state, a->storage, 2, REAL_OF(NAN));
  CHECK_EQ(THCTensor_(equal)(state, a, a), 0);
#endif
  THCTensor_(free)(state, a);
  THCTensor_(free)(state, b);
}

static void THTest_(constructErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *t = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(4, 5)),
            *cube = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 2, 2)),
            *wide = THCTest_(tensor)(TH_EXPANDED, 5, TH_SHAPE(4, 5));
  THLongStorage *size = THLongStorage_newWithSize2(3, 7);
  CHECK_RAISES(3, "has 21 elements", THCTensor_(reshape)(state, t, t, size));
  CHECK_RAISES(4, "step is 0", THCTensor_(range)(state, t, 0, 5, 0));
  CHECK_RAISES(4, "does not lead", THCTensor_(arange)(state, t, 0, 5, -1));
  CHECK_RAISES(1, "share memory", THCTensor_(range)(state, wide, 1, 20, 1));
  CHECK_RAISES(2, "n is 0", THCTensor_(eye)(state, t, 0, 3));
  CHECK_RAISES(2, "has to be a matrix", THCTensor_(triu)(state, t, cube, 0));
  CHECK_RAISES(2, "a vector or a matrix", THCTensor_(diag)(state, t, cube, 0));
  CHECK_RAISES(1, "is no matrix", THCTensor_(trace)(state, cube));
  CHECK_RAISES(0, "do not join", THCTensor_(cat)(state, t, t, cube, 0));
  CHECK_RAISES(4, "has size 3", THCTensor_(cross)(state, t, t, t, -1));
  CHECK_RAISES(3, "src2 has size", THCTensor_(cross)(state, t, t, cube, -1));
#ifdef IS_FLOATING
  CHECK_RAISES(4, "points do not reach", THCTensor_(linspace)(state, t, REAL_OF(1), REAL_OF(2), 1));
#endif
  CHECK_EQ(t->size[0], 4);
  if (thc_devices() > 1) {
    int can;
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
    THCState_setPeerToPeerAccess(state, 0, 1, 0);
    CHECK_CUDA(cudaSetDevice(1));
    THCTensor *there = THCTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(4, 5));
    CHECK_CUDA(cudaSetDevice(0));
    CHECK_RAISES(2, "is on device 1", THCTensor_(cat)(state, t, t, there, 0));
    CHECK_RAISES(1, "is on device 1", THCTensor_(eye)(state, there, 3, 3));
    CHECK_RAISES(2, "is on device 1", THCTensor_(tril)(state, t, there, 0));
    CHECK_RAISES(2, "is on device 1", THCTensor_(equal)(state, t, there));
    if (can)
      THCState_setPeerToPeerAccess(state, 0, 1, 1);
    THCTensor_(free)(state, there);
  }
  THLongStorage_free(size);
  THCTensor_(free)(state, t);
  THCTensor_(free)(state, cube);
  THCTensor_(free)(state, wide);
}

TH_TESTS(THTest_(rules), THTest_(matrices), THTest_(joining), THTest_(joiningMany), THTest_(cross),
         THTest_(equal), THTest_(constructErrors))
