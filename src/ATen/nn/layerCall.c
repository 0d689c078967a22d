/* Calls of THNN's layers with images: how operands get in and results out. */
#include "layerCall.h"

#include <limits.h>

#include "ATen/core/ATenOperations.h"

/* --- the type that computes ------------------------------------------------------------------ */

static const at_type *computes_in(at_layer_kind kind, const at_type *type)
{
  const at_scalar_type own = type->scalarType;
  const bool isInteger = !at_isFloating(own) && own != AT_BOOL;
  if (!at_isFloating(own) && (kind == AT_LAYER_FLOATS || !isInteger))
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s", at_scalarTypeName(own));
  const bool wide = own == AT_DOUBLE || own == AT_LONG || (own == AT_INT && kind != AT_LAYER_MOVES);
  return at_toScalarType(type, wide ? AT_DOUBLE : AT_FLOAT);
}

void at_layer_begin(at_layer_call *layer, at_layer_kind kind, at_tensor *self, int axes,
                    int results)
{
  const at_type *compute = computes_in(kind, self->type);
  const bool asTheyAre = kind == AT_LAYER_MOVES && self->type->elementSize == compute->elementSize;
  layer->type = self->type;
  layer->called = compute;
  layer->compute = asTheyAre ? self->type : compute;
  layer->axes = axes;
  layer->asRows = false;
  layer->only = results == 1;
  layer->seen = false;
  layer->empty = 0;
  layer->results = 0;
  at_pool_enter(&layer->pool);
}

/* --- operands -------------------------------------------------------------------------------- */

void *at_layer_operand(at_layer_call *layer, const char *name, at_tensor *t)
{
  if (!t)
    return NULL;
  at_checkType(t, name, layer->type);
  if (at_numel(t) == 0)
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and no elements", name,
             at_sizeDesc(at_sizesOf(t)).str);
  return at_layerCast(&layer->pool, t, layer->compute)->th;
}

/* The dimensions of t that are of size 0, as bits; the same for all images of a layer. */
static uint64_t empty_dims(at_layer_call *layer, const char *name, at_tensor *t, int mayBeEmpty)
{
  const at_ints sizes = at_sizesOf(t);
  uint64_t empty = 0;
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] == 0) {
      if (d >= mayBeEmpty)
        at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and dimension %d may not be of size 0", name,
                 at_sizeDesc(sizes).str, d);
      empty |= UINT64_C(1) << d;
    }
  if (layer->seen && layer->empty != empty)
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), which does not fit the other operands", name,
             at_sizeDesc(sizes).str);
  layer->seen = true;
  layer->empty = empty;
  return empty;
}

static void *image(at_layer_call *layer, const char *name, at_tensor *t, int mayBeEmpty,
                   const at_type *type, const at_type *compute)
{
  at_checkType(t, name, type);
  const at_ints sizes = at_sizesOf(t);
  const uint64_t empty = empty_dims(layer, name, t, mayBeEmpty);
  if (empty) {
    int64_t buffer[AT_MOST_DIMS];
    for (int d = 0; d < sizes.count; d++)
      buffer[d] = THMax(sizes.data[d], 1);
    t = at_hold(&layer->pool,
                at_makeFilled(compute, (at_ints){buffer, sizes.count}, (at_scalar){0}));
  }
  t = at_layerCast(&layer->pool, t, compute);
  if (layer->asRows && sizes.count > 0)
    t = at_hold(&layer->pool, at_viewUnsqueeze(t, -2));
  return t->th;
}

void *at_layer_take(at_layer_call *layer, const char *name, at_tensor *t, int mayBeEmpty)
{
  return image(layer, name, t, mayBeEmpty, layer->type, layer->compute);
}

void *at_layer_indices(at_layer_call *layer, const char *name, at_tensor *t, int mayBeEmpty)
{
  const at_type *type = at_toScalarType(layer->type, AT_LONG);
  return image(layer, name, t, mayBeEmpty, type, type);
}

/* --- results --------------------------------------------------------------------------------- */

static void *result(at_layer_call *layer, at_tensor **out, at_tensor *made, bool isImage)
{
  const int i = layer->results++;
  layer->result[i].out = out;
  layer->result[i].made = made;
  layer->result[i].image = isImage;
  return made->th;
}

static at_tensor *nothing(at_layer_call *layer, const at_type *type)
{
  static const int64_t none[] = {0};
  return at_hold(&layer->pool, at_newShape(type, (at_ints){none, 1}));
}

/* Whether results of the right type are written directly to the tensors that are given. */
static bool is_direct(const at_layer_call *layer)
{
  return layer->only && layer->type == layer->compute && !layer->asRows && !layer->empty;
}

void *at_layer_result(at_layer_call *layer, at_tensor **out)
{
  const bool direct = *out && is_direct(layer) && (*out)->type == layer->type;
  return result(layer, out, direct ? *out : nothing(layer, layer->compute), true);
}

/* Whether t is in channels-last layout; moved: whether it is not row-major as well. */
static bool is_nhwc(const at_layer_call *layer, const at_tensor *t, bool *moved)
{
  const at_ints sizes = at_sizesOf(t);
  const int planes = sizes.count - layer->axes - 1;
  if (layer->type != layer->compute || !at_isOnHost(layer->type) || layer->asRows || layer->empty ||
      planes < 0 || planes > 1 || sizes.data[planes] < 2 || t->th->stride[planes] != 1)
    return false;
  int64_t stride = sizes.data[planes];
  *moved = false;
  for (int d = sizes.count - 1; d >= 0; d--) {
    if (d == planes || sizes.data[d] == 1)
      continue;
    if (t->th->stride[d] != stride)
      return false;
    stride *= sizes.data[d];
    *moved |= d > planes;
  }
  return true;
}

bool at_layer_areNhwc(const at_layer_call *layer, const at_tensor *t)
{
  bool moved;
  return is_nhwc(layer, t, &moved) && moved;
}

bool at_layer_fitNhwc(const at_layer_call *layer, const at_tensor *t)
{
  bool moved;
  return is_nhwc(layer, t, &moved);
}

bool at_layer_areManyNhwc(const at_layer_call *layer, const at_tensor *t)
{
  const at_ints sizes = at_sizesOf(t);
  return at_layer_areNhwc(layer, t) &&
         sizes.data[sizes.count - layer->axes - 1] >= AT_NHWC_MIN_CHANNELS;
}

bool at_layer_sizeNhwc(const at_layer_call *layer, const at_tensor *t, const int64_t axis[3],
                       int64_t *size)
{
  const at_ints sizes = at_sizesOf(t);
  const int first = sizes.count - layer->axes;
  if (!at_layer_areManyNhwc(layer, t))
    return false;
  for (int d = 0; d < sizes.count; d++) {
    size[d] = d < first ? sizes.data[d] : axis[3 - sizes.count + d];
    if (size[d] < 1)
      return false;
  }
  return true;
}

/* New images of that size in channels-last layout. */
static at_tensor *new_nhwc(at_layer_call *layer, const at_type *type, at_ints sizes)
{
  const int planes = sizes.count - layer->axes - 1, last = sizes.count - 1;
  int64_t size[AT_MOST_DIMS], from[AT_MOST_DIMS];
  for (int d = 0; d < sizes.count; d++) {
    from[d] = d < planes ? d : d == planes ? last : d - 1;
    size[from[d]] = sizes.data[d];
  }
  at_tensor *made = at_hold(&layer->pool, at_newShape(type, (at_ints){size, sizes.count}));
  return at_hold(&layer->pool, at_viewPermute(made, (at_ints){from, sizes.count}));
}

void *at_layer_resultNhwc(at_layer_call *layer, at_tensor **out, at_ints sizes)
{
  if (*out)
    return at_layer_result(layer, out);
  return result(layer, out, new_nhwc(layer, layer->compute, sizes), true);
}

void *at_layer_optional(at_layer_call *layer, bool wanted, at_tensor **out)
{
  return wanted ? at_layer_result(layer, out) : nothing(layer, layer->compute)->th;
}

void *at_layer_indicesResult(at_layer_call *layer, at_tensor **out)
{
  const at_type *type = at_toScalarType(layer->type, AT_LONG);
  if (*out)
    at_checkType(*out, "indices", type);
  return result(layer, out, *out && is_direct(layer) ? *out : nothing(layer, type), true);
}

void *at_layer_indicesResultNhwc(at_layer_call *layer, at_tensor **out, at_ints sizes)
{
  if (*out)
    return at_layer_indicesResult(layer, out);
  return result(layer, out, new_nhwc(layer, at_toScalarType(layer->type, AT_LONG), sizes), true);
}

at_tensor *at_layer_sum(at_layer_call *layer, at_tensor **out, at_ints sizes)
{
  at_tensor *zeros = at_hold(&layer->pool, at_makeFilled(layer->compute, sizes, (at_scalar){0}));
  result(layer, out, zeros, false);
  return zeros;
}

/* An image as the operation returns it. */
static at_tensor *finished(at_layer_call *layer, at_tensor *t)
{
  if (layer->asRows)
    t = at_hold(&layer->pool, at_viewSqueezeDim(t, -2));
  if (!layer->empty)
    return t;
  int64_t buffer[AT_MOST_DIMS];
  const at_ints sizes = at_sizesOf(t);
  for (int d = 0; d < sizes.count; d++)
    buffer[d] = layer->empty & UINT64_C(1) << d ? 0 : sizes.data[d];
  return at_hold(&layer->pool, at_newShape(t->type, (at_ints){buffer, sizes.count}));
}

void at_layer_end(at_layer_call *layer)
{
  at_tensor *made[AT_RESULTS], *out[AT_RESULTS] = {NULL};
  if (layer->results > 0 &&
      layer->result[0].made == *layer->result[0].out) { /* then all results were written directly */
    for (int i = 0; i < layer->results; i++)
      layer->result[i].made->isScalar = false;
    at_pool_leave(&layer->pool);
    return;
  }
  for (int i = 0; i < layer->results; i++) {
    made[i] = layer->result[i].made;
    if (layer->result[i].image)
      made[i] = finished(layer, made[i]);
    if (made[i]->type == layer->compute)
      made[i] = at_layerCast(&layer->pool, made[i], layer->type);
    out[i] = *layer->result[i].out;
  }
  at_finish(&layer->pool, layer->results, out, made);
  for (int i = 0; i < layer->results; i++)
    *layer->result[i].out = out[i];
}

/* --- values for axes ------------------------------------------------------------------------- */

int at_smallInt(const char *name, int64_t number)
{
  if (number < INT_MIN || number > INT_MAX)
    at_raise(AT_ERROR_ARGUMENT, "%s is %lld, which is too large", name, (long long)number);
  return (int)number;
}

at_axes at_axesOf(const char *name, at_ints given, int axes, int otherwise)
{
  at_axes result = {{otherwise, otherwise, otherwise}};
  if (given.count != 1 && given.count != axes)
    at_raise(AT_ERROR_ARGUMENT, "%s has %d numbers, and has to have 1 or %d", name, given.count,
             axes);
  for (int a = 0; a < axes; a++)
    result.at[3 - axes + a] = at_smallInt(name, given.data[given.count == 1 ? 0 : a]);
  return result;
}
