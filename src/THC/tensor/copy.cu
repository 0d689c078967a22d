/* Kernels that convert elements to Real, one per source type; and the kernel that fills. */
#include "THC/core/thc_template.h"

#include "THC/walk/thc_map.h"
#include "thc_convert.h"

/* The names carry both types: THCConvert_Float_Byte is from Byte. */
#define NAME_OF(Source)    TH_CONCAT_4(THCConvert_, Real, _, Source)
#define ELEMENT_OF(Source) TH_CONCAT_2(NAME_OF(Source), _element)

/* Expands NAME before THC_MAP pastes it. */
#define MAP(NAME, ...) THC_MAP(NAME, __VA_ARGS__)

/* clang-format off */
#define CONVERT(Source, source, unused)                                                             \
  THC_DEVICE real ELEMENT_OF(Source)(const THCNothing *, source x) { return THC_from_##Source(x); } \
  MAP(NAME_OF(Source), real, THCNothing, source)
/* clang-format on */

TH_FOR_EACH_TYPE(CONVERT)

#define FILL TH_CONCAT_2(THCFill_, Real)

THC_DEVICE real TH_CONCAT_2(FILL, _element)(const real *value)
{
  return *value;
}
MAP(FILL, real, real)
