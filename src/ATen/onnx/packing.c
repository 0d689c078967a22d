/* Tensors in the file with elements of 2, 4 and 8 bits that are no type here: they become wider ones when
 * they are read.  (github.com/onnx/onnx: docs/docsgen/source/technical) */
#include <math.h>

#include "Onnx.h"

/* What stands for no finite number. */
typedef enum Special { NONE, LAST, ZERO, IEEE, POWER } Special;

struct at_packing {
  int64_t number; /* ONNX's */
  at_scalar_type type;
  int bits;
  int exponent, bias; /* of floats: bits of the exponent, and what is subtracted from it */
  Special special;    /* of floats: NaN is the last code, or -0, or as IEEE 754 has it; or codes are
                       * powers of 2 without a sign, the last one NaN */
  const char *torch;  /* PyTorch's name, or NULL */
};

static const at_packing rows[] = {
    {17, AT_FLOAT, 8, 4, 7, LAST, "torch.float8_e4m3fn"},
    {18, AT_FLOAT, 8, 4, 8, ZERO, "torch.float8_e4m3fnuz"},
    {19, AT_FLOAT, 8, 5, 15, IEEE, "torch.float8_e5m2"},
    {20, AT_FLOAT, 8, 5, 16, ZERO, "torch.float8_e5m2fnuz"},
    {21, AT_BYTE, 4},
    {22, AT_CHAR, 4},
    {23, AT_FLOAT, 4, 2, 1, NONE},
    {24, AT_FLOAT, 8, 8, 127, POWER, "torch.float8_e8m0fnu"},
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

const at_packing *at_packingNamed(const char *name)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].torch && !strcmp(rows[i].torch, name))
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

int64_t at_packing_number(const at_packing *packing)
{
  return packing->number;
}

static float float_of(const at_packing *packing, int code)
{
  if (packing->special == POWER)
    return code == (1 << packing->bits) - 1 ? NAN : (float)ldexp(1, code - packing->bias);
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

/* --- rounding --------------------------------------------------------------------------------- */

static double largest(const at_packing *packing)
{
  const int fraction = packing->bits - 1 - packing->exponent,
            last = (1 << (packing->bits - 1)) - 1; /* the last code without a sign */
  const int codes = packing->special == LAST ? 1 : packing->special == IEEE ? 1 << fraction : 0;
  return float_of(packing, last - codes);
}

static double power_of(double x, bool isSaturated, at_rounding rounding)
{
  enum { LEAST = -127, MOST = 127 };
  int exponent;
  if (isnan(x) || (isinf(x) && !isSaturated))
    return NAN;
  const double part = isinf(x) ? 0 : frexp(fabs(x), &exponent);
  if (isinf(x))
    return ldexp(1, MOST);
  if (part == 0)
    return ldexp(1, LEAST);
  const bool isUp =
      rounding == AT_ROUND_UP ? part > 0.5 : rounding == AT_ROUND_NEAREST && part >= 0.75;
  exponent += isUp ? 0 : -1;
  if (exponent > MOST)
    return isSaturated ? ldexp(1, MOST) : NAN;
  return ldexp(1, THMax(exponent, LEAST));
}

static double float_near(const at_packing *packing, double x, bool isSaturated)
{
  const int fraction = packing->bits - 1 - packing->exponent, least = 1 - packing->bias;
  const double most = largest(packing), size = fabs(x);
  int exponent;
  if (isnan(x))
    return packing->special == NONE ? 0 : NAN;
  frexp(size, &exponent);
  const double step = isinf(x) ? 1 : ldexp(1, THMax(exponent - 1, least) - fraction),
               near = isinf(x) ? size : nearbyint(size / step) * step;
  if (near > most && !isSaturated && packing->special != NONE)
    return packing->special == IEEE ? copysign(INFINITY, x) : NAN;
  const double kept = fmin(near, most);
  return packing->special == ZERO && kept == 0 ? 0 : copysign(kept, x);
}

/* The low bits of the integer that is left without a fraction. */
static double integer_near(const at_packing *packing, double x)
{
  const double count = 1 << packing->bits;
  const double rest = isfinite(x) ? fmod(trunc(x), count) : 0,
               code = rest < 0 ? rest + count : rest;
  return packing->type == AT_CHAR && code >= count / 2 ? code - count : code + 0.0;
}

void at_packing_round(const at_packing *packing, double *numbers, int64_t count, bool isSaturated,
                      at_rounding rounding)
{
  for (int64_t i = 0; i < count; i++)
    numbers[i] = packing->special == POWER   ? power_of(numbers[i], isSaturated, rounding)
                 : packing->type == AT_FLOAT ? float_near(packing, numbers[i], isSaturated)
                                             : integer_near(packing, numbers[i]);
}

void at_packing_range(const at_packing *packing, double *least, double *most)
{
  const bool isSigned = packing->type == AT_CHAR;
  *most = packing->type == AT_FLOAT ? largest(packing) : (1 << (packing->bits - isSigned)) - 1;
  *least = packing->type == AT_FLOAT ? -*most : isSigned ? -*most - 1 : 0;
}

at_tensor *at_newWidened(at_file *file, at_tensor *bytes, const at_packing *packing)
{
  THGuard row, wide;
  at_guard(&row);
  at_guard(&wide);
  row.what = at_newCast(bytes, bytes->type);
  at_file_charge(file, sizeof(float) * (uint64_t)at_numel(bytes));
  wide.what = at_newShape(at_cpuType(AT_FLOAT), at_sizesOf(bytes));
  if (at_numel(bytes) > 0)
    at_packing_widen(packing, at_hostData(row.what), at_numel(bytes), at_hostData(wide.what));
  at_tensor *const made = THGuard_keep(&wide);
  THGuard_leave(&row);
  return made;
}

/* --- where they may be ------------------------------------------------------------------------ */

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
                                      "GatherBlockQuantized",
                                      "QuantizeLinear",
                                      "CastLike"};
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
