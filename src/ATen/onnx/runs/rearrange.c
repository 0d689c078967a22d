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

/* What Col2Im is told: of each dimension. */
typedef struct Blocks {
  at_onnxList image, block, dilation, stride, pads;
} Blocks;

static Blocks blocks_of(const at_onnxCall *c)
{
  Blocks b = {at_onnxIntsIn(c, 1), at_onnxIntsIn(c, 2), at_onnxInts(c, "dilations"),
              at_onnxInts(c, "strides"), at_onnxInts(c, "pads")};
  const int dims = b.image.count;
  if (dims < 1 || dims > AT_MOST_DIMS / 2 || b.block.count != dims)
    AT_ONNX_FAILS(c, "the image has %d dimensions, and the block %d", dims, b.block.count);
  b.pads.count = b.pads.count < 0 ? 2 * dims : b.pads.count;
  for (int d = 0; d < dims; d++) {
    b.dilation.data[d] = b.dilation.count < 0 ? 1 : b.dilation.data[d];
    b.stride.data[d] = b.stride.count < 0 ? 1 : b.stride.data[d];
  }
  b.dilation.count = b.dilation.count < 0 ? dims : b.dilation.count;
  b.stride.count = b.stride.count < 0 ? dims : b.stride.count;
  if (b.pads.count != 2 * dims || b.dilation.count != dims || b.stride.count != dims)
    AT_ONNX_FAILS(c, "of %d dimensions there are %d pads, %d dilations and %d strides", dims,
                  b.pads.count, b.dilation.count, b.stride.count);
  for (int i = 0; i < 2 * dims; i++) {
    const int64_t size = b.image.data[i % dims], block = b.block.data[i % dims],
                  dilation = b.dilation.data[i % dims], stride = b.stride.data[i % dims];
    if (b.pads.data[i] < 0 || b.pads.data[i] > INT32_MAX || size < 0 || size > INT32_MAX ||
        block < 1 || block > INT32_MAX || dilation < 1 || dilation > INT32_MAX || stride < 1 ||
        stride > INT32_MAX)
      AT_ONNX_FAILS(c,
                    "dimension %d has size %lld, padding %lld, block %lld, dilation %lld and "
                    "stride %lld",
                    i % dims, (long long)size, (long long)b.pads.data[i], (long long)block,
                    (long long)dilation, (long long)stride);
  }
  return b;
}

/* How many blocks there are along each dimension of the padded image. */
static void count_blocks(const at_onnxCall *c, const Blocks *b, at_ints whole, int64_t *counts)
{
  for (int d = 0; d < whole.count; d++) {
    const int64_t size = whole.data[d], reach = b->dilation.data[d] * (b->block.data[d] - 1) + 1;
    if (size < reach)
      AT_ONNX_FAILS(c, "dimension %d of size %lld has no room for a block of %lld", d,
                    (long long)size, (long long)reach);
    counts[d] = (size - reach) / b->stride.data[d] + 1;
  }
}

/* The index in the image of each element of each block: elements of a block x blocks. */
static at_tensor *indices_of(const Blocks *b, at_ints whole, const int64_t *counts)
{
  const at_type *const type = at_cpuType(AT_LONG);
  at_tensor *inside = at_zeros(AT_SHAPE(1), .type = type),
            *starts = at_zeros(AT_SHAPE(1), .type = type);
  for (int d = 0; d < whole.count; d++) {
    at_tensor *const in = at_mul(at_arange(b->block.data[d], .type = type), b->dilation.data[d]),
                     *const from = at_mul(at_arange(counts[d], .type = type), b->stride.data[d]);
    inside = at_flatten(at_add(at_unsqueeze(at_mul(inside, whole.data[d]), 1), in));
    starts = at_flatten(at_add(at_unsqueeze(at_mul(starts, whole.data[d]), 1), from));
  }
  return at_add(at_unsqueeze(inside, 1), starts);
}

void at_runCol2Im(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const Blocks b = blocks_of(c);
  const int dims = b.image.count;
  int64_t sizes[AT_MOST_DIMS], padded[AT_MOST_DIMS], counts[AT_MOST_DIMS];
  for (int d = 0; d < dims; d++)
    padded[d] = b.image.data[d] + b.pads.data[d] + b.pads.data[dims + d];
  const at_ints whole = {padded, dims};
  count_blocks(c, &b, whole, counts);
  const int64_t each = at_onnxProduct(c, at_listed(&b.block), 0, dims),
                count = at_onnxProduct(c, whole, 0, dims);
  if (at_dim(x) != 3 || at_size(x, 1) % each != 0 ||
      at_size(x, 2) != at_onnxProduct(c, ((at_ints){counts, dims}), 0, dims))
    AT_ONNX_FAILS(c, "%s has no blocks of %lld elements for %s", at_sizeDesc(at_sizes(x)).str,
                  (long long)each, at_sizeDesc(at_listed(&b.image)).str);
  const int64_t images = at_size(x, 0), channels = at_size(x, 1) / each;
  at_tensor *const index = indices_of(&b, whole, counts);
  at_tensor *const blocks = at_reshape(x, AT_SHAPE(images, channels, each * at_size(x, 2)));
  at_tensor *made = at_index_add(at_zeros(AT_SHAPE(images, channels, count), .type = x->type), 2,
                                 at_flatten(index), blocks);
  sizes[0] = images;
  sizes[1] = channels;
  memcpy(sizes + 2, padded, (size_t)dims * sizeof *padded);
  made = at_reshape(made, ((at_ints){sizes, dims + 2}));
  for (int d = 0; d < dims; d++)
    made = at_narrow(made, d + 2, b.pads.data[d], b.image.data[d]);
  at_onnxGive(c, 0, made);
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
