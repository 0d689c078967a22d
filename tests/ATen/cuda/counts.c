/* What operations on CUDA do for a call: kernels launched, waits of the host, products of cuBLAS, copies. */
#include "ATen.h"
#include "th_counts.h"
#include "th_test.h"

/* --- the table --------------------------------------------------------------------------------- */

/* i are 8 indices below 8, w 8 classes below 48.  Operands: x, y of 8 x 48;
 * m of 48 x 16; b of 4 x 8 x 48; bias of 16; line of 48; wide of 2 x 4096; z
 * of complex numbers; h of BFloat16. */
typedef struct Operands {
  at_tensor *x, *y, *m, *b, *bias, *line, *wide, *z, *h, *i, *w, *bags, *image, *rois, *labels,
      *spread, *each, *mask, *images, *kernels, *few, *grid, *segments, *gates, *recurrent, *hidden;
  at_optimizer *sgd, *adam; /* of two parameters */
} Operands;

/* X(name, launches, waits, products, copies, expression of o).  A transform of 48 has
 * the tables of three passes, the passes, and the way to the lanes and back; a sum of BFloat16 two
 * conversions to Float, the sum, and one back.  The product of linear is cuBLASLt's, which is not counted. */
#define FOR_EACH(X)                                                                  \
  X(fill, 1, 0, 0, 0, at_zeros_like(o->x))                                           \
  X(add, 1, 0, 0, 0, at_add(o->x, o->y))                                             \
  X(broadcast, 1, 0, 0, 0, at_mul(o->x, o->line))                                    \
  X(exp, 1, 0, 0, 0, at_exp(o->x))                                                   \
  X(gaps, 1, 0, 0, 0, at_add(at_t(o->x), at_t(o->y)))                                \
  X(compare, 1, 0, 0, 0, at_lt(o->x, o->y))                                          \
  X(copy, 1, 0, 0, 0, at_contiguous(at_t(o->x)))                                     \
  X(convert, 1, 0, 0, 0, at_to(o->x, AT_CUDA(AT_HALF)))                              \
  X(sum, 1, 0, 0, 0, at_sum_dim(o->x, AT_INTS(1)))                                   \
  X(sum_first, 1, 0, 0, 0, at_sum_dim(o->x, AT_INTS(0)))                             \
  X(sum_all, 1, 0, 0, 0, at_sum(o->x))                                               \
  X(mean_gaps, 2, 0, 0, 0, at_mean(at_select(o->b, 1, 0)))                           \
  X(max_all, 1, 0, 0, 0, at_max(o->x))                                               \
  X(norm, 1, 0, 0, 0, at_norm(o->x))                                                 \
  X(all, 2, 0, 0, 0, at_all(at_gt(o->x, 0)))                                         \
  X(trace, 1, 0, 0, 0, at_trace(o->x))                                               \
  X(hinge_loss, 12, 0, 0, 0, at_hinge_embedding_loss(o->x, o->y))                    \
  X(cumsum, 1, 0, 0, 0, at_cumsum(o->x, 1))                                          \
  X(softmax, 1, 0, 0, 0, at_softmax(o->x, 1))                                        \
  X(softmax_wide, 1, 0, 0, 0, at_softmax(o->wide, 1))                                \
  X(layer_norm, 1, 0, 0, 0, at_layer_norm(o->x, AT_SHAPE(48)))                       \
  X(cat, 1, 0, 0, 0, at_cat(AT_TENSORS(o->x, o->y)))                                 \
  X(cat_gaps, 1, 0, 0, 0, at_cat(AT_TENSORS(at_t(o->x), at_t(o->y)), .dim = 1))      \
  X(stack, 1, 0, 0, 0, at_stack(AT_TENSORS(o->line, o->line, o->line), .dim = 1))    \
  X(product, 0, 0, 1, 0, at_mm(o->x, o->m))                                          \
  X(vector, 0, 0, 1, 0, at_mv(o->x, o->line))                                        \
  X(batch, 0, 0, 1, 0, at_bmm(o->b, at_transpose(o->b, 1, 2)))                       \
  X(linear, 0, 0, 0, 0, at_linear(o->x, at_t(o->m), .bias = o->bias))                \
  X(complex_mul, 1, 0, 0, 0, at_mul(o->z, o->z))                                     \
  X(fft, 8, 0, 0, 0, at_fft_fft(o->z))                                               \
  X(bfloat16, 4, 0, 0, 0, at_add(o->h, o->h))                                        \
  X(index_select, 2, 0, 0, 0, at_index_select(o->x, 0, o->i))                        \
  X(index, 4, 0, 0, 1, at_index(o->x, AT_TENSORS(o->i)))                             \
  X(embedding, 2, 0, 0, 0, at_embedding(o->x, o->i))                                 \
  X(arange, 1, 0, 0, 0, at_arange(at_scalar(48), .type = AT_CUDA(AT_FLOAT)))         \
  X(arange_int, 2, 0, 0, 0, at_arange(48, .type = AT_CUDA(AT_INT)))                  \
  X(linspace, 1, 0, 0, 0,                                                            \
    at_linspace(at_scalar(0), at_scalar(1), .steps = 48, .type = AT_CUDA(AT_FLOAT))) \
  X(logspace, 1, 0, 0, 0,                                                            \
    at_logspace(at_scalar(0), at_scalar(1), .steps = 48, .type = AT_CUDA(AT_FLOAT))) \
  X(gcd, 1, 0, 0, 0, at_gcd(o->i, o->w))                                             \
  X(lcm, 7, 0, 0, 1, at_lcm(o->i, o->w))                                             \
  X(bag, 4, 0, 0, 0, at_embedding_bag(o->x, o->i, o->bags).output)                   \
  X(regions, 2, 0, 0, 0, at_RoiPooling2d_forward(o->image, o->rois, 2, 2, 1).output) \
  X(nll_loss, 7, 0, 0, 0, at_nll_loss(o->x, o->w))                                   \
  X(ctc, 3, 0, 0, 0,                                                                 \
    at__ctc_loss(o->b, o->labels, AT_INTS(4, 4, 4, 4, 4, 4, 4, 4),                   \
                 AT_INTS(1, 1, 1, 1, 1, 1, 1, 1))                                    \
        .log_alpha)                                                                  \
  X(ctc_trained, 16, 0, 0, 1, trained_ctc(o))                                        \
  X(bce, 3, 0, 0, 0, at_binary_cross_entropy(o->x, o->y))                            \
  X(fractional, 2, 0, 0, 0,                                                          \
    at_fractional_max_pool2d(o->image, AT_INTS(2, 2), AT_INTS(3, 3), o->spread).output)

/* The gradient of operand NAME: an expression is computed, and walked back from a gradient of ones. */
#define TRAINED(NAME, EXPRESSION)                                 \
  ({                                                              \
    at_tensor *const NAME = at_requires_grad_(at_alias(o->NAME)); \
    gradient(NAME, EXPRESSION);                                   \
  })
static at_tensor *gradient(at_tensor *of, at_tensor *result)
{
  at_backward(result, .gradient = at_ones_like(result));
  return at_grad(of);
}

/* A step of an optimizer: a launch for all parameters that lie in one piece. */
static at_tensor *stepped(at_optimizer *optimizer)
{
  at_optimizer_step(optimizer);
  return at_optimizer_param(optimizer, 0, 0);
}

/* The operands of batch normalization without running statistics. */
#define NORMALIZED(IMAGES) IMAGES, o->few, o->few, NULL, NULL

/* The gradients of three parameters: their powers, the sum of those, and the change. */
static at_tensor *clipped(const Operands *o)
{
  at_tensor *params[] = {at_detach(o->x), at_detach(o->m), at_detach(o->line)};
  for (int i = 0; i < 3; i++)
    at_set_grad(at_requires_grad_(params[i]), at_detach(params[i]));
  at_clip_grad_norm(((at_tensors){params, 3}), 0.1);
  return params[0];
}

/* Sorting and selection, cumulative sums, and what moves elements. */
#define FOR_EACH_ORDER(X)                                                                \
  X(sort, 1, 0, 0, 0, at_sort(o->x).values)                                              \
  X(sort_wide, 12, 0, 0, 0, at_sort(o->wide).values)                                     \
  X(argsort, 1, 0, 0, 0, at_argsort(o->x))                                               \
  X(topk, 2, 0, 0, 0, at_topk(o->x, 5).values)                                           \
  X(kthvalue, 1, 0, 0, 0, at_kthvalue(o->x, 5).values)                                   \
  X(median_all, 1, 0, 0, 0, at_median(o->x))                                             \
  X(mode, 2, 0, 0, 0, at_mode(o->x).values)                                              \
  X(unique, 15, 1, 0, 2, at_unique(o->w).values)                                         \
  X(searchsorted, 3, 0, 0, 0, at_searchsorted(o->line, o->x))                            \
  X(histc, 3, 0, 0, 0, at_histc(o->x, .bins = 10, .min = 0, .max = 1))                   \
  X(histogram, 19, 0, 0, 1, at_histogram(o->line, .bins = 10).hist)                      \
  X(segment_reduce, 21, 0, 0, 1, at_segment_reduce(o->x, "sum", .lengths = o->segments)) \
  X(bincount, 7, 2, 0, 2, at_bincount(o->w))                                             \
  X(cumsum_wide, 1, 0, 0, 0, at_cumsum(o->wide, 1))                                      \
  X(cumprod, 1, 0, 0, 0, at_cumprod(o->x, 1))                                            \
  X(cummax, 3, 0, 0, 2, at_cummax(o->x, 1).values)                                       \
  X(logcumsumexp, 3, 0, 0, 1, at_logcumsumexp(o->x, 1))                                  \
  X(logsumexp, 11, 0, 0, 0, at_logsumexp(o->x, AT_INTS(1)))                              \
  X(var, 1, 0, 0, 0, at_var(o->x))                                                       \
  X(std_dim, 1, 0, 0, 0, at_std_dim(o->x, AT_INTS(1)))                                   \
  X(gather, 2, 0, 0, 0, at_gather(o->x, 0, o->each))                                     \
  X(scatter, 2, 0, 0, 0, at_scatter_(o->x, 0, o->each, o->y))                            \
  X(scatter_add, 2, 0, 0, 0, at_scatter_add_(o->x, 0, o->each, o->y))                    \
  X(index_add, 2, 0, 0, 0, at_index_add_(o->x, 0, o->i, o->y))                           \
  X(index_put, 4, 0, 0, 1, at_index_put_(o->x, AT_TENSORS(o->i), o->y))                  \
  X(take, 2, 0, 0, 0, at_take(o->x, o->i))                                               \
  X(masked_fill, 2, 0, 0, 1, at_masked_fill(o->x, o->mask, 2))                           \
  X(masked_select, 3, 1, 0, 1, at_masked_select(o->x, o->mask))                          \
  X(nonzero, 3, 1, 0, 2, at_nonzero(o->x))                                               \
  X(where, 1, 0, 0, 0, at_where(o->mask, o->x, o->y))                                    \
  X(one_hot, 4, 0, 0, 0, at_one_hot(o->w, .num_classes = 48))                            \
  X(roll, 2, 0, 0, 0, at_roll(o->x, AT_INTS(3), .dims = AT_INTS(1)))                     \
  X(flip, 2, 0, 0, 1, at_flip(o->x, AT_INTS(1)))                                         \
  X(tril, 1, 0, 0, 2, at_tril(o->x))                                                     \
  X(repeat, 1, 0, 0, 0, at_repeat(o->x, AT_INTS(2, 3)))                                  \
  X(split_cat, 1, 0, 0, 0, at_cat(AT_TENSORS(o->x, o->y, o->x, o->y, o->x, o->y), .dim = 1))

#define FOR_EACH_RANDOM(X)                                                   \
  X(rand, 1, 0, 0, 0, at_rand(AT_SHAPE(8, 48), .type = AT_CUDA(AT_FLOAT)))   \
  X(randn, 1, 0, 0, 0, at_randn(AT_SHAPE(8, 48), .type = AT_CUDA(AT_FLOAT))) \
  X(uniform, 1, 0, 0, 0, at_uniform_(o->y))                                  \
  X(bernoulli, 2, 0, 0, 1, at_bernoulli(o->x))                               \
  X(dropout, 3, 0, 0, 0, at_dropout(o->x, 0.5, true))                        \
  X(randperm, 2, 0, 0, 1, at_randperm(100, .type = AT_CUDA(AT_LONG)))        \
  X(multinomial, 6, 0, 0, 1, at_multinomial(o->bias, 3))

/* Layers and losses; with _trained, also the launch that makes the gradient of ones, and the way back. */
#define FOR_EACH_LAYER(X)                                                                          \
  X(log_softmax, 1, 0, 0, 0, at_log_softmax(o->x, 1))                                              \
  X(softmax_trained, 3, 0, 0, 0, TRAINED(x, at_softmax(x, 1)))                                     \
  X(gelu_trained, 3, 0, 0, 0, TRAINED(x, at_gelu(x)))                                              \
  X(mse_loss, 2, 0, 0, 0, at_mse_loss(o->x, o->y))                                                 \
  X(mse_trained, 4, 0, 0, 0, TRAINED(x, at_mse_loss(x, o->y)))                                     \
  X(l1_loss, 2, 0, 0, 0, at_l1_loss(o->x, o->y))                                                   \
  X(smooth_l1_loss, 2, 0, 0, 0, at_smooth_l1_loss(o->x, o->y))                                     \
  X(kl_div, 2, 0, 0, 0, at_kl_div(o->x, o->y))                                                     \
  X(logits_bce, 2, 0, 0, 0, at_binary_cross_entropy_with_logits(o->x, o->y))                       \
  X(cross_entropy, 8, 0, 0, 0, at_cross_entropy_loss(o->x, o->w))                                  \
  X(cross_entropy_trained, 11, 0, 0, 0, TRAINED(x, at_cross_entropy_loss(x, o->w)))                \
  X(bag_mean, 4, 0, 0, 0, at_embedding_bag(o->x, o->i, o->bags, .mode = 1).output)                 \
  X(bag_max, 4, 0, 0, 0, at_embedding_bag(o->x, o->i, o->bags, .mode = 2).output)                  \
  X(bag_trained, 11, 0, 0, 0, TRAINED(x, at_embedding_bag(x, o->i, o->bags).output))               \
  X(bag_mean_trained, 16, 0, 0, 0,                                                                 \
    TRAINED(x, at_embedding_bag(x, o->i, o->bags, .mode = 1).output))                              \
  X(bag_max_trained, 12, 0, 0, 1,                                                                  \
    TRAINED(x, at_embedding_bag(x, o->i, o->bags, .mode = 2).output))                              \
  X(embedding_trained, 7, 0, 0, 0, TRAINED(x, at_embedding(x, o->i)))                              \
  X(layer_norm_trained, 4, 0, 0, 0, TRAINED(x, at_layer_norm(x, AT_SHAPE(48))))                    \
  X(group_norm, 1, 0, 0, 0, at_group_norm(o->images, 2))                                           \
  X(batch_norm, 1, 0, 0, 0, at_batch_norm(NORMALIZED(o->images), true, 0.1, 1e-5, false))          \
  X(batch_norm_eval, 1, 0, 0, 2,                                                                   \
    at_batch_norm(o->images, o->few, o->few, o->few, o->few, false, 0.1, 1e-5, false))             \
  X(batch_norm_trained, 4, 0, 0, 0,                                                                \
    TRAINED(images, at_batch_norm(NORMALIZED(images), true, 0.1, 1e-5, false)))                    \
  X(conv2d, 2, 0, 1, 0, at_conv2d(o->images, o->kernels, .bias = o->few))                          \
  X(conv2d_trained, 5, 0, 2, 0, TRAINED(kernels, at_conv2d(o->images, kernels)))                   \
  X(max_pool, 1, 0, 0, 0, at_max_pool2d(o->images, AT_INTS(2, 2)).output)                          \
  X(max_pool_trained, 5, 0, 0, 1, TRAINED(images, at_max_pool2d(images, AT_INTS(2, 2)).output))    \
  X(avg_pool, 1, 0, 0, 0, at_avg_pool2d(o->images, AT_INTS(2, 2)))                                 \
  X(adaptive_avg_pool, 1, 0, 0, 0, at_adaptive_avg_pool2d(o->images, AT_INTS(3, 3)))               \
  X(adaptive_avg_pool_trained, 4, 0, 0, 0,                                                         \
    TRAINED(images, at_adaptive_avg_pool2d(images, AT_INTS(3, 3))))                                \
  X(upsample, 1, 0, 0, 1, at_upsample_bilinear2d(o->images, AT_INTS(12, 9)))                       \
  X(upsample_trained, 3, 0, 0, 2, TRAINED(images, at_upsample_bilinear2d(images, AT_INTS(12, 9)))) \
  X(reflection_pad, 1, 0, 0, 1, at_reflection_pad2d(o->images, AT_INTS(1, 2, 1, 1)))               \
  X(constant_pad, 2, 0, 0, 0, at_constant_pad_nd(o->images, AT_INTS(1, 2, 1, 1)))                  \
  X(grid_sampler, 1, 0, 0, 0, at_grid_sampler_2d(o->images, o->grid))                              \
  X(attention, 1, 0, 2, 0, at_scaled_dot_product_attention(o->b, o->b, o->b))                      \
  X(attention_causal, 1, 0, 2, 0,                                                                  \
    at_scaled_dot_product_attention(o->b, o->b, o->b, .is_causal = true))                          \
  X(attention_trained, 8, 0, 7, 0, TRAINED(b, at_scaled_dot_product_attention(b, b, b)))           \
  X(sgd, 1, 0, 0, 0, stepped(o->sgd))                                                              \
  X(adam, 1, 0, 0, 0, stepped(o->adam))                                                            \
  X(clip, 3, 1, 0, 1, clipped(o))                                                                  \
  X(lstm_cell, 1, 0, 2, 4,                                                                         \
    at_lstm_cell(o->x, AT_TENSORS(o->hidden, o->hidden), o->gates, o->recurrent).h)

/* The gradient of ctc_loss with lengths on the device, which stay there. */
static at_tensor *trained_ctc(const Operands *o)
{
  at_tensor *const x = at_requires_grad_(at_clone(o->b));
  at_tensor *const ones = at_ones_like(o->w);
  at_backward(at_ctc_loss_tensor(x, o->labels, ones, ones));
  return at_grad(x);
}

#define FUNCTION(NAME, LAUNCHES, WAITS, PRODUCTS, COPIES, EXPRESSION) \
  static void call_##NAME(void *operands)                             \
  {                                                                   \
    TH_UNUSED const Operands *o = operands;                           \
    CHECK_MSG(at_defined(EXPRESSION), "%s", at_error_message());      \
  }
FOR_EACH(FUNCTION)
FOR_EACH_ORDER(FUNCTION)
FOR_EACH_RANDOM(FUNCTION)
FOR_EACH_LAYER(FUNCTION)

#define ENTRY(NAME, LAUNCHES, WAITS, PRODUCTS, COPIES, EXPRESSION) \
  {#NAME, {LAUNCHES, 0, WAITS, PRODUCTS, COPIES}, call_##NAME},
static const CountsRow rows[] = {FOR_EACH(ENTRY) FOR_EACH_ORDER(ENTRY) FOR_EACH_RANDOM(ENTRY)
                                     FOR_EACH_LAYER(ENTRY)};

static at_tensor *made(at_ints sizes)
{
  return at_full(sizes, at_scalar(0.5), .type = AT_CUDA(AT_FLOAT));
}

static void table(void **state)
{
  AT_SCOPE
  {
    Operands o = {.x = made(AT_SHAPE(8, 48)),
                  .y = made(AT_SHAPE(8, 48)),
                  .m = made(AT_SHAPE(48, 16)),
                  .b = made(AT_SHAPE(4, 8, 48)),
                  .bias = made(AT_SHAPE(16)),
                  .line = made(AT_SHAPE(48)),
                  .wide = made(AT_SHAPE(2, 4096)),
                  .z = at_view_as_complex(made(AT_SHAPE(8, 48, 2))),
                  .i = at_full(AT_SHAPE(8), at_scalar_long(3), .type = AT_CUDA(AT_LONG)),
                  .bags = at_arange(at_scalar_long(2), .type = AT_CUDA(AT_LONG)),
                  .image = made(AT_SHAPE(1, 1, 8, 8)),
                  .rois = made(AT_SHAPE(2, 5)),
                  .labels = at_full(AT_SHAPE(8, 1), at_scalar_long(3), .type = AT_CUDA(AT_LONG)),
                  .spread = made(AT_SHAPE(1, 1, 2)),
                  .w = at_full(AT_SHAPE(8), at_scalar_long(40), .type = AT_CUDA(AT_LONG)),
                  .each = at_full(AT_SHAPE(8, 48), at_scalar_long(3), .type = AT_CUDA(AT_LONG)),
                  .images = made(AT_SHAPE(2, 4, 8, 8)),
                  .kernels = made(AT_SHAPE(4, 4, 3, 3)),
                  .few = made(AT_SHAPE(4)),
                  .grid = made(AT_SHAPE(2, 3, 3, 2)),
                  .segments = at_full(AT_SHAPE(4), at_scalar_long(2), .type = AT_CUDA(AT_LONG)),
                  .gates = made(AT_SHAPE(64, 48)),
                  .recurrent = made(AT_SHAPE(64, 16)),
                  .hidden = made(AT_SHAPE(8, 16)),
                  .h = at_to(made(AT_SHAPE(8, 48)), AT_CUDA(AT_BFLOAT16))};
    o.mask = at_gt(o.x, 0.25);
    at_tensor *const params[] = {at_requires_grad_(at_clone(o.x)),
                                 at_requires_grad_(at_clone(o.m))};
    at_backward(at_add(at_sum(params[0]), at_sum(params[1])));
    o.sgd = at_sgd(((at_tensors){params, 2}), .lr = 0.1, .momentum = 0.9);
    o.adam = at_adam(((at_tensors){params, 2}));
    CHECK_EQ(counts_differ(rows, sizeof rows / sizeof *rows, &o), 0);
    at_optimizer_free(o.sgd);
    at_optimizer_free(o.adam);
  }
  CHECK_EQ(at_error(), AT_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
