/* Quantization in blocks of a tensor, as torchao has it: each block of block_size elements has a scale and a zero.
 * (Formulas: torchao, quantization/quant_primitives.py) */
#include <math.h>

#include "../Program.h"
#include "ATenOps.h"

/* A tensor seen as its blocks: sizes are those of dimensions that are split where they have several blocks. */
typedef struct Blocks {
  int64_t sizes[AT_MOST_DIMS], ones[AT_MOST_DIMS]; /* ones: those with 1 for each block */
  int64_t inside[AT_MOST_DIMS];                    /* the dimensions of elements of a block */
  int count, insideCount;
} Blocks;

static void add_size(const at_graphNode *node, Blocks *b, int64_t size, bool isInside)
{
  if (b->count == AT_MOST_DIMS)
    at_nodeFails(node, "the blocks have more than %d dimensions", AT_MOST_DIMS);
  if (isInside)
    b->inside[b->insideCount++] = b->count;
  b->ones[b->count] = isInside ? 1 : size;
  b->sizes[b->count++] = size;
}

static Blocks blocks_of(at_frame *frame, const at_graphNode *node, const at_tensor *x)
{
  Blocks b = {.count = 0};
  const at_given *const given = at_inputOf(node, "block_size", -1);
  const int32_t dims = at_dim(x);
  if (!given || given->kind != AT_GIVEN_NUMBERS || given->count != dims)
    at_nodeFails(node, "block_size is no list of %d sizes", (int)dims);
  for (int32_t d = 0; d < dims; d++) {
    const at_cell cell = at_frame_get(frame, &given->parts[d]);
    const int64_t size = at_size(x, d), block = cell.kind == AT_CELL_INT ? cell.is.integer : 0;
    if (block < 1 || size % block != 0)
      at_nodeFails(node, "block_size[%d] is %lld, and does not divide %lld", (int)d,
                   (long long)block, (long long)size);
    if (block != size && block > 1)
      add_size(node, &b, size / block, false);
    add_size(node, &b, block > 1 ? block : size, block > 1);
  }
  return b;
}

static at_tensor *with_sizes(at_tensor *t, const int64_t *sizes, int count)
{
  return at_reshape(t, (at_ints){sizes, count});
}

/* The range of quantized numbers: what is given, or that of their type. */
static void find_range(at_frame *frame, const at_graphNode *node, const char *type, double *least,
                       double *most)
{
  static const struct {
    at_scalar_type type;
    double least, most;
  } ranges[] = {{AT_BYTE, 0, 255},
                {AT_CHAR, -128, 127},
                {AT_SHORT, -32768, 32767},
                {AT_INT, -2147483648.0, 2147483647.0}};
  const at_given *const given = at_inputOf(node, type, -1);
  *least = *most = NAN;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (given && given->kind == AT_GIVEN_TYPE && given->type == ranges[i].type) {
      *least = ranges[i].least;
      *most = ranges[i].most;
    }
  *least = at_inputNumber(frame, node, "quant_min", -1, *least);
  *most = at_inputNumber(frame, node, "quant_max", -1, *most);
  if (!(*least <= *most))
    at_nodeFails(node, "%s has no range here", type);
}

/* The type of quantized numbers; those of fewer bits than 8 are Byte. */
static const at_type *type_of(const at_graphNode *node, const char *name)
{
  const at_given *const given = at_inputOf(node, name, -1);
  const bool isHere = given && given->kind == AT_GIVEN_TYPE && given->type != AT_SCALAR_TYPES;
  return at_cpuType(isHere ? given->type : AT_BYTE);
}

/* The zeros of blocks, or NULL where they are None or empty. */
static at_tensor *zeros_of(at_frame *frame, const at_graphNode *node, const Blocks *b)
{
  if (!at_inputOf(node, "zero_point", -1))
    return NULL;
  at_tensor *const zero = at_inputTensor(frame, node, "zero_point", -1);
  return at_numel(zero) > 0 ? with_sizes(zero, b->ones, b->count) : NULL;
}

/* quantize_affine(input, block_size, scale, zero_point, output_dtype, quant_min, quant_max) */
static void quantize(at_frame *frame, const at_graphNode *node)
{
  double least, most;
  at_tensor *const x = at_inputTensor(frame, node, "input", 0);
  const Blocks b = blocks_of(frame, node, x);
  find_range(frame, node, "output_dtype", &least, &most);
  at_tensor *const scale = with_sizes(at_inputTensor(frame, node, "scale", -1), b.ones, b.count),
                   *const zero = zeros_of(frame, node, &b);
  at_tensor *q = at_round(at_mul(with_sizes(x, b.sizes, b.count), at_reciprocal(scale)));
  q = at_clamp(zero ? at_add(q, zero) : q, .min = least, .max = most);
  at_giveOutput(frame, node, 0, at_to(at_reshape(q, at_sizes(x)), type_of(node, "output_dtype")));
}

/* dequantize_affine(input, block_size, scale, zero_point, input_dtype, quant_min, quant_max, output_dtype) */
static void dequantize(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const x = at_inputTensor(frame, node, "input", 0);
  const Blocks b = blocks_of(frame, node, x);
  const at_type *const type = at_inputType(node, "output_dtype", AT_FLOAT);
  at_tensor *const scale = with_sizes(at_inputTensor(frame, node, "scale", -1), b.ones, b.count),
                   *const zero = zeros_of(frame, node, &b);
  at_tensor *const q = at_to(with_sizes(x, b.sizes, b.count), type);
  at_tensor *const y = at_mul(zero ? at_sub(q, at_to(zero, type)) : q, scale);
  at_giveOutput(frame, node, 0, at_to(at_reshape(y, at_sizes(x)), type));
}

/* Scales of blocks whose elements are from low to high, with 0 in the middle of the range; one without clipping
 * takes the larger one of what each end asks for. */
static at_tensor *symmetric_scale(at_tensor *low, at_tensor *high, double least, double most,
                                  bool clips)
{
  if (clips)
    return at_div(at_maximum(at_neg(low), high), (most - least) / 2);
  return at_maximum(at_div(low, least), at_div(high, most));
}

/* choose_qparams_affine(input, mapping_type, block_size, target_dtype, quant_min, quant_max, eps, scale_dtype,
 * zero_point_dtype, keepdim) */
static void choose(at_frame *frame, const at_graphNode *node)
{
  double least, most;
  at_tensor *const x = at_inputTensor(frame, node, "input", 0);
  const at_scalar_type own = x->type->scalarType;
  const Blocks b = blocks_of(frame, node, x);
  const at_given *const mapping = at_inputOf(node, "mapping_type", 1);
  const char *const how = mapping && mapping->text ? mapping->text : "";
  const bool isAsymmetric = !strcmp(how, "ASYMMETRIC"), clips = !strcmp(how, "SYMMETRIC");
  if (!isAsymmetric && !clips && strcmp(how, "SYMMETRIC_NO_CLIPPING_ERR") != 0)
    at_nodeFails(node, "mapping_type is \"%.40s\"", how);
  find_range(frame, node, "target_dtype", &least, &most);
  const double eps = at_inputNumber(frame, node, "eps", -1, own == AT_HALF ? 0x1p-14 : 0x1p-126);
  const bool keeps = at_inputBool(frame, node, "keepdim", -1, false);
  const at_ints inside = {b.inside, b.insideCount};
  at_tensor *const all = with_sizes(x, b.sizes, b.count);
  at_tensor *const low = at_clamp_max(at_amin(all, .dim = inside, .keepdim = keeps), 0),
                   *const high = at_clamp_min(at_amax(all, .dim = inside, .keepdim = keeps), 0);
  at_tensor *scale = isAsymmetric ? at_div(at_sub(high, low), most - least)
                                  : symmetric_scale(low, high, least, most, clips);
  scale = at_clamp_min(scale, eps);
  at_tensor *zero = isAsymmetric ? at_clamp(at_sub(at_neg(at_round(at_div(low, scale))), -least),
                                            .min = least, .max = most)
                                 : at_full_like(scale, trunc((most + least + 1) / 2));
  if (keeps) {
    int64_t sizes[AT_MOST_DIMS];
    const at_given *const block = at_inputOf(node, "block_size", -1);
    for (int d = 0; d < at_dim(x); d++)
      sizes[d] = at_size(x, d) / at_frame_get(frame, &block->parts[d]).is.integer;
    scale = with_sizes(scale, sizes, at_dim(x));
    zero = with_sizes(zero, sizes, at_dim(x));
  }
  at_giveOutput(frame, node, 0, at_to(scale, at_inputType(node, "scale_dtype", own)));
  at_giveOutput(frame, node, 1,
                at_to(zero, at_inputType(node, "zero_point_dtype", isAsymmetric ? AT_INT : own)));
}

void at_computeAffine(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  if (strstr(node->target, ".dequantize"))
    dequantize(frame, node);
  else
    (strstr(node->target, ".quantize") ? quantize : choose)(frame, node);
}
