/* The CUDA side of THNN's loop over planes (THNN/layer/PlaneLoopGeneric.h): one kernel for all planes.  Also
 * the memory of sums (THNN/layer/CallGeneric.h) and the check of probabilities. */
#include "THCUNNDevice.h"

#include "THNN/layer/CheckProbability.h"

int THNN_(findBadIndex)(const THNN_(PlaneLoop) * loop, int64_t *value)
{
  int64_t at;
  return THCUNN_findOther(loop->indexIn, loop->planes->count * loop->planes->output, loop->base,
                          loop->limit, loop->base, 0, &at, value);
}

/* On a device, loop->scratch is the memory of all planes together. */
void THNN_(prepareChunks)(THNN_(PlaneLoop) * loop, THNN_(Call) * call)
{
  if (loop->scratch)
    loop->memory = (char *)THNN_(scratch)(call, (ptrdiff_t)((loop->scratch + sizeof(real) - 1) /
                                                            sizeof(real)));
}

void THNN_(runChunks)(THNN_(PlaneLoop) * loop)
{
  if (loop->planes->count > 0)
    loop->plane(loop, 0, loop->memory);
  THCudaCheck(cudaGetLastError());
}

void *THNN_(sumMemory)(THNN_(Call) * call, int64_t lines, int64_t length)
{
  const int64_t parts = THCUNN_parts(lines, length);
  const size_t bytes = (size_t)(lines * parts) * 2 * sizeof(double);
  return parts == 1 ? NULL
                    : THNN_(scratch)(call, (ptrdiff_t)((bytes + sizeof(real) - 1) / sizeof(real)));
}

static void THNN_(freeTensor)(void *tensor)
{
  THTensor_(free)(tensor);
}

int THNN_(findNonProbability)(THTensor *t, int arg, double *value)
{
  THGuard guard;
  THCCheck check;
  THCFault fault = {0};
  const ptrdiff_t count = THTensor_(nElement)(t);
  if (count == 0 || THCCheck_isOff())
    return 0;
  THGuard_enter(&guard, THNN_(freeTensor));
  THTensor *const whole = guard.what = THTensor_(newContiguous)(t);
  if (THCCheck_open(&check, THCUNN_using, THCUNN_function, arg, 0, 1)) {
    TH_CONCAT_2(THCUNN_findNonProbability_, Real)(THTensor_(data)(whole), count, &check.report,
                                                  THCUNN_STREAM);
    THCCheck_close(&check, &fault);
  }
  THGuard_leave(&guard);
  *value = THCFault_number(&fault);
  return fault.found;
}
