/* Kernels of the fused recurrent cells. */
#include "THVectorMath.h"

#include "THNNTemplate.h"

static void gru(ptrdiff_t n, const real *input, const real *hidden, const real *bias, const real *h,
                real *y, real *kept)
{
  const real *other = bias + 3 * n;
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++) {
    const real r = THMath_(sigmoid)(input[i] + hidden[i] + bias[i] + other[i]);
    const real z = THMath_(sigmoid)(input[n + i] + hidden[n + i] + bias[n + i] + other[n + i]);
    const real scaled = hidden[2 * n + i] + other[2 * n + i];
    const real t = THMath_(tanh)(input[2 * n + i] + bias[2 * n + i] + r * scaled);
    const real before = h[i];
    kept[i] = r;
    kept[n + i] = z;
    kept[2 * n + i] = t;
    kept[3 * n + i] = before;
    kept[4 * n + i] = scaled;
    y[i] = t + z * (before - t);
  }
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

static void lstm(ptrdiff_t n, real *gates, const real *hidden, const real *bias, const real *c,
                 real *y, real *yc)
{
  const real *other = bias + 4 * n;
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++) {
    const ptrdiff_t j = n + i, k = 2 * n + i, l = 3 * n + i;
    const real in = THMath_(sigmoid)(gates[i] + hidden[i] + bias[i] + other[i]);
    const real forget = THMath_(sigmoid)(gates[j] + hidden[j] + bias[j] + other[j]);
    const real cell = THMath_(tanh)(gates[k] + hidden[k] + bias[k] + other[k]);
    const real out = THMath_(sigmoid)(gates[l] + hidden[l] + bias[l] + other[l]);
    const real after = forget * c[i] + in * cell;
    gates[i] = in;
    gates[j] = forget;
    gates[k] = cell;
    gates[l] = out;
    yc[i] = after;
    y[i] = out * THMath_(tanh)(after);
  }
}

static void lstmBack(ptrdiff_t n, const real *gates, const real *c, const real *yc, const real *g,
                     const real *gc, real *dGates, real *dc)
{
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++) {
    const ptrdiff_t j = n + i, k = 2 * n + i, l = 3 * n + i;
    const real in = gates[i], forget = gates[j], cell = gates[k], out = gates[l];
    const real t = THMath_(tanh)(yc[i]);
    const real d = g[i] * out * (1 - t * t) + gc[i];
    dGates[i] = d * cell * (1 - in) * in;
    dGates[j] = d * c[i] * (1 - forget) * forget;
    dGates[k] = d * in * (1 - cell * cell);
    dGates[l] = g[i] * t * (1 - out) * out;
    dc[i] = d * forget;
  }
}

const THNN_(FusedCellKernels) TH_LEVEL_(THNN_(fusedCells))[] = {{gru, gruBack, lstm, lstmBack}};
