/* THCTensorIndexHost.c includes this for Long and Byte, the Type: a copy on the device of a tensor on the
 * host, which the guard, entered here, frees. */
#define HostTensor          TH_CONCAT_3(TH, Type, Tensor)
#define DeviceTensor        TH_CONCAT_3(THCuda, Type, Tensor)
#define DeviceTensor_(NAME) TH_CONCAT_4(THCuda, Type, Tensor_, NAME)

static void TH_CONCAT_2(free_, Type)(void *tensor)
{
  DeviceTensor_(free)(THC_using, tensor);
}

static DeviceTensor *TH_CONCAT_2(upload_, Type)(THCState *state, THGuard *guard, HostTensor *host)
{
  THC_enter(state);
  THGuard_enter(guard, TH_CONCAT_2(free_, Type));
  DeviceTensor *tensor = guard->what = DeviceTensor_(new)(state);
  DeviceTensor_(resizeNd)(state, tensor, host->nDimension, host->size, NULL);
  TH_CONCAT_2(DeviceTensor_(copy), Type)(state, tensor, host);
  return tensor;
}

#undef HostTensor
#undef DeviceTensor
#undef DeviceTensor_
#undef Type
