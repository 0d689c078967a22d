/* Drawing indices: PyTorch's values, the alias method by derivation, errors. */
#include "THTemplate.h"

#include "th_golden.h"
#include "th_layouts.h"

enum { SEED = 8765 }; /* of tests/oracle/random_streams.py */

static THGenerator *seeded(void)
{
  THGenerator *generator = THGenerator_new();
  THRandom_manualSeed(generator, SEED);
  return generator;
}

/* The probabilities of the oracle: row 1, or all three rows, in that layout. */
static THTensor *weights(int layout, int matrix)
{
  THTensor *p = matrix ? THTest_(tensor)(layout, 3, TH_SHAPE(3, 20))
                       : THTest_(tensor)(layout, 3, TH_SHAPE(20));
  for (int i = 0; i < (matrix ? 60 : 20); i++)
    *THTest_(at)(p, i) = (real)((matrix ? i : i + 20) * 37 % 11) / 16;
  return p;
}

/* --- multinomial ---------------------------------------------------------------------------- */

static void THTest_(multinomial)(void)
{
  static const struct {
    const char *name;
    int n_sample, with_replacement;
  } kinds[] = {{"with/50", 50, 1}, {"without/15", 15, 0}, {"without/1", 1, 0}};
  THGoldenFile *file = th_golden_open("random_streams.txt");
  for (int layout = 0; layout < TH_ONE; layout++)
    for (int matrix = 0; matrix < 2; matrix++)
      for (int k = 0; k < 3; k++)
        for (int own = 0; own < 2; own++) { /* self has the shape already, and gaps */
          if (!th_layout_is_writable(layout) || !th_layout_keeps_shape(layout))
            continue;
          th_note("%s, %s, %s", kinds[k].name, matrix ? "matrix" : "vector",
                  th_layout_names[layout]);
          const int n_sample = kinds[k].n_sample;
          const THGolden *want = th_golden(file, "%s/multinomial/%s/%s", TH_STRING_OF(Real),
                                           matrix ? "matrix" : "vector", kinds[k].name);
          THTensor *p = weights(layout, matrix);
          real *before = THTest_(storageValues)(p);
          THLongTensor *wide = THLongTensor_newWithSize3d(3, n_sample, 2);
          memset(wide->storage->data, 0, (size_t)wide->storage->size * sizeof(int64_t));
          THLongTensor *self = THLongTensor_new();
          if (own) {
            THLongTensor_select(self, wide, 2, 1);
            if (!matrix)
              THLongTensor_select(self, NULL, 0, 1);
          }
          THGenerator *generator = seeded();
          THTensor_(multinomial)(self, generator, p, n_sample, kinds[k].with_replacement);
          CHECK_EQ(self->nDimension, matrix ? 2 : 1);
          CHECK_EQ(self->size[self->nDimension - 1], n_sample);
          CHECK_EQ(THLongTensor_nElement(self), want->count);
          CHECK(self->storage == wide->storage || !own);
          for (ptrdiff_t i = 0; i < want->count; i++) {
            const int64_t got = matrix ? THLongTensor_get2d(self, i / n_sample, i % n_sample)
                                       : THLongTensor_get1d(self, i);
            CHECK_EQ(got, want->values[i].integer);
          }
          for (ptrdiff_t i = 0; i < wide->storage->size; i += 2)
            CHECK_EQ(wide->storage->data[i], 0);
          CHECK(!memcmp(before, p->storage->data, (size_t)p->storage->size * sizeof(real)));
          free(before);
          THGenerator_free(generator);
          THLongTensor_free(self);
          THLongTensor_free(wide);
          THTensor_(free)(p);
        }
  th_golden_close(file);
}

/* All of a distribution without replacement is a permutation of the possible indices. */
static void THTest_(multinomialAll)(void)
{
  enum { K = 2500, ROWS = 2 };
  THTensor *p = THTensor_(newWithSize2d)(ROWS, K);
  for (int i = 0; i < ROWS * K; i++)
    p->storage->data[i] = (real)(i % 3);
  THLongTensor *self = THLongTensor_new();
  THGenerator *generator = seeded();
  const int possible[ROWS] = {1666, 1667};
  THTensor_(multinomial)(self, generator, p, possible[0], 0);
  for (int row = 0; row < ROWS; row++) {
    char seen[K] = {0};
    for (int s = 0; s < possible[0]; s++) {
      const int64_t at = THLongTensor_get2d(self, row, s);
      CHECK(at >= 0 && at < K);
      CHECK(THTensor_(get2d)(p, row, at) > 0);
      CHECK_EQ(seen[at]++, 0);
    }
  }
  CHECK_RAISES(3, "1666 probabilities > 0, too few for 1667",
               THTensor_(multinomial)(self, generator, p, possible[1], 0));
  THGenerator_free(generator);
  THLongTensor_free(self);
  THTensor_(free)(p);
}

/* How often each index comes, within five standard errors of its probability. */
static void check_frequencies(const THLongTensor *drawn, const double *p, int count)
{
  const ptrdiff_t n = THLongTensor_nElement(drawn);
  for (int k = 0; k < count; k++) {
    ptrdiff_t times = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      times += drawn->storage->data[i] == k;
    th_note("index %d", k);
    CHECK_NEAR((double)times / (double)n, p[k], 5 * sqrt(p[k] * (1 - p[k]) / (double)n));
  }
}

static void THTest_(multinomialFrequencies)(void)
{
  static const double weight[5] = {0, 1, 0, 6, 3};
  static const double with[5] = {0, 0.1, 0, 0.6, 0.3};
  THTensor *p = THTensor_(newWithSize1d)(5);
  for (int i = 0; i < 5; i++)
    THTensor_(set1d)(p, i, (real)weight[i]);
  THLongTensor *self = THLongTensor_new();
  THGenerator *generator = seeded();
  THTensor_(multinomial)(self, generator, p, 40000, 1);
  check_frequencies(self, with, 5);

  /* The second of two without replacement: P(b) = sum over a of P(a) P(b) / (1 - P(a)). */
  double second[5] = {0};
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < 5; b++)
      if (a != b)
        second[b] += with[a] * with[b] / (1 - with[a]);
  THTensor *rows = THTensor_(newWithSize2d)(20000, 5);
  for (int i = 0; i < 20000 * 5; i++)
    rows->storage->data[i] = (real)weight[i % 5];
  THTensor_(multinomial)(self, generator, rows, 2, 0);
  THLongTensor *column = THLongTensor_new(), *flat;
  THLongTensor_select(column, self, 1, 0);
  check_frequencies(flat = THLongTensor_newClone(column), with, 5);
  THLongTensor_free(flat);
  THLongTensor_select(column, self, 1, 1);
  check_frequencies(flat = THLongTensor_newClone(column), second, 5);
  THLongTensor_free(flat);
  THLongTensor_free(column);
  THTensor_(free)(rows);
  THGenerator_free(generator);
  THLongTensor_free(self);
  THTensor_(free)(p);
}

static void THTest_(multinomialErrors)(void)
{
  THTensor *p = weights(TH_CONTIGUOUS, 1), *cube = THTensor_(newWithSize3d)(2, 2, 2);
  THTensor *empty = THTensor_(new)();
  THLongTensor *self = THLongTensor_newWithSize1d(3);
  for (int i = 0; i < 3; i++)
    THLongTensor_set1d(self, i, 70 + i);
  THGenerator *generator = seeded();
  const THGenerator start = *generator;
  const double bad[] = {-0.125, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    const real kept = THTensor_(get2d)(p, 2, 5);
    THTensor_(set2d)(p, 2, 5, (real)bad[i]);
    CHECK_RAISES(3, TH_INDEX_BASE ? "at 6 of row 3" : "at 5 of row 2",
                 THTensor_(multinomial)(self, generator, p, 2, 1));
    CHECK_RAISES(3, "not >= 0 and finite", THTensor_(multinomial)(self, generator, p, 2, 0));
    THTensor_(set2d)(p, 2, 5, kept);
  }
  for (int i = 0; i < 20; i++)
    THTensor_(set2d)(p, 1, i, 0);
  CHECK_RAISES(3, "sum to 0", THTensor_(multinomial)(self, generator, p, 2, 1));
  CHECK_RAISES(3, "sum to 0", THTensor_(multinomial)(self, generator, p, 1, 0));
  CHECK_RAISES(4, "n_sample is 0", THTensor_(multinomial)(self, generator, p, 0, 1));
  CHECK_RAISES(4, "n_sample is -1", THTensor_(multinomial)(self, generator, p, -1, 0));
  CHECK_RAISES(4, "n_sample is 21, more than the 20",
               THTensor_(multinomial)(self, generator, p, 21, 0));
  CHECK_RAISES(3, "no vector and no matrix", THTensor_(multinomial)(self, generator, cube, 1, 1));
  CHECK_RAISES(3, "no vector and no matrix", THTensor_(multinomial)(self, generator, empty, 1, 1));

  THTensor *row = THTensor_(newSelect)(p, 0, 0);
  THGenerator unseeded = {0};
  CHECK_RAISES(2, "not valid", THTensor_(multinomial)(self, &unseeded, row, 2, 1));

  CHECK(!memcmp(&start, generator, sizeof start));
  CHECK_EQ(self->size[0], 3);
  for (int i = 0; i < 3; i++)
    CHECK_EQ(THLongTensor_get1d(self, i), 70 + i);
  THTensor_(free)(row);
  THGenerator_free(generator);
  THLongTensor_free(self);
  THTensor_(free)(empty);
  THTensor_(free)(cube);
  THTensor_(free)(p);
}

/* --- the alias method ----------------------------------------------------------------------- */

/* The columns give each index its probability back: its own part and what others give away. */
static void THTest_(aliasSetup)(void)
{
  for (int layout = 0; layout < TH_WINDOWS; layout++)
    for (int own = 0; own < 3; own++) { /* 1: outputs have gaps; 2: q is prob_dist */
      THTensor *p = weights(layout, 0);
      double share[20] = {0}, sum = 0;
      real given[20];
      for (int i = 0; i < 20; i++)
        sum += given[i] = *THTest_(at)(p, i);
      if (!th_layout_keeps_shape(layout) ||
          (own == 2 && (layout == TH_EXPANDED || layout == TH_EXPANDED_LAST))) {
        THTensor_(free)(p);
        continue;
      }
      th_note("%s, %d", th_layout_names[layout], own);
      THLongTensor *J = THLongTensor_new(), *wideJ = THLongTensor_newWithSize2d(20, 2);
      THTensor *q = THTensor_(new)(), *wideQ = THTensor_(newWithSize2d)(20, 2);
      if (own == 1) {
        THLongTensor_select(J, wideJ, 1, 0);
        THTensor_(select)(q, wideQ, 1, 0);
      } else if (own == 2) {
        THTensor_(set)(q, p);
      }
      for (int i = 0; i < 40; i++) {
        wideQ->storage->data[i] = 33;
        wideJ->storage->data[i] = 33;
      }
      THTensor_(multinomialAliasSetup)(p, J, q);
      CHECK(J->nDimension == 1 && J->size[0] == 20 && q->nDimension == 1 && q->size[0] == 20);
      for (int i = 0; i < 20; i++) {
        const double height = THTensor_(get1d)(q, i);
        const int64_t alias = THLongTensor_get1d(J, i);
        CHECK(height >= 0 && height <= 1);
        CHECK(alias >= 0 && alias < 20);
        share[i] += height / 20;
        share[alias] += (1 - height) / 20;
        CHECK_EQ(wideQ->storage->data[2 * i + 1], (real)33);
        CHECK_EQ(wideJ->storage->data[2 * i + 1], 33);
      }
      for (int i = 0; i < 20; i++)
        CHECK_NEAR(share[i], given[i] / sum, sizeof(real) == 4 ? 1e-7 : 1e-15);
      THTensor_(free)(wideQ);
      THTensor_(free)(q);
      THLongTensor_free(wideJ);
      THLongTensor_free(J);
      THTensor_(free)(p);
    }
}

/* What setup returns counts from 0; draw reads it as all indices are read. */
static void count_as_read(THLongTensor *J)
{
  THLongTensor_add(J, J, TH_INDEX_BASE);
}

/* One number picks the column, the next one decides between its index and the alias. */
static void THTest_(aliasDraw)(void)
{
  THTensor *p = weights(TH_CONTIGUOUS, 0), *q = THTensor_(new)();
  THLongTensor *J = THLongTensor_new();
  THTensor_(multinomialAliasSetup)(p, J, q);
  count_as_read(J);
  THLongTensor *wide = THLongTensor_newWithSize3d(3, 7, 2), *self = THLongTensor_new();
  for (int i = 0; i < 42; i++)
    wide->storage->data[i] = 33;
  THLongTensor_select(self, wide, 2, 1);
  THLongTensor_transpose(self, NULL, 0, 1);
  THGenerator *generator = seeded(), *again = seeded();
  THTensor_(multinomialAliasDraw)(self, generator, J, q);
  for (int i = 0; i < 21; i++) {
    const int64_t column = (int64_t)(THRandom_standard_uniform(again) * 20);
    const int keep = THRandom_standard_uniform(again) < (double)THTensor_(get1d)(q, column);
    CHECK_EQ(THLongTensor_get2d(self, i / 3, i % 3),
             keep ? column : THLongTensor_get1d(J, column) - TH_INDEX_BASE);
    CHECK_EQ(wide->storage->data[2 * i], 33);
  }

  double sum = 0, share[20];
  for (int i = 0; i < 20; i++)
    sum += THTensor_(get1d)(p, i);
  for (int i = 0; i < 20; i++)
    share[i] = THTensor_(get1d)(p, i) / sum;
  THLongTensor *many = THLongTensor_newWithSize1d(40000);
  THTensor_(multinomialAliasDraw)(many, generator, J, q);
  check_frequencies(many, share, 20);

  /* Drawn into J itself, each index comes from J as it was. */
  THRandom_manualSeed(generator, SEED);
  THLongTensor_resize1d(many, 20);
  THTensor_(multinomialAliasDraw)(many, generator, J, q);
  THRandom_manualSeed(generator, SEED);
  THTensor_(multinomialAliasDraw)(J, generator, J, q);
  for (int i = 0; i < 20; i++)
    CHECK_EQ(THLongTensor_get1d(J, i), THLongTensor_get1d(many, i));

  THLongTensor_free(many);
  THGenerator_free(again);
  THGenerator_free(generator);
  THLongTensor_free(self);
  THLongTensor_free(wide);
  THLongTensor_free(J);
  THTensor_(free)(q);
  THTensor_(free)(p);
}

static void THTest_(aliasErrors)(void)
{
  THTensor *p = weights(TH_CONTIGUOUS, 0), *matrix = weights(TH_CONTIGUOUS, 1);
  THTensor *q = THTensor_(newWithSize1d)(3), *empty = THTensor_(new)();
  THLongTensor *J = THLongTensor_newWithSize1d(4), *none = THLongTensor_new();
  THLongTensor *self = THLongTensor_newWithSize1d(6), *expanded = THLongTensor_newWithSize1d(1);
  THLongTensor_resizeNd(expanded, 1, (int64_t[]){20}, (int64_t[]){0});
  THGenerator *generator = seeded(), unseeded = {0};
  CHECK_RAISES(1, "no vector", THTensor_(multinomialAliasSetup)(matrix, J, q));
  CHECK_RAISES(1, "no vector", THTensor_(multinomialAliasSetup)(empty, J, q));
  THTensor_(set1d)(p, 7, -1);
  CHECK_RAISES(1, "probability -1", THTensor_(multinomialAliasSetup)(p, J, q));
  THTensor_(set1d)(p, 7, NAN);
  CHECK_RAISES(1, "nan", THTensor_(multinomialAliasSetup)(p, J, q));
  for (int i = 0; i < 20; i++)
    THTensor_(set1d)(p, i, 0);
  CHECK_RAISES(1, "sum to 0", THTensor_(multinomialAliasSetup)(p, J, q));
  THTensor_(set1d)(p, 7, 1);
  CHECK_EQ(q->size[0], 3);
  CHECK_EQ(J->size[0], 4);

  CHECK_RAISES(4, "q has 3 elements, J has 4",
               THTensor_(multinomialAliasDraw)(self, generator, J, q));
  CHECK_RAISES(3, "J is empty", THTensor_(multinomialAliasDraw)(self, generator, none, empty));
  THTensor_(multinomialAliasSetup)(p, J, q);
  count_as_read(J);
  /* Elements that share memory: each takes its draws, and the last one counts. */
  THTensor_(multinomialAliasDraw)(expanded, generator, J, q);
  CHECK_EQ(expanded->storage->data[0], 7);
  CHECK_RAISES(2, "not valid", THTensor_(multinomialAliasDraw)(self, &unseeded, J, q));
  /* A single index that is possible is always drawn. */
  THTensor_(multinomialAliasDraw)(self, generator, J, q);
  for (int i = 0; i < 6; i++)
    CHECK_EQ(THLongTensor_get1d(self, i), 7);

  /* J's storage cannot grow, or q's cannot: neither is changed. */
  THLongTensor *small = THLongTensor_newWithSize1d(2);
  THLongStorage_clearFlag(small->storage, TH_STORAGE_RESIZABLE);
  CHECK_RAISES(1, "not resizable", THTensor_(multinomialAliasSetup)(p, small, q));
  THTensor *little = THTensor_(newWithSize1d)(2);
  THStorage_(clearFlag)(little->storage, TH_STORAGE_RESIZABLE);
  THLongTensor_resize1d(J, 3);
  THLongStorage_resize(J->storage, 3);
  CHECK_RAISES(1, "not resizable", THTensor_(multinomialAliasSetup)(p, J, little));
  CHECK_EQ(J->size[0], 3);
  CHECK_EQ(J->storage->size, 3);
  CHECK_EQ(little->size[0], 2);

  THTensor_(free)(little);
  THLongTensor_free(small);
  THGenerator_free(generator);
  THLongTensor_free(expanded);
  THLongTensor_free(self);
  THLongTensor_free(none);
  THLongTensor_free(J);
  THTensor_(free)(empty);
  THTensor_(free)(q);
  THTensor_(free)(matrix);
  THTensor_(free)(p);
}

TH_TESTS(THTest_(multinomial), THTest_(multinomialAll), THTest_(multinomialFrequencies),
         THTest_(multinomialErrors), THTest_(aliasSetup), THTest_(aliasDraw), THTest_(aliasErrors))
