/* The algorithm implicit_gemm: which convolutions it computes, its cost, and what its passes share. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "ImplicitGemmParts.h"

TH_DISPATCH(THNN_(Implicit), THNN_(implicit))

/* --- which ones ------------------------------------------------------------------------------ */

double THNN_(laneUtilization)(ptrdiff_t outputs)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes,
                  vectors = (outputs + lanes - 1) / lanes;
  /* A single vector does not keep the processor busy. */
  return (double)outputs / (double)(vectors * lanes) * (vectors == 1 ? 0.7 : 1);
}

int64_t THNN_(positionsAlong)(const THNNWindow *w, int backward)
{
  return backward ? (w->input + w->step - 1) / w->step : w->output;
}

double THNN_(positionUtilization)(const THNNConvolution *c, int backward, ptrdiff_t outputs)
{
  ptrdiff_t wanted = 1, computed = 1;
  for (int d = 0; d < 3; d++) {
    const THNNWindow *w = &c->at[d];
    const int64_t reach = (w->size - 1) * w->dilation / w->step;
    const int64_t count = THNN_(positionsAlong)(w, backward);
    wanted *= count;
    computed *= d == 0 ? count : count + reach;
  }
  const ptrdiff_t block = THNNDirect_block(outputs);
  const ptrdiff_t strip =
      (block < THNN_DIRECT_OUTPUTS ? 6 : 4) * TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t blocks = (outputs + block - 1) / block;
  computed = (computed + strip - 1) / strip * strip;
  return (double)wanted / (double)computed * (double)outputs / (double)(blocks * block);
}

static ptrdiff_t THNN_(resultsOf)(const THNNConvolution *c, THNNPass pass)
{
  return (pass == THNN_BACKWARD_DATA ? c->planes : c->outputs) / c->groups;
}

int THNN_(supportsImplicitGemm)(const THNNConvolution *c, THNNPass pass)
{
  const int isEmpty = c->terms == 0 && (c->channelsLast || pass != THNN_BACKWARD_WEIGHTS);
  return c->groups > 0 && c->batch > 0 && !isEmpty && THNN_(resultsOf)(c, pass) > 0;
}

double THNN_(costOfImplicitGemm)(const THNNConvolution *c, THNNPass pass,
                                 THNN_(WinogradPlan) * plan)
{
  enum {
    MIN_ROWS = 32,  /* with fewer positions, packing the weights does not pay */
    OF_RESULT = 20, /* terms that take as long as transposing a large result */
    LARGE_RESULT =
        1 << 17 /* elements of a result that leaves the L2 cache before its transposition */
  };
  const ptrdiff_t results = THNN_(resultsOf)(c, pass);
  if (c->channelsLast || pass == THNN_BACKWARD_WEIGHTS) /* results should fill half a vector */
    return 2 * results >= TH_DISPATCHED(THNN_(implicit))->lanes ? THNN_ALWAYS : THNN_NEVER;
  const int backward = pass == THNN_BACKWARD_DATA;
  if (results < 2 || c->batch * (backward ? c->image : c->positions) < MIN_ROWS)
    return THNN_NEVER;
  /* implicit_gemm copies planes and transposes the result.  So planes that serve as flat planes are
   * better left to direct, and a large result takes OF_RESULT terms longer. */
  const double worth = THNN_(areFlat)(c) ? 0.9 : 1;
  const ptrdiff_t size = backward ? c->image : c->positions;
  const ptrdiff_t terms = THMax(1, (backward ? c->outputs : c->planes) / c->groups * c->taps);
  const double more = size * results >= LARGE_RESULT ? OF_RESULT / (double)terms : 0;
  return THNN_(positionUtilization)(c, backward, results) /
         (worth * THNN_(laneUtilization)(results)) * (1 + more);
}

/* --- what the passes share ------------------------------------------------------------------- */

ptrdiff_t THNN_(widthOf)(ptrdiff_t outputs)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  return THMin(TH_DISPATCHED(THNN_(implicit))->vectors, (outputs + lanes - 1) / lanes) * lanes;
}

ptrdiff_t THNN_(vectorsOf)(ptrdiff_t outputs)
{
  return (outputs + TH_DISPATCHED(THNN_(implicit))->lanes - 1) /
         TH_DISPATCHED(THNN_(implicit))->lanes;
}

ptrdiff_t THNN_(wholeVectors)(ptrdiff_t elements)
{
  return THNN_(vectorsOf)(elements) * TH_DISPATCHED(THNN_(implicit))->lanes;
}

void THNN_(packOutputs)(ptrdiff_t count, ptrdiff_t columns, const real *outputs, ptrdiff_t next,
                        real *m)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  if (width > count)
    memset(m, 0, (size_t)(columns * width) * sizeof *m);
  TH_DISPATCHED(THNN_(implicit))->transpose(count, columns, outputs, next, m, width);
}

void THNN_(packFilters)(ptrdiff_t count, ptrdiff_t taps, const real *filters, real *m)
{
  enum { LANES = 64 / sizeof(real), OUTPUTS = 4 * LANES }; /* of a vector and of a block, at most */
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes,
                  width = THNN_(vectorsOf)(count) * lanes;
  if (taps >= lanes) {
    THNN_(packOutputs)(count, taps, filters, taps, m);
    return;
  }
  real copy[(OUTPUTS + 1) * LANES]; /* the last vector that is read begins with the last filter */
  const ptrdiff_t all = count * taps, read = (width - 1) * taps + lanes;
  memcpy(copy, filters, (size_t)all * sizeof *copy);
  memset(copy + all, 0, (size_t)(read - all) * sizeof *copy);
  TH_DISPATCHED(THNN_(implicit))->transpose(width, lanes, copy, taps, m, width);
}

void THNN_(copyParts)(ptrdiff_t rows, const real *from, ptrdiff_t next, ptrdiff_t count, real *m)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  TH_DISPATCHED(THNN_(winograd))->copyRows(rows, count, from, next, m, width);
  if (width > count)
    for (ptrdiff_t i = 0; i < rows; i++)
      memset(m + i * width + count, 0, (size_t)(width - count) * sizeof *m);
}

ptrdiff_t THNN_(listPositions)(const THNNConvPlan *p, const THNNDirect *d, ptrdiff_t images,
                               ptrdiff_t next, ptrdiff_t positionStride, ptrdiff_t *list)
{
  ptrdiff_t count = 0;
  for (ptrdiff_t image = 0; image < images; image++)
    for (ptrdiff_t t = 0; t < d->count[0]; t++)
      for (ptrdiff_t i = 0; i < d->count[1]; i++)
        for (ptrdiff_t j = 0; j < d->count[2]; j++)
          list[count++] =
              image * next +
              ((t * p->stride[0] * d->rows + i * p->stride[1]) * d->pitch + j * p->stride[2]) *
                  positionStride;
  return count;
}

ptrdiff_t THNN_(positionsOf)(const THNNDirect *d)
{
  return THMax(d->count[0], 0) * THMax(d->count[1], 0) * THMax(d->count[2], 0);
}

void THNN_(listTerms)(const THNNConvolution *c, const THNNPart *part, ptrdiff_t planes,
                      ptrdiff_t stride, ptrdiff_t *list)
{
  for (ptrdiff_t s = 0; s < planes; s++)
    for (ptrdiff_t t = 0; t < part->taps; t++)
      *list++ = c->channelsLast ? part->d.offset[t] * stride + s : part->d.offset[t] + s * stride;
}

void THNN_(copyPaddedNhwc)(const THNNWindow *w, const real *x, ptrdiff_t next, ptrdiff_t planes,
                           real *flat, ptrdiff_t positionStride)
{
  const int64_t wide = w[2].output, left = THMax(0, THMin(w[2].pad, wide)); /* left: columns of 0 */
  const int64_t from = THMax(0, -w[2].pad), these = THMin(w[2].input - from, wide - left);
  for (int64_t t = 0; t < w[0].output; t++)
    for (int64_t i = 0; i < w[1].output; i++, flat += wide * positionStride) {
      const int64_t slice = t - w[0].pad, row = i - w[1].pad;
      if (slice < 0 || slice >= w[0].input || row < 0 || row >= w[1].input || these <= 0) {
        memset(flat, 0, (size_t)(wide * positionStride) * sizeof *flat);
        continue;
      }
      const real *at = x + ((slice * w[1].input + row) * w[2].input + from) * next;
      memset(flat, 0, (size_t)(left * positionStride) * sizeof *flat);
      if (planes == next && planes == positionStride)
        memcpy(flat + left * positionStride, at, (size_t)(these * positionStride) * sizeof *flat);
      else
        TH_DISPATCHED(THNN_(winograd))
            ->copyRows(these, planes, at, next, flat + left * positionStride, positionStride);
      memset(flat + (left + these) * positionStride, 0,
             (size_t)((wide - left - these) * positionStride) * sizeof *flat);
    }
}

int THNN_(needsNoPadding)(const THNNConvPlan *p)
{
  int is = p->parts == 1;
  for (int d = 0; d < 3; d++)
    is &= p->layout[d].pad == 0 && p->layout[d].output == p->layout[d].input;
  return is;
}
