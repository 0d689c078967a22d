/* Which kernels sort. */
#include "THSort.h"

TH_DISPATCH(THSortKernels, THSort_kernels)
