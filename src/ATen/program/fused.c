/* Operations that PyTorch makes of others when it decomposes them, with results that only its gradients
 * need.  Those results are left empty. */
#include <math.h>

#include "ATenOps.h"
#include "Program.h"

static at_tensor *tensor(const at_frame *frame, const at_graphNode *node, const char *name)
{
  return at_inputOf(node, name, -1) ? at_inputTensor(frame, node, name, -1) : NULL;
}

/* A number that may be left out. */
static at_scalar number(const at_frame *frame, const at_graphNode *node, const char *name)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (!given)
    return at_scalar_none();
  const at_cell cell =
      given->kind == AT_GIVEN_NUMBER ? at_frame_get(frame, given->parts) : (at_cell){0};
  if (!at_isNumber(cell))
    at_nodeFails(node, "%s is no number", name);
  return cell.kind == AT_CELL_FLOAT ? at_scalar_double(cell.is.number)
                                    : at_scalar_long(cell.is.integer);
}

/* --- attention -------------------------------------------------------------------------------- */

/* The heads of t as often as heads of queries share them. */
static at_tensor *spread(at_tensor *t, int64_t heads)
{
  return at_repeat_interleave(t, heads / THMax(at_size(t, -3), 1), .dim = -3);
}

/* What is added to scores so that query i attends to keys 0 to i alone. */
static at_tensor *causal_mask(at_tensor *query, at_tensor *key)
{
  at_tensor *const all =
      at_full(AT_SHAPE(at_size(query, -2), at_size(key, -2)), -INFINITY, .type = query->type);
  return at_triu(all, .diagonal = 1);
}

/* scaled_dot_product_attention that leaves out weights at random: the whole matrix is computed, with the
 * square root of the scale for query and for key, as PyTorch does then. */
void at_computeDropoutAttention(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const query = at_inputTensor(frame, node, "query", 0);
  at_tensor *key = at_inputTensor(frame, node, "key", 1),
            *value = at_inputTensor(frame, node, "value", 2),
            *mask = tensor(frame, node, "attn_mask");
  const at_scalar given = number(frame, node, "scale"), p = number(frame, node, "dropout_p");
  if (at_dim(query) < 2 || at_dim(key) < 2)
    at_nodeFails(node, "query and key have %d and %d dimensions", at_dim(query), at_dim(key));
  if (at_inputBool(frame, node, "enable_gqa", -1, false) && at_dim(query) > 2) {
    key = spread(key, at_size(query, -3));
    value = spread(value, at_size(query, -3));
  }
  const double width = (double)THMax(at_size(query, -1), 1),
               scale = given.is_none ? 1 / sqrt(width) : at_scalar_toDouble(given);
  if (at_inputBool(frame, node, "is_causal", -1, false))
    mask = causal_mask(query, key);
  else if (mask && mask->type->scalarType == AT_BOOL)
    mask = at_masked_fill(at_zeros(at_sizes(mask), .type = query->type), at_logical_not(mask),
                          -INFINITY);
  at_tensor *scores =
      at_matmul(at_mul(query, sqrt(scale)), at_transpose(at_mul(key, sqrt(scale)), -2, -1));
  if (mask)
    scores = at_add(scores, mask);
  at_giveOutput(frame, node, 0,
                at_matmul(at_dropout(at__safe_softmax(scores, -1), at_scalar_toDouble(p), true),
                          value));
}

/* The weights of one attention layer: of queries, keys and values in one matrix, and of what it returns. */
typedef struct Heads {
  int64_t width, count;
  at_tensor *in, *inBias, *out, *outBias, *mask;
  int64_t maskType; /* 0: of L x L, 1: of N x L, else of N x heads x L x L; true is left out */
} Heads;

static Heads heads_of(const at_frame *frame, const at_graphNode *node, const char *count)
{
  Heads h = {at_inputInt(frame, node, "embed_dim", -1),
             at_inputInt(frame, node, count, -1),
             tensor(frame, node, "qkv_weight"),
             tensor(frame, node, "qkv_bias"),
             tensor(frame, node, "proj_weight"),
             tensor(frame, node, "proj_bias"),
             tensor(frame, node, "mask"),
             2};
  const at_scalar type = number(frame, node, "mask_type");
  if (!type.is_none)
    h.maskType = type.value.integer;
  if (!h.in || !h.inBias || !h.out || !h.outBias || h.width < 1 || h.count < 1 ||
      h.width % h.count != 0 || at_dim(h.in) != 2 || at_dim(h.inBias) != 1 ||
      at_size(h.in, 0) % 3 != 0 || at_size(h.in, 0) / 3 != h.width ||
      at_size(h.inBias, 0) != at_size(h.in, 0))
    at_nodeFails(node, "its weights are not those of %lld heads of %lld numbers in all",
                 (long long)h.count, (long long)h.width);
  return h;
}

/* x (N x L x width) by part 0, 1 or 2 of the weights, as N x heads x L x numbers of a head. */
static at_tensor *projected(const Heads *h, at_tensor *x, int part)
{
  at_tensor *const y = at_linear(x, at_narrow(h->in, 0, part * h->width, h->width),
                                 .bias = at_narrow(h->inBias, 0, part * h->width, h->width));
  return at_transpose(at_reshape(y, AT_INTS(at_size(x, 0), at_size(x, 1), h->count,
                                            h->width / h->count)),
                      1, 2);
}

/* Attention with its weights in *weights, N x heads x L x L, unless that is NULL. */
static at_tensor *attended(const at_graphNode *node, const Heads *h, at_tensor *const x[3],
                           at_tensor **weights)
{
  at_tensor *parts[3], *mask = h->mask;
  for (int i = 0; i < 3; i++) {
    if (at_dim(x[i]) != 3 || at_size(x[i], 0) != at_size(x[0], 0) || at_size(x[i], 2) != h->width)
      at_nodeFails(node, "an input has size %s, and has to be of batch x length x %lld",
                   at_sizeDesc(at_sizes(x[i])).str, (long long)h->width);
    parts[i] = projected(h, x[i], i);
  }
  if (mask)
    mask = at_ne(mask, 0);
  if (mask && h->maskType == 1)
    mask = at_unsqueeze(at_unsqueeze(mask, 1), 1);
  at_tensor *y;
  if (weights) {
    at_tensor *const scores = at_mul(at_matmul(parts[0], at_transpose(parts[1], -2, -1)),
                                     1 / sqrt((double)(h->width / h->count)));
    *weights = at_softmax(mask ? at_masked_fill(scores, mask, -INFINITY) : scores, -1);
    y = at_matmul(*weights, parts[2]);
  } else {
    y = at_scaled_dot_product_attention(parts[0], parts[1], parts[2],
                                        .attn_mask = mask ? at_logical_not(mask) : NULL);
  }
  y = at_transpose(y, 1, 2);
  return at_linear(at_reshape(y, AT_INTS(at_size(x[0], 0), at_size(x[0], 1), h->width)), h->out,
                   .bias = h->outBias);
}

/* _native_multi_head_attention(query, key, value, embed_dim, num_head, weights ..., mask, need_weights,
 * average_attn_weights, mask_type): what MultiheadAttention is exported as without gradients. */
void at_computeNativeAttention(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const Heads h = heads_of(frame, node, "num_head");
  at_tensor *const x[] = {at_inputTensor(frame, node, "query", 0),
                          at_inputTensor(frame, node, "key", 1),
                          at_inputTensor(frame, node, "value", 2)};
  at_tensor *weights;
  const bool wanted = at_inputBool(frame, node, "need_weights", -1, true) && node->outputCount > 1;
  at_giveOutput(frame, node, 0, attended(node, &h, x, wanted ? &weights : NULL));
  if (!wanted)
    return;
  const bool average = at_inputBool(frame, node, "average_attn_weights", -1, true);
  at_giveOutput(frame, node, 1, average ? at_mean_dim(weights, AT_INTS(1)) : weights);
}

/* Layer normalization of the last dimension with the weights of that number, "1" or "2". */
static at_tensor *normalized(const at_frame *frame, const at_graphNode *node, at_tensor *x,
                             const char *number, double eps)
{
  char weight[] = "norm_weight_?", bias[] = "norm_bias_?";
  weight[sizeof weight - 2] = bias[sizeof bias - 2] = *number;
  return at_layer_norm(x, AT_INTS(at_size(x, -1)), .weight = tensor(frame, node, weight),
                       .bias = tensor(frame, node, bias), .eps = eps);
}

/* _transformer_encoder_layer_fwd(src, embed_dim, num_heads, weights ..., mask, mask_type): what
 * TransformerEncoderLayer is exported as without gradients. */
void at_computeEncoderLayer(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const Heads h = heads_of(frame, node, "num_heads");
  const bool isFirst = at_inputBool(frame, node, "norm_first", -1, false);
  const double eps = at_inputNumber(frame, node, "eps", -1, 1e-5);
  at_tensor *const src = at_inputTensor(frame, node, "src", 0);
  at_tensor *x = isFirst ? normalized(frame, node, src, "1", eps) : src;
  x = at_add(attended(node, &h, (at_tensor *const[]){x, x, x}, NULL), src);
  if (!isFirst)
    x = normalized(frame, node, x, "1", eps);
  at_tensor *y = isFirst ? normalized(frame, node, x, "2", eps) : x;
  y = at_linear(y, at_inputTensor(frame, node, "ffn_weight_1", -1),
                .bias = tensor(frame, node, "ffn_bias_1"));
  y = at_inputBool(frame, node, "use_gelu", -1, false) ? at_gelu(y) : at_relu(y);
  x = at_add(at_linear(y, at_inputTensor(frame, node, "ffn_weight_2", -1),
                       .bias = tensor(frame, node, "ffn_bias_2")),
             x);
  at_giveOutput(frame, node, 0, isFirst ? x : normalized(frame, node, x, "2", eps));
}

/* --- layers ----------------------------------------------------------------------------------- */

/* mkldnn_rnn_layer(input, weight0 ... weight3, hx, cx, reverse, batch_sizes, mode, ...): an LSTM of one
 * layer and direction. */
void at_computeRecurrentLayer(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  enum { LSTM = 2 };
  static const char *const names[] = {"weight0", "weight1", "weight2", "weight3"};
  at_tensor *x = at_inputTensor(frame, node, "input", 0), *weights[4];
  at_tensor *states[] = {at_inputTensor(frame, node, "hx_", 5),
                         at_inputTensor(frame, node, "cx_", 6)};
  const bool reverse = at_inputBool(frame, node, "reverse", 7, false),
             biased = at_inputBool(frame, node, "has_biases", 12, true);
  if (at_inputInt(frame, node, "mode", 9) != LSTM || at_dim(x) != 3 ||
      at_inputBool(frame, node, "bidirectional", 13, false) ||
      at_inputBool(frame, node, "batch_first", 14, false))
    at_nodeFails(node, "a layer of this mode is not here");
  for (int i = 0; i < 4; i++)
    weights[i] = at_inputTensor(frame, node, names[i], 1 + i);
  if (reverse)
    x = at_flip(x, AT_INTS(0));
  const at_output_h_n_c_n y =
      at_lstm(x, ((at_tensors){states, 2}), ((at_tensors){weights, biased ? 4 : 2}), biased, 1, 0,
              false, false, false);
  at_giveOutput(frame, node, 0, reverse ? at_flip(y.output, AT_INTS(0)) : y.output);
  at_giveOutput(frame, node, 1, y.h_n);
  at_giveOutput(frame, node, 2, y.c_n);
}

/* _fused_rms_norm(input, normalized_shape, weight, eps) */
void at_computeRootNorm(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const at_given *const shape = at_inputOf(node, "normalized_shape", 1);
  int64_t sizes[AT_MOST_DIMS];
  if (!shape || shape->kind != AT_GIVEN_NUMBERS || shape->count > AT_MOST_DIMS)
    at_nodeFails(node, "normalized_shape is no list of sizes");
  for (int32_t i = 0; i < shape->count; i++) {
    const at_cell cell = at_frame_get(frame, &shape->parts[i]);
    if (cell.kind != AT_CELL_INT)
      at_nodeFails(node, "normalized_shape is no list of sizes");
    sizes[i] = cell.is.integer;
  }
  const at_rms_norm_options how = {tensor(frame, node, "weight"), number(frame, node, "eps")};
  at_giveOutput(frame, node, 0,
                (at_rms_norm)(at_inputTensor(frame, node, "input", 0),
                              (at_ints){sizes, shape->count}, &how));
}

/* _native_batch_norm_legit_functional(input, weight, bias, running_mean, running_var, training, momentum,
 * eps): the statistics of the running batches become results. */
void at_computeBatchNorm(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const mean = at_clone(at_inputTensor(frame, node, "running_mean", 3)),
                   *const var = at_clone(at_inputTensor(frame, node, "running_var", 4));
  const at_output_save_mean_save_std y =
      at__native_batch_norm_legit(at_inputTensor(frame, node, "input", 0),
                                  tensor(frame, node, "weight"), tensor(frame, node, "bias"), mean,
                                  var, at_inputBool(frame, node, "training", 5, false),
                                  at_inputNumber(frame, node, "momentum", 6, 0.1),
                                  at_inputNumber(frame, node, "eps", 7, 1e-5));
  at_giveOutput(frame, node, 0, y.output);
  at_giveOutput(frame, node, 1, y.save_mean);
  at_giveOutput(frame, node, 2, y.save_std);
  at_giveOutput(frame, node, 3, mean);
  at_giveOutput(frame, node, 4, var);
}

/* _batch_norm_with_update_functional(input, weight, bias, running_mean, running_var, momentum, eps): like
 * it in training, with an empty result before the statistics. */
void at_computeBatchNormUpdate(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const mean = at_clone(at_inputTensor(frame, node, "running_mean", 3)),
                   *const var = at_clone(at_inputTensor(frame, node, "running_var", 4));
  const __auto_type y =
      at__batch_norm_with_update(at_inputTensor(frame, node, "input", 0),
                                 tensor(frame, node, "weight"), tensor(frame, node, "bias"), mean,
                                 var, at_inputNumber(frame, node, "momentum", 5, 0.1),
                                 at_inputNumber(frame, node, "eps", 6, 1e-5));
  at_giveOutput(frame, node, 0, y.output);
  at_giveOutput(frame, node, 1, y.save_mean);
  at_giveOutput(frame, node, 2, y.save_std);
  at_giveOutput(frame, node, 3, y.reserve);
  at_giveOutput(frame, node, 4, mean);
  at_giveOutput(frame, node, 5, var);
}

/* embedding_renorm(self, indices, max_norm, norm_type): the scaled rows are in a new table. */
void at_computeRenorm(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const table = at_clone(at_inputTensor(frame, node, "self", 0));
  at_giveOutput(frame, node, 0,
                at_embedding_renorm_(table, at_inputTensor(frame, node, "indices", 1),
                                     at_inputNumber(frame, node, "max_norm", 2, 1),
                                     at_inputNumber(frame, node, "norm_type", 3, 2)));
}

/* rrelu_with_noise_functional(self, noise, lower, upper, training): the noise becomes a result. */
void at_computeRandomRelu(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const noise = at_clone(at_inputTensor(frame, node, "noise", 1));
  at_giveOutput(frame, node, 0,
                at_rrelu_with_noise(at_inputTensor(frame, node, "self", 0), noise,
                                    .lower = at_inputNumber(frame, node, "lower", 2, 0.125),
                                    .upper = at_inputNumber(frame, node, "upper", 3, 1.0 / 3),
                                    .training = at_inputBool(frame, node, "training", 4, false)));
  at_giveOutput(frame, node, 1, noise);
}

/* _prelu_kernel(self, weight), whose sizes broadcast. */
void at_computePrelu(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const x = at_inputTensor(frame, node, "self", 0);
  at_giveOutput(frame, node, 0,
                at_where(at_gt(x, 0), x, at_mul(at_inputTensor(frame, node, "weight", 1), x)));
}

void at_computeWeightNorm(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const int64_t dim = at_inputOf(node, "dim", 2) ? at_inputInt(frame, node, "dim", 2) : 0;
  at_giveOutput(frame, node, 0,
                at__weight_norm(at_inputTensor(frame, node, "v", 0),
                                at_inputTensor(frame, node, "g", 1), .dim = dim));
}

/* --- factorizations --------------------------------------------------------------------------- */

void at_computeDet(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_giveOutput(frame, node, 0, at_linalg_det(at_inputTensor(frame, node, "A", 0)));
}

void at_computeSlogdet(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const at_sign_logabsdet y = at_linalg_slogdet(at_inputTensor(frame, node, "A", 0));
  at_giveOutput(frame, node, 0, y.sign);
  at_giveOutput(frame, node, 1, y.logabsdet);
}

void at_computeSvd(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const a = at_inputTensor(frame, node, "A", 0);
  if (!at_inputBool(frame, node, "compute_uv", 2, true)) {
    at_giveOutput(frame, node, 1, at_linalg_svdvals(a));
    return;
  }
  const at_U_S_Vh y =
      at_linalg_svd(a, .full_matrices = at_inputBool(frame, node, "full_matrices", 1, false));
  at_giveOutput(frame, node, 0, y.U);
  at_giveOutput(frame, node, 1, y.S);
  at_giveOutput(frame, node, 2, y.Vh);
}

/* svd(self, some, compute_uv), of batches and complex numbers too: V instead of its adjoint, and zeros for U
 * and V if they are not computed. */
void at_computeSvdPlain(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const a = at_inputTensor(frame, node, "self", 0);
  const bool wantsVectors = at_inputBool(frame, node, "compute_uv", 2, true);
  const at_U_S_Vh y =
      at_linalg_svd(a,
                    .full_matrices = !wantsVectors || !at_inputBool(frame, node, "some", 1, true));
  at_tensor *const v = at_conj(at_transpose(y.Vh, -2, -1));
  at_giveOutput(frame, node, 0, wantsVectors ? y.U : at_zeros_like(y.U));
  at_giveOutput(frame, node, 1, y.S);
  at_giveOutput(frame, node, 2, wantsVectors ? v : at_zeros_like(v));
}

void at_computeEigh(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const a = at_inputTensor(frame, node, "A", 0);
  const at_given *const triangle = at_inputOf(node, "UPLO", 1);
  const char *const uplo = triangle && triangle->kind == AT_GIVEN_TEXT ? triangle->text : "L";
  if (!at_inputBool(frame, node, "compute_v", 2, true)) {
    at_giveOutput(frame, node, 0, at_linalg_eigvalsh(a, .UPLO = uplo));
    return;
  }
  const at_eigenvalues_eigenvectors y = at_linalg_eigh(a, .UPLO = uplo);
  at_giveOutput(frame, node, 0, y.eigenvalues);
  at_giveOutput(frame, node, 1, y.eigenvectors);
}

/* _linalg_solve_ex(A, B, left): a matrix that is singular is an error of the operation itself, and what
 * LAPACK says of the others is 0. */
void at_computeSolve(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  enum { INFO = 3 };
  at_giveOutput(frame, node, 0,
                at_linalg_solve(at_inputTensor(frame, node, "A", 0),
                                at_inputTensor(frame, node, "B", 1),
                                .left = at_inputBool(frame, node, "left", -1, true)));
  at_giveOutput(frame, node, INFO, at_zeros(AT_SCALAR_SHAPE, .type = AT_CPU(AT_INT)));
}
