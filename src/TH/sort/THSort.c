/* Which kernels sort. */
#include "THSort.h"
#include "TH/loop/THLevels.h"

TH_LEVELS_OF(THSortKernels, THSort_kernels)
