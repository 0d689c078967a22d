/* Samples from given distributions on the device. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

#include "THPhilox.h"

enum { COLUMNS = 7, SAMPLES = 20000 };

/* Weights in 1 / 32, so that every type holds them and their sums. */
static const int weights[2][COLUMNS] = {{1, 0, 5, 2, 16, 0, 8}, {0, 32, 0, 0, 0, 0, 0}};

static THCTensor *THTest_(distributions)(void)
{
  THCTensor *p = THCTensor_(newWithSize2d)(thc_state(), COLUMNS, 2);
  THCTensor_(transpose)(thc_state(), p, NULL, 0, 1);
  for (int i = 0; i < 2 * COLUMNS; i++)
    THCTensor_(set2d)(thc_state(), p, i / COLUMNS, i % COLUMNS,
                      TO_REAL(weights[i / COLUMNS][i % COLUMNS] / 32.0));
  return p;
}

static THLongTensor *THTest_(download)(THCudaLongTensor *d)
{
  THLongTensor *host = THLongTensor_new();
  THLongTensor_resizeNd(host, d->nDimension, d->size, NULL);
  THLongTensor_copyCuda(thc_state(), host, d);
  return host;
}

/* The index that the uniform number of the sample's two words falls on. */
static void THTest_(withReplacement)(void)
{
  enum { SEED = 3, N = 50 };
  THCState *state = thc_state();
  THCTensor *p = THTest_(distributions)();
  THCudaLongTensor *r = THCudaLongTensor_new(state);
  THCRandom_manualSeed(state, SEED);
  THCTensor_(multinomial)(state, r, p, N, 1);
  CHECK_EQ(r->size[0], 2);
  CHECK_EQ(r->size[1], N);
  THLongTensor *host = THTest_(download)(r);
  for (int i = 0; i < 2 * N; i++) {
    uint32_t words[4];
    THPhilox_words(SEED, (uint64_t)(i / 4), (uint64_t)(i % 4 / 2), words);
    const uint64_t pair = (uint64_t)words[i % 2 * 2] << 32 | words[i % 2 * 2 + 1];
    double u = ldexp((double)(pair >> 11), -53);
    int index = 0;
    while ((u -= weights[i / N][index] / 32.0) >= 0)
      index++;
    CHECK_EQ(host->storage->data[i], index + TH_INDEX_BASE);
  }
  THLongTensor_free(host);
  THCudaLongTensor_free(state, r);
  THCTensor_(free)(state, p);
}

/* How often each index of the first distribution comes, within five deviations. */
static void THTest_(checkShares)(const int64_t *indices, ptrdiff_t n)
{
  ptrdiff_t counts[COLUMNS] = {0};
  for (ptrdiff_t i = 0; i < n; i++)
    counts[indices[i] - TH_INDEX_BASE]++;
  for (int k = 0; k < COLUMNS; k++) {
    const double p = weights[0][k] / 32.0;
    th_note("index %d", k);
    CHECK_NEAR((double)counts[k] / (double)n, p, 5 * sqrt(p * (1 - p) / (double)n));
  }
}

/* Pairs without replacement: the first is drawn with p, the second with what is left of p. */
static void THTest_(withoutReplacement)(void)
{
  THCState *state = thc_state();
  THCTensor *p = THTest_(distributions)();
  THCTensor_(select)(state, p, NULL, 0, 0);
  THLongStorage *size = THLongStorage_newWithSize2(SAMPLES, COLUMNS);
  THCTensor *many = THCTensor_(newExpand)(state, p, size);
  THCudaLongTensor *r = THCudaLongTensor_new(state);
  THCRandom_manualSeed(state, 3);
  THCTensor_(multinomial)(state, r, many, 2, 0);
  THLongTensor *host = THTest_(download)(r);
  int64_t *first = malloc(SAMPLES * sizeof *first), afterLargest = 0, both = 0;
  for (int i = 0; i < SAMPLES; i++) {
    first[i] = host->storage->data[2 * i];
    CHECK(first[i] != host->storage->data[2 * i + 1]);
    afterLargest += first[i] == 4 + TH_INDEX_BASE;
    both += first[i] == 4 + TH_INDEX_BASE && host->storage->data[2 * i + 1] == 6 + TH_INDEX_BASE;
  }
  THTest_(checkShares)(first, SAMPLES);
  CHECK_NEAR((double)both / (double)afterLargest, 0.5, 5 * 0.5 / sqrt((double)afterLargest));
  free(first);
  THLongTensor_free(host);
  THCTensor_(multinomial)(state, r, p, 5, 0); /* all that there are */
  CHECK_EQ(r->size[0], 5);
  CHECK_RAISES(2, "fewer than 6", THCTensor_(multinomial)(state, r, p, 6, 0));
  THCudaLongTensor_free(state, r);
  THCTensor_(free)(state, many);
  THLongStorage_free(size);
  THCTensor_(free)(state, p);
}

static void THTest_(aliases)(void)
{
  THCState *state = thc_state();
  THCTensor *p = THTest_(distributions)(), *q = THCTensor_(new)(state);
  THCTensor_(select)(state, p, NULL, 0, 0);
  THCudaLongTensor *J = THCudaLongTensor_new(state);
  THCudaLongTensor *r = THCudaLongTensor_newWithSize2d(state, 2, SAMPLES / 2);
  THCudaLongTensor_transpose(state, r, NULL, 0, 1);
  THCTensor_(multinomialAliasSetup)(state, p, J, q);
  double shares[COLUMNS] = {0};
  for (int i = 0; i < COLUMNS; i++) {
    const double own = TO_NUMBER(THCTensor_(get1d)(state, q, i));
    shares[i] += own;
    shares[THCudaLongTensor_get1d(state, J, i) - TH_INDEX_BASE] += 1 - own;
  }
  for (int i = 0; i < COLUMNS; i++)
    CHECK_NEAR(shares[i] / COLUMNS, weights[0][i] / 32.0, 4 * EPSILON);
  THCRandom_manualSeed(state, 3);
  THCTensor_(multinomialAliasDraw)(state, r, J, q);
  THLongTensor *host = THTest_(download)(r);
  THTest_(checkShares)(host->storage->data, SAMPLES);
  THLongTensor_free(host);
  THCTensor_(resize1d)(state, q, COLUMNS - 1);
  CHECK_RAISES(3, "_q has 6 elements, _J has 7", THCTensor_(multinomialAliasDraw)(state, r, J, q));
  THCudaLongTensor_resizeNd(state, J, 0, NULL, NULL);
  CHECK_RAISES(2, "_J has 0", THCTensor_(multinomialAliasDraw)(state, r, J, q));
  THCudaLongTensor_free(state, r);
  THCudaLongTensor_free(state, J);
  THCTensor_(free)(state, q);
  THCTensor_(free)(state, p);
}

static void THTest_(multinomialErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *p = THTest_(distributions)(), *cube = THCTensor_(newWithSize3d)(state, 1, 1, 1);
  THCudaLongTensor *r = THCudaLongTensor_new(state), *J = THCudaLongTensor_new(state);
  CHECK_RAISES(2, "neither a vector", THCTensor_(multinomial)(state, r, cube, 1, 1));
  CHECK_RAISES(3, "n_sample is 0", THCTensor_(multinomial)(state, r, p, 0, 1));
  CHECK_RAISES(3, "more than 7", THCTensor_(multinomial)(state, r, p, 8, 0));
  CHECK_RAISES(2, "fewer than 2", THCTensor_(multinomial)(state, r, p, 2, 0));
  CHECK_RAISES(1, "no vector", THCTensor_(multinomialAliasSetup)(state, p, J, cube));
  THCTensor_(set2d)(state, p, 1, 1, TO_REAL(0));
  CHECK_RAISES(2, "fewer than 1", THCTensor_(multinomial)(state, r, p, 1, 1));
  THCTensor_(set2d)(state, p, 1, 1, TO_REAL(-1));
  CHECK_RAISES(2, "no probability", THCTensor_(multinomial)(state, r, p, 1, 1));
  THCTensor_(set2d)(state, p, 1, 1, TO_REAL(INFINITY));
  CHECK_RAISES(2, "no probability", THCTensor_(multinomial)(state, r, p, 1, 1));
  CHECK_EQ(r->nDimension, 0);
  THCudaLongTensor_free(state, J);
  THCudaLongTensor_free(state, r);
  THCTensor_(free)(state, cube);
  THCTensor_(free)(state, p);
}

TH_TESTS(THTest_(withReplacement), THTest_(withoutReplacement), THTest_(aliases),
         THTest_(multinomialErrors))
