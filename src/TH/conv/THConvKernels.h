/* The kernels behind THTensorConv, compiled per element type and instruction set: rows of the
 * outputs of a few windows at the same positions.  Included by templates. */
#include "THConv.h"
#include "THKernel.h"

enum { TH_CONV_OUTPUTS = 6 /* most windows that are computed together */ };

/* What a kernel computes.
 *
 * result = beta * result + alpha * the sum over s and the taps of window(which[s]) * plane s.
 *
 * Element i of a window, of which there are taps, lies at windows[(which[s] * taps + i) * outputs +
 * o] for output o; element (d, y, x) of output o at result[o * nextOutput + d * to[0] + y * to[1] +
 * x * to[2]], and the plane's part for it d * from[0] + y * from[1] + x further than for the first.
 * lanes elements may be read at every position, also past the last column of a narrow output.
 *
 * For dots, a window is packed in rows of columns elements, each followed by zeros up to a multiple
 * of lanes: row i of output o at windows[which[s] * taps * outputs + (i * outputs + o) * (the
 * length with the zeros)].  Column x of an output is columnsAt[x] further, instead of x; lanes
 * elements may be read from the last whole multiple on. */
typedef struct {
  ptrdiff_t sums, taps;
  const real *input;
  const ptrdiff_t *planes; /* where in input plane s is */
  const real *windows;
  const ptrdiff_t *which;
  const THTaps *boxes;
  ptrdiff_t boxCount;
  int outputs;
  ptrdiff_t size[3];                    /* of an output */
  ptrdiff_t from[3], to[3], nextOutput; /* from[2] is 1 */
  ptrdiff_t columns;
  const ptrdiff_t *columnsAt;
  real *result;
  real alpha, beta;
} TH_CONCAT_3(TH, Real, Conv);

#define THConv TH_CONCAT_3(TH, Real, Conv)

typedef struct {
  /* Rows begin ... end of the outputs, counted through their depth. */
  void (*rows)(const THConv *conv, ptrdiff_t begin, ptrdiff_t end);
  /* Elements begin ... end of the outputs, each a sum along the rows of its window. */
  void (*dots)(const THConv *conv, ptrdiff_t begin, ptrdiff_t end);
  ptrdiff_t lanes; /* outputs narrower than this read beyond their columns */
} TH_CONCAT_3(TH, Real, ConvKernels);

#define THConvKernels TH_CONCAT_3(TH, Real, ConvKernels)

extern const THConvKernels *const THTensor_(convKernels)[];
