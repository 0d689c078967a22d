/* Tables and weights of a few bits, whose blocks have scales of their own, in ONNX Runtime's own domain. */
#include "../Lower.h"
#include "../Runs.h"

/* --- rows of a table --------------------------------------------------------------------------- */

/* Tells the run whether the elements are of a type of few bits: then each has been read by itself. */
bool at_lowerGatherBlocks(at_names *names, const at_onnxItem *item)
{
  at_arena *const arena = names->building->onnx->arena;
  const at_constant *const data =
      item->inputCount > 0 ? at_constantNamed(names, item->inputs[0]) : NULL;
  at_onnxItem more = *item;
  at_attribute *const attributes =
      at_arena_take(arena, (uint64_t)item->attributeCount + 1, sizeof *attributes);
  if (item->attributeCount > 0)
    memcpy(attributes, item->attributes, (size_t)item->attributeCount * sizeof *attributes);
  attributes[item->attributeCount] = (at_attribute){
      .name = "is_single", .type = AT_ATTRIBUTE_INT, .integer = data && data->packing, .text = ""};
  more.attributes = attributes;
  more.attributeCount++;
  at_lowerCall(names, &more);
  return true;
}

/* The entries of t along an axis; the axis becomes those of index. */
static at_tensor *entries(at_tensor *t, int axis, at_tensor *index)
{
  at_tensor *const picked = at_index_select(t, axis, at_flatten(index));
  return at_dim(index) == 1   ? picked
         : at_dim(index) == 0 ? at_squeeze_dim(picked, axis)
                              : at_unflatten(picked, axis, at_sizes(index));
}

/* A scale or zero for each block as one for each of count elements. */
static at_tensor *of_elements(at_tensor *t, int axis, int64_t block, int64_t count)
{
  return at_narrow(at_repeat_interleave(t, THMin(block, THMax(count, 1)), .dim = axis), axis, 0,
                   count);
}

void at_runGatherBlocks(at_onnxCall *c)
{
  at_tensor *data = at_onnxInput(c, 0), *const scale = at_onnxInput(c, 2),
            *zero = at_onnxMaybe(c, 3);
  const int dims = at_dim(data);
  const bool isSingle = at_onnxInt(c, "is_single", 0) != 0;
  const int64_t bits = isSingle ? 8 : at_onnxInt(c, "bits", 4),
                block = at_onnxInt(c, "block_size", 128);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "gather_axis", 0), dims),
            along = at_onnxAxis(c, at_onnxInt(c, "quantize_axis", 1), dims);
  if ((bits != 2 && bits != 4 && bits != 8) || block < 1 || axis == along ||
      at_dim(scale) != dims || (bits < 8 && along != dims - 1))
    AT_ONNX_FAILS(c, "rows of size %s with %lld bits in blocks of %lld are not here",
                  at_sizeDesc(at_sizes(data)).str, (long long)bits, (long long)block);
  if (bits < 8) {
    const int64_t each = 8 / bits;
    data = at_onnxUnpacked(c, data, bits, at_size(data, -1) * each);
    zero = zero ? at_onnxUnpacked(c, zero, bits, at_size(scale, -1)) : NULL;
  }
  at_tensor *const given = at_to(at_onnxInput(c, 1), at_cpuType(AT_LONG));
  at_tensor *const index =
      at_where(at_lt(given, 0), at_add(given, at_scalar(at_size(data, axis))), given);
  const int64_t count = at_size(data, along);
  const at_type *const wide = at_cpuType(AT_FLOAT);
  at_tensor *rows = at_to(at_index_select(data, axis, at_flatten(index)), wide);
  at_tensor *const factor =
      of_elements(at_index_select(at_to(scale, wide), axis, at_flatten(index)), along, block,
                  count);
  if (zero)
    rows = at_sub(rows, of_elements(at_index_select(at_to(zero, wide), axis, at_flatten(index)),
                                    along, block, count));
  else if (!isSingle)
    rows = at_sub(rows, at_scalar(1 << (bits - 1)));
  at_tensor *const made = at_to(at_mul(rows, factor), scale->type);
  at_tensor *const all = at_arange(at_numel(index), .type = at_cpuType(AT_LONG));
  at_onnxGive(c, 0, entries(made, axis, at_reshape(all, at_sizes(index))));
}

/* --- weights of four bits ---------------------------------------------------------------------- */

/* A W', where W (N x K) has codes of two tables (Dettmers et al., QLoRA, 2023), and a largest absolute
 * value for each block. */
void at_runMatMulBnb4(at_onnxCall *c)
{
  static const float tables[2][16] = {
      {0, 0.005208333F, 0.66666667F, 1, 0.33333333F, 0.5F, 0.16666667F, 0.25F, -0.F, -0.005208333F,
       -0.66666667F, -1, -0.33333333F, -0.5F, -0.16666667F, -0.25F},
      {-1, -0.69619280F, -0.52507305F, -0.39491749F, -0.28444138F, -0.18477343F, -0.09105004F, 0,
       0.07958030F, 0.16093020F, 0.24611230F, 0.33791524F, 0.44070983F, 0.56261700F, 0.72295684F,
       1}};
  at_tensor *const a = at_onnxInput(c, 0), *const packed = at_flatten(at_onnxInput(c, 1));
  const int64_t rows = at_onnxInt(c, "N", 0), width = at_onnxInt(c, "K", 0),
                block = at_onnxInt(c, "block_size", 32), kind = at_onnxInt(c, "quant_type", 1);
  int64_t count;
  if (rows < 1 || width < 1 || block < 1 || kind < 0 || kind > 1 ||
      __builtin_mul_overflow(rows, width, &count) || at_numel(packed) != count / 2 + count % 2)
    AT_ONNX_FAILS(c, "%lld bytes are no weights of %lld x %lld in blocks of %lld",
                  (long long)at_numel(packed), (long long)rows, (long long)width, (long long)block);
  const at_type *const wide = at_cpuType(AT_FLOAT), *const whole = at_cpuType(AT_LONG);
  at_tensor *const bytes = at_to(packed, whole);
  at_tensor *const codes = at_flatten(at_stack(AT_TENSORS(at_bitwise_right_shift_scalar(bytes, 4),
                                                          at_bitwise_and_scalar(bytes, 15)),
                                               .dim = 1));
  at_tensor *const table = at_empty(AT_SHAPE(16), .type = wide);
  if (!at_defined(table))
    AT_ONNX_FAILS(c, "it failed");
  memcpy(at_hostData(table), tables[kind], sizeof tables[kind]);
  at_tensor *const most = at_to(at_flatten(at_onnxInput(c, 2)), wide);
  at_tensor *const scales = of_elements(most, 0, block, count);
  at_tensor *const w = at_mul(at_index_select(table, 0, at_narrow(codes, 0, 0, count)), scales);
  at_tensor *const y = at_matmul(at_to(a, wide), at_t(at_reshape(w, AT_INTS(rows, width))));
  at_onnxGive(c, 0, at_to(y, a->type));
}
