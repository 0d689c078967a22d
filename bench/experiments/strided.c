/* Experiments: transposed operands. */
#include "experiments.h"

#if defined(__AVX512F__)

enum { WIDE = 4096, TRANSPOSED = 32, AT_ONCE = 64 };

static void prepare_square(void)
{
  on.x = normal(AT_SHAPE(WIDE, WIDE));
  give_results(AT_SHAPE(WIDE, WIDE), 0);
}

static void transposed_copy(void *unused)
{
  (void)unused;
  at_tensor *across = at_t(on.x);
  at_copy_(on.result, across);
  at_release(across);
}

static inline void transpose_ahead(const float *x, float *to)
{
  for (ptrdiff_t i = 0; i < FLOATS; i++)
    _mm_prefetch((const char *)(x + i * WIDE + AT_ONCE), _MM_HINT_T0);
  transpose_square(x, WIDE, to, TRANSPOSED);
}

/* Two lines of the result in width, along rows of the source, which are prefetched; whole lines
 * are streamed from a buffer. */
static void sketch_transposed_copy(void *unused)
{
  (void)unused;
  _Alignas(64) float buffer[AT_ONCE * TRANSPOSED];
  for (ptrdiff_t i = 0; i < WIDE; i += TRANSPOSED)
    for (ptrdiff_t j = 0; j < WIDE; j += AT_ONCE) {
      for (ptrdiff_t a = 0; a < TRANSPOSED; a += FLOATS)
        for (ptrdiff_t b = 0; b < AT_ONCE; b += FLOATS)
          transpose_ahead(floats(on.x) + (i + a) * WIDE + j + b, buffer + b * TRANSPOSED + a);
      for (ptrdiff_t b = 0; b < AT_ONCE; b++)
        stream_lines(floats(on.sketched) + (j + b) * WIDE + i, buffer + b * TRANSPOSED,
                     TRANSPOSED * sizeof(float));
    }
  _mm_sfence();
}

const Experiment strided_experiments[] = {
    {"st.transpose_copy", "4096 x 4096", (double)WIDE *WIDE, (double)WIDE *WIDE, prepare_square,
     transposed_copy, sketch_transposed_copy},
    {0},
};

#endif
