/* Kernels of the fused GRU and LSTM cells, which THNN's FusedCellsGeneric.h describes: a thread for
 * each hidden value of each row. */
#include "THCUNN/layer/thcunn_template.h"

/* An element of a bias that may be NULL. */
THC_DEVICE real bias_of(const void *bias, int64_t i)
{
  return bias ? load(bias, i) : (real)0;
}

/* The argument of gate k of hidden value i, before its activation. */
THC_DEVICE real gate(const THCUNNCells &s, const void *input, int64_t row, int gates, int k,
                     int64_t i)
{
  const int64_t at = (row * gates + k) * s.n + i, bias = k * s.n + i;
  return load(input, at) + load(s.hidden, at) + bias_of(s.bias1, bias) + bias_of(s.bias2, bias);
}

__global__ static void gru(THCUNNCells s)
{
  THC_GRID_LOOP(j, s.rows * s.n)
  {
    const int64_t row = j / s.n, i = j % s.n, last = (row * 3 + 2) * s.n + i, bias = 2 * s.n + i;
    const real r = THMath_(sigmoid)(gate(s, s.input, row, 3, 0, i));
    const real z = THMath_(sigmoid)(gate(s, s.input, row, 3, 1, i));
    const real scaled = load(s.hidden, last) + bias_of(s.bias2, bias);
    const real t = THMath_(tanh)(load(s.input, last) + bias_of(s.bias1, bias) + r * scaled);
    const real kept[] = {r, z, t, load(s.h, j), scaled};
    for (int k = 0; k < 5; k++)
      store(s.keep, (row * 5 + k) * s.n + i, kept[k]);
    store(s.y, j, z * (kept[3] - t) + t);
  }
}

__global__ static void gru_backward(THCUNNCells s)
{
  THC_GRID_LOOP(j, s.rows * s.n)
  {
    const int64_t row = j / s.n, i = j % s.n;
    real kept[5];
    for (int k = 0; k < 5; k++)
      kept[k] = load(s.kept, (row * 5 + k) * s.n + i);
    const real r = kept[0], z = kept[1], t = kept[2], before = kept[3], scaled = kept[4];
    const real g = load(s.g, j), dt = g * (1 - z) * (1 - t * t);
    const real d[] = {dt * scaled * (1 - r) * r, g * (before - t) * (1 - z) * z, dt};
    for (int k = 0; k < 3; k++) {
      store(s.dInput, (row * 3 + k) * s.n + i, d[k]);
      store(s.dHidden, (row * 3 + k) * s.n + i, k < 2 ? d[k] : dt * r);
    }
    store(s.dh, j, g * z);
  }
}

__global__ static void lstm(THCUNNCells s)
{
  THC_GRID_LOOP(j, s.rows * s.n)
  {
    const int64_t row = j / s.n, i = j % s.n;
    real gates[4];
    for (int k = 0; k < 4; k++) {
      const real sum = gate(s, s.gates, row, 4, k, i);
      gates[k] = k == 2 ? THMath_(tanh)(sum) : THMath_(sigmoid)(sum);
    }
    const real after = gates[1] * load(s.c, j) + gates[0] * gates[2];
    for (int k = 0; k < 4; k++)
      store(s.gates, (row * 4 + k) * s.n + i, gates[k]);
    store(s.newCell, j, after);
    store(s.y, j, gates[3] * THMath_(tanh)(after));
  }
}

__global__ static void lstm_backward(THCUNNCells s)
{
  THC_GRID_LOOP(j, s.rows * s.n)
  {
    const int64_t row = j / s.n, i = j % s.n;
    real kept[4];
    for (int k = 0; k < 4; k++)
      kept[k] = load(s.kept, (row * 4 + k) * s.n + i);
    const real in = kept[0], forget = kept[1], cell = kept[2], out = kept[3];
    const real t = THMath_(tanh)(load(s.yc, j)), g = load(s.g, j);
    const real d = g * out * (1 - t * t) + load(s.gc, j);
    const real gates[] = {d * cell * (1 - in) * in, d * load(s.c, j) * (1 - forget) * forget,
                          d * in * (1 - cell * cell), g * t * (1 - out) * out};
    for (int k = 0; k < 4; k++)
      store(s.dInput, (row * 4 + k) * s.n + i, gates[k]);
    store(s.dh, j, d * forget);
  }
}

/* clang-format off */
#define LAUNCHER(NAME, KERNEL)                                                  \
  extern "C" void THCUNN_(NAME)(const THCUNNCells *s, cudaStream_t stream)      \
  { THC_LAUNCH(KERNEL, THC_blocks(s->rows * s->n), THC_BLOCK, 0, stream, *s); }
/* clang-format on */
LAUNCHER(gru, gru)
LAUNCHER(gruBackward, gru_backward)
LAUNCHER(lstm, lstm)
LAUNCHER(lstmBackward, lstm_backward)
