/* Parts of tensors, padding, and other orders of elements. */
#include "../Runs.h"

/* --- slices ----------------------------------------------------------------------------------- */

/* Elements from start to before end in steps, which may be negative: then the last is first. */
static at_tensor *sliced(at_onnxCall *c, at_tensor *x, int axis, int64_t start, int64_t end,
                         int64_t step)
{
  const int64_t size = at_size(x, axis);
  if (step == 0 || step == INT64_MIN)
    AT_ONNX_FAILS(c, "a step is %lld", (long long)step);
  const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
  start = THMin(THMax(start < 0 ? start + size : start, step > 0 ? 0 : least), most);
  end = THMin(THMax(end < 0 ? (end < -size ? least : end + size) : end, least), most);
  if (step > 0)
    return at_slice(x, .dim = axis, .start = start, .end = THMax(start, end), .step = step);
  const int64_t count = start > end ? (start - end - 1) / -step + 1 : 0;
  if (count == 0)
    return at_narrow(x, axis, 0, 0);
  const int64_t first = start + (count - 1) * step;
  return at_flip(at_slice(x, .dim = axis, .start = first, .end = start + 1, .step = -step),
                 AT_INTS(axis));
}

/* Numbers that were an attribute before they became an input. */
static at_onnxList ints_in(const at_onnxCall *c, int index, const char *attribute)
{
  return c->inputCount > 1 ? at_onnxIntsIn(c, index) : at_onnxInts(c, attribute);
}

void at_runSlice(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  const at_onnxList starts = ints_in(c, 1, "starts"), ends = ints_in(c, 2, "ends"),
                    axes = ints_in(c, 3, "axes"), steps = at_onnxIntsIn(c, 4);
  if (starts.count < 0 || ends.count != starts.count ||
      (axes.count >= 0 && axes.count != starts.count) ||
      (steps.count >= 0 && steps.count != starts.count))
    AT_ONNX_FAILS(c, "starts, ends, axes and steps are %d, %d, %d and %d numbers", starts.count,
                  ends.count, axes.count, steps.count);
  for (int i = 0; i < starts.count; i++) {
    const int axis = at_onnxAxis(c, axes.count < 0 ? i : axes.data[i], at_dim(x));
    x = sliced(c, x, axis, starts.data[i], ends.data[i], steps.count < 0 ? 1 : steps.data[i]);
    if (!at_defined(x))
      break;
  }
  at_onnxGive(c, 0, x);
}

/* --- padding ---------------------------------------------------------------------------------- */

/* The indices along a dimension whose ends are padded by elements of its own. */
static at_tensor *around(at_onnxCall *c, const char *mode, int64_t size, int64_t before,
                         int64_t after)
{
  at_tensor *const at = at_arange_start(-before, size + after, .type = at_cpuType(AT_LONG));
  if (size < 1)
    AT_ONNX_FAILS(c, "there are no elements to pad with");
  if (!strcmp(mode, "edge"))
    return at_clamp(at, .min = 0, .max = size - 1);
  if (!strcmp(mode, "wrap"))
    return at_remainder(at, size);
  if (strcmp(mode, "reflect"))
    AT_ONNX_FAILS(c, "mode is '%.40s'", mode);
  if (size == 1)
    return at_zeros_like(at);
  at_tensor *const turn = at_remainder(at, 2 * (size - 1));
  return at_minimum(turn, at_sub(at_mul(turn, -1), -2 * (size - 1)));
}

static at_tensor *padded_by_itself(at_onnxCall *c, at_tensor *x, const char *mode,
                                   const int64_t *before, const int64_t *after)
{
  for (int d = 0; d < at_dim(x); d++) {
    const int64_t cut = THMax(-before[d], 0), size = at_size(x, d) - cut - THMax(-after[d], 0);
    if (before[d] == 0 && after[d] == 0)
      continue;
    if (size < 0)
      AT_ONNX_FAILS(c, "more is cut off dimension %d than it has", d);
    at_tensor *const part = at_narrow(x, d, cut, size);
    x = at_index_select(part, d, around(c, mode, size, THMax(before[d], 0), THMax(after[d], 0)));
  }
  return x;
}

void at_runPad(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_onnxList pads = ints_in(c, 1, "pads"), axes = at_onnxIntsIn(c, 3);
  const char *const mode = at_onnxText(c, "mode", "constant");
  const int dims = at_dim(x), count = axes.count < 0 ? dims : axes.count;
  int64_t before[AT_MOST_DIMS] = {0}, after[AT_MOST_DIMS] = {0};
  at_onnxList list = {.count = 2 * dims};
  if (pads.count != 2 * count || 2 * dims > AT_MOST_DIMS)
    AT_ONNX_FAILS(c, "pads are %d numbers for %d dimensions", pads.count, count);
  for (int i = 0; i < count; i++) {
    const int axis = at_onnxAxis(c, axes.count < 0 ? i : axes.data[i], dims);
    before[axis] = pads.data[i];
    after[axis] = pads.data[i + count];
    if (before[axis] < -INT32_MAX || before[axis] > INT32_MAX || after[axis] < -INT32_MAX ||
        after[axis] > INT32_MAX)
      AT_ONNX_FAILS(c, "a dimension is padded by %lld and %lld", (long long)before[axis],
                    (long long)after[axis]);
  }
  if (strcmp(mode, "constant")) {
    at_onnxGive(c, 0, padded_by_itself(c, x, mode, before, after));
    return;
  }
  at_tensor *const value = at_onnxMaybe(c, 2);
  for (int d = 0; d < dims; d++) {
    list.data[2 * (dims - 1 - d)] = before[d];
    list.data[2 * (dims - 1 - d) + 1] = after[d];
  }
  at_scalar with = at_scalar_long(0);
  if (value && at_numel(value) == 1)
    with = at_item(value);
  else if (at_onnxHas(c, "value"))
    with = at_scalar_double(at_onnxFloat(c, "value", 0));
  at_constant_pad_nd_options options = at_constant_pad_nd_defaults;
  options.value = with;
  at_onnxGive(c, 0, (at_constant_pad_nd)(x, at_listed(&list), &options));
}

/* The middle of the input, or zeros around it, so that it has the sizes. */
void at_runCenterCropPad(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  const at_onnxList sizes = at_onnxIntsIn(c, 1), axes = at_onnxInts(c, "axes");
  const int count = axes.count < 0 ? at_dim(x) : axes.count;
  if (sizes.count != count)
    AT_ONNX_FAILS(c, "there are %d sizes for %d dimensions", sizes.count, count);
  for (int i = 0; i < count; i++) {
    const int axis = at_onnxAxis(c, axes.count < 0 ? i : axes.data[i], at_dim(x));
    const int64_t size = at_size(x, axis), wanted = sizes.data[i], more = wanted - size;
    int64_t pad[2 * AT_MOST_DIMS] = {0};
    if (wanted < 0 || wanted > INT32_MAX)
      AT_ONNX_FAILS(c, "a size is %lld", (long long)wanted);
    if (more <= 0) {
      x = at_narrow(x, axis, -more / 2, wanted);
    } else {
      const int at = 2 * (at_dim(x) - 1 - axis);
      pad[at] = more / 2;
      pad[at + 1] = more - more / 2;
      x = at_constant_pad_nd(x, ((at_ints){pad, at + 2}));
    }
  }
  at_onnxGive(c, 0, x);
}

/* --- other orders ----------------------------------------------------------------------------- */

static int64_t block_of(at_onnxCall *c, const at_tensor *x)
{
  const int64_t block = at_onnxInt(c, "blocksize", 1);
  if (at_dim(x) != 4 || block < 1 || block > INT32_MAX)
    AT_ONNX_FAILS(c, "blocksize is %lld, and the input has %d dimensions", (long long)block,
                  at_dim(x));
  return block;
}

void at_runDepthToSpace(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t b = block_of(c, x), n = at_size(x, 0), h = at_size(x, 2), w = at_size(x, 3),
                depth = at_size(x, 1) / (b * b);
  if (strcmp(at_onnxText(c, "mode", "DCR"), "DCR")) {
    at_onnxGive(c, 0, at_pixel_shuffle(x, b));
    return;
  }
  at_tensor *const parts = at_reshape(x, AT_SHAPE(n, b, b, depth, h, w));
  at_onnxGive(c, 0,
              at_reshape(at_permute(parts, AT_INTS(0, 3, 4, 1, 5, 2)),
                         AT_SHAPE(n, depth, h * b, w * b)));
}

void at_runSpaceToDepth(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t b = block_of(c, x), n = at_size(x, 0), depth = at_size(x, 1), h = at_size(x, 2) / b,
                w = at_size(x, 3) / b;
  const bool isFirst = strcmp(at_onnxText(c, "mode", "DCR"), "DCR") != 0; /* the depth there was */
  at_tensor *const parts = at_reshape(x, AT_SHAPE(n, depth, h, b, w, b));
  at_tensor *const moved = isFirst ? at_permute(parts, AT_INTS(0, 1, 3, 5, 2, 4))
                                   : at_permute(parts, AT_INTS(0, 3, 5, 1, 2, 4));
  at_onnxGive(c, 0, at_reshape(moved, AT_SHAPE(n, depth * b * b, h, w)));
}

void at_runTrilu(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const k = at_onnxMaybe(c, 1);
  const int64_t diagonal = k ? at_item_long(k) : 0;
  at_onnxGive(c, 0,
              at_onnxInt(c, "upper", 1) ? at_triu(x, .diagonal = diagonal)
                                        : at_tril(x, .diagonal = diagonal));
}

void at_runCol2Im(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_onnxList image = at_onnxIntsIn(c, 1), block = at_onnxIntsIn(c, 2);
  at_onnxList dilation = at_onnxInts(c, "dilations"), pads = at_onnxInts(c, "pads"),
              stride = at_onnxInts(c, "strides");
  const at_onnxList ones = {2, {1, 1}};
  if (image.count != 2 || block.count != 2)
    AT_ONNX_FAILS(c, "images of %d dimensions are not here", image.count);
  dilation = dilation.count < 0 ? ones : dilation;
  stride = stride.count < 0 ? ones : stride;
  pads = pads.count < 0 ? (at_onnxList){4, {0}} : pads;
  if (pads.count != 4)
    AT_ONNX_FAILS(c, "pads are %d numbers", pads.count);
  for (int i = 0; i < 4; i++)
    if (pads.data[i] < 0 || pads.data[i] > INT32_MAX || image.data[i / 2] < 0 ||
        image.data[i / 2] > INT32_MAX)
      AT_ONNX_FAILS(c, "a size is %lld, and padding %lld", (long long)image.data[i / 2],
                    (long long)pads.data[i]);
  /* The whole image with its padding, of which the padding is cut off. */
  const int64_t h = image.data[0] + pads.data[0] + pads.data[2],
                w = image.data[1] + pads.data[1] + pads.data[3];
  at_tensor *const whole = at_col2im(x, AT_INTS(h, w), at_listed(&block), at_listed(&dilation),
                                     AT_INTS(0, 0), at_listed(&stride));
  at_onnxGive(c, 0,
              at_narrow(at_narrow(whole, -2, pads.data[0], image.data[0]), -1, pads.data[1],
                        image.data[1]));
}

/* The first elements of each sequence, as many as it is long, in the other order. */
void at_runReverseSequence(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int batch = at_onnxAxis(c, at_onnxInt(c, "batch_axis", 1), at_dim(x)),
            time = at_onnxAxis(c, at_onnxInt(c, "time_axis", 0), at_dim(x));
  const int64_t count = at_size(x, time);
  at_tensor *const at = at_unsqueeze(at_arange(count, .type = at_cpuType(AT_LONG)), 0);
  at_tensor *const length = at_unsqueeze(at_to(at_onnxInput(c, 1), at_cpuType(AT_LONG)), 1);
  at_tensor *const from = at_where(at_lt(at, length), at_sub(at_sub(length, 1), at), at);
  at_tensor *index =
      batch < time ? from : at_t(from); /* dimensions batch and time, in their order */
  for (int d = 0; d < at_dim(x); d++)
    if (d != batch && d != time)
      index = at_unsqueeze(index, d);
  at_onnxGive(c, 0, at_gather(x, time, at_expand(index, at_sizes(x))));
}
