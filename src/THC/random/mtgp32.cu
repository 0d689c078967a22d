/* States of cuRAND's generator MTGP32, for kernels of programs that use this generator. */
#include "THC/core/thc_cuda.h"

#include "THC/core/thc_kernels.h"

#if __has_include(<curand_mtgp32_host.h>)

#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

extern "C" size_t THCKernel_mtgp32StateBytes(void)
{
  return sizeof(curandStateMtgp32) * THC_MTGP32_STATES;
}

extern "C" size_t THCKernel_mtgp32ParameterBytes(void)
{
  return sizeof(mtgp32_kernel_params);
}

extern "C" int THCKernel_mtgp32Parameters(struct mtgp32_kernel_params *parameters)
{
  return curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters) == CURAND_STATUS_SUCCESS;
}

extern "C" int THCKernel_mtgp32States(struct curandStateMtgp32 *states,
                                      struct mtgp32_kernel_params *parameters, uint64_t seed)
{
  return curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters,
                                     THC_MTGP32_STATES, seed) == CURAND_STATUS_SUCCESS;
}

#else

extern "C" size_t THCKernel_mtgp32StateBytes(void)
{
  return 0; /* compiled without cuRAND's headers */
}

extern "C" size_t THCKernel_mtgp32ParameterBytes(void)
{
  return 0;
}

extern "C" int THCKernel_mtgp32Parameters(struct mtgp32_kernel_params *)
{
  return 0;
}

extern "C" int THCKernel_mtgp32States(struct curandStateMtgp32 *, struct mtgp32_kernel_params *,
                                      uint64_t)
{
  return 0;
}

#endif
