/* Casts to element types that are not here, of 2, 4 and 8 bits: numbers are rounded to theirs, and kept as wider
 * ones. */
#include "Lower.h"
#include "Runs.h"

/* --- loading ----------------------------------------------------------------------------------- */

/* Makes a call of the item that is told the type. */
static bool lower_narrow(at_names *names, const at_onnxItem *item, const at_packing *packing)
{
  if (!packing)
    return false;
  at_onnxItem more = *item;
  at_attribute *const attributes =
      at_arena_take(names->building->onnx->arena, (uint64_t)item->attributeCount + 1,
                    sizeof *attributes);
  if (item->attributeCount > 0)
    memcpy(attributes, item->attributes, (size_t)item->attributeCount * sizeof *attributes);
  attributes[item->attributeCount] = (at_attribute){.name = "narrow",
                                                    .type = AT_ATTRIBUTE_INT,
                                                    .integer = at_packing_number(packing),
                                                    .text = ""};
  more.attributes = attributes;
  more.attributeCount++;
  at_lowerCall(names, &more);
  return true;
}

static const at_packing *packing_in(const at_onnxItem *item, const char *name)
{
  const at_attribute *const a = at_attributeOf(item, name);
  return a ? at_packingOf(a->integer) : NULL;
}

bool at_lowerCast(at_names *names, const at_onnxItem *item)
{
  return lower_narrow(names, item, packing_in(item, "to"));
}

bool at_lowerCastLike(at_names *names, const at_onnxItem *item)
{
  return lower_narrow(names, item, at_knownPacking(names, item, 1));
}

/* The type is that of the zero point, or the one that an attribute says. */
bool at_lowerQuantize(at_names *names, const at_onnxItem *item)
{
  const at_packing *const zero = at_knownPacking(names, item, 2);
  return lower_narrow(names, item, zero ? zero : packing_in(item, "output_dtype"));
}

/* --- runs -------------------------------------------------------------------------------------- */

static at_rounding rounding_of(const at_onnxCall *c)
{
  static const char *const names[] = {"up", "down", "nearest"};
  const char *const name = at_onnxText(c, "round_mode", "up");
  for (int i = 0; i < 3; i++)
    if (!strcmp(name, names[i]))
      return (at_rounding)i;
  AT_ONNX_FAILS(c, "round_mode is '%.40s', which is none of the standard", name);
}

at_tensor *at_onnxNarrowed(const at_onnxCall *c, at_tensor *x, const at_packing *packing)
{
  at_tensor *const numbers = at_clone(at_onnxPlain(c, x, AT_DOUBLE));
  if (at_defined(numbers))
    at_packing_round(packing, at_hostData(numbers), at_numel(numbers),
                     at_onnxInt(c, "saturate", 1) != 0, rounding_of(c));
  return at_to(numbers, at_cpuType(at_packing_type(packing)));
}

/* Cast.  Where no element type is missing here, it is an ordinary cast, of unsigned numbers. */
void at_runCast(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const other = at_onnxMaybe(c, 1);
  const at_packing *const packing = at_packingOf(at_onnxInt(c, "narrow", at_onnxInt(c, "to", 0)));
  if (packing)
    at_onnxGive(c, 0, at_onnxNarrowed(c, x, packing));
  else
    at_onnxGive(c, 0,
                at_to(x,
                      other ? other->type : at_cpuType(at_onnxTypeOf(c, "to", AT_SCALAR_TYPES))));
}
