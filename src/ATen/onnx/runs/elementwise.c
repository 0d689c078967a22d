/* Operators on each element whose operation depends on types, attributes or how many inputs there are. */
#include <math.h>

#include "../Runs.h"

static bool is_floating(const at_tensor *t)
{
  return at_isFloating(t->type->scalarType);
}

void at_runShrink(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const double lambd = at_onnxFloat(c, "lambd", 0.5), bias = at_onnxFloat(c, "bias", 0);
  at_tensor *const outer = at_sub(x, bias), *const other = at_add(x, bias);
  at_tensor *const zero = at_zeros_like(x);
  at_onnxGive(c, 0,
              at_to(at_where(at_gt(x, lambd), outer, at_where(at_lt(x, -lambd), other, zero)),
                    x->type));
}

void at_runPRelu(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxGive(c, 0, at_where(at_lt(x, 0), at_mul(x, at_onnxInput(c, 1)), x));
}

void at_runIsInf(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const bool below = at_onnxInt(c, "detect_negative", 1) != 0,
             above = at_onnxInt(c, "detect_positive", 1) != 0;
  at_onnxGive(c, 0,
              below && above ? at_isinf(x)
              : above        ? at_isposinf(x)
              : below        ? at_isneginf(x)
                             : at_zeros_like(x, .type = at_cpuType(AT_BOOL)));
}

void at_runBitShift(at_onnxCall *c)
{
  if (at_onnxIsUnsigned(c)) {
    at_runUnsigned(c);
    return;
  }
  at_tensor *const x = at_onnxInput(c, 0), *const by = at_onnxInput(c, 1);
  at_onnxGive(c, 0,
              strcmp(at_onnxText(c, "direction", "LEFT"), "LEFT") ? at_bitwise_right_shift(x, by)
                                                                  : at_bitwise_left_shift(x, by));
}

void at_runBitCast(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_type *const type = at_cpuType(at_onnxTypeOf(c, "to", x->type->scalarType));
  if (type->elementSize != x->type->elementSize)
    AT_ONNX_FAILS(c, "elements of %s have other sizes than those of %s",
                  at_scalarTypeName(x->type->scalarType), at_scalarTypeName(type->scalarType));
  at_onnxGive(c, 0, at_bitsAs(c->node, x, type));
}

/* The quotient of integers is rounded toward zero. */
void at_runDiv(at_onnxCall *c)
{
  if (at_onnxIsUnsigned(c)) {
    at_runUnsigned(c);
    return;
  }
  at_tensor *const x = at_onnxInput(c, 0), *const y = at_onnxInput(c, 1);
  at_onnxGive(c, 0,
              is_floating(x) || at_isComplex(x->type->scalarType)
                  ? at_div(x, y)
                  : at_to(at_div_mode(x, y, .rounding_mode = "trunc"), x->type));
}

/* The power is of the type of the base. */
void at_runPow(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const y = at_onnxInput(c, 1);
  at_tensor *const base = !is_floating(x) && is_floating(y) ? at_to(x, at_cpuType(AT_DOUBLE)) : x;
  at_onnxGive(c, 0,
              at_to(at_pow(base,
                           at_isUnsigned(y->type->scalarType) ? at_to(y, AT_CPU(AT_DOUBLE)) : y),
                    x->type));
}

void at_runMod(at_onnxCall *c)
{
  if (at_onnxIsUnsigned(c)) {
    at_runUnsigned(c);
    return;
  }
  at_tensor *const x = at_onnxInput(c, 0), *const y = at_onnxInput(c, 1);
  at_onnxGive(c, 0, at_onnxInt(c, "fmod", 0) ? at_fmod(x, y) : at_remainder(x, y));
}

/* Max, Min, Sum and Mean of any number of inputs, which are broadcast. */
void at_runMany(at_onnxCall *c)
{
  if (at_onnxIsUnsigned(c)) {
    at_runUnsigned(c);
    return;
  }
  const char *const name = strchr(c->node->target, '.') + 1;
  at_tensor *r = at_onnxInput(c, 0);
  for (int i = 1; i < c->inputCount; i++) {
    at_tensor *const next = at_onnxInput(c, i);
    r = !strcmp(name, "Max")   ? at_maximum(r, next)
        : !strcmp(name, "Min") ? at_minimum(r, next)
                               : at_add(r, next);
  }
  at_onnxGive(c, 0, strcmp(name, "Mean") ? r : at_div(r, c->inputCount));
}
