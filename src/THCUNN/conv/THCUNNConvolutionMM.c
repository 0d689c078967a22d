/* Convolutions of images by im2col and gemm, for as many images at a time as MOST_COLUMNS allows.
 * The arguments columns and ones are not used: no buffer is kept between calls. */
#include "THCUNN/layer/THCUNNDevice.h"

#include "THCUNN/layer/thcunn_kernels.h"

#if defined(THC_REAL_IS_DOUBLE)
#define gemm       THCudaBlas_Dgemm
#define gemmMany   THCudaBlas_DgemmStridedBatched
#define TO_REAL(X) (X)
#elif defined(THC_REAL_IS_HALF)
#define gemm       THCudaBlas_Hgemm
#define gemmMany   THCudaBlas_HgemmStridedBatched
#define TO_REAL(X) THC_float2half((float)(X))
#else
#define gemm       THCudaBlas_Sgemm
#define gemmMany   THCudaBlas_SgemmStridedBatched
#define TO_REAL(X) ((real)(X))
#endif

enum { MOST_COLUMNS = 64 << 20 }; /* bytes of columns at a time */

typedef struct {
  THNNConvolution c;
  THCUNNWindows w;
  int64_t chunk; /* images at a time */
  real *columns; /* NULL for 1 x 1 kernels: the image itself is the columns */
  THGuard guard;
} THNN_(Columns);

static void THNN_(openColumns)(THNN_(Columns) * k, const THNNConvolution *c)
{
  int elements = c->windows == c->image;
  k->c = *c;
  for (int a = 0; a < 2; a++) {
    const THNNWindow *from = &c->at[a + 1];
    k->w.input[a] = from->input;
    k->w.output[a] = from->output;
    k->w.size[a] = from->size;
    k->w.step[a] = from->step;
    k->w.pad[a] = from->pad;
    k->w.dilation[a] = from->dilation;
    elements &= from->size == 1 && from->step == 1 && from->pad == 0;
  }
  const int64_t bytes = c->depth * c->windows * (int64_t)sizeof(real);
  k->chunk = elements ? c->batch : THMax(1, THMin(c->batch, MOST_COLUMNS / bytes));
  k->columns = THCUNN_allocate(&k->guard, elements ? 0 : k->chunk * bytes);
}

static real *THNN_(unfoldImages)(THNN_(Columns) * k, real *x, int64_t images)
{
  if (!k->columns)
    return x;
  TH_CONCAT_2(THCUNN_im2col_, Real)(&k->w, images * k->c.planes, x, k->columns, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  return k->columns;
}

static THNNLayer THNN_(layer)(int kW, int kH, int dW, int dH, int padW, int padH)
{
  return THNNLayer_spatial(kW, kH, dW, dH, padW, padH, 1, 1);
}

void THNN_(SpatialConvolutionMM_updateOutput)(THCState *state, THCTensor *input, THCTensor *output,
                                              THCTensor *weight, THCTensor *bias,
                                              THCTensor *columns, THCTensor *ones, int kW, int kH,
                                              int dW, int dH, int padW, int padH)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(4, input, output, weight, bias);
  const THNNConvolution c =
      THNN_(convolutionOf)(THNN_(layer)(kW, kH, dW, dH, padW, padH), input, NULL, weight, bias);
  THNN_(Columns) k;
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  THCTensor *out = THNN_(result)(&call, output, c.dims, c.ySize);
  THNN_(openColumns)(&k, &c);
  THNN_(ready)(&call);
  THNN_(start)(&call);
  real *x = THTensor_(data)(input), *y = THTensor_(data)(out);
  if (bias)
    TH_CONCAT_2(THCUNN_fillPlanes_, Real)(c.batch, c.outputs, c.windows, THTensor_(data)(bias), y,
                                          THCUNN_STREAM);
  for (int64_t i = 0; i < c.batch; i += k.chunk) {
    const int64_t images = THMin(k.chunk, c.batch - i);
    const real *from = THNN_(unfoldImages)(&k, x + i * c.planes * c.image, images);
    gemmMany(state, 'n', 'n', c.windows, c.outputs, c.depth, TO_REAL(1), from, c.windows,
             c.depth * c.windows, THTensor_(data)(weight), c.depth, 0, TO_REAL(bias ? 1 : 0),
             y + i * c.outputs * c.windows, c.windows, c.outputs * c.windows, images);
  }
  THGuard_leave(&k.guard);
  THNN_(finish)(&call);
}

void THNN_(SpatialConvolutionMM_updateGradInput)(THCState *state, THCTensor *input,
                                                 THCTensor *gradOutput, THCTensor *gradInput,
                                                 THCTensor *weight, THCTensor *columns,
                                                 THCTensor *ones, int kW, int kH, int dW, int dH,
                                                 int padW, int padH)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(4, input, gradOutput, gradInput, weight);
  const THNNConvolution c = THNN_(convolutionOf)(THNN_(layer)(kW, kH, dW, dH, padW, padH), input,
                                                 gradOutput, weight, NULL);
  THNN_(Columns) k;
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(source)(&call, weight);
  THCTensor *grad = THNN_(result)(&call, gradInput, c.dims, c.xSize);
  THNN_(openColumns)(&k, &c);
  THNN_(ready)(&call);
  THNN_(start)(&call);
  real *g = THTensor_(data)(gradOutput), *dx = THTensor_(data)(grad);
  for (int64_t i = 0; i < c.batch; i += k.chunk) {
    const int64_t images = THMin(k.chunk, c.batch - i);
    real *to = dx + i * c.planes * c.image, *made = k.columns ? k.columns : to;
    gemmMany(state, 'n', 't', c.windows, c.depth, c.outputs, TO_REAL(1),
             g + i * c.outputs * c.windows, c.windows, c.outputs * c.windows,
             THTensor_(data)(weight), c.depth, 0, TO_REAL(0), made, c.windows, c.depth * c.windows,
             images);
    if (k.columns) {
      TH_CONCAT_2(THCUNN_col2im_, Real)(&k.w, images * c.planes, made, to, THCUNN_STREAM);
      THCudaCheck(cudaGetLastError());
    }
  }
  THGuard_leave(&k.guard);
  THNN_(finish)(&call);
}

void THNN_(SpatialConvolutionMM_accGradParameters)(THCState *state, THCTensor *input,
                                                   THCTensor *gradOutput, THCTensor *gradWeight,
                                                   THCTensor *gradBias, THCTensor *columns,
                                                   THCTensor *ones, int kW, int kH, int dW, int dH,
                                                   int padW, int padH, accreal scale)
{
  THCUNN_enter(state);
  THCUNN_SAME_DEVICE(4, input, gradOutput, gradWeight, gradBias);
  const THNNConvolution c = THNN_(convolutionOf)(THNN_(layer)(kW, kH, dW, dH, padW, padH), input,
                                                 gradOutput, gradWeight, gradBias);
  THNN_(Columns) k;
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(openColumns)(&k, &c);
  THNN_(ready)(&call);
  THNN_(start)(&call);
  real *x = THTensor_(data)(input), *g = THTensor_(data)(gradOutput);
  for (int64_t i = 0; gradWeight && i < c.batch; i += k.chunk) {
    const int64_t images = THMin(k.chunk, c.batch - i);
    real *from = THNN_(unfoldImages)(&k, x + i * c.planes * c.image, images);
    for (int64_t j = 0; j < images; j++)
      gemm(state, 't', 'n', c.depth, c.outputs, c.windows, TO_REAL(scale),
           from + j * c.depth * c.windows, c.windows, g + (i + j) * c.outputs * c.windows,
           c.windows, TO_REAL(1), THTensor_(data)(gradWeight), c.depth);
  }
  if (gradBias)
    TH_CONCAT_2(THCUNN_addPlaneSums_, Real)(c.batch, c.outputs, c.windows, g, scale,
                                            THTensor_(data)(gradBias), THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&k.guard);
  THNN_(finish)(&call);
}
