/* What THNN's loop over planes calls (THNN/layer/PlaneLoopGeneric.h): one kernel for all planes. */
#include "THCUNNDevice.h"

int THNN_(findStrange)(const THNN_(Work) * work, int64_t *value)
{
  int64_t at;
  return THCUNN_findOther(work->from, work->planes->count * work->planes->output, work->base,
                          work->limit, work->base, &at, value);
}

/* On a device, work->scratch is the memory of all planes together. */
void THNN_(prepareChunks)(THNN_(Work) * work, THNN_(Call) * call)
{
  if (work->scratch)
    work->memory = (char *)THNN_(scratch)(call, (ptrdiff_t)((work->scratch + sizeof(real) - 1) /
                                                            sizeof(real)));
}

void THNN_(runChunks)(THNN_(Work) * work)
{
  if (work->planes->count > 0)
    work->plane(work, 0, work->memory);
  THCudaCheck(cudaGetLastError());
}
