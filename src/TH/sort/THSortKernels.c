/* Sorting and selecting integers of either width: the same text twice. */
#include "THSort.h"
#include "TH/core/THScratch.h"

#include "TH/simd/THSimd.h"

#define Key      uint32_t
#define KEY_BITS 32
#define Key_(x)  TH_CONCAT_2(x, 32)
#include "THSortDigits.h"

#undef Key
#undef KEY_BITS
#undef Key_

#define Key      uint64_t
#define KEY_BITS 64
#define Key_(x)  TH_CONCAT_2(x, 64)
#include "THSortDigits.h"

static void pair(uint64_t *restrict words, const uint32_t *restrict keys, ptrdiff_t n,
                 ptrdiff_t first)
{
  for (ptrdiff_t i = 0; i < n; i++)
    words[i] = (uint64_t)keys[i] << 32 | (uint64_t)(first + i);
}

static void unpair(uint32_t *restrict keys, int64_t *restrict indices, const uint64_t *words,
                   ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++) {
    keys[i] = (uint32_t)(words[i] >> 32);
    indices[i] = (int64_t)(words[i] & UINT32_MAX);
  }
}

const THSortKernels TH_LEVEL_(THSort_kernels)[] = {
    {sort32, sort64, select32, select64, bound32, bound64, keep32, keep64, fromFloats32,
     fromFloats64, toFloats32, toFloats64, pair, unpair}};
