/* Max unpooling: elements return to the positions that they were pooled from, among zeros. */
#include "THNN/layer/Template.h"
#include "MaxPoolLayers.h"

/* The layer's indices count in output planes, one for each input element.  So the planes are those
 * of max pooling, with input and output exchanged; unpooling is its backward direction. */
static THNNPlanes THNN_(unpooled)(THTensor *input, THIndexTensor *indices, int axes,
                                  const int64_t out[3], int64_t size[5])
{
  const THNNPlanes p = THNN_(imagePlanes)(input, axes);
  THNN_CHECK_SHAPE(input, indices);
  memcpy(size, p.inSize, sizeof p.inSize);
  memcpy(size + p.dims - axes, out + 3 - axes, (size_t)axes * sizeof *out);
  for (int a = 0; a < 3; a++)
    if (out[a] < 1)
      THError("output would have size %s, for input of %s", _THSizeDesc(size, p.dims).str,
              THTensor_(sizeDesc)(input).str);
  THNNPlanes unpooled = THNNPlanes_of(p.dims, size, axes);
  THNNPlanes_setOutput(&unpooled, p.in);
  return unpooled;
}

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

static void THNN_(unpoolPlane)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  real *y = loop->y + plane * p->input;
  const real *x = loop->x + plane * p->output;
  const int64_t *index = loop->indexIn + plane * p->output;
  memset(y, 0, (size_t)p->input * sizeof *y);
  for (ptrdiff_t i = 0; i < p->output; i++)
    y[index[i] - TH_INDEX_BASE] = x[i];
}

static void THNN_(unpoolPlaneBackward)(const THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *unused)
{
  const THNNPlanes *p = loop->planes;
  real *y = loop->y + plane * p->output;
  const real *x = loop->x + plane * p->input;
  const int64_t *index = loop->indexIn + plane * p->output;
  /* The next plane, which is read in random order, is prefetched: a part after each BLOCK elements.
   */
  enum { BLOCK = 32, LINE = 64 / sizeof(real) };
  const ptrdiff_t part = (p->input + p->output / BLOCK) / (p->output / BLOCK + 1);
  const real *next = x + p->input;
  for (ptrdiff_t first = 0; first < p->output; first += BLOCK, next += part) {
    for (ptrdiff_t i = 0; i < part; i += LINE)
      __builtin_prefetch(next + i);
    for (ptrdiff_t i = first; i < THMin(first + BLOCK, p->output); i++)
      y[i] = x[index[i] - TH_INDEX_BASE];
  }
}

void THNN_(unpoolPlanes)(const THNNPlanes *p, int backward, THTensor *source, THTensor *result,
                         THIndexTensor *indices)
{
  THNN_(PlaneLoop)
  loop = {.plane = backward ? THNN_(unpoolPlaneBackward) : THNN_(unpoolPlane),
          .backward = !backward, /* the larger planes are the input's */
          .source = source,
          .result = result,
          .indicesIn = indices,
          .limit = p->input,
          .base = TH_INDEX_BASE,
          .cost = backward ? p->output : p->input + p->output};
  THNN_(runPlanes)(p, &loop);
}

#endif

static void THNN_(unpool)(THTensor *input, THTensor *output, THIndexTensor *indices, int axes,
                          const int64_t out[3])
{
  int64_t size[5];
  const THNNPlanes p = THNN_(unpooled)(input, indices, axes, out, size);
  THNN_(unpoolPlanes)(&p, 0, input, output, indices);
}

static void THNN_(unpoolBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput,
                                  THIndexTensor *indices, int axes, const int64_t out[3])
{
  int64_t size[5];
  const THNNPlanes p = THNN_(unpooled)(input, indices, axes, out, size);
  if (!THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, size, p.dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(size, p.dims).str);
  THNN_(unpoolPlanes)(&p, 1, gradOutput, gradInput, indices);
}

void THNN_(SpatialMaxUnpooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                             THIndexTensor *indices, int owidth, int oheight)
{
  THNN_ENTER(state, input, output, indices);
  THNN_(unpool)(input, output, indices, 2, (int64_t[]){1, oheight, owidth});
}

void THNN_(SpatialMaxUnpooling_updateGradInput)(THNNState *state, THTensor *input,
                                                THTensor *gradOutput, THTensor *gradInput,
                                                THIndexTensor *indices, int owidth, int oheight)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNN_(unpoolBackward)(input, gradOutput, gradInput, indices, 2, (int64_t[]){1, oheight, owidth});
}

static void THNN_(checkSteps)(int dT, int dW, int dH)
{
  const int step = dT < 1 ? dT : dW < 1 ? dW : dH;
  if (step < 1)
    THError("d%s is %d: windows are at least 1 apart", dT < 1 ? "T" : dW < 1 ? "W" : "H", step);
}

void THNN_(VolumetricMaxUnpooling_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                                THIndexTensor *indices, int oT, int oW, int oH,
                                                int dT, int dW, int dH, int pT, int pW, int pH)
{
  THNN_ENTER(state, input, output, indices);
  THNN_(checkSteps)(dT, dW, dH);
  THNN_(unpool)(input, output, indices, 3, (int64_t[]){oT, oH, oW});
}

void THNN_(VolumetricMaxUnpooling_updateGradInput)(THNNState *state, THTensor *input,
                                                   THTensor *gradOutput, THTensor *gradInput,
                                                   THIndexTensor *indices, int oT, int oW, int oH,
                                                   int dT, int dW, int dH, int pT, int pW, int pH)
{
  THNN_ENTER(state, input, gradOutput, gradInput, indices);
  THNN_(checkSteps)(dT, dW, dH);
  THNN_(unpoolBackward)(input, gradOutput, gradInput, indices, 3, (int64_t[]){oT, oH, oW});
}
