/* The kernels of complex.cu by the names of src/ops/complex.h. */
#include "ATen/cuda/state.h"

#include "ATen/complex/complex.h"
#include "THC/core/thc_kernels.h"

#define AT_COMPLEX(OF, WRITES, N, NAME, ...)                                      \
  void at_cuda_complex_Float_##NAME(const THCWalk *, const void *, cudaStream_t); \
  void at_cuda_complex_Double_##NAME(const THCWalk *, const void *, cudaStream_t);
#include "ops/complex.h"

#define INDEX_ROW(NAME)      TH_POINTWISE_##NAME
#define INDEX_FUNCTION(NAME) AT_ROWS + AT_FUNCTION_##NAME
#define INDEX_OWN(NAME)      AT_COMPLEX_##NAME
#define AT_COMPLEX(OF, WRITES, N, NAME, ...) \
  [INDEX_##OF(NAME)] = {at_cuda_complex_Float_##NAME, at_cuda_complex_Double_##NAME},
const THCKernel at_cudaComplexRows[AT_COMPLEX_NAMES][2] = {
#include "ops/complex.h"
};
