/* Which kernels sort. */
#include "THSort.h"
#include "THKernel.h"

TH_DISPATCH(THSortKernels, THSort_kernels)
