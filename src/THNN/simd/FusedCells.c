/* Kernels of the fused recurrent cells. */
#include "THVectorMath.h"

#include "THNNTemplate.h"

#ifdef TH_REAL_IS_FLOAT
#include "src/TH/simd/THWideMath.h"
#endif

/* A Value is an element of a row, from i on; or WIDTH of them, of which lanes count. */
#ifdef TH_WIDE_LOOP
typedef __m512 Value;
typedef __mmask16 Lanes;
enum { WIDTH = 16 };
#define SIGMOID   THWide_sigmoid
#define TANH      THWide_tanh
#define AT(P)     _mm512_maskz_loadu_ps(lanes, (P) + i)
#define PUT(P, V) _mm512_mask_storeu_ps((P) + i, lanes, V)
#else
typedef real Value;
typedef int Lanes;
#define SIGMOID   THMath_(sigmoid)
#define TANH      THMath_(tanh)
#define AT(P)     (P)[i]
#define PUT(P, V) ((P)[i] = (V))
#endif

#define CELL static inline __attribute__((always_inline)) void

/* --- GRU ------------------------------------------------------------------------------------- */

CELL gru_at(ptrdiff_t i, TH_UNUSED Lanes lanes, ptrdiff_t n, const real *input, const real *hidden,
            const real *bias, const real *h, real *y, real *kept)
{
  const real *other = bias + 3 * n;
  const Value r = SIGMOID(AT(input) + AT(hidden) + AT(bias) + AT(other));
  const Value z = SIGMOID(AT(input + n) + AT(hidden + n) + AT(bias + n) + AT(other + n));
  const Value scaled = AT(hidden + 2 * n) + AT(other + 2 * n);
  const Value t = TANH(AT(input + 2 * n) + AT(bias + 2 * n) + r * scaled);
  const Value before = AT(h);
  PUT(kept, r);
  PUT(kept + n, z);
  PUT(kept + 2 * n, t);
  PUT(kept + 3 * n, before);
  PUT(kept + 4 * n, scaled);
  PUT(y, t + z * (before - t));
}

static void gruBack(ptrdiff_t n, const real *g, const real *kept, real *dInput, real *dHidden,
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

CELL lstm_at(ptrdiff_t i, TH_UNUSED Lanes lanes, ptrdiff_t n, real *gates, const real *hidden,
             const real *bias, const real *c, real *y, real *yc)
{
  const ptrdiff_t j = n, k = 2 * n, l = 3 * n;
  const real *other = bias + 4 * n;
  const Value in = SIGMOID(AT(gates) + AT(hidden) + AT(bias) + AT(other));
  const Value forget = SIGMOID(AT(gates + j) + AT(hidden + j) + AT(bias + j) + AT(other + j));
  const Value cell = TANH(AT(gates + k) + AT(hidden + k) + AT(bias + k) + AT(other + k));
  const Value out = SIGMOID(AT(gates + l) + AT(hidden + l) + AT(bias + l) + AT(other + l));
  const Value after = forget * AT(c) + in * cell;
  PUT(gates, in);
  PUT(gates + j, forget);
  PUT(gates + k, cell);
  PUT(gates + l, out);
  PUT(yc, after);
  PUT(y, out * TANH(after));
}

CELL lstm_back_at(ptrdiff_t i, TH_UNUSED Lanes lanes, ptrdiff_t n, const real *gates, const real *c,
                  const real *yc, const real *g, const real *gc, real *dGates, real *dc)
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

/* CALL computes the elements from i on that lanes says; only what is left over takes masks. */
#ifdef TH_WIDE_LOOP
#define EACH(CALL)                        \
  ptrdiff_t i = 0;                        \
  Lanes lanes = (Lanes)-1;                \
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
  EACH(gru_at(i, lanes, n, input, hidden, bias, h, y, kept))
}

static void lstm(ptrdiff_t n, real *gates, const real *hidden, const real *bias, const real *c,
                 real *y, real *yc)
{
  EACH(lstm_at(i, lanes, n, gates, hidden, bias, c, y, yc))
}

static void lstmBack(ptrdiff_t n, const real *gates, const real *c, const real *yc, const real *g,
                     const real *gc, real *dGates, real *dc)
{
  EACH(lstm_back_at(i, lanes, n, gates, c, yc, g, gc, dGates, dc))
}

const THNN_(FusedCellKernels) TH_LEVEL_(THNN_(fusedCells))[] = {{gru, gruBack, lstm, lstmBack}};
