/* What THNN's loop over planes calls (THNN/layer/PlaneLoopGeneric.h): one kernel for all planes.  And the
 * memory of sums. */
#include "THCUNNDevice.h"

int THNN_(findStrange)(const THNN_(Work) * work, int64_t *value)
{
  int64_t at;
  return THCUNN_findOther(work->from, work->planes->count * work->planes->output, work->base,
                          work->limit, work->base, 0, &at, value);
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

void *THNN_(sumMemory)(THNN_(Call) * call, int64_t lines, int64_t length)
{
  const int64_t parts = THCUNN_parts(lines, length);
  const size_t bytes = (size_t)(lines * parts) * 2 * sizeof(double);
  return parts == 1 ? NULL
                    : THNN_(scratch)(call, (ptrdiff_t)((bytes + sizeof(real) - 1) / sizeof(real)));
}
