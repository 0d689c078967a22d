/* Checks of values in device memory, on the host.  TH_CUDA_CHECK_INDICES in the environment says when an
 * error is raised: 1 by the call itself, which waits; 0 never; otherwise the next time that the host waits
 * for the stream.  Kernels never follow an index out of range (thc_fault.h).
 *
 *     THCCheck check;
 *     THCFault fault;
 *     if (THCCheck_open(&check, state, __func__, 3, 0, size - 1)) {
 *       launch_a_kernel(values, &check.report, stream);
 *       if (THCCheck_close(&check, &fault))
 *         THArgError(3, "%lld is out of range", (long long)fault.value);
 *     }
 *
 * Exported for THCUNN and ATen. */
#ifndef THC_FAULT_HOST_H
#define THC_FAULT_HOST_H

#include "THC.h"

#include "thc_fault.h"

typedef struct THCCheck {
  THCReport report;
  THGuard guard;
  int waits;
} THCCheck;

/* Whether nothing is checked. */
THC_API int THCCheck_isOff(void);

/* Begins a check of argument arg of a public function on the current stream; returns whether one is to
 * be made. */
THC_API int THCCheck_open(THCCheck *check, THCState *state, const char *function, int arg,
                          int64_t first, int64_t last);

/* Ends it.  Returns whether something was found, where that is known: then also what. */
THC_API int THCCheck_close(THCCheck *check, THCFault *fault);

/* The number of a fault of the kind THC_FAULT_NUMBER or THC_FAULT_PARAMETER. */
static inline double THCFault_number(const THCFault *fault)
{
  double number;
  memcpy(&number, &fault->value, sizeof number);
  return number;
}

/* A check of an index tensor: returns whether a value that is not one of first ... last is known, and then one of
 * these. */
THC_API int THCIndex_findOutside(THCState *state, THCudaLongTensor *index, int64_t first,
                                 int64_t last, int64_t *value);

/* Wait for the current stream, or for one of them, and raise what its kernels have reported. */
THC_API void THC_wait(THCState *state);
THC_API void THC_waitFor(THCStream *stream);

#endif
