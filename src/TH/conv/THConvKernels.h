/* The kernels behind THTensorConv, compiled per element type and instruction set.  A window is the
 * kernel of a convolution (its weights); a call computes the outputs of a few windows at the same
 * positions.  Included by templates. */
#include "THConv.h"
#include "THKernel.h"

enum { TH_CONV_OUTPUTS = 6 /* most windows that are computed together */ };

/* What a kernel computes.
 *
 * result = beta * result + alpha * the sum over s and the taps of window(which[s]) * plane s.
 *
 * A tap is an element of a window.  Where things lie:
 *
 *     plane s                         input + planes[s]
 *     tap i of the window, output o   windows[(which[s] * taps + i) * outputs + o]
 *     element (d, y, x) of output o   result[o * nextOutput + d * to[0] + y * to[1] + x * to[2]]
 *     what this element reads         plane s from d * from[0] + y * from[1] + x on
 *
 * A whole vector (lanes elements) is read at every position, also past the last column of a narrow
 * output.
 *
 * The function dots is for long windows: its vectors run along the rows of a window.  Each row of
 * `columns` elements is packed with zeros behind it, up to a multiple of lanes, the length:
 *
 *     row i of the window, output o   windows[which[s] * taps * outputs + (i * outputs + o) * length]
 *     what column x reads             plane s from d * from[0] + y * from[1] + columnsAt[x] on
 *
 * There, too, whole vectors are read. */
typedef struct {
  ptrdiff_t sums; /* planes that are added up */
  ptrdiff_t taps; /* elements of a window, in dots including zeros */
  const real *input;
  const ptrdiff_t *planes; /* the offset of each plane */
  const real *windows;
  const ptrdiff_t *which; /* the number of the window for each plane */
  const THTaps *boxes;
  ptrdiff_t boxCount;
  int outputs;                          /* windows that are computed together */
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
  /* Elements begin ... end of the outputs, each a dot product along the rows of its window. */
  void (*dots)(const THConv *conv, ptrdiff_t begin, ptrdiff_t end);
  ptrdiff_t lanes; /* outputs narrower than this read beyond their columns */
} TH_CONCAT_3(TH, Real, ConvKernels);

#define THConvKernels TH_CONCAT_3(TH, Real, ConvKernels)

extern const THConvKernels *const THTensor_(convKernels)[];
