/* Operators of ONNX Runtime's own domain, com.microsoft, which its optimizer makes of several standard ones.
 * (github.com/microsoft/onnxruntime: docs/ContribOperators.md) */
#include "../Runs.h"

#include <math.h>

static at_tensor *in_type(at_tensor *t, const at_type *type)
{
  return at_to(t, type);
}

/* Float, or Double of what is Double. */
static const at_type *wide_of(const at_tensor *t)
{
  return at_cpuType(t->type->scalarType == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT);
}

/* --- activations and products ----------------------------------------------------------------- */

void at_runFastGelu(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const bias = at_onnxMaybe(c, 1);
  at_onnxGive(c, 0, at_gelu(bias ? at_add(x, bias) : x, .approximate = "tanh"));
}

/* t after the activation that the attribute names, which has up to two numbers. */
static at_tensor *activated(const at_onnxCall *c, at_tensor *t, const double *with)
{
  const char *const name = at_onnxText(c, "activation", "");
  if (!*name)
    return t;
  if (!strcmp(name, "Relu"))
    return at_relu(t);
  if (!strcmp(name, "Tanh"))
    return at_tanh(t);
  if (!strcmp(name, "Sigmoid"))
    return at_sigmoid(t);
  if (!strcmp(name, "LeakyRelu"))
    return at_leaky_relu(t, .negative_slope = with[0]);
  if (!strcmp(name, "Clip"))
    return at_clamp(t, .min = with[0], .max = with[1]);
  if (!strcmp(name, "HardSigmoid"))
    return at_clamp(at_add(at_mul(t, with[0]), with[1]), .min = 0.0, .max = 1.0);
  AT_ONNX_FAILS(c, "activation is '%.40s', which is not here", name);
}

/* A convolution, what is added to it, and an activation. */
void at_runFusedConv(at_onnxCall *c)
{
  double with[AT_MOST_DIMS] = {0.01, 0};
  at_tensor *const more = at_onnxMaybe(c, 3);
  at_tensor *const y =
      at_onnxConvolved(c, at_onnxInput(c, 0), at_onnxInput(c, 1), at_onnxMaybe(c, 2));
  at_onnxFloats(c, "activation_params", with);
  at_onnxGive(c, 0, activated(c, more ? at_add(y, more) : y, with));
}

void at_runFusedGemm(at_onnxCall *c)
{
  at_tensor *a = at_onnxInput(c, 0), *b = at_onnxInput(c, 1), *const bias = at_onnxMaybe(c, 2);
  const double with[] = {at_onnxFloat(c, "activation_alpha", 0.01),
                         at_onnxFloat(c, "activation_beta", 0)};
  a = at_onnxInt(c, "transA", 0) ? at_t(a) : a;
  b = at_onnxInt(c, "transB", 0) ? at_t(b) : b;
  at_tensor *const y = at_mul(at_mm(a, b), at_onnxFloat(c, "alpha", 1));
  at_onnxGive(c, 0,
              activated(c, bias ? at_add(y, at_mul(bias, at_onnxFloat(c, "beta", 1))) : y, with));
}

/* An operand of a product as rows and columns: the rows may come before the batch. */
static at_tensor *as_matrices(const at_onnxCall *c, at_tensor *t, const char *batch,
                              const char *turns)
{
  if (at_dim(t) < 2)
    return t;
  t = at_onnxInt(c, batch, 0) ? at_movedim_int(t, 0, -2) : t;
  return at_onnxInt(c, turns, 0) ? at_transpose(t, -2, -1) : t;
}

void at_runFusedMatMul(at_onnxCall *c)
{
  at_tensor *const a = as_matrices(c, at_onnxInput(c, 0), "transBatchA", "transA"),
                   *const b = as_matrices(c, at_onnxInput(c, 1), "transBatchB", "transB");
  const double alpha = at_onnxFloat(c, "alpha", 1);
  at_tensor *const y = at_matmul(a, b);
  at_onnxGive(c, 0, alpha == 1 ? y : at_mul(y, alpha));
}

at_tensor *at_onnxUnpacked(const at_onnxCall *c, at_tensor *packed, int64_t bits, int64_t count)
{
  const int64_t each = 8 / bits;
  at_tensor *const bytes = at_unsqueeze(at_to(packed, at_cpuType(AT_INT)), -1);
  at_tensor *const shifts = at_mul(at_arange(each, .type = at_cpuType(AT_INT)), at_scalar(bits));
  at_tensor *const codes =
      at_flatten(at_bitwise_and_scalar(at_bitwise_right_shift(bytes, shifts), (1 << bits) - 1),
                 .start_dim = -2);
  if (!at_defined(codes) || at_size(codes, -1) < count)
    AT_ONNX_FAILS(c, "%lld numbers of %lld bits are not in a tensor of size %s", (long long)count,
                  (long long)bits, at_sizeDesc(at_sizes(packed)).str);
  return at_narrow(codes, -1, 0, count);
}

/* A W', where W (N x K) is packed in blocks, each with a scale and a zero point. */
void at_runMatMulBits(at_onnxCall *c)
{
  at_tensor *const a = at_onnxInput(c, 0), *const packed = at_onnxInput(c, 1),
                   *const zero = at_onnxMaybe(c, 3), *const bias = at_onnxMaybe(c, 5);
  const int64_t bits = at_onnxInt(c, "bits", 4), block = at_onnxInt(c, "block_size", 32),
                rows = at_onnxInt(c, "N", 0), width = at_onnxInt(c, "K", 0);
  if ((bits != 2 && bits != 4 && bits != 8) || block < 1 || rows < 1 || width < 1 ||
      at_onnxMaybe(c, 4) || at_dim(packed) != 3 || at_size(packed, 0) != rows)
    AT_ONNX_FAILS(c, "weights of %lld x %lld with %lld bits in blocks of %lld are not here",
                  (long long)rows, (long long)width, (long long)bits, (long long)block);
  const int64_t blocks = at_size(packed, 1);
  const at_type *const wide = wide_of(a);
  at_tensor *const scale = in_type(at_reshape(at_onnxInput(c, 2), AT_INTS(rows, blocks, 1)), wide);
  at_tensor *offset = NULL;
  if (zero && zero->type->scalarType == AT_BYTE)
    offset = in_type(at_onnxUnpacked(c, at_reshape(zero, AT_INTS(rows, -1)), bits, blocks), wide);
  else if (zero)
    offset = in_type(at_reshape(zero, AT_INTS(rows, blocks)), wide);
  at_tensor *const codes = in_type(at_onnxUnpacked(c, packed, bits, block), wide);
  at_tensor *const moved =
      offset ? at_sub(codes, at_unsqueeze(offset, -1)) : at_sub(codes, at_scalar(1 << (bits - 1)));
  at_tensor *const w = at_flatten(at_mul(moved, scale), .start_dim = 1);
  at_tensor *const y =
      at_matmul(in_type(a, wide), at_t(at_narrow(w, 1, 0, THMin(width, at_size(w, 1)))));
  at_onnxGive(c, 0, in_type(bias ? at_add(y, in_type(bias, wide)) : y, a->type));
}

/* --- normalization ---------------------------------------------------------------------------- */

/* The normalized sum of inputs 0 and 1 and a bias; with isRoot by the root of the mean of squares alone. */
static void skip_norm(at_onnxCall *c, bool isRoot)
{
  at_tensor *const x = at_onnxInput(c, 0), *const bias = at_onnxMaybe(c, isRoot ? 3 : 4),
                   *const shift = isRoot ? NULL : at_onnxMaybe(c, 3);
  at_tensor *const sum = at_add(x, at_onnxInput(c, 1)), *const all = bias ? at_add(sum, bias) : sum;
  at_tensor *const values = in_type(all, wide_of(x));
  const at_ints last = AT_INTS(-1);
  at_tensor *const mean = at_mean_dim(values, last, .keepdim = true), *const centered =
                                                                          isRoot ? values
                                                                                 : at_sub(values,
                                                                                          mean);
  at_tensor *const variance = at_mean_dim(at_mul(centered, centered), last, .keepdim = true);
  at_tensor *const scale = at_rsqrt(at_add(variance, at_onnxFloat(c, "epsilon", 1e-5)));
  at_tensor *const y = at_mul(in_type(at_mul(centered, scale), x->type), at_onnxInput(c, 2));
  at_onnxGive(c, 0, shift ? at_add(y, shift) : y);
  if (at_onnxWants(c, 1))
    at_onnxGive(c, 1, mean);
  if (at_onnxWants(c, 2))
    at_onnxGive(c, 2, scale);
  if (at_onnxWants(c, 3))
    at_onnxGive(c, 3, all);
}

void at_runSkipLayerNorm(at_onnxCall *c)
{
  skip_norm(c, false);
}

void at_runSkipRootNorm(at_onnxCall *c)
{
  skip_norm(c, true);
}

/* Embeddings of words, positions and segments, added and normalized; with the number of words that count. */
void at_runEmbedLayerNorm(at_onnxCall *c)
{
  at_tensor *const words = at_onnxInput(c, 0), *const segments = at_onnxMaybe(c, 1),
                   *const mask = at_onnxMaybe(c, 7), *const given = at_onnxMaybe(c, 8);
  if (at_dim(words) != 2)
    AT_ONNX_FAILS(c, "the words are of size %s, and have to be batch x length",
                  at_sizeDesc(at_sizes(words)).str);
  at_tensor *const positions =
      given ? given : at_arange(at_size(words, 1), .type = at_cpuType(AT_LONG));
  at_tensor *sum =
      at_add(at_embedding(at_onnxInput(c, 2), words), at_embedding(at_onnxInput(c, 3), positions));
  if (segments && at_onnxMaybe(c, 4))
    sum = at_add(sum, at_embedding(at_onnxInput(c, 4), segments));
  at_onnxGive(c, 0,
              at_layer_norm(sum, AT_INTS(at_size(sum, -1)), .weight = at_onnxInput(c, 5),
                            .bias = at_onnxInput(c, 6), .eps = at_onnxFloat(c, "epsilon", 1e-12)));
  if (at_onnxWants(c, 1))
    at_onnxGive(c, 1,
                mask ? at_to(at_sum_dim(mask, AT_INTS(1)), at_cpuType(AT_INT))
                     : at_zeros(AT_INTS(at_size(words, 0)), .type = at_cpuType(AT_INT)));
  if (at_onnxWants(c, 2))
    at_onnxGive(c, 2, sum);
}

/* --- attention -------------------------------------------------------------------------------- */

/* The heads of x, which may be separate already. */
static at_tensor *with_heads(const at_onnxCall *c, at_tensor *x, int64_t heads)
{
  return at_dim(x) == 4 ? x : at_onnxHeads(c, x, heads);
}

/* What is added to scores: for keys that the mask leaves out, and for those behind the query. */
static at_tensor *masking(const at_onnxCall *c, at_tensor *q, at_tensor *k, at_tensor *mask,
                          at_tensor *bias)
{
  const int64_t queries = at_size(q, 2), keys = at_size(k, 2);
  const double out = at_onnxFloat(c, "mask_filter_value", -10000);
  at_tensor *sum = bias ? bias : at_zeros(AT_INTS(queries, keys), .type = q->type);
  if (mask && at_dim(mask) == 1 && at_numel(mask) == at_size(q, 0)) /* how many keys count */
    mask = at_lt(at_arange(keys, .type = at_cpuType(AT_LONG)), at_unsqueeze(mask, -1));
  if (mask && at_dim(mask) != 2 && at_dim(mask) != 3)
    AT_ONNX_FAILS(c, "a mask of size %s is not here", at_sizeDesc(at_sizes(mask)).str);
  if (mask) {
    mask = at_eq(at_dim(mask) == 2 ? at_unsqueeze(mask, 1) : mask, 0);
    at_tensor *const none = at_zeros(at_sizes(mask), .type = q->type);
    sum = at_add(sum, at_unsqueeze(at_masked_fill(none, mask, out), 1));
  }
  if (at_onnxInt(c, "unidirectional", 0)) {
    at_tensor *const later =
        at_triu(at_full(AT_INTS(queries, keys), -(double)INFINITY, .type = q->type),
                .diagonal = keys - queries + 1);
    sum = at_add(sum, later);
  }
  return sum;
}

/* Gives output 0, batch x length x (heads width), of heads. */
static void give_attention(at_onnxCall *c, at_tensor *q, at_tensor *k, at_tensor *v,
                           at_tensor *mask, at_tensor *bias)
{
  const double scale = at_onnxFloat(c, "scale", 0);
  at_scaled_dot_product_attention_options how = at_scaled_dot_product_attention_defaults;
  how.attn_mask = masking(c, q, k, mask, bias);
  if (scale != 0)
    how.scale = at_scalar_double(scale);
  at_tensor *const y = (at_scaled_dot_product_attention)(q, k, v, &how);
  at_onnxGive(c, 0, at_defined(y) ? at_flatten(at_transpose(y, 1, 2), .start_dim = 2) : y);
}

/* Attention with queries, keys and values as inputs, and a bias for them side by side. */
void at_runHeads(at_onnxCall *c)
{
  at_tensor *q = at_onnxInput(c, 0), *k = at_onnxMaybe(c, 1), *v = at_onnxMaybe(c, 2);
  at_tensor *const bias = at_onnxMaybe(c, 3), *const pastK = at_onnxMaybe(c, 6),
                   *const pastV = at_onnxMaybe(c, 7);
  const int64_t heads = at_onnxInt(c, "num_heads", 0);
  if (!k && at_dim(q) == 5) { /* batch x length x heads x 3 x width */
    at_tensor *const all = at_permute(q, AT_INTS(3, 0, 2, 1, 4));
    q = at_select(all, 0, 0);
    k = at_select(all, 0, 1);
    v = at_select(all, 0, 2);
  }
  if (!k || !v)
    AT_ONNX_FAILS(c, "there are no keys and values");
  if (bias && at_dim(q) == 3) {
    const int64_t width = at_size(q, 2), last = at_numel(bias) - 2 * width;
    q = at_add(q, at_narrow(bias, 0, 0, width));
    k = at_dim(k) == 3 ? at_add(k, at_narrow(bias, 0, width, width)) : k;
    v = at_dim(v) == 3 ? at_add(v, at_narrow(bias, 0, 2 * width, last)) : v;
  }
  q = with_heads(c, q, heads);
  k = with_heads(c, k, heads);
  v = with_heads(c, v, heads);
  if (pastK && pastV) {
    k = at_cat(AT_TENSORS(pastK, k), .dim = 2);
    v = at_cat(AT_TENSORS(pastV, v), .dim = 2);
  }
  if (at_onnxWants(c, 1))
    at_onnxGive(c, 1, k);
  if (at_onnxWants(c, 2))
    at_onnxGive(c, 2, v);
  give_attention(c, q, k, v, at_onnxMaybe(c, 4), at_onnxMaybe(c, 5));
}

/* Attention of an input to itself, with weights for queries, keys and values side by side. */
void at_runSelfAttention(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const w = at_onnxInput(c, 1),
                   *const bias = at_onnxMaybe(c, 2), *const past = at_onnxMaybe(c, 4);
  const int64_t heads = at_onnxInt(c, "num_heads", 0);
  at_onnxList sizes = at_onnxInts(c, "qkv_hidden_sizes");
  if (at_dim(x) != 3 || at_dim(w) != 2)
    AT_ONNX_FAILS(c, "the input is of size %s, and has to be batch x length x width",
                  at_sizeDesc(at_sizes(x)).str);
  for (int i = 0; sizes.count != 3 && i < 3; i++)
    sizes.data[i] = at_size(w, 1) / 3;
  at_tensor *const product = at_matmul(x, w), *const all = bias ? at_add(product, bias) : product;
  at_tensor *parts[3];
  for (int64_t i = 0, from = 0; i < 3; from += sizes.data[i++]) {
    parts[i] = with_heads(c, at_narrow(all, -1, from, sizes.data[i]), heads);
    if (past && i > 0)
      parts[i] = at_cat(AT_TENSORS(at_select(past, 0, i - 1), parts[i]), .dim = 2);
  }
  if (at_onnxWants(c, 1))
    at_onnxGive(c, 1, at_stack(AT_TENSORS(parts[1], parts[2])));
  give_attention(c, parts[0], parts[1], parts[2], at_onnxMaybe(c, 3), at_onnxMaybe(c, 5));
}
