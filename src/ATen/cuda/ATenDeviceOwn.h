/* What core/Functions.c calls on CUDA only. */

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
  THGuard_enter(&guard, at_cudaMemory_Long.free);
  guard.what = THCudaLongTensor_new(AT_STATE);
  find(AT_STATE, r, guard.what, t, dimension, keepdim);
  THGuard_leave(&guard);
}
