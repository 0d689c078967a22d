/* Kernels of the fused recurrent cells. */
#include "THVectorMath.h"

#include "THNN/layer/Template.h"

#ifdef TH_REAL_IS_FLOAT
#include "TH/pointwise/THMathAvx512.h"
#endif

/* A Value is element i of a row, or a vector of WIDTH elements beginning with i, of which lanes are
 * used. */
#ifdef TH_WIDE_LOOP
typedef THFloats Value;
typedef THMask32 Lanes;
enum { WIDTH = 16, PREFETCH = 128 }; /* elements */
#define WIDE_CELL static inline __attribute__((always_inline)) THFloats
#define SIGMOID   wide_sigmoid
#define TANH      wide_tanh
#define HELD(P)   THFloats_loadMasked(lanes, (P) + i)
#define AT(P)     (__builtin_prefetch((P) + i + PREFETCH), HELD(P))
#define PUT(P, V) THFloats_storeMasked((P) + i, lanes, V)
#define MAD       THFloats_mulAdd

/* Sigmoid and tanh for the cells, which are limited by computation: they are faster, and half a
 * unit less accurate, than those of THMathAvx512.h.  A result does not depend on its position in a
 * row. */

/* 1 / (1 + e^-x), from the table of roots of THWide_exp and a polynomial of two terms for e^-r - 1.
 * The error is up to 4.7 units in the last place for results above 1e-8, up to 6.9 below; results
 * are at least e^-87. */
WIDE_CELL wide_sigmoid(THFloats x)
{
  const THFloats most = THFloats_all(87), one = THFloats_all(1);
  const THFloats near = THFloats_max(-most, THFloats_min(most, x)); /* NaN remains */
  const THFloats rounder = THFloats_all(0x3p17f);
  const THFloats biased = THFloats_mulAdd(near, THFloats_all(-0x1.715476p+0f), rounder);
  const THFloats k = biased - rounder;
  const THFloats r = THFloats_mulAdd(k, THFloats_all(0x1.62e43p-1f), near); /* less than ln(2)/64 */
  const THFloats root = THWide_pick(THWide_expTable[0], (THInts)biased);
  const THFloats slope = THFloats_mulAdd(r, THFloats_all(0.5f), THFloats_all(-0x1.0000f6p+0f));
  const THFloats all = one + THFloats_scale(THFloats_mulAdd(root * r, slope, root), k);
  return one / all;
}

/* THWide_tanh with a sum in one part; the error is up to 1.2 units in the last place. */
WIDE_CELL wide_tanh(THFloats x)
{
  const float(*table)[32] = THWide_tanhTable;
  const THFloats a = THFloats_min(THFloats_all(9.25f), THFloats_abs(x)); /* NaN remains */
  const THInts i = THInts_shiftRight((THInts)(a + THFloats_all(0.625f)), 20);
  const THFloats d = a - THWide_pick(table[0], i);
  THFloats y = THWide_pick(table[6], i);
  for (int k = 5; k > 0; k--)
    y = THFloats_mulAdd(y, d, THWide_pick(table[k], i));
  return THFloats_orSign(y, x);
}
#else
typedef real Value;
typedef int Lanes;
#define SIGMOID      THMath_(sigmoid)
#define TANH         THMath_(tanh)
#define HELD(P)      (P)[i]
#define AT(P)        HELD(P)
#define PUT(P, V)    ((P)[i] = (V))
#define MAD(A, B, C) ((A) * (B) + (C))
#endif

/* X plus the bias at P, if there is one. */
#define BIASED(X, P) (biased ? (Value)((X) + HELD(P)) : (Value)(X))

#define CELL static inline __attribute__((always_inline)) void

/* --- GRU ------------------------------------------------------------------------------------- */

CELL gru_at(ptrdiff_t i, TH_UNUSED Lanes lanes, bool biased, ptrdiff_t n, const real *input,
            const real *hidden, const real *bias, const real *h, real *y, real *kept)
{
  const Value r = SIGMOID(BIASED(AT(input) + AT(hidden), bias));
  const Value z = SIGMOID(BIASED(AT(input + n) + AT(hidden + n), bias + n));
  const Value scaled = BIASED(AT(hidden + 2 * n), bias + 3 * n);
  const Value t = TANH(MAD(r, scaled, BIASED(AT(input + 2 * n), bias + 2 * n)));
  const Value before = AT(h);
  PUT(kept, r);
  PUT(kept + n, z);
  PUT(kept + 2 * n, t);
  PUT(kept + 3 * n, before);
  PUT(kept + 4 * n, scaled);
  PUT(y, MAD(z, before - t, t));
}

static void gruBackward(ptrdiff_t n, const real *g, const real *kept, real *dInput, real *dHidden,
                        real *dh)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++) {
    const real r = kept[i], z = kept[n + i], t = kept[2 * n + i];
    const real before = kept[3 * n + i], scaled = kept[4 * n + i];
    const real dz = g[i] * (before - t) * (1 - z) * z;
    const real dt = g[i] * (1 - z) * (1 - t * t);
    const real dr = dt * scaled * (1 - r) * r;
    dInput[i] = dHidden[i] = dr;
    dInput[n + i] = dHidden[n + i] = dz;
    dInput[2 * n + i] = dt;
    dHidden[2 * n + i] = dt * r;
    dh[i] = g[i] * z;
  }
}

/* --- LSTM ------------------------------------------------------------------------------------ */

CELL lstm_at(ptrdiff_t i, TH_UNUSED Lanes lanes, bool biased, ptrdiff_t n, real *gates,
             const real *hidden, const real *bias, const real *c, real *y, real *yc)
{
  const ptrdiff_t j = n, k = 2 * n, l = 3 * n;
  const Value in = SIGMOID(BIASED(AT(gates) + AT(hidden), bias));
  const Value forget = SIGMOID(BIASED(AT(gates + j) + AT(hidden + j), bias + j));
  const Value cell = TANH(BIASED(AT(gates + k) + AT(hidden + k), bias + k));
  const Value out = SIGMOID(BIASED(AT(gates + l) + AT(hidden + l), bias + l));
  const Value after = MAD(forget, AT(c), in * cell);
  PUT(gates, in);
  PUT(gates + j, forget);
  PUT(gates + k, cell);
  PUT(gates + l, out);
  PUT(yc, after);
  PUT(y, out * TANH(after));
}

CELL lstm_backward_at(ptrdiff_t i, TH_UNUSED Lanes lanes, ptrdiff_t n, const real *gates,
                      const real *c, const real *yc, const real *g, const real *gc, real *dGates,
                      real *dc)
{
  const real one = 1;
  const Value in = AT(gates), forget = AT(gates + n), cell = AT(gates + 2 * n);
  const Value out = AT(gates + 3 * n), t = TANH(AT(yc)), from = AT(g);
  const Value d = from * out * (one - t * t) + AT(gc);
  PUT(dGates, d * cell * (one - in) * in);
  PUT(dGates + n, d * AT(c) * (one - forget) * forget);
  PUT(dGates + 2 * n, d * in * (one - cell * cell));
  PUT(dGates + 3 * n, from * t * (one - out) * out);
  PUT(dc, d * forget);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* CALL computes the elements beginning with i in lanes; only the remainder of a row needs masks. */
#ifdef TH_WIDE_LOOP
#define EACH(CALL)                        \
  ptrdiff_t i = 0;                        \
  Lanes lanes = (Lanes) - 1;              \
  for (; n - i >= WIDTH; i += WIDTH)      \
    CALL;                                 \
  if (i < n) {                            \
    lanes = (Lanes)((1u << (n - i)) - 1); \
    CALL;                                 \
  }
#else
#define EACH(CALL)                  \
  enum { lanes = 1 };               \
  TH_PRAGMA(omp simd)               \
  for (ptrdiff_t i = 0; i < n; i++) \
    CALL;
#endif

static void gru(ptrdiff_t n, const real *input, const real *hidden, const real *bias, const real *h,
                real *y, real *kept)
{
  if (bias) {
    EACH(gru_at(i, lanes, true, n, input, hidden, bias, h, y, kept))
  } else {
    EACH(gru_at(i, lanes, false, n, input, hidden, bias, h, y, kept))
  }
}

static void lstm(ptrdiff_t n, real *gates, const real *hidden, const real *bias, const real *c,
                 real *y, real *yc)
{
  if (bias) {
    EACH(lstm_at(i, lanes, true, n, gates, hidden, bias, c, y, yc))
  } else {
    EACH(lstm_at(i, lanes, false, n, gates, hidden, bias, c, y, yc))
  }
}

static void lstmBackward(ptrdiff_t n, const real *gates, const real *c, const real *yc,
                         const real *g, const real *gc, real *dGates, real *dc)
{
  EACH(lstm_backward_at(i, lanes, n, gates, c, yc, g, gc, dGates, dc))
}

const THNN_(FusedCellKernels)
    TH_LEVEL_(THNN_(fusedCells))[] = {{gru, gruBackward, lstm, lstmBackward}};
