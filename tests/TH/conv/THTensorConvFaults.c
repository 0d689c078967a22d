/* Convolutions when memory runs out: every allocation of every function fails in turn, and operands
 * and results are as they were. */
#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *p, *ps, *pss; /* planes: 5 x 6, then 2 of them, and 3 x 2 */
  THTensor *w, *ws, *wss; /* windows: 2 x 3, likewise */
  THTensor *volumes;      /* windows for pss as volumes: 4 x 3 x 2 x 2 x 3 */
  THTensor *pair, *map;   /* two such volumes, and what they connect */
  THTensor *r;            /* an unrelated result */
} Operands;

static void set_up(Operands *o)
{
  o->p = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(5, 6));
  o->ps = THTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(2, 5, 6));
  o->pss = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(3, 2, 5, 6));
  o->w = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2, 3));
  o->ws = THTest_(tensor)(TH_TRANSPOSED, 6, TH_SHAPE(2, 2, 3));
  o->wss = THTest_(tensor)(TH_CONTIGUOUS, 7, TH_SHAPE(3, 2, 2, 3));
  o->volumes = THTest_(tensor)(TH_CONTIGUOUS, 8, TH_SHAPE(4, 3, 2, 2, 3));
  o->pair = THTest_(tensor)(TH_CONTIGUOUS, 4, TH_SHAPE(2, 2, 2, 3));
  o->map = THTensor_(newWithSize2d)(2, 2);
  THTensor_(fill)(o->map, TH_INDEX_BASE);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 9, TH_SHAPE(2, 2));
  THTensor *const all[] = {o->p,   o->ps,      o->pss,  o->w,   o->ws,
                           o->wss, o->volumes, o->pair, o->map, o->r};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    WATCH(all[i]);
}

static void tear_down(Operands *o)
{
  THTensor *const all[] = {o->p,   o->ps,      o->pss,  o->w,   o->ws,
                           o->wss, o->volumes, o->pair, o->map, o->r};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

FAULT(conv2DRevger, THTensor_(conv2DRevger)(o->r, 1, 1, o->ps, o->ws, 1, 1))
FAULT(conv2DRevgerm, THTensor_(conv2DRevgerm)(o->r, 1, 1, o->pss, o->wss, 1, 1))
FAULT(conv2Dger, THTensor_(conv2Dger)(o->r, 1, 1, o->ps, o->ws, 1, 1, "F", "X"))
FAULT(conv2Dmv, THTensor_(conv2Dmv)(o->r, 1, 1, o->ps, o->wss, 1, 2, "V", "C"))
FAULT(conv2Dmm, THTensor_(conv2Dmm)(o->r, 1, 1, o->pss, o->wss, 1, 1, "V", "X"))
FAULT(conv2Dmul, THTensor_(conv2Dmul)(o->r, 1, 1, o->p, o->w, 1, 1, "V", "X"))
FAULT(conv2DmulOverInput, THTensor_(conv2Dmul)(o->p, 1, 1, o->p, o->w, 1, 1, "F", "X"))
FAULT(conv2DmulOverKernel, THTensor_(conv2Dmul)(o->w, 1, 1, o->p, o->w, 1, 1, "F", "X"))
FAULT(conv2Dcmul, THTensor_(conv2Dcmul)(o->r, 1, 1, o->ps, o->ws, 2, 2, "F", "C"))
FAULT(conv2Dmap, THTensor_(conv2Dmap)(o->r, 1, 1, o->ps, o->ws, o->map, 1, 1, "F", "C"))
FAULT(conv3DRevger, THTensor_(conv3DRevger)(o->r, 1, 1, o->pss, o->wss, 1, 1, 1))
FAULT(conv3Dger, THTensor_(conv3Dger)(o->r, 1, 1, o->pss, o->wss, 1, 1, 1, "V", "X"))
FAULT(conv3Dmv, THTensor_(conv3Dmv)(o->r, 1, 1, o->pss, o->volumes, 1, 1, 1, "F", "X"))
FAULT(conv3Dmul, THTensor_(conv3Dmul)(o->r, 1, 1, o->ps, o->ws, 1, 1, 1, "V", "X"))
FAULT(conv3Dcmul, THTensor_(conv3Dcmul)(o->r, 1, 1, o->pss, o->wss, 1, 1, 1, "V", "X"))
FAULT(conv3Dmap, THTensor_(conv3Dmap)(o->r, 1, 1, o->pss, o->pair, o->map, 1, 1, 1, "V", "X"))

/* r += ... in plain memory, where only the error is of interest. */
#define PLANES(NAME, ...)         \
  FAULT(NAME, real sum[64] = {0}; \
        real *const t = THTensor_(data)(o->pss), *const k = THTensor_(data)(o->wss); __VA_ARGS__)
PLANES(validXCorr2Dptr, THTensor_(validXCorr2Dptr)(sum, 1, t, 3, 3, k, 2, 2, 1, 1))
PLANES(validConv2Dptr, THTensor_(validConv2Dptr)(sum, 1, t, 3, 3, k, 2, 2, 1, 2))
PLANES(fullXCorr2Dptr, THTensor_(fullXCorr2Dptr)(sum, 1, t, 2, 2, k, 2, 2, 1, 1))
PLANES(fullConv2Dptr, THTensor_(fullConv2Dptr)(sum, 1, t, 2, 2, k, 2, 2, 2, 2))
PLANES(validXCorr2DRevptr, THTensor_(validXCorr2DRevptr)(sum, 1, t, 3, 3, k, 2, 2, 1, 1))
PLANES(validXCorr3Dptr, THTensor_(validXCorr3Dptr)(sum, 1, t, 2, 2, 2, k, 1, 2, 2, 1, 1, 1))
PLANES(validConv3Dptr, THTensor_(validConv3Dptr)(sum, 1, t, 2, 2, 2, k, 1, 2, 2, 1, 1, 1))
PLANES(fullXCorr3Dptr, THTensor_(fullXCorr3Dptr)(sum, 1, t, 2, 2, 2, k, 1, 2, 2, 1, 1, 1))
PLANES(fullConv3Dptr, THTensor_(fullConv3Dptr)(sum, 1, t, 2, 2, 2, k, 1, 2, 2, 1, 1, 1))
PLANES(validXCorr3DRevptr, THTensor_(validXCorr3DRevptr)(sum, 1, t, 2, 2, 2, k, 1, 2, 2, 1, 1, 1))

TH_FAULT_TESTS(convFaults)
