/* Batch normalization outside of training becomes part of the convolution that it follows:
 *
 *     (convolution(x, w) + b - mean) * s + beta = convolution(x, w * s) + (b - mean) * s + beta
 *
 * where s = gamma / sqrt(variance + eps), for each output.  A node makes the new weight and bias;
 * both depend on weights alone, and become constants. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "Passes.h"

/* --- the weights ------------------------------------------------------------------------------ */

/* The inputs of a node that makes weights, in this order. */
enum { WEIGHT, BIAS, GAMMA, BETA, MEAN, VARIANCE, EPS, INPUTS };
static const char *const names[INPUTS] = {"weight",       "bias",        "gamma", "beta",
                                          "running_mean", "running_var", "eps"};

/* An input as a vector of Double with that many elements; NULL if it is not given. */
static at_tensor *vector_of(at_pool *pool, const at_frame *frame, const at_graphNode *node,
                            int input, int64_t count)
{
  if (!at_inputOf(node, names[input], input))
    return NULL;
  at_tensor *const t = at_inputTensor(frame, node, names[input], input);
  if (at_dim(t) != 1 || at_numel(t) != count)
    at_nodeFails(node, "%s has size %s, for %lld outputs of the convolution", names[input],
                 at_sizeDesc(at_sizesOf(t)).str, (long long)count);
  return at_hold(pool, at_newCast(t, at_cpuType(AT_DOUBLE)));
}

/* scale = gamma / sqrt(variance + eps), shift = (bias - mean) * scale + beta. */
static void fill_vectors(int64_t count, double eps, at_tensor *const *in, double *scale,
                         double *shift)
{
  for (int64_t i = 0; i < count; i++) {
    const double *values[INPUTS];
    for (int k = BIAS; k <= VARIANCE; k++)
      values[k] = in[k] ? (const double *)at_hostData(in[k]) + i : NULL;
    scale[i] = (values[GAMMA] ? *values[GAMMA] : 1) / sqrt(*values[VARIANCE] + eps);
    shift[i] = ((values[BIAS] ? *values[BIAS] : 0) - *values[MEAN]) * scale[i] +
               (values[BETA] ? *values[BETA] : 0);
  }
}

static void give(at_frame *frame, const at_graphNode *node, int output, at_tensor *t)
{
  at_frame_put(frame, node->outputs[output], (at_cell){AT_CELL_TENSOR, {.tensor = t}});
}

void at_computeNormalizedWeights(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const weight = at_inputTensor(frame, node, names[WEIGHT], WEIGHT);
  const at_cell eps = at_frame_get(frame, node->inputs[EPS].parts);
  const int64_t count = at_dim(weight) > 0 ? at_size(weight, 0) : 0;
  const at_ints sizes = {&count, 1};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *in[INPUTS] = {NULL};
  for (int k = BIAS; k <= VARIANCE; k++)
    in[k] = vector_of(&pool, frame, node, k, count);
  at_tensor *const scale = at_hold(&pool, at_newShape(at_cpuType(AT_DOUBLE), sizes)),
                   *shift = at_hold(&pool, at_newShape(at_cpuType(AT_DOUBLE), sizes));
  fill_vectors(count, eps.is.number, in, at_hostData(scale), at_hostData(shift));
  at_tensor *factor = at_hold(&pool, at_newCast(scale, weight->type));
  for (int d = 1; d < at_dim(weight); d++)
    factor = at_hold(&pool, at_viewUnsqueeze(factor, -1));
  give(frame, node, 0, at_binary(NULL, AT_ROW_cmul, weight, factor, at_scalar_long(1)));
  give(frame, node, 1, at_newCast(shift, weight->type));
  at_pool_leave(&pool);
}

/* --- the pattern ------------------------------------------------------------------------------ */

static bool is_convolution(const at_graphNode *node)
{
  enum { MOST_INPUTS = 16 };
  static const char *const convolutions[] = {"conv1d", "conv2d", "conv3d", "convolution"};
  const at_given *transposed;
  double isTransposed = 0;
  if (!node->op || node->outputCount != 1 || node->inputCount > MOST_INPUTS)
    return false;
  transposed = at_argumentOf(node, "transposed");
  if (transposed && (!at_isConstantNumber(transposed, &isTransposed) || isTransposed != 0))
    return false;
  for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
    if (!strcmp(node->op->name, convolutions[i]))
      return true;
  return false;
}

static bool is_normalization(const at_graphNode *node)
{
  double training = 1, eps;
  if (!node->op || node->outputCount < 1 || node->outputs[0] == AT_NO_SLOT ||
      !at_isConstantNumber(at_argumentOf(node, "eps"), &eps))
    return false;
  if (!strcmp(node->op->name, "_native_batch_norm_legit_no_training"))
    return true;
  return !strcmp(node->op->name, "batch_norm") &&
         at_isConstantNumber(at_argumentOf(node, "training"), &training) && training == 0;
}

/* What the weights are made of; false unless all of it is constant. */
static bool gather(const at_rewrite *rewrite, const bool *constant, const at_graphNode *convolution,
                   const at_graphNode *norm, at_given *inputs)
{
  static const char *const ofNorm[INPUTS] = {[GAMMA] = "weight",
                                             [BETA] = "bias",
                                             [MEAN] = "running_mean",
                                             [VARIANCE] = "running_var",
                                             [EPS] = "eps"};
  for (int k = 0; k < INPUTS; k++) {
    const at_given *const given =
        ofNorm[k] ? at_argumentOf(norm, ofNorm[k]) : at_argumentOf(convolution, names[k]);
    if (!given && (k == WEIGHT || k == MEAN || k == VARIANCE))
      return false;
    inputs[k] = given ? *given : (at_given){.kind = AT_GIVEN_NONE};
    inputs[k].name = names[k];
    if (given && k != EPS && !constant[at_slotIn(rewrite, given)])
      return false;
  }
  return true;
}

/* A floating type that all tensors of the pattern have. */
static bool has_one_type(const at_rewrite *rewrite, const at_graphNode *convolution,
                         const at_given *inputs)
{
  const at_scalar_type type = at_typeIn(rewrite, convolution->outputs[0]);
  for (int k = 0; k < EPS; k++)
    if (inputs[k].kind == AT_GIVEN_TENSOR &&
        at_typeIn(rewrite, at_slotIn(rewrite, &inputs[k])) != type)
      return false;
  return type == AT_FLOAT || type == AT_DOUBLE;
}

/* --- the change ------------------------------------------------------------------------------- */

/* The convolution with other weights, and the outputs of the normalization. */
static at_graphNode with_weights(at_rewrite *rewrite, const at_graphNode *convolution,
                                 const at_graphNode *norm, const int32_t *slots)
{
  at_arena *const arena = rewrite->reading->arena;
  const at_op *const op = convolution->op;
  const int32_t count = convolution->inputCount;
  at_graphNode node = *convolution;
  at_given *const inputs = at_arena_take(arena, (uint64_t)count + 2, sizeof *inputs);
  int8_t *const from = at_arena_take(arena, (uint64_t)op->argumentCount, sizeof *from);
  memcpy(inputs, convolution->inputs, (size_t)count * sizeof *inputs);
  memcpy(from, convolution->from, (size_t)op->argumentCount);
  for (int k = WEIGHT; k <= BIAS; k++) {
    inputs[count + k] = at_tensorIn(arena, names[k], slots[k]);
    for (int i = 0; i < op->argumentCount; i++)
      if (!strcmp(op->arguments[i].name, names[k])) {
        if (from[i] >= 0) /* what is not read any more */
          inputs[from[i]] = (at_given){.name = "", .kind = AT_GIVEN_NONE};
        from[i] = (int8_t)(count + k);
      }
  }
  node.inputs = inputs;
  node.inputCount = count + 2;
  node.from = from;
  node.outputs = norm->outputs;
  return node;
}

static void fold(at_rewrite *rewrite, at_graphNode *convolution, at_graphNode *norm,
                 const at_given *inputs)
{
  at_arena *const arena = rewrite->reading->arena;
  at_given *const kept = at_arena_take(arena, INPUTS, sizeof *kept);
  int32_t *const slots = at_arena_take(arena, 2, sizeof *slots);
  memcpy(kept, inputs, INPUTS * sizeof *kept);
  slots[0] = at_newSlot(rewrite, "");
  slots[1] = at_newSlot(rewrite, "");
  const at_graphNode fused = with_weights(rewrite, convolution, norm, slots);
  *convolution = (at_graphNode){.name = norm->name,
                                .target = "weights of batch_norm",
                                .number = norm->number,
                                .inputCount = INPUTS,
                                .outputCount = 2,
                                .inputs = kept,
                                .outputs = slots,
                                .compute = at_computeNormalizedWeights};
  *norm = fused;
  rewrite->changes++;
}

/* Whether a node between both may change what the convolution reads. */
static bool is_disturbed(const at_graph *graph, int32_t first, int32_t last)
{
  for (int32_t n = first + 1; n < last; n++)
    if (!at_isRemoved(&graph->nodes[n]) && at_writes(&graph->nodes[n]))
      return true;
  return false;
}

void at_passBatchNorm(at_rewrite *rewrite)
{
  enum { MOST_BETWEEN = 64 };
  const at_graph *const graph = rewrite->graph;
  const bool *const constant = at_findConstants(rewrite);
  const int32_t *const makers = at_findMakers(rewrite), *const reads = at_countReads(rewrite);
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    at_graphNode *const norm = &graph->nodes[n];
    at_given inputs[INPUTS];
    if (at_isRemoved(norm) || !is_normalization(norm))
      continue;
    const int32_t between = at_slotIn(rewrite, at_argumentOf(norm, "input"));
    const int32_t at = between == AT_NO_SLOT ? -1 : makers[between];
    bool isOnly = at >= 0 && n - at <= MOST_BETWEEN && reads[between] == 1;
    for (int32_t k = 1; k < norm->outputCount; k++)
      isOnly &= norm->outputs[k] == AT_NO_SLOT || reads[norm->outputs[k]] == 0;
    if (isOnly && is_convolution(&graph->nodes[at]) && !is_disturbed(graph, at, n) &&
        gather(rewrite, constant, &graph->nodes[at], norm, inputs) &&
        has_one_type(rewrite, &graph->nodes[at], inputs))
      fold(rewrite, &graph->nodes[at], norm, inputs);
  }
}
