/* TH_TENSOR_APPLY and its family: every element in row-major order, in every layout. */
#include "THTemplate.h"

#include "th_layouts.h"

enum { SEED = 11, ELEMENTS = 2 * 3 * 4 };

static THTensor *THTest_(make)(int layout)
{
  return THTest_(tensor)(layout, SEED, TH_SHAPE(2, 3, 4));
}

/* --- one tensor --------------------------------------------------------------------------- */

static void THTest_(apply)(void)
{
  static const int dims[TH_LAYOUTS] = {
      [TH_CONTIGUOUS] = 1, [TH_OFFSET] = 1,  [TH_TRANSPOSED] = 3,    [TH_PERMUTED] = 3,
      [TH_NARROWED] = 3,   [TH_STRIDED] = 1, [TH_WITH_ONES] = 1,     [TH_EXPANDED] = 2,
      [TH_WINDOWS] = 3,    [TH_ONE] = 1,     [TH_EXPANDED_LAST] = 2, [TH_EMPTY] = 1};
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(make)(layout);
    ptrdiff_t seen = 0;
    int collapsed = -1;
    TH_TENSOR_APPLY(real, t, {
      CHECK(t_data == THTest_(at)(t, seen));
      CHECK_EQ(t_n, THTest_(count)(t));
      CHECK(t_dimOffset == NULL);
      CHECK_EQ(t_size, t_sizes[t_dim - 1]);
      CHECK_EQ(t_stride, t_strides[t_dim - 1]);
      ptrdiff_t index = 0; /* as the collapsed dimensions and counters say it */
      for (int64_t d = 0; d < t_dim; d++)
        index = index * t_sizes[d] + (d < t_dim - 1 ? t_counter[d] : t_i);
      CHECK_EQ(index, seen);
      collapsed = (int)t_dim;
      seen++;
    });
    CHECK_EQ(seen, THTest_(count)(t));
    if (seen)
      CHECK_EQ(collapsed, dims[layout]);
    THTensor_(free)(t);
  }
}

/* A break leaves the run, and with hasFinished the loop; continue goes to the next element. */
static void THTest_(applyLeft)(void)
{
  THTensor *t = THTest_(make)(TH_NARROWED);
  int seen = 0, all = 0, runs = 0;
  TH_TENSOR_APPLY(real, t, {
    if (++seen == 7) {
      TH_TENSOR_APPLY_hasFinished = 1;
      break;
    }
  })
  CHECK_EQ(seen, 7);
  TH_TENSOR_APPLY(real, t, if (t_i != 0) break; CHECK(t_data == THTest_(at)(t, 4 * runs)); runs++;)
  CHECK_EQ(runs, 6);
  TH_TENSOR_APPLY(real, t, if (all++ % 2) continue; runs++;)
  CHECK_EQ(all, 24);
  CHECK_EQ(runs, 6 + 12);
  THTensor_(free)(t);
}

/* An error raised by the code leaves nothing behind that a later loop would trip over. */
static void THTest_(applyRaises)(void)
{
  THTensor *t = THTest_(make)(TH_TRANSPOSED);
  CHECK_RAISES(0, "element 5",
               TH_TENSOR_APPLY(real, t, if (t_data == THTest_(at)(t, 5)) THError("element 5");));
  ptrdiff_t seen = 0;
  TH_TENSOR_APPLY(real, t, seen++;)
  CHECK_EQ(seen, ELEMENTS);
  THTensor_(free)(t);
}

/* --- two and three ------------------------------------------------------------------------ */

static void THTest_(apply2)(void)
{
  for (int la = 0; la < TH_LAYOUTS; la++)
    for (int lb = 0; lb < TH_LAYOUTS; lb++) {
      th_note("%s, %s", th_layout_names[la], th_layout_names[lb]);
      THTensor *a = THTest_(make)(la), *b = THTest_(make)(lb);
      ptrdiff_t seen = 0;
      if (th_layouts_agree(la, lb)) {
        TH_TENSOR_APPLY2(real, a, real, b, CHECK(a_data == THTest_(at)(a, seen));
                         CHECK(b_data == THTest_(at)(b, seen)); seen++;)
        CHECK_EQ(seen, THTest_(count)(a));
      } else {
        CHECK_RAISES(0, "inconsistent sizes", TH_TENSOR_APPLY2(real, a, real, b, seen++;));
        CHECK_EQ(seen, 0);
      }
      THTensor_(free)(b);
      THTensor_(free)(a);
    }
}

/* Different shapes, and a break that skips what the runs have in common. */
static void THTest_(apply2Left)(void)
{
  THTensor *a = THTest_(tensor)(TH_NARROWED, 1, TH_SHAPE(2, 6));
  THTensor *b = THTest_(tensor)(TH_NARROWED, 2, TH_SHAPE(3, 4));
  const ptrdiff_t starts[] = {0, 4, 6, 8};
  int runs = 0;
  TH_TENSOR_APPLY2(real, a, real, b, CHECK(a_data == THTest_(at)(a, starts[runs]));
                   CHECK(b_data == THTest_(at)(b, starts[runs])); runs++; break;)
  CHECK_EQ(runs, 4);
  int seen = 0;
  TH_TENSOR_APPLY2(real, a, real, b, {
    if (++seen == 8) {
      TH_TENSOR_APPLY_hasFinished = 1;
      break;
    }
  })
  CHECK_EQ(seen, 8);
  THTensor_(free)(b);
  THTensor_(free)(a);
}

static void THTest_(apply3)(void)
{
  for (int la = 0; la < TH_LAYOUTS; la++)
    for (int lb = 0; lb < TH_LAYOUTS; lb++)
      for (int lc = 0; lc < TH_LAYOUTS; lc++) {
        th_note("%s, %s, %s", th_layout_names[la], th_layout_names[lb], th_layout_names[lc]);
        THTensor *a = THTest_(make)(la), *b = THTest_(make)(lb);
        THLongStorage *size = THLongStorage_newWithSize1(ELEMENTS); /* another type, another rank */
        THLongTensor *c =
            lc == TH_EMPTY ? THLongTensor_new() : THLongTensor_newWithSize(size, NULL);
        if (lc == TH_ONE)
          THLongTensor_resize1d(c, 1);
        ptrdiff_t seen = 0;
        if (th_layouts_agree(la, lb) && th_layouts_agree(la, lc)) {
          TH_TENSOR_APPLY3(real, a, int64_t, c, real, b, CHECK(a_data == THTest_(at)(a, seen));
                           CHECK(b_data == THTest_(at)(b, seen)); *c_data = seen; seen++;)
          CHECK_EQ(seen, THTest_(count)(a));
          for (ptrdiff_t i = 0; i < seen; i++)
            CHECK_EQ(c->storage->data[i], i);
        } else {
          CHECK_RAISES(0, "inconsistent sizes",
                       TH_TENSOR_APPLY3(real, a, int64_t, c, real, b, seen++;));
          CHECK_EQ(seen, 0);
        }
        THLongTensor_free(c);
        THLongStorage_free(size);
        THTensor_(free)(b);
        THTensor_(free)(a);
      }
}

/* --- with a dimension of its own ---------------------------------------------------------- */

static void THTest_(applyD)(void)
{
  static const int64_t steps[] = {12, 4, 1}, sizes[] = {2, 3, 4};
  for (int layout = 0; layout < TH_LAYOUTS; layout++)
    for (int d = -1; d < 3; d++) {
      if (!th_layout_keeps_shape(layout))
        continue;
      th_note("%s, dimension %d", th_layout_names[layout], d);
      THTensor *t = THTest_(make)(layout), *u = THTest_(make)(TH_PERMUTED);
      THTensor *v = THTest_(make)(TH_CONTIGUOUS);
      ptrdiff_t seen = 0;
#define INDEX (seen / steps[d < 0 ? 0 : d] % sizes[d < 0 ? 0 : d])
      TH_TENSOR_APPLY_D(real, t, d, CHECK(t_data == THTest_(at)(t, seen));
                        CHECK_EQ(d < 0 ? INDEX : *t_dimOffset, INDEX); seen++;)
      CHECK_EQ(seen, ELEMENTS);
      seen = 0;
      TH_TENSOR_APPLY2_D(real, t, real, u, d, CHECK(t_data == THTest_(at)(t, seen));
                         CHECK(u_data == THTest_(at)(u, seen));
                         CHECK_EQ(d < 0 ? INDEX : *t_dimOffset, INDEX);
                         CHECK_EQ(d < 0 ? INDEX : *u_dimOffset, INDEX); seen++;)
      CHECK_EQ(seen, ELEMENTS);
      seen = 0;
      TH_TENSOR_APPLY3_D(real, t, real, u, real, v, d, CHECK(t_data == THTest_(at)(t, seen));
                         CHECK(v_data == THTest_(at)(v, seen));
                         CHECK_EQ(d < 0 ? INDEX : *t_dimOffset, INDEX);
                         CHECK_EQ(d < 0 ? INDEX : *v_dimOffset, INDEX); seen++;)
      CHECK_EQ(seen, ELEMENTS);
#undef INDEX
      THTensor_(free)(v);
      THTensor_(free)(u);
      THTensor_(free)(t);
    }
}

/* The kept dimension may be of size 1; one that a tensor does not have has index 0. */
static void THTest_(applyDOnes)(void)
{
  THTensor *t = THTest_(make)(TH_WITH_ONES); /* 1 x 2 x 1 x 3 x 1 x 4 x 1 */
  static const int64_t inner[] = {24, 12, 12, 4, 4, 1, 1};
  for (int d = 0; d < 8; d++) {
    ptrdiff_t seen = 0;
    th_note("dimension %d", d);
    TH_TENSOR_APPLY_D(real, t, d, CHECK(t_data == THTest_(at)(t, seen));
                      CHECK_EQ(*t_dimOffset, d % 2 && d < 7 ? seen / inner[d] % t->size[d] : 0);
                      seen++;)
    CHECK_EQ(seen, ELEMENTS);
  }
  THTensor_(free)(t);
}

/* --- many dimensions ---------------------------------------------------------------------- */

/* 200 dimensions of size 1 and, among them, 62 of size 2 that never merge: more elements than could
 * be walked, all of them on two. */
static void THTest_(applyRank)(void)
{
  enum { RANK = 262 };
  int64_t size[RANK], stride[RANK];
  for (int d = 0; d < RANK; d++) {
    size[d] = d % 4 == 3 && d / 4 < 62 ? 2 : 1;
    stride[d] = d % 8 == 3;
  }
  THTensor *two = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(2));
  THTensor view = *two, *t = &view;
  view.nDimension = RANK;
  view.size = size;
  view.stride = stride;

  for (int d = -1; d < RANK; d += RANK) { /* none, and the last one, of size 1 */
    int seen = 0;
    TH_TENSOR_APPLY_D(real, t, d, {
      CHECK_EQ(t_dim, d < 0 ? 62 : 63);
      CHECK_EQ(t_n, (int64_t)1 << 62);
      CHECK(t_data ==
            two->storage->data + (seen >> 1 & 1)); /* the last but one of the 62 moves it */
      if (++seen == 4) {
        TH_TENSOR_APPLY_hasFinished = 1;
        break;
      }
    })
    CHECK_EQ(seen, 4);
  }
  THTensor_(free)(two);
}

/* --- a loop of the program's own, from the two halves -------------------------------------- */

static void THTest_(applyHalves)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *a = THTest_(make)(layout), *b = THTest_(make)(layout);
    ptrdiff_t seen = 0;
    {
      int TH_TENSOR_APPLY_hasFinished = 0;
      __TH_TENSOR_APPLYX_PREAMBLE(real, a, -1, 1)
      __TH_TENSOR_APPLYX_PREAMBLE(real, b, -1, 0)
      while (!TH_TENSOR_APPLY_hasFinished) {
        for (; a_i < a_size && b_i < b_size; a_i++, b_i++, a_data += a_stride, b_data += b_stride) {
          CHECK(a_data == THTest_(at)(a, seen));
          CHECK(b_data == THTest_(at)(b, seen));
          seen++;
        }
        __TH_TENSOR_APPLYX_UPDATE_COUNTERS(a, 0)
        __TH_TENSOR_APPLYX_UPDATE_COUNTERS(b, 0)
      }
    }
    CHECK_EQ(seen, THTest_(count)(a));
    THTensor_(free)(b);
    THTensor_(free)(a);
  }
}

/* --- threads ------------------------------------------------------------------------------ */

/* What each element is worth in a checksum of where the loops have been. */
static uint64_t THTest_(mark)(const THTensor *t, const real *at)
{
  th_random random = {(uint64_t)(at - t->storage->data)};
  return th_random_next(&random);
}

static void THTest_(omp)(void)
{
  static const int64_t sizes[][3] = {{2, 3, 4}, {23, 31, 37}}; /* below and above the threshold */
  for (int big = 0; big < 2; big++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++) {
      th_note("%s, %s", th_layout_names[layout], big ? "big" : "small");
      THTensor *a = THTest_(tensor)(layout, SEED, 3, sizes[big]);
      THTensor *b =
          THTest_(tensor)(layout == TH_TRANSPOSED ? TH_NARROWED : layout, SEED, 3, sizes[big]);
      const ptrdiff_t count = THTest_(count)(a);
      THTensor *c = THTest_(tensor)(layout < TH_ONE ? TH_PERMUTED : layout, SEED, 3, sizes[big]);
      uint64_t one = 0, two = 0, three = 0;
      for (ptrdiff_t i = 0; i < count; i++) {
        const uint64_t ofA = THTest_(mark)(a, THTest_(at)(a, i));
        const uint64_t ofB = THTest_(mark)(b, THTest_(at)(b, i));
        one += ofA;
        two += ofA * ofB;
        three += ofA * ofB * THTest_(mark)(c, THTest_(at)(c, i));
      }

      uint64_t sum = 0;
      TH_TENSOR_APPLY_REDUCTION_OMP(real, a, + : sum, sum += THTest_(mark)(a, a_data);)
      CHECK_EQ(sum, one);
      sum = 0;
      TH_TENSOR_APPLY2_OMP(count, THTensor_(isContiguous)(a), THTensor_(isContiguous)(b), real, a,
                           real, b,
                           const uint64_t product =
                               THTest_(mark)(a, a_data) * THTest_(mark)(b, b_data);
                           __atomic_add_fetch(&sum, product, __ATOMIC_RELAXED);)
      CHECK_EQ(sum, two);
      sum = 0;
      TH_TENSOR_APPLY3_OMP(count, 0, 0, 0, real, a, real, b, real, c,
                           const uint64_t product =
                               THTest_(mark)(a, a_data) * THTest_(mark)(b, b_data);
                           __atomic_add_fetch(&sum, product * THTest_(mark)(c, c_data),
                                              __ATOMIC_RELAXED);)
      CHECK_EQ(sum, three);

      CHECK_RAISES(0, "inconsistent sizes",
                   TH_TENSOR_APPLY2_OMP(count + 1, 0, 0, real, a, real, b, sum++;));
      CHECK_RAISES(0, "inconsistent sizes",
                   TH_TENSOR_APPLY3_OMP(count + 1, 0, 0, 0, real, a, real, b, real, c, sum++;));
      CHECK_EQ(sum, three);
      THTensor_(free)(c);
      THTensor_(free)(b);
      THTensor_(free)(a);
    }
}

/* --- chunks ------------------------------------------------------------------------------- */

static void THTest_(contig)(void)
{
  static const int64_t sizes[][2] = {{3, 5}, {401, 307}}; /* below and above the threshold */
  for (int big = 0; big < 2; big++) {
    THTensor *a = THTest_(tensor)(TH_OFFSET, 1, 2, sizes[big]);
    THTensor *b = THTest_(tensor)(TH_WITH_ONES, 2, 2, sizes[big]);
    THTensor *c = THTest_(tensor)(TH_CONTIGUOUS, 3, 2, sizes[big]);
    THTensor *gaps = THTest_(tensor)(TH_STRIDED, 3, 2, sizes[big]);
    real *ofB = THTest_(values)(b), *ofC = THTest_(values)(c);
    real *around = THTest_(storageValues)(a);

    const ptrdiff_t count = THTest_(count)(a);
    ptrdiff_t seen = 0;
    TH_TENSOR_APPLY_CONTIG(real, a, memset(a_data, 0, (size_t)a_len * sizeof(real));
                           __atomic_add_fetch(&seen, a_len, __ATOMIC_RELAXED);)
    CHECK_EQ(seen, count);
    TH_TENSOR_APPLY2_CONTIG(real, a, real, b, {
      for (ptrdiff_t i = 0; i < b_len; i++)
        a_data[i] = b_data[i];
    })
    CHECK_VALUES(a, ofB);
    TH_TENSOR_APPLY3_CONTIG(real, a, real, b, real, c, {
      for (ptrdiff_t i = 0; i < a_len; i++) {
        a_data[i] = c_data[i];
        c_data[i] = b_data[i];
      }
    })
    CHECK_VALUES(a, ofC);
    CHECK_VALUES(c, ofB);
    CHECK_OUTSIDE(a, around);

    CHECK_RAISES(0, "not contiguous", TH_TENSOR_APPLY_CONTIG(real, gaps, gaps_data[0] = *ofB;));
    CHECK_RAISES(0, "gaps [", TH_TENSOR_APPLY2_CONTIG(real, a, real, gaps, *a_data = *gaps_data;));
    THTensor *one = THTest_(tensor)(TH_ONE, 3, 2, sizes[big]);
    CHECK_RAISES(0, "inconsistent",
                 TH_TENSOR_APPLY2_CONTIG(real, a, real, one, *a_data = *one_data;));
    CHECK_VALUES(a, ofC);

    THTensor_(free)(one);
    free(around);
    free(ofC);
    free(ofB);
    THTensor_(free)(gaps);
    THTensor_(free)(c);
    THTensor_(free)(b);
    THTensor_(free)(a);
  }
  THTensor *nothing = THTensor_(new)();
  TH_TENSOR_APPLY_CONTIG(real, nothing, CHECK(!nothing_data);)
  THTensor_(free)(nothing);
}

/* --- slices ------------------------------------------------------------------------------- */

/* Where slice number index of t along dimension begins. */
static real *THTest_(slice)(const THTensor *t, int dimension, ptrdiff_t index)
{
  real *at = t->storage->data + t->storageOffset;
  for (int d = t->nDimension - 1; d >= 0; d--)
    if (d != dimension) {
      at += index % t->size[d] * t->stride[d];
      index /= t->size[d];
    }
  return at;
}

/* A SIZE_CHECK of a program's own, as for a scatter: no size of b may be less than that of a. */
#define FIRST_FITS(A, B, C, DIMENSION)                                     \
  {                                                                        \
    for (TH_TENSOR_DIM_APPLY_i = 0; TH_TENSOR_DIM_APPLY_i < A->nDimension; \
         TH_TENSOR_DIM_APPLY_i++)                                          \
      if (TH_TENSOR_DIM_APPLY_i != DIMENSION &&                            \
          A->size[TH_TENSOR_DIM_APPLY_i] > B->size[TH_TENSOR_DIM_APPLY_i]) \
        THError("does not fit");                                           \
  }

#ifdef TH_COMPAT_TORCH7
#define TEST_APPLY3(T1, A, T2, B, T3, C, DIMENSION, CHECK, CODE) \
  TH_TENSOR_DIM_APPLY3(T1, A, T2, B, T3, C, DIMENSION, CODE)
#else
#define TEST_APPLY3 TH_TENSOR_DIM_APPLY3
#endif

/* The slices of one, two and three tensors, of which there are count. */
static void THTest_(checkSlices)(THTensor *a, THTensor *b, THTensor *c, int dim, int64_t longer)
{
  const ptrdiff_t count = ELEMENTS / a->size[dim];
  ptrdiff_t seen = 0;
  TH_TENSOR_DIM_APPLY(real, a, dim, CHECK_EQ(a_size, a->size[dim]);
                      CHECK_EQ(a_stride, a->stride[dim]);
                      CHECK(a_data == THTest_(slice)(a, dim, seen)); seen++;)
  CHECK_EQ(seen, count);
  seen = 0;
  TH_TENSOR_DIM_APPLY2(real, a, real, b, dim, CHECK_EQ(b_size, longer);
                       CHECK(a_data == THTest_(slice)(a, dim, seen));
                       CHECK(b_data == THTest_(slice)(b, dim, seen)); seen++; continue;)
  CHECK_EQ(seen, count);
  seen = 0;
  TEST_APPLY3(real, a, real, b, real, c, dim, TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM,
              CHECK(a_data == THTest_(slice)(a, dim, seen));
              CHECK(b_data == THTest_(slice)(b, dim, seen));
              CHECK(c_data == THTest_(slice)(c, dim, seen)); seen++;)
  CHECK_EQ(seen, count);
  seen = 0;
  TH_TENSOR_DIM_APPLY(real, a, dim, seen++; break;)
  TH_TENSOR_DIM_APPLY(real, a, dim, seen++; TH_TENSOR_DIM_APPLY_hasFinished = 1;)
  CHECK_EQ(seen, 2);
}

/* Along another dimension b has other sizes than a and c. */
static void THTest_(checkUnfit)(THTensor *a, THTensor *b, THTensor *c, int other)
{
  ptrdiff_t seen = 0;
  CHECK_RAISES(0, "differ not only in", TH_TENSOR_DIM_APPLY2(real, a, real, b, other, seen++;));
  CHECK_RAISES(0, "differ not only in",
               TEST_APPLY3(real, a, real, c, real, b, other,
                           TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, seen++;));
  CHECK_RAISES(0, "invalid dimension", TH_TENSOR_DIM_APPLY(real, a, -1, seen++;));
  CHECK_RAISES(0, "invalid dimension", TH_TENSOR_DIM_APPLY(real, a, 3, seen++;));
#ifndef TH_COMPAT_TORCH7
  ptrdiff_t fitting = 0;
  TH_TENSOR_DIM_APPLY3(real, a, real, b, real, c, other, FIRST_FITS, {
    /* b has more slices than a: a's sizes count. */
    ptrdiff_t at = fitting, inB = 0, step = 1;
    for (int d = 2; d >= 0; d--)
      if (d != other) {
        inB += at % a->size[d] * step;
        at /= a->size[d];
        step *= b->size[d];
      }
    CHECK(a_data == THTest_(slice)(a, other, fitting));
    CHECK(b_data == THTest_(slice)(b, other, inB));
    fitting++;
  })
  CHECK_EQ(fitting, ELEMENTS / a->size[other]);
  CHECK_RAISES(0, "does not fit",
               TH_TENSOR_DIM_APPLY3(real, b, real, a, real, c, other, FIRST_FITS, seen++;));
#endif
  CHECK_EQ(seen, 0);
}

static void THTest_(dimApply)(void)
{
  for (int la = 0; la < TH_LAYOUTS; la++)
    for (int dim = 0; dim < 3; dim++) {
      if (!th_layout_keeps_shape(la))
        continue;
      th_note("%s, dimension %d", th_layout_names[la], dim);
      int64_t longer[] = {2, 3, 4};
      longer[dim] += 3;
      THTensor *a = THTest_(make)(la), *b = THTest_(tensor)(TH_PERMUTED, 4, 3, longer);
      THTensor *c = THTest_(make)(TH_NARROWED);
      THTest_(checkSlices)(a, b, c, dim, longer[dim]);
      THTest_(checkUnfit)(a, b, c, (dim + 1) % 3);
      THTensor_(free)(c);
      THTensor_(free)(b);
      THTensor_(free)(a);
    }
}

/* One dimension is one slice; none is an error; ranks must agree. */
static void THTest_(dimApplyRanks)(void)
{
  THTensor *line = THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(5)), *empty = THTensor_(new)();
  THTensor *ones = THTest_(make)(TH_WITH_ONES), *same = line;
  int seen = 0;
  TH_TENSOR_DIM_APPLY(real, line, 0, CHECK_EQ(line_size, 5); CHECK_EQ(line_stride, 2); seen++;)
  CHECK_EQ(seen, 1);
  TH_TENSOR_DIM_APPLY(real, ones, 3, CHECK(ones_data == THTest_(slice)(ones, 3, seen - 1)); seen++;)
  CHECK_EQ(seen, 9);
  CHECK_RAISES(0, "invalid dimension", TH_TENSOR_DIM_APPLY(real, empty, 0, seen++;));
  CHECK_RAISES(0, "differ not only", TH_TENSOR_DIM_APPLY2(real, line, real, ones, 0, seen++;));
  CHECK_RAISES(0, "differ in dimensions",
               TEST_APPLY3(real, line, real, same, real, ones, 0,
                           TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, seen++;));
  CHECK_EQ(seen, 9);
  THTensor_(free)(ones);
  THTensor_(free)(empty);
  THTensor_(free)(line);
}

/* --- single elements ---------------------------------------------------------------------- */

static void THTest_(fast)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    if (!th_layout_keeps_shape(layout) || !th_layout_is_writable(layout))
      continue;
    th_note("%s", th_layout_names[layout]);
    THTensor *t1 = THTest_(tensor)(layout, 1, TH_SHAPE(7));
    THTensor *t2 = THTest_(tensor)(layout, 2, TH_SHAPE(4, 3));
    THTensor *t3 = THTest_(tensor)(layout, 3, TH_SHAPE(4, 3, 2));
    THTensor *t4 = THTest_(tensor)(layout, 4, TH_SHAPE(4, 3, 2, 3));
    THTensor *t5 = THTest_(tensor)(layout, 5, TH_SHAPE(4, 3, 2, 3, 2));
    THTensor_fastSet1d(t1, 4, THTensor_fastGet1d(t1, 6));
    THTensor_fastSet2d(t2, 3, 1, THTensor_fastGet2d(t2, 0, 2));
    THTensor_fastSet3d(t3, 3, 1, 0, THTensor_fastGet3d(t3, 0, 2, 1));
    THTensor_fastSet4d(t4, 3, 1, 0, 2, THTensor_fastGet4d(t4, 0, 2, 1, 1));
    THTensor_fastSet5d(t5, 3, 1, 0, 2, 1, THTensor_fastGet5d(t5, 0, 2, 1, 1, 0));
    CHECK_EQ(*THTest_(at)(t1, 4), *THTest_(at)(t1, 6));
    CHECK_EQ(*THTest_(at)(t2, 10), *THTest_(at)(t2, 2));
    CHECK_EQ(*THTest_(at)(t3, 20), *THTest_(at)(t3, 5));
    CHECK_EQ(*THTest_(at)(t4, 62), *THTest_(at)(t4, 16));
    CHECK_EQ(*THTest_(at)(t5, 125), *THTest_(at)(t5, 32));
    CHECK(&THTensor_fastGet5d(t5, 3, 2, 1, 2, 1) == THTest_(at)(t5, 143));
    THTensor_(free)(t5);
    THTensor_(free)(t4);
    THTensor_(free)(t3);
    THTensor_(free)(t2);
    THTensor_(free)(t1);
  }
}

TH_TESTS(THTest_(apply), THTest_(applyLeft), THTest_(applyRaises), THTest_(apply2),
         THTest_(apply2Left), THTest_(apply3), THTest_(applyD), THTest_(applyDOnes),
         THTest_(applyRank), THTest_(applyHalves), THTest_(omp), THTest_(contig), THTest_(dimApply),
         THTest_(dimApplyRanks), THTest_(fast))
