/* Sorting and selecting items of either width: the same text twice. */
#include "../THSort.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include "THSortVectors.h"
/* Lines that are longer, or whose keys are short, are sorted sooner by digits. */
enum { VECTORS = 8192 };
#else
enum { VECTORS = 0 };
#define THItem32_sortVectors(ITEMS, SPARE, N) ((void)0)
#endif

#define Item     THItem32
#define Key      uint32_t
#define Item_(x) TH_CONCAT_2(THItem32_, x)
#include "THSortItems.h"

static THItem32 *sort32(THItem32 *items, THItem32 *spare, ptrdiff_t n, int bits)
{
  if (n > THMin(VECTORS, bits * bits * bits / 4))
    return THItem32_sort(items, spare, n);
  THItem32_sortVectors(items, spare, n);
  return items;
}

#undef Item
#undef Key
#undef Item_

#define Item     THItem64
#define Key      uint64_t
#define Item_(x) TH_CONCAT_2(THItem64_, x)
#include "THSortItems.h"

static THItem64 *sort64(THItem64 *items, THItem64 *spare, ptrdiff_t n, int bits)
{
  return THItem64_sort(items, spare, n);
}

const THSortKernels TH_LEVEL_(THSort_kernels)[] = {
    {sort32, sort64, THItem32_select, THItem64_select}};
