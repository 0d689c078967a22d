/* New tensors. */
#include <math.h>

#include "../Runs.h"

/* Numbers of an attribute as a tensor. */
static at_tensor *from_ints(const at_given *given)
{
  at_tensor *const t = at_empty(AT_SHAPE(given->count), .type = at_cpuType(AT_LONG));
  for (int32_t i = 0; at_defined(t) && i < given->count; i++)
    ((int64_t *)at_hostData(t))[i] = given->parts[i].constant.is.integer;
  return t;
}

static at_tensor *from_floats(const at_given *given)
{
  at_tensor *const t = at_empty(AT_SHAPE(given->count), .type = at_cpuType(AT_FLOAT));
  for (int32_t i = 0; at_defined(t) && i < given->count; i++)
    ((float *)at_hostData(t))[i] = (float)given->parts[i].constant.is.number;
  return t;
}

/* A number or a list of them; tensors are constants of the file. */
void at_runConstant(at_onnxCall *c)
{
  const at_given *const given =
      c->node->inputCount > 0 ? &c->node->inputs[c->node->inputCount - 1] : NULL;
  if (!given || (given->kind != AT_GIVEN_NUMBER && given->kind != AT_GIVEN_NUMBERS))
    AT_ONNX_FAILS(c, "its value is neither a tensor nor numbers");
  at_tensor *const t = given->number == AT_CELL_INT ? from_ints(given) : from_floats(given);
  at_onnxGive(c, 0, given->kind == AT_GIVEN_NUMBER ? at_reshape(t, AT_SCALAR_SHAPE) : t);
}

/* The second input is the value, which is an attribute in the file. */
void at_runFilled(at_onnxCall *c)
{
  const at_onnxList sizes = at_onnxIntsIn(c, 0);
  at_tensor *const value = at_onnxMaybe(c, 1);
  if (!value) {
    at_onnxGive(c, 0, at_zeros(at_listed(&sizes)));
    return;
  }
  if (at_numel(value) != 1)
    AT_ONNX_FAILS(c, "value has %lld elements", (long long)at_numel(value));
  at_onnxGive(c, 0, at_clone(at_expand(at_reshape(value, AT_SCALAR_SHAPE), at_listed(&sizes))));
}

void at_runRange(at_onnxCall *c)
{
  at_tensor *const start = at_onnxInput(c, 0), *const end = at_onnxInput(c, 1),
                   *const step = at_onnxInput(c, 2);
  if (at_isFloating(start->type->scalarType)) {
    const double a = at_item_double(start), b = at_item_double(end), by = at_item_double(step),
                 count = ceil((b - a) / by);
    at_tensor *const steps = at_arange(count > 0 ? count : 0, .type = at_cpuType(AT_DOUBLE));
    at_onnxGive(c, 0, at_to(at_add(at_mul(steps, by), a), start->type));
    return;
  }
  const int64_t a = at_item_long(start), b = at_item_long(end), by = at_item_long(step);
  if (by == 0)
    AT_ONNX_FAILS(c, "delta is 0");
  at_onnxGive(c, 0,
              (by > 0) == (b > a) && a != b ? at_arange_start(a, b, .step = by, .type = start->type)
                                            : at_empty(AT_SHAPE(0), .type = start->type));
}

void at_runEyeLike(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_scalar_type type = at_onnxTypeOf(c, "dtype", x->type->scalarType);
  const int64_t k = at_onnxInt(c, "k", 0);
  if (at_dim(x) != 2)
    AT_ONNX_FAILS(c, "the input has %d dimensions, and has to have 2", at_dim(x));
  at_tensor *const rows = at_unsqueeze(at_arange(at_size(x, 0), .type = at_cpuType(AT_LONG)), 1),
                   *const columns = at_arange(at_size(x, 1), .type = at_cpuType(AT_LONG));
  at_onnxGive(c, 0, at_to(at_eq(at_sub(columns, k), rows), at_cpuType(type)));
}

/* Indices outside of the depth are nowhere. */
void at_runOneHot(at_onnxCall *c)
{
  at_tensor *const given = at_onnxInput(c, 0), *const depths = at_onnxInput(c, 1),
                   *const values = at_onnxInput(c, 2);
  const int64_t depth = (int64_t)at_item_double(depths);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", -1), at_dim(given) + 1);
  if (at_numel(values) != 2 || depth < 0)
    AT_ONNX_FAILS(c, "depth is %lld, and values has %lld elements", (long long)depth,
                  (long long)at_numel(values));
  at_tensor *const indices = at_to(given, at_cpuType(AT_LONG));
  at_tensor *const from = at_where(at_lt(indices, 0), at_add(indices, depth), indices);
  at_tensor *classes = at_arange(depth, .type = at_cpuType(AT_LONG));
  for (int d = axis; d < at_dim(given); d++)
    classes = at_unsqueeze(classes, -1);
  at_onnxGive(c, 0,
              at_where(at_eq(at_unsqueeze(from, axis), classes), at_select(values, 0, 1),
                       at_select(values, 0, 0)));
}

/* a0 - a1 cos(2 pi i / size) + a2 cos(4 pi i / size), where size is one less unless periodic. */
void at_runWindow(at_onnxCall *c)
{
  const char *const name = strchr(c->node->target, '.') + 1;
  const int64_t size = at_item_long(at_onnxInput(c, 0));
  const bool isPeriodic = at_onnxInt(c, "periodic", 1) != 0;
  const double a0 = !strcmp(name, "HannWindow")      ? 0.5
                    : !strcmp(name, "HammingWindow") ? 25. / 46
                                                     : 0.42,
               a2 = !strcmp(name, "BlackmanWindow") ? 0.08 : 0, a1 = a0 == 0.42 ? 0.5 : 1 - a0;
  const double step = 2 * M_PI / (double)(isPeriodic ? size : size - 1);
  at_tensor *const angle = at_mul(at_arange(size, .type = at_cpuType(AT_DOUBLE)), step);
  at_tensor *const values =
      at_add(at_sub(at_mul(at_cos(at_mul(angle, 2)), a2), at_mul(at_cos(angle), a1)), a0);
  at_onnxGive(c, 0, at_to(values, at_cpuType(at_onnxTypeOf(c, "output_datatype", AT_FLOAT))));
}
