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

static void convolve(const THNNGroups *how, void *input, void *output, void *weight, void *bias)
{
  THNN_(Groups_updateOutput)(AT_STATE, how, input, output, weight, bias);
}

static void convolveBackwardData(const THNNGroups *how, void *input, void *gradOutput,
                                 void *gradInput, void *weight)
{
  THNN_(Groups_updateGradInput)(AT_STATE, how, input, gradOutput, gradInput, weight);
}

static void convolveBackwardWeights(const THNNGroups *how, void *input, void *gradOutput,
                                    void *gradWeight, void *gradBias)
{
  THNN_(Groups_accGradParameters)(AT_STATE, how, input, gradOutput, gradWeight, gradBias, 1);
}
#endif
