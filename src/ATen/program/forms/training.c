/* Nodes of programs that compute gradients themselves, as PyTorch exports steps of training. */
#include <math.h>

#include "../Program.h"
#include "ATenOps.h"

static at_tensor *tensor(at_frame *frame, const at_graphNode *node, const char *name, int index)
{
  return at_inputTensor(frame, node, name, index);
}

static at_tensor *transposed(at_tensor *t)
{
  return at_transpose(t, -2, -1);
}

/* The weights of attention: from the logarithms of the sums of their exponentials, or, where PyTorch has
 * decomposed the forward pass, given themselves under that name. */
static at_tensor *weights_of(at_frame *frame, const at_graphNode *node, at_tensor *q, at_tensor *k,
                             double scale)
{
  at_tensor *const sums = tensor(frame, node, "logsumexp", 5);
  if (at_dim(sums) == at_dim(q))
    return sums;
  at_tensor *scores = at_mul(at_matmul(q, transposed(k)), scale);
  if (at_inputOf(node, "attn_mask", -1))
    scores = at_add(scores, tensor(frame, node, "attn_mask", -1));
  if (at_inputBool(frame, node, "is_causal", 7, false)) {
    const at_ints sizes = AT_INTS(at_size(q, -2), at_size(k, -2));
    scores = at_masked_fill(scores, at_triu(at_ones(sizes, .type = AT_CPU(AT_BOOL)), .diagonal = 1),
                            -INFINITY);
  }
  at_tensor *const apart = at_unsqueeze(at_to(sums, at_typeOf(scores)), -1);
  return at_masked_fill(at_exp(at_sub(scores, apart)), at_isinf(apart), 0);
}

/* The gradients of attention of its three operands. */
void at_computeAttentionBackward(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const grad = tensor(frame, node, "grad_out", 0);
  at_tensor *const q = tensor(frame, node, "query", 1), *const k = tensor(frame, node, "key", 2);
  at_tensor *const v = tensor(frame, node, "value", 3), *const out = tensor(frame, node, "out", 4);
  if (at_inputNumber(frame, node, "dropout_p", 6, 0) != 0)
    at_nodeFails(node, "dropout_p is not 0");
  if (at_dim(q) < 2 || at_dim(k) < 2)
    at_nodeFails(node, "query has %d dimensions, and key %d", at_dim(q), at_dim(k));
  const double scale = at_inputOf(node, "scale", -1) ? at_inputNumber(frame, node, "scale", -1, 0)
                                                     : 1 / sqrt((double)THMax(at_size(q, -1), 1));
  at_tensor *const weights = weights_of(frame, node, q, k, scale);
  at_tensor *const means = at_sum_dim(at_mul(grad, out), AT_INTS(-1), .keepdim = true);
  at_tensor *const ofWeights = at_matmul(grad, transposed(v));
  at_tensor *const ofScores = at_mul(at_mul(weights, at_sub(ofWeights, means)), scale);
  at_giveOutput(frame, node, 0, at_matmul(ofScores, k));
  at_giveOutput(frame, node, 1, at_matmul(transposed(ofScores), q));
  at_giveOutput(frame, node, 2, at_matmul(transposed(weights), grad));
}

void at_computeBagBackward(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_embedding_bag_backward_options how = at_embedding_bag_backward_defaults;
  how.maximum_indices = tensor(frame, node, "maximum_indices", 5);
  how.per_sample_weights = at_inputOf(node, "per_sample_weights", 10)
                               ? tensor(frame, node, "per_sample_weights", 10)
                               : NULL;
  how.padding_idx =
      at_inputOf(node, "padding_idx", 11) ? at_inputInt(frame, node, "padding_idx", 11) : -1;
  at_giveOutput(frame, node, 0,
                (at_embedding_bag_backward)(tensor(frame, node, "grad", 0),
                                            tensor(frame, node, "indices", 1),
                                            tensor(frame, node, "offsets", 2),
                                            tensor(frame, node, "offset2bag", 3),
                                            tensor(frame, node, "bag_size", 4),
                                            at_inputInt(frame, node, "num_weights", 6),
                                            at_inputBool(frame, node, "scale_grad_by_freq", 7,
                                                         false),
                                            at_inputInt(frame, node, "mode", 8), false, &how));
}

/* addmm, and relu or gelu. */
void at_computeActivatedProduct(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  at_tensor *const y =
      at_addmm(tensor(frame, node, "self", 0), tensor(frame, node, "mat1", 1),
               tensor(frame, node, "mat2", 2), .beta = at_inputNumber(frame, node, "beta", -1, 1),
               .alpha = at_inputNumber(frame, node, "alpha", -1, 1));
  at_giveOutput(frame, node, 0,
                at_inputBool(frame, node, "use_gelu", -1, false) ? at_gelu(y) : at_relu(y));
}

/* slice_backward(grad_output, input_sizes, dim, start, end, step) and select_backward(grad_output, input_sizes,
 * dim, index): zeros, and the gradient where the part was taken from. */
void at_computePartBackward(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  int64_t sizes[AT_MOST_DIMS];
  const at_given *const given = at_inputOf(node, "input_sizes", 1);
  if (!given || given->count > AT_MOST_DIMS)
    at_nodeFails(node, "input_sizes is no list of at most %d sizes", AT_MOST_DIMS);
  for (int32_t i = 0; i < given->count; i++) {
    const at_cell cell = at_frame_get(frame, &given->parts[i]);
    if (cell.kind != AT_CELL_INT)
      at_nodeFails(node, "input_sizes is no list of sizes");
    sizes[i] = cell.is.integer;
  }
  at_tensor *const grad = tensor(frame, node, "grad_output", 0);
  at_tensor *const zeros = at_zeros(((at_ints){sizes, given->count}), .type = at_typeOf(grad));
  const int64_t dim = at_inputInt(frame, node, "dim", 2);
  at_giveOutput(frame, node, 0,
                strstr(node->target, "select")
                    ? at_select_scatter(zeros, grad, dim, at_inputInt(frame, node, "index", 3))
                    : at_slice_scatter(zeros, grad, .dim = dim,
                                       .start = at_inputInt(frame, node, "start", 3),
                                       .end = at_inputInt(frame, node, "end", 4),
                                       .step = at_inputInt(frame, node, "step", 5)));
}
