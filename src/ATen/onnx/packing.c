/* Tensors in the file with elements of 2, 4 and 8 bits that are no type here: they become wider ones when
 * they are read.  (github.com/onnx/onnx: docs/docsgen/source/technical) */
#include <math.h>

#include "Onnx.h"

/* What stands for no finite number. */
typedef enum Special { NONE, LAST, ZERO, IEEE } Special;

struct at_packing {
  int64_t number; /* ONNX's */
  at_scalar_type type;
  int bits;
  int exponent, bias; /* of floats: bits of the exponent, and what is subtracted from it */
  Special special;    /* of floats: NaN is the last code, or -0, or as IEEE 754 has it */
};

static const at_packing rows[] = {
    {17, AT_FLOAT, 8, 4, 7, LAST},
    {18, AT_FLOAT, 8, 4, 8, ZERO},
    {19, AT_FLOAT, 8, 5, 15, IEEE},
    {20, AT_FLOAT, 8, 5, 16, ZERO},
    {21, AT_BYTE, 4},
    {22, AT_CHAR, 4},
    {23, AT_FLOAT, 4, 2, 1, NONE},
    {25, AT_BYTE, 2},
    {26, AT_CHAR, 2},
};

const at_packing *at_packingOf(int64_t number)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].number == number)
      return &rows[i];
  return NULL;
}

at_scalar_type at_packing_type(const at_packing *packing)
{
  return packing->type;
}

int64_t at_packing_bytes(const at_packing *packing, int64_t count)
{
  const int each = 8 / packing->bits;
  return count / each + (count % each != 0);
}

static float float_of(const at_packing *packing, int code)
{
  const int fraction = packing->bits - 1 - packing->exponent, most = (1 << packing->exponent) - 1;
  const int sign = code >> (packing->bits - 1), e = code >> fraction & most,
            part = code & ((1 << fraction) - 1);
  const bool isLast = packing->special == LAST && e == most && part == (1 << fraction) - 1,
             isZero = packing->special == ZERO && code == 1 << (packing->bits - 1),
             isIeee = packing->special == IEEE && e == most;
  if (isLast || isZero || (isIeee && part != 0))
    return NAN;
  const double size =
      isIeee ? INFINITY
             : ldexp(part + (e > 0 ? 1 << fraction : 0), THMax(e, 1) - packing->bias - fraction);
  return (float)(sign ? -size : size);
}

void at_packing_widen(const at_packing *packing, const uint8_t *packed, int64_t count, void *to)
{
  const int each = 8 / packing->bits, values = 1 << packing->bits;
  for (int64_t i = 0; i < count; i++) {
    const int code = packed[i / each] >> (i % each) * packing->bits & (values - 1);
    if (packing->type == AT_FLOAT)
      ((float *)to)[i] = float_of(packing, code);
    else
      ((int8_t *)to)[i] =
          (int8_t)(packing->type == AT_CHAR && code >= values / 2 ? code - values : code);
  }
}

/* Whether the operator reads what the elements are, or moves them. */
static bool keeps_values(const char *type)
{
  static const char *const types[] = {"DequantizeLinear",
                                      "Cast",
                                      "Identity",
                                      "Transpose",
                                      "Reshape",
                                      "Gather",
                                      "Squeeze",
                                      "Unsqueeze",
                                      "Flatten",
                                      "Constant",
                                      "Slice",
                                      "Shape",
                                      "GatherBlockQuantized"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i], type))
      return true;
  return false;
}

void at_checkPacked(at_names *names, const at_onnxItem *item)
{
  for (int32_t i = 0; i < item->inputCount; i++) {
    const at_constant *const constant =
        *item->inputs[i] ? at_constantNamed(names, item->inputs[i]) : NULL;
    if (constant && constant->packing && !keeps_values(item->type))
      at_damaged(names->building->onnx->file,
                 "'%.100s', a node of %.100s, has elements of %d bits, which are not here",
                 item->name, item->type, constant->packing->bits);
  }
}
