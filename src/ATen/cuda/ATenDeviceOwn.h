/* The functions of core/Functions.c that are written differently for CUDA. */

static void toHost(void *host, void *t)
{
  THTensor_(copyCuda)(AT_STATE, host, t);
}

static void fromHost(void *t, void *host)
{
  CALL_TENSOR(copyCPU, t, host);
}

/* amax and amin by THC functions that also compute indices, which are dropped. */
static void extreme(void (*find)(THCState *, THCTensor *, THCudaLongTensor *, THCTensor *, THCDim,
                                 int),
                    void *r, void *t, int dimension, int keepdim)
{
  THGuard guard;
  THGuard_enter(&guard, at_cudaFunctions_Long.free);
  guard.what = THCudaLongTensor_new(AT_STATE);
  find(AT_STATE, r, guard.what, t, dimension, keepdim);
  THGuard_leave(&guard);
}

static void amax(void *r, void *t, int dimension, int keepdim)
{
  extreme(THCTensor_(max), r, t, dimension, keepdim);
}

static void amin(void *r, void *t, int dimension, int keepdim)
{
  extreme(THCTensor_(min), r, t, dimension, keepdim);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)

/* THCUNN convolves only images, in one group and without dilation, and needs no buffers. */
static void check_groups(const THNNGroups *how)
{
  if (how->axes != 2 || how->full || how->groups != 1 || how->dilation[1] != 1 ||
      how->dilation[2] != 1)
    at_missing(how->axes != 2     ? "convolution of volumes"
               : how->full        ? "transposed convolution"
               : how->groups != 1 ? "convolution in groups"
                                  : "dilated convolution",
               TH_STRING_OF(Real));
}

#define WINDOWS \
  NULL, NULL, how->size[2], how->size[1], how->step[2], how->step[1], how->pad[2], how->pad[1]

static void convolve(const THNNGroups *how, void *input, void *output, void *weight, void *bias)
{
  check_groups(how);
  THNN_(SpatialConvolutionMM_updateOutput)(AT_STATE, input, output, weight, bias, WINDOWS);
}

static void convolveBackwardData(const THNNGroups *how, void *input, void *gradOutput,
                                 void *gradInput, void *weight)
{
  check_groups(how);
  THNN_(SpatialConvolutionMM_updateGradInput)(AT_STATE, input, gradOutput, gradInput, weight,
                                              WINDOWS);
}

static void convolveBackwardWeights(const THNNGroups *how, void *input, void *gradOutput,
                                    void *gradWeight, void *gradBias)
{
  check_groups(how);
  THNN_(SpatialConvolutionMM_accGradParameters)(AT_STATE, input, gradOutput, gradWeight, gradBias,
                                                WINDOWS, 1);
}
#undef WINDOWS
#endif
