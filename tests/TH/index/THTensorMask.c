/* Masks and nonzero, against loops over elements in row-major order: every layout against every
 * other, random shapes, numbers of threads. */
#include "THTemplate.h"

#include "index_tensors.h"
#include "th_golden.h"

static const int tenths[] = {0, 5, 10, 1};

/* --- every layout ---------------------------------------------------------------------------- */

static void THTest_(maskFillCase)(THTensor *t, THByteTensor *mask)
{
  real *expected = THTest_(values)(t), *before = THTest_(storageValues)(t);
  const real value = THTest_(value)(3, 1);
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    expected[i] = *mask_at(mask, i) ? value : expected[i];
  THTensor_(maskedFill)(t, mask, value);
  CHECK_VALUES(t, expected);
  CHECK_OUTSIDE(t, before);
  free(before);
  free(expected);
}

/* src has more elements than are needed. */
static void THTest_(maskCopyCase)(THTensor *t, THByteTensor *mask, THTensor *src)
{
  real *expected = THTest_(values)(t), *before = THTest_(storageValues)(t);
  real *x = THTest_(values)(src);
  ptrdiff_t taken = 0;
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    if (*mask_at(mask, i))
      expected[i] = x[taken++];
  THTensor_(maskedCopy)(t, mask, src);
  CHECK_VALUES(t, expected);
  CHECK_OUTSIDE(t, before);
  free(x);
  free(before);
  free(expected);
}

static void THTest_(maskSelectCase)(THTensor *r, THTensor *t, THByteTensor *mask)
{
  real *x = THTest_(values)(t);
  ptrdiff_t taken = 0;
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    if (*mask_at(mask, i))
      x[taken++] = x[i];
  THTensor_(maskedSelect)(r, t, mask);
  CHECK_EQ(r->nDimension, taken > 0);
  CHECK_EQ(THTest_(count)(r), taken);
  CHECK_VALUES(r, x);
  free(x);
}

static void THTest_(maskLayouts)(void)
{
  th_random random = {th_seed()};
  for (int lt = 0; lt < TH_LAYOUTS; lt++)
    for (int lm = 0; lm < TH_LAYOUTS; lm++)
      for (size_t k = 0; k < sizeof tenths / sizeof *tenths; k++) {
        if (!th_layouts_agree(lt, lm))
          continue;
        THTensor *t = THTest_(tensor)(lt, 1, TH_SHAPE(5, 4, 3));
        THByteTensor *mask = new_mask(lm, &random, tenths[k], TH_SHAPE(5, 4, 3));
        const int ls = lt >= TH_ONE ? lt : (int)th_random_below(&random, TH_ONE);
        THTensor *src = THTest_(tensor)(ls, 2, TH_SHAPE(10, 3, 2));
        th_note("tensor %s, mask %s, src %s, %d tenths", th_layout_names[lt], th_layout_names[lm],
                th_layout_names[ls], tenths[k]);
        THTensor *r = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(2, 2));
        THTest_(maskSelectCase)(r, t, mask);
        THTest_(maskSelectCase)(r, t, mask);
        if (th_layout_is_writable(lt)) {
          THTest_(maskFillCase)(t, mask);
          THTest_(maskCopyCase)(t, mask, src);
          THTest_(maskSelectCase)(t, t, mask); /* into its operand, last of all */
        }
        THTensor_(free)(r);
        THTensor_(free)(src);
        THByteTensor_free(mask);
        THTensor_(free)(t);
      }
}

/* The result has the right shape and gaps; the mask has another shape than the tensor. */
static void THTest_(maskShapes)(void)
{
  th_random random = {th_seed()};
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(6, 5));
  THByteTensor *mask = new_mask(TH_STRIDED, &random, 10, TH_SHAPE(3, 2, 5));
  for (int i = 0; i < 23; i++)
    *mask_at(mask, i) = 0;
  THTensor *r = THTest_(tensor)(TH_STRIDED, 2, TH_SHAPE(7));
  real *before = THTest_(storageValues)(r);
  THTest_(maskSelectCase)(r, t, mask);
  CHECK_EQ(r->stride[0], 2);
  CHECK_OUTSIDE(r, before);
  THTest_(maskFillCase)(t, mask);
  THTest_(maskCopyCase)(t, mask, r);
  free(before);
  THTensor_(free)(r);
  THByteTensor_free(mask);
  THTensor_(free)(t);
}

/* Large enough for several threads and many blocks, contiguous or not.  With two threads all of the
 * mask is one, so that thousands of ones in a row are counted. */
static void THTest_(maskLarge)(void)
{
  const int threads = THGetNumThreads();
  th_random random = {th_seed()};
  for (int n = 1; n <= 3; n++)
    for (int layout = 0; layout < TH_WITH_ONES; layout++)
      for (int lm = 0; lm < TH_WITH_ONES; lm += 2) {
        THSetNumThreads(n);
        THTensor *t = THTest_(tensor)(layout, 1, TH_SHAPE(60, 70, 31));
        THByteTensor *mask = new_mask(lm, &random, n == 2 ? 10 : 3 + lm, TH_SHAPE(60, 70, 31));
        THTensor *src = THTest_(tensor)(lm, 2, TH_SHAPE(70, 60, 31)), *r = THTensor_(new)();
        th_note("%d threads, tensor %s, mask %s", n, th_layout_names[layout], th_layout_names[lm]);
        THTest_(maskSelectCase)(r, t, mask);
        THTest_(maskFillCase)(t, mask);
        THTest_(maskCopyCase)(t, mask, src);
        THTensor_(free)(r);
        THTensor_(free)(src);
        THByteTensor_free(mask);
        THTensor_(free)(t);
      }
  THSetNumThreads(threads);
}

/* src is the tensor, or begins one element later. */
static void THTest_(maskOverlap)(void)
{
  for (int later = 0; later < 2; later++) {
    th_random random = {th_seed()};
    THTensor *all = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(50));
    THTensor *t = THTensor_(newNarrow)(all, 0, 0, 49),
             *src = THTensor_(newNarrow)(all, 0, later, 49);
    THByteTensor *mask = new_mask(TH_CONTIGUOUS, &random, 6, TH_SHAPE(49));
    real *expected = THTest_(values)(t), *x = THTest_(values)(src);
    for (ptrdiff_t i = 0, taken = 0; i < 49; i++)
      if (*mask_at(mask, i))
        expected[i] = x[taken++];
    THTensor_(maskedCopy)(t, mask, src);
    CHECK_VALUES(t, expected);
    CHECK_OUTSIDE(t, all->storage->data);
    free(x);
    free(expected);
    THByteTensor_free(mask);
    THTensor_(free)(src);
    THTensor_(free)(t);
    THTensor_(free)(all);
  }
}

#if defined(TH_REAL_IS_BYTE)
/* The mask is the tensor, or its transpose. */
static void THTest_(maskItself)(void)
{
  for (int across = 0; across < 2; across++)
    for (int op = 0; op < 3; op++) {
      th_random random = {th_seed()};
      THTensor *t = new_mask(TH_CONTIGUOUS, &random, 4, TH_SHAPE(9, 9));
      THTensor *mask = across ? THTensor_(newTranspose)(t, 0, 1) : THTensor_(newWithTensor)(t);
      THTensor *src = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(81));
      real *x = THTest_(values)(t), *m = THTest_(values)(mask), *y = THTest_(values)(src);
      ptrdiff_t taken = 0;
      for (ptrdiff_t i = 0; i < 81; i++) {
        if (op == 2 && m[i])
          x[taken++] = x[i];
        else if (m[i])
          x[i] = op == 0 ? 9 : y[taken++];
      }
      th_note("operation %d, across %d", op, across);
      if (op == 0)
        THTensor_(maskedFill)(t, mask, 9);
      else if (op == 1)
        THTensor_(maskedCopy)(t, mask, src);
      else
        THTensor_(maskedSelect)(t, t, mask);
      CHECK_EQ(THTest_(count)(t), op == 2 ? taken : 81);
      CHECK_VALUES(t, x);
      free(y);
      free(m);
      free(x);
      THTensor_(free)(src);
      THTensor_(free)(mask);
      THTensor_(free)(t);
    }
}
#endif

/* --- nonzero --------------------------------------------------------------------------------- */

static void THTest_(nonzeroCase)(THLongTensor *r, THTensor *t)
{
  real *x = THTest_(values)(t);
  const ptrdiff_t count = THTest_(count)(t);
  const int dims = t->nDimension;
  int64_t size[TH_TEST_DIMS];
  for (int d = 0; d < dims; d++)
    size[d] = t->size[d];
  THTensor_(nonzero)(r, t);
  ptrdiff_t row = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    if (x[i] == 0)
      continue;
    CHECK_MSG(r->nDimension == 2 && row < r->size[0] && r->size[1] == dims, "result of size %s",
              THLongTensor_sizeDesc(r).str);
    ptrdiff_t rest = i;
    for (int d = dims - 1; d >= 0; d--) {
      CHECK_EQ(*index_at(r, row * dims + d), rest % size[d]);
      rest /= size[d];
    }
    row++;
  }
  CHECK_EQ(r->nDimension ? r->size[0] : 0, row);
  CHECK_EQ(r->nDimension, row ? 2 : 0);
  free(x);
}

/* Every mask of eight elements that follow each other, from the first element on or a later one. */
static void THTest_(maskOfEights)(void)
{
  for (int first = 0; first < 9; first++) {
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(first + 8 * 256)),
             *r = THTensor_(new)();
    THByteTensor *mask = THByteTensor_newWithSize1d(first + 8 * 256);
    THByteTensor_fill(mask, 1);
    for (int i = 0; i < 8 * 256; i++)
      *mask_at(mask, first + i) = i / 8 >> i % 8 & 1;
    th_note("from element %d on", first);
    THTest_(maskSelectCase)(r, t, mask);
    for (int i = 0; i < first + 8 * 256; i++)
      if (!*mask_at(mask, i))
        t->storage->data[i] = 0;
    THLongTensor *subscript = THLongTensor_new();
    THTest_(nonzeroCase)(subscript, t);
    THLongTensor_free(subscript);
    THByteTensor_free(mask);
    THTensor_(free)(r);
    THTensor_(free)(t);
  }
}

static void THTest_(clear)(THTensor *t, th_random *random, int tenth)
{
  for (ptrdiff_t i = 0; t->storage && i < t->storage->size; i++)
    if (th_random_below(random, 10) >= tenth)
      t->storage->data[i] = i % 2 ? 0 : (real)-0.0;
}

static void THTest_(nonzero)(void)
{
  th_random random = {th_seed()};
  const int threads = THGetNumThreads();
  THLongTensor *r = THLongTensor_newWithSize1d(3);
  for (int layout = 0; layout < TH_LAYOUTS; layout++)
    for (int k = 0; k < 60; k++) {
      int64_t size[5];
      const int dims = 1 + (int)th_random_below(&random, 5);
      for (int d = 0; d < dims; d++)
        size[d] = 1 + th_random_below(&random, k == 59 ? 13 : 6);
      THTensor *t = THTest_(tensor)(layout, 1, dims, size);
      THTest_(clear)(t, &random, tenths[k % 4]);
      THSetNumThreads(1 + k % 3);
      th_note("layout %s, size %s, %d tenths", th_layout_names[layout], _THSizeDesc(size, dims).str,
              tenths[k % 4]);
      THTest_(nonzeroCase)(r, t);
      THTensor_(free)(t);
    }
  static const int64_t large[][3] = {{1, 200000, 1}, {2, 100000, 1}, {100000, 2, 1}, {70, 60, 50}};
  for (int k = 0; k < 4; k++)
    for (int layout = 0; layout < TH_WITH_ONES; layout++)
      for (int n = 1; n <= 3; n += 2) {
        THTensor *t = THTest_(tensor)(layout, 1, 3, large[k]);
        THTest_(clear)(t, &random, tenths[k]);
        THSetNumThreads(n);
        th_note("layout %s, size %s", th_layout_names[layout], _THSizeDesc(large[k], 3).str);
        THTest_(nonzeroCase)(r, t);
        THTensor_(free)(t);
      }
  for (int64_t n = 4091; n < 4100; n++) { /* a vector, whose subscripts lie side by side */
    THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 1, 1, &n);
    THTest_(clear)(t, &random, tenths[n % 4]);
    THTest_(nonzeroCase)(r, t);
    THTensor_(free)(t);
  }
  THSetNumThreads(threads);

  /* A result of the right shape that runs down its columns. */
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(4, 3));
  THLongTensor *wide = THLongTensor_newWithSize2d(5, 12);
  THLongTensor *across = THLongTensor_newTranspose(wide, 0, 1);
  THLongTensor *columns = THLongTensor_newNarrow(across, 1, 2, 2);
  THLongTensor_fill(wide, -5);
  THTest_(nonzeroCase)(columns, t);
  CHECK_EQ(columns->stride[0], 1);
  CHECK_EQ(THLongTensor_get2d(wide, 1, 0), -5);
  CHECK_EQ(THLongTensor_get2d(wide, 4, 11), -5);
  THLongTensor_free(columns);
  THLongTensor_free(across);
  THLongTensor_free(wide);
#if defined(TH_REAL_IS_LONG)
  THTest_(nonzeroCase)(t, t);
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  *THTest_(at)(t, 5) = (real)NAN;
  THTest_(nonzeroCase)(r, t);
#endif
  THTensor_(free)(t);
  THLongTensor_free(r);
}

/* --- errors ---------------------------------------------------------------------------------- */

static void THTest_(maskErrors)(void)
{
  th_random random = {th_seed()};
  THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(6, 5));
  THTensor *r = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2));
  THTensor *src = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(30));
  real *before = THTest_(storageValues)(t), *rBefore = THTest_(storageValues)(r);
  for (int layout = 0; layout < TH_EXPANDED; layout++)
    for (int at = 0; at < 30; at += 7) {
      THByteTensor *mask = new_mask(layout, &random, 5, TH_SHAPE(6, 5));
      *mask_at(mask, at) = at % 2 ? 2 : 255;
      char part[100];
      snprintf(part, sizeof part, "mask is %d at element %d:", at % 2 ? 2 : 255,
               at + TH_INDEX_BASE);
      th_note("%s, layout %s", part, th_layout_names[layout]);
      CHECK_RAISES(2, part, THTensor_(maskedFill)(t, mask, 7));
      CHECK_RAISES(2, part, THTensor_(maskedCopy)(t, mask, src));
      CHECK_RAISES(3, part, THTensor_(maskedSelect)(r, t, mask));
      THByteTensor_free(mask);
    }
  THByteTensor *mask = new_mask(TH_CONTIGUOUS, &random, 5, TH_SHAPE(6, 4));
  CHECK_RAISES(2, "24 elements ([6 x 4]), tensor has 30", THTensor_(maskedFill)(t, mask, 7));
  CHECK_RAISES(2, "24 elements", THTensor_(maskedCopy)(t, mask, src));
  CHECK_RAISES(3, "24 elements ([6 x 4]), src has 30", THTensor_(maskedSelect)(r, t, mask));
  THByteTensor_free(mask);

  mask = new_mask(TH_CONTIGUOUS, &random, 10, TH_SHAPE(6, 5));
  THTensor_(resize1d)(src, 29);
  CHECK_RAISES(3, "src has 29 elements ([29]), mask has 30", THTensor_(maskedCopy)(t, mask, src));
  THTensor *none = THTensor_(new)();
  CHECK_RAISES(3, "src has 0", THTensor_(maskedCopy)(t, mask, none));
  THTensor_(free)(none);

  assert_memory_equal(before, t->storage->data, 30 * sizeof(real));
  assert_memory_equal(rBefore, r->storage->data, 2 * sizeof(real));
  CHECK(r->nDimension == 1 && r->size[0] == 2 && r->storage->size == 2);
  free(rBefore);
  free(before);
  THByteTensor_free(mask);
  THTensor_(free)(src);
  THTensor_(free)(r);
  THTensor_(free)(t);
}

/* --- PyTorch --------------------------------------------------------------------------------- */

#define GOLDEN_(NAME) TH_CONCAT_2(th_golden_new, NAME)

static void THTest_(checkGolden)(const THGolden *want, const THTensor *got)
{
  CHECK_EQ(THTest_(count)(got), want->count);
  for (ptrdiff_t i = 0; i < want->count; i++)
    CHECK_EQ((double)*THTest_(at)(got, i), th_golden_number(want, i));
}

static void THTest_(maskOfPyTorch)(void)
{
  THGoldenFile *file = th_golden_open("indexing.txt");
  const char *type = TH_STRING_OF(Real);
  THTensor *t = GOLDEN_(Real)(th_golden(file, "%s/input", type));
  THTensor *src = GOLDEN_(Real)(th_golden(file, "%s/src/3", type)), *r = THTensor_(new)();
  THByteTensor *mask = th_golden_newByte(th_golden(file, "mask"));
  THLongTensor *subscript = THLongTensor_new();
  THTensor_(nonzero)(subscript, t);
  const THGolden *want = th_golden(file, "%s/nonzero", type);
  CHECK_EQ(THLongTensor_nElement(subscript), want->count);
  for (ptrdiff_t i = 0; i < want->count; i++)
    CHECK_EQ(*index_at(subscript, i), want->values[i].integer);
  THTensor_(maskedSelect)(r, t, mask);
  THTest_(checkGolden)(th_golden(file, "%s/maskedSelect", type), r);
  THTensor_(resizeAs)(r, t);
  THTensor_(copy)(r, t);
  THTensor_(maskedCopy)(r, mask, src);
  THTest_(checkGolden)(th_golden(file, "%s/maskedCopy", type), r);
  THTensor_(maskedFill)(t, mask, 7);
  THTest_(checkGolden)(th_golden(file, "%s/maskedFill", type), t);
  THLongTensor_free(subscript);
  THByteTensor_free(mask);
  THTensor_(free)(r);
  THTensor_(free)(src);
  THTensor_(free)(t);
  th_golden_close(file);
}

#if defined(TH_REAL_IS_BYTE)
TH_TESTS(THTest_(maskLayouts), THTest_(maskShapes), THTest_(maskLarge), THTest_(maskOverlap),
         THTest_(maskOfEights), THTest_(nonzero), THTest_(maskErrors), THTest_(maskOfPyTorch),
         THTest_(maskItself))
#else
TH_TESTS(THTest_(maskLayouts), THTest_(maskShapes), THTest_(maskLarge), THTest_(maskOverlap),
         THTest_(maskOfEights), THTest_(nonzero), THTest_(maskErrors), THTest_(maskOfPyTorch))
#endif
