/* Shapes as tensors, and tensors of other shapes. */
#include "../Runs.h"

static at_tensor *from_list(const int64_t *data, int64_t count)
{
  at_tensor *const t = at_empty(AT_SHAPE(count), .type = at_cpuType(AT_LONG));
  if (at_defined(t) && count > 0)
    memcpy(at_hostData(t), data, (size_t)count * sizeof *data);
  return t;
}

void at_runShape(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_ints sizes = at_sizes(x);
  int64_t start = at_onnxInt(c, "start", 0), end = at_onnxInt(c, "end", sizes.count);
  start = THMin(THMax(start < 0 ? start + sizes.count : start, 0), sizes.count);
  end = THMin(THMax(end < 0 ? end + sizes.count : end, start), sizes.count);
  at_onnxGive(c, 0, from_list(sizes.data + start, end - start));
}

void at_runSize(at_onnxCall *c)
{
  const int64_t count = at_numel(at_onnxInput(c, 0));
  at_onnxGive(c, 0, at_reshape(from_list(&count, 1), AT_SCALAR_SHAPE));
}

/* Input 1, or an attribute as before version 13. */
static at_onnxList list_of(const at_onnxCall *c, const char *attribute)
{
  return at_onnxHas(c, attribute) ? at_onnxInts(c, attribute) : at_onnxIntsIn(c, 1);
}

/* A size of 0 is that of the input, unless allowzero is set. */
void at_runReshape(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxList sizes = list_of(c, "shape");
  const bool keepsZeros = at_onnxInt(c, "allowzero", 0) != 0;
  for (int d = 0; d < sizes.count; d++)
    if (sizes.data[d] == 0 && !keepsZeros) {
      if (d >= at_dim(x))
        AT_ONNX_FAILS(c, "size %d is 0, and the input has %d dimensions", d, at_dim(x));
      sizes.data[d] = at_size(x, d);
    }
  at_onnxGive(c, 0, at_reshape(x, at_listed(&sizes)));
}

void at_runFlatten(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t given = at_onnxInt(c, "axis", 1);
  const int axis = given == at_dim(x) ? (int)given
                   : at_dim(x) == 0   ? 0
                                      : at_onnxAxis(c, given, at_dim(x));
  const at_ints sizes = at_sizes(x);
  at_onnxGive(c, 0,
              at_reshape(x, AT_SHAPE(at_onnxProduct(c, sizes, 0, axis),
                                     at_onnxProduct(c, sizes, axis, sizes.count))));
}

void at_runSqueeze(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_onnxList axes = list_of(c, "axes");
  for (int i = 0; i < axes.count; i++)
    if (at_size(x, at_onnxAxis(c, axes.data[i], at_dim(x))) != 1)
      AT_ONNX_FAILS(c, "dimension %lld is not of size 1", (long long)axes.data[i]);
  at_onnxGive(c, 0, axes.count < 0 ? at_squeeze(x) : at_squeeze_dims(x, at_listed(&axes)));
}

void at_runUnsqueeze(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_onnxList axes = list_of(c, "axes");
  const int dims = at_dim(x) + THMax(axes.count, 0);
  bool isNew[2 * AT_MOST_DIMS] = {false};
  at_onnxList sizes = {.count = dims};
  if (axes.count < 0 || dims > AT_MOST_DIMS)
    AT_ONNX_FAILS(c, "there are no axes, or too many");
  for (int i = 0; i < axes.count; i++) {
    const int axis = at_onnxAxis(c, axes.data[i], dims);
    if (isNew[axis])
      AT_ONNX_FAILS(c, "axis %d is given twice", axis);
    isNew[axis] = true;
  }
  for (int d = 0, from = 0; d < dims; d++)
    sizes.data[d] = isNew[d] ? 1 : at_size(x, from++);
  at_onnxGive(c, 0, at_reshape(x, at_listed(&sizes)));
}

/* The sizes and those of the input are broadcast. */
void at_runExpand(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxList wanted = at_onnxIntsIn(c, 1), sizes = {.count = THMax(wanted.count, at_dim(x))};
  for (int d = 0; d < sizes.count; d++) {
    const int own = d - sizes.count + at_dim(x), other = d - sizes.count + wanted.count;
    const int64_t a = own < 0 ? 1 : at_size(x, own), b = other < 0 ? 1 : wanted.data[other];
    sizes.data[d] = a == 1 ? b : a;
    if (b != 1 && a != 1 && a != b)
      AT_ONNX_FAILS(c, "size %d is %lld, and has to be %lld", d, (long long)a, (long long)b);
  }
  at_onnxGive(c, 0, at_expand(x, at_listed(&sizes)));
}

/* The order of dimensions is reversed. */
void at_runTranspose(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxList order = {.count = at_dim(x)};
  for (int d = 0; d < order.count; d++)
    order.data[d] = order.count - 1 - d;
  at_onnxGive(c, 0, at_permute(x, at_listed(&order)));
}

void at_runSplit(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  const int64_t size = at_size(x, axis),
                outputs = at_onnxInt(c, "num_outputs", c->node->outputCount);
  const at_onnxList parts = list_of(c, "split");
  if (outputs != c->node->outputCount || outputs < 1)
    AT_ONNX_FAILS(c, "num_outputs is %lld, for %d outputs", (long long)outputs,
                  (int)c->node->outputCount);
  if (parts.count >= 0 && parts.count != outputs)
    AT_ONNX_FAILS(c, "split has %d sizes for %lld outputs", parts.count, (long long)outputs);
  const int64_t each = (size + outputs - 1) / outputs;
  int64_t at = 0;
  for (int i = 0; i < outputs; i++) {
    const int64_t length = parts.count >= 0 ? parts.data[i] : THMin(each, size - at);
    at_onnxGive(c, i, at_narrow(x, axis, at, length));
    at += length;
  }
  if (at != size)
    AT_ONNX_FAILS(c, "the parts have %lld elements, of %lld", (long long)at, (long long)size);
}
