/* Which algorithm computes a convolution, and its three passes. */
#include "THNN/layer/Template.h"

/* --- the table of algorithms ----------------------------------------------------------------- */

/* The first row that supports a convolution and costs less than THNN_NEVER computes it.  The last row
 * computes every contiguous one. */
static const THNN_(Algorithm) THNN_(algorithms)[] = {
    {"depthwise_nchw", THNN_(supportsDepthwiseNchw), THNN_(costOfDepthwiseNchw),
     THNN_(convolveByDepthwiseNchw), THNN_(weightsByDepthwiseNchw)},
    {"depthwise_nhwc", THNN_(supportsDepthwiseNhwc), THNN_(costOfDepthwiseNhwc),
     THNN_(convolveByDepthwiseNhwc), THNN_(weightsByDepthwiseNhwc)},
    {"winograd3x3", THNN_(supportsWinograd3x3), THNN_(costOfWinograd3x3),
     THNN_(convolveByWinograd3x3), THNN_(weightsByWinograd3x3)},
    {"winograd5x5", THNN_(supportsWinograd5x5), THNN_(costOfWinograd5x5),
     THNN_(convolveByWinograd5x5), THNN_(weightsByWinograd5x5)},
    {"scatter", THNN_(supportsScatter), THNN_(costOfScatter), THNN_(convolveByScatter), NULL},
    {"column_panels", THNN_(supportsColumnPanels), THNN_(costOfColumnPanels),
     THNN_(convolveByColumnPanels), NULL},
    {"implicit_gemm", THNN_(supportsImplicitGemm), THNN_(costOfImplicitGemm),
     THNN_(convolveByImplicitGemm), THNN_(weightsByImplicitGemm)},
    {"direct", THNN_(supportsDirect), THNN_(costOfDirect), THNN_(convolveByDirect),
     THNN_(weightsByDirect)},
    {"im2col", THNN_(supportsIm2Col), THNN_(costOfIm2Col), THNN_(convolveByIm2Col),
     THNN_(weightsByIm2Col)},
};
enum { ALGORITHMS = sizeof THNN_(algorithms) / sizeof *THNN_(algorithms) };

/* The row for c in the layout that c->channelsLast says, or NULL.  forced: only the row of this name
 * counts, whatever it costs, if there is memory for it. */
static const THNN_(Algorithm) * THNN_(rowOf)(const THNNConvolution *c, THNNPass pass,
                                             const char *forced, THNN_(WinogradPlan) * plan)
{
  for (int i = 0; i < ALGORITHMS; i++) {
    const THNN_(Algorithm) *row = &THNN_(algorithms)[i];
    if ((!forced || !strcmp(forced, row->name)) && row->supports(c, pass) &&
        row->cost(c, pass, plan) < (forced ? INFINITY : THNN_NEVER))
      return row;
  }
  return NULL;
}

/* Chooses a row.  Tries the forced algorithm first, then any; for each, the layout of the operands
 * first (channels-last if channelsLast is set), then the contiguous one, to which channels-last
 * operands are copied. */
static void THNN_(choose)(const THNNConvolution *c, THNNPass pass, int channelsLast,
                          THNN_(Choice) * choice)
{
  const char *forced = THNNConvolution_forced();
  choice->row = NULL;
  for (int isFree = !forced; !choice->row && isFree < 2; isFree++)
    for (int inOrder = !channelsLast; !choice->row && inOrder < 2; inOrder++) {
      if (!inOrder)
        choice->nhwc = THNN_(toNhwc)(c);
      choice->c = inOrder ? c : &choice->nhwc;
      choice->row = THNN_(rowOf)(choice->c, pass, isFree ? NULL : forced, &choice->plan);
    }
}

/* --- the three passes ------------------------------------------------------------------------ */

static void THNN_(convolveEither)(const THNNConvolution *c, THNNPass pass, THTensor *from,
                                  THTensor *weight, THTensor *bias, THTensor *to)
{
  const int backward = pass == THNN_BACKWARD_DATA;
  THNN_(Choice) choice;
  THNN_(choose)(c, pass, THNN_(isNhwc)(c, to, backward ? c->xSize : c->ySize), &choice);
  if (!choice.c->channelsLast) {
    choice.row->convolve(c, backward, from, weight, bias, to);
    return;
  }
  THGuard guard[2];
  from = THNN_(viewNhwc)(c, &guard[0], from);
  to = THNN_(viewNhwc)(c, &guard[1], to);
  choice.row->convolve(choice.c, backward, from, weight, bias, to);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}

void THNN_(convolve)(const THNNConvolution *c, THTensor *x, THTensor *weight, THTensor *bias,
                     THTensor *y)
{
  THNN_(convolveEither)(c, THNN_FORWARD, x, weight, bias, y);
}

void THNN_(convolveBackwardData)(const THNNConvolution *c, THTensor *y, THTensor *weight,
                                 THTensor *bias, THTensor *x)
{
  THNN_(convolveEither)(c, THNN_BACKWARD_DATA, y, weight, bias, x);
}

/* Adds the gradient of the bias, unless the algorithm has done so. */
static void THNN_(addBias)(THNN_(Gradient) * g)
{
  const THNNConvolution *c = g->c;
  if (!g->gradBias || g->isBiasAdded)
    return;
  real *sums = THTensor_(data)(g->gradBias);
  if (g->totals) {
    THNN_(addTotals)(g->totals, THNN_(setsOf)(c), c->outputs, sums, g->scale);
    return;
  }
  const real *from = THTensor_(data)(g->biasOfX ? g->x : g->y);
  const int64_t planes = g->biasOfX ? c->planes : c->outputs;
  const ptrdiff_t n = g->biasOfX ? c->image : c->positions;
  if (c->channelsLast)
    THNN_(addColumnSums)(from, c->batch * n, planes, g->scale, sums);
  else
    THNN_(addPlaneSums)(from, c->batch, planes, n, g->scale, sums);
}

/* Computes the gradients of g in the layout of g->c; row is NULL if only gradBias is wanted. */
static void THNN_(addGradients)(THNN_(Gradient) * g, const THNN_(Algorithm) * row,
                                THNN_(WinogradPlan) * plan)
{
  THNN_(begin)(&g->call);
  g->x = THNN_(source)(&g->call, g->x);
  g->y = THNN_(source)(&g->call, g->y);
  g->gradWeight = THNN_(sum)(&g->call, g->gradWeight);
  g->gradBias = THNN_(sum)(&g->call, g->gradBias);
  if (row)
    row->weights(g, plan);
  else
    THNN_(start)(&g->call);
  THNN_(addBias)(g);
  THNN_(finish)(&g->call);
}

void THNN_(convolveBackwardWeights)(const THNNConvolution *c, THTensor *x, THTensor *y,
                                    THTensor *gradWeight, THTensor *gradBias, int biasOfX,
                                    accreal scale)
{
  const int channelsLast = THNN_(isNhwc)(c, x, c->xSize) || THNN_(isNhwc)(c, y, c->ySize);
  THNN_(Choice) choice;
  THNN_(choose)(c, THNN_BACKWARD_WEIGHTS, channelsLast, &choice);
  THNN_(Gradient)
  g = {.c = choice.c, .gradWeight = gradWeight, .gradBias = gradBias, .biasOfX = biasOfX};
  g.scale = scale;
  THGuard guard[2];
  g.x = choice.c->channelsLast ? THNN_(viewNhwc)(c, &guard[0], x) : x;
  g.y = choice.c->channelsLast ? THNN_(viewNhwc)(c, &guard[1], y) : y;
  THNN_(addGradients)(&g, gradWeight ? choice.row : NULL, &choice.plan);
  if (choice.c->channelsLast) {
    THGuard_leave(&guard[1]);
    THGuard_leave(&guard[0]);
  }
}

const char *THNN_(Convolution_algorithm)(const THNNShape *shape, THNNPass pass, int channelsLast,
                                         int *inOrder)
{
  const THNNGroups *how = &shape->how;
  THNNLayer layer = {.spatial = how->axes};
  for (int d = 0; d < 3; d++)
    layer.at[d] = THNNWindow_of(how->size[d], how->step[d], how->pad[d], how->dilation[d]);
  THNNLayer_count(&layer, shape->image + 3 - how->axes, "the shape");
  THNNConvolution c = {.batch = shape->batch,
                       .groups = how->groups,
                       .planes = shape->planes,
                       .outputs = shape->outputs,
                       .at = {layer.at[0], layer.at[1], layer.at[2]},
                       .dims = how->axes + 2,
                       .batched = 1};
  THNNConvolution_complete(&c);
  /* Tensors of one plane, or of images of one element, are contiguous too: isNhwc says no to them. */
  const int isNhwcX = c.planes > 1 && c.image > 1, isNhwcY = c.outputs > 1 && c.positions > 1;
  const int isNhwc = pass == THNN_FORWARD         ? isNhwcY
                     : pass == THNN_BACKWARD_DATA ? isNhwcX
                                                  : isNhwcX || isNhwcY;
  THNN_(Choice) choice;
  THNN_(choose)(&c, pass, channelsLast && isNhwc, &choice);
  *inOrder = !choice.c->channelsLast;
  return choice.row->name;
}
