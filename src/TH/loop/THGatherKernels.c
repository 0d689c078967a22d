/* Copies strided elements to contiguous memory, by their size. */
#include "THGather.h"
#include "TH/simd/THTranspose.h"

#define BITS 8
#include "THGatherBits.h"
#define BITS 16
#include "THGatherBits.h"
#define BITS 32
#include "THGatherBits.h"
#define BITS 64
#include "THGatherBits.h"

const THGatherKernels TH_LEVEL_(THGather_kernels)[] = {
    {.across = {across8, across16, across32, across64},
     .stepped = {stepped8, stepped16, stepped32, stepped64}}};
