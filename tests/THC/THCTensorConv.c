/* Convolutions of images on the device against TH's. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

/* A tensor on the host and on the device. */
typedef struct Both {
  THTensor *host;
  THCTensor *device;
} Both;

static Both both(int layout, int seed, int dims, const int64_t *size)
{
  THTensor *t = THTest_(tensor)(layout, (uint64_t)seed, dims, size);
  for (ptrdiff_t i = 0; i < t->storage->size; i++)
    t->storage->data[i] = (real)((i * 7 + seed) % 13 - 6);
  return (Both){t, THCTest_(upload)(t)};
}

static void free_both(Both b)
{
  THTensor_(free)(b.host);
  THCTensor_(free)(thc_state(), b.device);
}

/* All are whole numbers: no sum is rounded. */
static void THTest_(multiply)(void)
{
  static const struct {
    const char *type, *vf, *xc;
  } types[] = {{"v", "V", "X"},  {"f", "F", "C"},  {"vx", "V", "X"},
               {"VC", "V", "C"}, {"fx", "F", "X"}, {"Fc", "F", "C"}};
  THCState *state = thc_state();
  for (int k = 0; k < 6; k++)
    for (int batch = 0; batch < 2; batch++)
      for (int beta = 0; beta < 3; beta++) {
        th_note("%s, batch %d, beta %d", types[k].type, batch, beta);
        Both t = batch ? both(TH_PERMUTED, 1, TH_SHAPE(2, 3, 8, 9))
                       : both(TH_TRANSPOSED, 1, TH_SHAPE(3, 8, 9));
        Both w = both(TH_STRIDED, 2, TH_SHAPE(5, 3, 3, 2)), r = both(TH_CONTIGUOUS, 3, TH_SHAPE(4));
        for (int again = 0; again < 2; again++) { /* into a small result, and onto the result */
          (batch ? THCTensor_(conv2Dmm) : THCTensor_(conv2Dmv))(state, r.device, (float)beta,
                                                                t.device, w.device, 2, 1,
                                                                types[k].type);
          (batch ? THTensor_(conv2Dmm) : THTensor_(conv2Dmv))(r.host, (real)beta, 1, t.host, w.host,
                                                              2, 1, types[k].vf, types[k].xc);
          CHECK_LIKE(r.device, r.host, 0, 0);
        }
        free_both(r);
        free_both(w);
        free_both(t);
      }
}

static void THTest_(outer)(void)
{
  THCState *state = thc_state();
  for (int batch = 0; batch < 2; batch++) {
    Both t = batch ? both(TH_PERMUTED, 1, TH_SHAPE(3, 2, 9, 8))
                   : both(TH_TRANSPOSED, 1, TH_SHAPE(2, 9, 8));
    Both w = batch ? both(TH_CONTIGUOUS, 2, TH_SHAPE(3, 4, 3, 4))
                   : both(TH_STRIDED, 2, TH_SHAPE(4, 3, 4));
    Both r = both(TH_TRANSPOSED, 3, TH_SHAPE(4, 2, 5, 5));
    (batch ? THCTensor_(conv2DRevgerm) : THCTensor_(conv2DRevger))(state, r.device, 2, 3, t.device,
                                                                   w.device, 2, 1);
    (batch ? THTensor_(conv2DRevgerm) : THTensor_(conv2DRevger))(r.host, 2, 3, t.host, w.host, 2,
                                                                 1);
    CHECK_LIKE(r.device, r.host, 0, 0);
    free_both(r);
    free_both(w);
    free_both(t);
  }
}

/* TH's table names the result's planes in its second column. */
static void THTest_(map)(void)
{
  static const int planes[6] = {3, 0, 1, 1, 2, 3};
  THCState *state = thc_state();
  Both t = both(TH_TRANSPOSED, 1, TH_SHAPE(4, 7, 8)), w = both(TH_STRIDED, 2, TH_SHAPE(6, 3, 2));
  THTensor *table = THTensor_(newWithSize2d)(6, 2), *expected = THTensor_(new)();
  for (int c = 0; c < 6; c++) {
    THTensor_(set2d)(table, c, 0, (real)(planes[c] + TH_INDEX_BASE));
    THTensor_(set2d)(table, c, 1, (real)(c / 2 + TH_INDEX_BASE));
  }
  THCTensor *onDevice = THCTest_(upload)(table), *r = THCTensor_(new)(state);
  THCTensor_(conv2Dmap)(state, r, t.device, w.device, 1, 2, onDevice, 2);
  THTensor_(conv2Dmap)(expected, 0, 1, t.host, w.host, table, 2, 1, "V", "X");
  CHECK_LIKE(r, expected, 0, 0);
  CHECK_RAISES(7, "fanin is 4",
               THCTensor_(conv2Dmap)(state, r, t.device, w.device, 1, 2, onDevice, 4));
  THCTensor_(set2d)(state, onDevice, 3, 0, 4 + TH_INDEX_BASE);
  CHECK_RAISES(6, "of 4 planes",
               THCTensor_(conv2Dmap)(state, r, t.device, w.device, 1, 2, onDevice, 2));
  THCTensor_(set2d)(state, onDevice, 3, 0, NAN);
  CHECK_RAISES(6, "of 4 planes",
               THCTensor_(conv2Dmap)(state, r, t.device, w.device, 1, 2, onDevice, 2));
  THCTensor_(resize2d)(state, onDevice, 5, 2);
  CHECK_RAISES(6, "table has 5 rows",
               THCTensor_(conv2Dmap)(state, r, t.device, w.device, 1, 2, onDevice, 2));
  CHECK_LIKE(r, expected, 0, 0);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, onDevice);
  THTensor_(free)(expected);
  THTensor_(free)(table);
  free_both(w);
  free_both(t);
}

static void THTest_(convErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *t = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 4, 5)), *r = THCTensor_(new)(state);
  THCTensor *w = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(2, 3, 2, 2));
  THCTensor *large = THCTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(2, 3, 5, 2));
  CHECK_RAISES(3, "4 dimensions", THCTensor_(conv2Dmm)(state, r, 0, t, w, 1, 1, "v"));
  CHECK_RAISES(4, "4 dimensions", THCTensor_(conv2Dmv)(state, r, 0, t, t, 1, 1, "v"));
  CHECK_RAISES(4, "does not fit", THCTensor_(conv2Dmv)(state, r, 0, t, large, 1, 1, "v"));
  CHECK_RAISES(5, "steps are 0", THCTensor_(conv2Dmv)(state, r, 0, t, w, 0, 1, "v"));
  CHECK_RAISES(7, "type is \"x\"", THCTensor_(conv2Dmv)(state, r, 0, t, w, 1, 1, "x"));
  CHECK_RAISES(7, "type is \"vv\"", THCTensor_(conv2Dmv)(state, r, 0, t, w, 1, 1, "vv"));
  CHECK_RAISES(7, "type is \"\"", THCTensor_(conv2Dmv)(state, r, 0, t, w, 1, 1, NULL));
  CHECK_RAISES(5, "does not fit", THCTensor_(conv2DRevger)(state, r, 0, 1, t, t, 2, 2));
  THCTensor_(resize4d)(state, w, 2, 2, 2, 2);
  CHECK_RAISES(4, "for 2 planes", THCTensor_(conv2Dmv)(state, r, 0, t, w, 1, 1, "v"));
  CHECK_EQ(r->nDimension, 0);
  THCTensor_(free)(state, large);
  THCTensor_(free)(state, w);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, t);
}

TH_TESTS(THTest_(multiply), THTest_(outer), THTest_(map), THTest_(convErrors))
