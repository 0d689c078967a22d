/* Sorting and selecting items of either width: the same text twice. */
#include "THSort.h"

#define Item     THItem32
#define Key      uint32_t
#define Item_(x) TH_CONCAT_2(THItem32_, x)
#include "THSortItems.h"
#undef Item
#undef Key
#undef Item_

#define Item     THItem64
#define Key      uint64_t
#define Item_(x) TH_CONCAT_2(THItem64_, x)
#include "THSortItems.h"
