/* A ladder of sizes for the kernels of THC, THCUNN and ATen: each row is computed, with its gradients, for
 * lines, columns, images and planes of 1 to 1025 elements, around those of warps and blocks, on CUDA
 * and on the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

/* --- operands --------------------------------------------------------------------------------- */

/* Operands of size n; those on the device have the values of those on the CPU. */
typedef struct Operands {
  int64_t n;
  at_tensor *x, *y;            /* 3 x n */
  at_tensor *v, *u;            /* n */
  at_tensor *columns;          /* n x 3 */
  at_tensor *few;              /* n x 5 */
  at_tensor *p;                /* 3 x n, above 0 */
  at_tensor *sequence;         /* 2 x 3 x n */
  at_tensor *image, *tall;     /* 1 x 2 x 4 x n, 1 x 2 x n x 4 */
  at_tensor *planes, *batch;   /* 1 x n x 4 x 4, n x 2 x 4 x 4 */
  at_tensor *volume;           /* 1 x 2 x 2 x 3 x n */
  at_tensor *weights[5];       /* 3, 4 x 2 x 3 x 3, 4 x 3 x 3, 5 x 5, 4 x 2 x 2 x 2 x 1 */
  at_tensor *gates;            /* 9 x 3 */
  at_tensor *each;             /* n x 1 x 3 x 3 */
  at_tensor *grid;             /* 1 x 2 x n x 2 */
  at_tensor *random;           /* 1 x 2 x 2, in [0, 1) */
  at_tensor *regions;          /* n x 5 */
  at_tensor *mask, *lineMask;  /* 3 x n, n */
  at_tensor *integers, *bytes; /* 3 x n */
  at_tensor *order, *index;    /* n: a permutation, and indices that repeat */
  at_tensor *orders;           /* 3 x n, permutations along dimension 1 */
  at_tensor *classes;          /* n, below 5 */
  at_tensor *pixels;           /* 1 x 3 x n, below 2 */
  at_tensor *lists;            /* n x 5, for multilabel_margin_loss */
  at_tensor *offsets;          /* 2 bags of n */
} Operands;

enum { MEMBERS = (sizeof(Operands) - sizeof(int64_t)) / sizeof(at_tensor *) };

/* Elements in [-1, 1] that look random. */
static at_tensor *waves(at_ints sizes, double step)
{
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  at_tensor *const line = at_arange(at_scalar((double)count), .type = AT_CPU(AT_DOUBLE));
  at_tensor *const far = at_add(line, 12.25);
  return at_to(at_view(at_sin(at_mul(at_mul(far, far), step)), sizes), AT_CPU(AT_FLOAT));
}

static at_tensor *whole(at_tensor *t, double factor, at_scalar_type type)
{
  return at_to(at_floor(at_mul(t, factor)), AT_CPU(type));
}

static at_tensor *below(at_tensor *t, double limit)
{
  return whole(at_abs(t), limit - 0.001, AT_LONG);
}

static void make_integers(Operands *o)
{
  const int64_t n = o->n;
  o->mask = at_gt(o->x, 0.1);
  o->lineMask = at_gt(o->v, -0.2);
  o->integers = whole(o->x, 100, AT_LONG);
  o->bytes = at_to(below(o->y, 200), AT_CPU(AT_BYTE));
  o->order = at_argsort(o->u);
  o->orders = at_argsort(o->y);
  o->index = below(o->v, (double)n);
  o->classes = below(o->u, 5);
  o->pixels = below(waves(AT_SHAPE(1, 4, n), 0.77), 2);
  o->lists = at_argsort(waves(AT_SHAPE(n, 5), 0.61));
  o->lists = at_masked_fill(o->lists, at_eq(o->lists, 2), -1);
  o->offsets = at_cat(AT_TENSORS(at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_LONG)),
                                 at_full(AT_SHAPE(1), at_scalar(n / 2), .type = AT_CPU(AT_LONG))));
}

static Operands on_host(int64_t n)
{
  Operands o = {.n = n,
                .x = waves(AT_SHAPE(3, n), 0.37),
                .y = waves(AT_SHAPE(3, n), 1.13),
                .v = waves(AT_SHAPE(n), 0.71),
                .u = waves(AT_SHAPE(n), 1.91),
                .columns = waves(AT_SHAPE(n, 3), 0.59),
                .few = waves(AT_SHAPE(n, 5), 0.83),
                .p = at_add(at_abs(waves(AT_SHAPE(3, n), 0.47)), 0.1),
                .sequence = waves(AT_SHAPE(2, 3, n), 0.29),
                .image = waves(AT_SHAPE(1, 2, 4, n), 0.31),
                .tall = waves(AT_SHAPE(1, 2, n, 4), 0.43),
                .planes = waves(AT_SHAPE(1, n, 4, 4), 0.53),
                .batch = waves(AT_SHAPE(n, 2, 4, 4), 0.67),
                .volume = waves(AT_SHAPE(1, 2, 2, 3, n), 0.97),
                .weights = {waves(AT_SHAPE(3), 0.23), waves(AT_SHAPE(4, 2, 3, 3), 0.17),
                            waves(AT_SHAPE(4, 3, 3), 0.13), waves(AT_SHAPE(5, 5), 0.11),
                            waves(AT_SHAPE(4, 2, 2, 2, 1), 0.19)},
                .gates = waves(AT_SHAPE(9, 3), 0.91),
                .each = waves(AT_SHAPE(n, 1, 3, 3), 0.41),
                .grid = waves(AT_SHAPE(1, 2, n, 2), 0.73),
                .random = at_abs(at_mul(waves(AT_SHAPE(1, 2, 2), 0.79), 0.99)),
                .regions = at_mul(at_abs(waves(AT_SHAPE(n, 5), 0.89)),
                                  at_to(at_ge(at_arange(at_scalar(5)), 1), AT_CPU(AT_FLOAT)))};
  make_integers(&o);
  return o;
}

/* Copies, of which those of floating numbers ask for gradients. */
static Operands copies(const Operands *of, bool device)
{
  Operands o = *of;
  at_tensor **const member = &o.x;
  for (int i = 0; i < MEMBERS; i++) {
    const at_scalar_type type = at_type_scalarType(at_typeOf(member[i]));
    member[i] = device ? at_to(member[i], AT_CUDA(type)) : at_clone(member[i]);
    if (type == AT_FLOAT)
      at_requires_grad_(member[i]);
  }
  return o;
}

/* --- rows ------------------------------------------------------------------------------------- */

#define D(T) at_detach(T)

/* X(name, expression of o and n) */
#define POINTWISE(X)                                                                \
  X(add, at_add(o->x, o->y))                                                        \
  X(across, at_mul(at_t(o->x), o->columns))                                         \
  X(broadcast, at_sub(o->x, o->v))                                                  \
  X(tanh, at_tanh(o->x))                                                            \
  X(log, at_log(o->p))                                                              \
  X(pow, at_pow(o->p, o->y))                                                        \
  X(where, at_where(o->mask, o->x, o->y))                                           \
  X(lerp, at_lerp(o->x, o->y, 0.25))                                                \
  X(addcmul, at_addcmul(o->x, o->y, o->p))                                          \
  X(clamp, at_clamp(o->x, .min = -0.5, .max = 0.25))                                \
  X(integers, at_bitwise_xor(o->integers, at_to(o->bytes, at_typeOf(o->integers)))) \
  X(bytes, at_add(o->bytes, o->bytes))                                              \
  X(compare, at_lt(o->x, o->y))                                                     \
  X(convert, at_to(o->integers, at_typeOf(o->x)))                                   \
  X(complex, at_real(at_mul(at_complex(o->x, o->y), at_complex(o->y, o->p))))       \
  X(lgamma, at_lgamma(o->p))                                                        \
  X(gelu, at_gelu(o->x))                                                            \
  X(glu, at_glu(at_t(at_cat(AT_TENSORS(o->x, o->y)))))                              \
  X(prelu, at_prelu(at_t(o->x), o->weights[0]))                                     \
  X(leaky, at_leaky_relu(o->x))                                                     \
  X(softplus, at_softplus(o->x))                                                    \
  X(log_sigmoid, at_log_sigmoid(o->x))                                              \
  X(softshrink, at_softshrink(o->x, .lambd = 0.25))                                 \
  X(cross, at_cross(o->x, o->y, .dim = 0))

#define MAKING(X)                                             \
  X(cat, at_cat(AT_TENSORS(o->x, o->y), .dim = 1))            \
  X(cat_first, at_cat(AT_TENSORS(o->columns, o->columns)))    \
  X(stack, at_stack(AT_TENSORS(o->v, o->u), .dim = 1))        \
  X(repeat, at_repeat(o->v, AT_INTS(2, 3)))                   \
  X(flip, at_flip(o->x, AT_INTS(1)))                          \
  X(roll, at_roll(o->x, AT_INTS(1), .dims = AT_INTS(1)))      \
  X(transposed, at_contiguous(at_t(o->x)))                    \
  X(arange, at_arange(at_scalar(n), .type = at_typeOf(o->x))) \
  X(linspace, at_linspace(at_scalar(-2), at_scalar(3), .steps = n, .type = at_typeOf(o->x)))

#define REDUCE(X)                                                                            \
  X(sum, at_sum(o->x))                                                                       \
  X(sum_lines, at_sum_dim(o->x, AT_INTS(1)))                                                 \
  X(sum_columns, at_sum_dim(o->columns, AT_INTS(0)))                                         \
  X(sum_short, at_sum_dim(o->few, AT_INTS(1)))                                               \
  X(sum_integers, at_sum_dim(o->integers, AT_INTS(1)))                                       \
  X(prod, at_prod_dim(o->p, 1))                                                              \
  X(mean, at_mean_dim(o->x, AT_INTS(0)))                                                     \
  X(var, at_var_dim(o->x, AT_INTS(1), .unbiased = false))                                    \
  X(norm, at_norm_dim(o->x, at_scalar(3), AT_INTS(1)))                                       \
  X(norm_all, at_norm(o->x))                                                                 \
  X(dist, at_dist(o->x, o->y))                                                               \
  X(max, at_max_dim(o->x, 1).values)                                                         \
  X(argmin, at_argmin(o->columns, .dim = 0))                                                 \
  X(max_all, at_max(o->x))                                                                   \
  X(any, at_any_dim(o->mask, AT_INTS(1)))                                                    \
  X(all, at_all(o->mask))                                                                    \
  X(logsumexp, at_logsumexp(o->x, AT_INTS(1)))                                               \
  X(renorm, at_renorm(o->x, at_scalar(2), 0, at_scalar(0.5)))                                \
  X(cumsum, at_cumsum(o->x, 1))                                                              \
  X(cumsum_columns, at_cumsum(o->columns, 0))                                                \
  X(cumprod, at_cumprod(o->p, 1))                                                            \
  X(cummax, at_cummax(o->x, 1).values)                                                       \
  X(cummin, at_cummin(o->integers, 1).indices)                                               \
  X(logcumsumexp, at_logcumsumexp(o->x, 1))                                                  \
  X(softmax, at_softmax(o->x, 1))                                                            \
  X(softmax_columns, at_log_softmax(o->columns, 0))                                          \
  X(softmax_short, at_log_softmax(o->few, 1))                                                \
  X(histc, at_histc(o->x, .bins = 7, .min = -1, .max = 1))                                   \
  X(bincount, at_bincount(o->classes))                                                       \
  X(equal, at_full(AT_SHAPE(1), at_scalar(at_equal(o->x, o->x) + 2 * at_equal(o->x, o->y)))) \
  X(cdist, at_cdist(o->columns, at_t(at_slice(o->x, .dim = 1, .end = 5))))

#define SORT(X)                                                                          \
  X(sort, at_sort(o->x).values)                                                          \
  X(sort_indices, at_sort(o->x, .descending = true).indices)                             \
  X(sort_columns, at_sort(o->columns, .dim = 0).indices)                                 \
  X(sort_integers, at_sort(o->integers).values)                                          \
  X(sort_short, at_sort(o->few).indices)                                                 \
  X(topk, at_topk(o->x, (n + 2) / 3).values)                                             \
  X(topk_indices, at_topk(o->columns, (n + 4) / 5, .dim = 0, .largest = false).indices)  \
  X(topk_unsorted, at_sort(at_topk(o->x, (n + 1) / 2, .sorted = false).values).values)   \
  X(kthvalue, at_kthvalue(o->x, (n + 1) / 2).values)                                     \
  X(kthvalue_columns, at_kthvalue(o->columns, (n + 2) / 3, .dim = 0).indices)            \
  X(median, at_median_dim(o->x, 1).values)                                               \
  X(median_columns, at_median_dim(o->columns, 0).indices)                                \
  X(median_short, at_median_dim(o->few, 1).values)                                       \
  X(median_all, at_median(o->x))                                                         \
  X(mode, at_mode(o->bytes).values)                                                      \
  X(mode_indices, at_mode(at_reshape(o->classes, AT_SHAPE(1, n))).indices)               \
  X(unique, at_unique(o->integers).values)                                               \
  X(scatter_reduce, at_scatter_reduce(o->x, 1, o->orders, o->y, "amax"))                 \
  X(index_reduce,                                                                        \
    at_index_reduce(o->columns, 0, o->index, at_t(o->x), "mean", .include_self = false)) \
  X(searchsorted, at_searchsorted(at_sort(o->v).values, o->x))                           \
  X(searchsorted_order, at_searchsorted(o->u, o->x, .right = true, .sorter = o->order))  \
  X(isin, at_isin(o->integers, at_slice(o->integers, .dim = 0, .end = 1)))               \
  X(quantile, at_quantile(o->x, at_reshape(o->random, AT_SHAPE(4)), .dim = 1))           \
  X(pdist, at_pdist(at_slice(o->columns, .dim = 0, .end = 40)))

#define INDEX(X)                                                                       \
  X(index_select, at_index_select(o->x, 1, o->index))                                  \
  X(index_select_rows, at_index_select(o->few, 0, o->index))                           \
  X(index_add, at_index_add(o->x, 1, o->index, o->y))                                  \
  X(index_copy, at_index_copy(o->x, 1, o->order, o->y))                                \
  X(index_fill, at_index_fill(o->columns, 0, o->index, at_scalar(3)))                  \
  X(gather, at_gather(o->x, 1, o->orders))                                             \
  X(scatter, at_scatter(o->x, 1, o->orders, o->y))                                     \
  X(scatter_value, at_scatter_value(o->x, 1, o->orders, at_scalar(2)))                 \
  X(scatter_add, at_scatter_add(o->x, 1, o->orders, o->y))                             \
  X(take, at_take(o->x, o->index))                                                     \
  X(put, at_put(o->x, o->order, o->u))                                                 \
  X(index, at_index(o->few, AT_TENSORS(o->index)))                                     \
  X(index_put, at_index_put(o->few, AT_TENSORS(o->order), o->few, .accumulate = true)) \
  X(masked_fill, at_masked_fill(o->x, o->mask, at_scalar(7)))                          \
  X(masked_select, at_masked_select(o->x, o->mask))                                    \
  X(masked_scatter, at_masked_scatter(o->x, o->mask, o->y))                            \
  X(nonzero, at_nonzero(o->mask))                                                      \
  X(embedding, at_embedding(o->few, o->index))                                         \
  X(embedding_bag, at_embedding_bag(o->few, o->index, o->offsets).output)              \
  X(embedding_bag_max, at_embedding_bag(o->few, o->index, o->offsets, .mode = 2).output)

#define LINEAR(X)                                                         \
  X(mm, at_mm(o->x, o->columns))                                          \
  X(mm_integers, at_mm(o->integers, at_t(o->integers)))                   \
  X(mv, at_mv(o->x, o->v))                                                \
  X(dot, at_dot(o->v, o->u))                                              \
  X(bmm, at_bmm(o->sequence, at_transpose(o->sequence, 1, 2)))            \
  X(addmm, at_addmm(o->columns, o->columns, at_matmul(o->x, o->columns))) \
  X(linear, at_linear(o->x, o->x))                                        \
  X(fft, at_abs(at_fft_fft(o->x)))                                        \
  X(rfft, at_real(at_fft_rfft(o->x)))                                     \
  X(gru_cell, at_gru_cell(at_t(o->x), at_t(o->y), o->gates, o->gates))

#define LAYERS(X)                                                                               \
  X(layer_norm, at_layer_norm(o->x, AT_SHAPE(n), .weight = o->v, .bias = o->u))                 \
  X(batch_norm, at_thnn_batch_norm(o->planes, o->v, o->u, NULL, NULL, true, 0.1, 1e-3))         \
  X(batch_norm_wide, at_thnn_batch_norm(o->image, NULL, NULL, NULL, NULL, true, 0.1, 1e-3))     \
  X(batch_norm_batch, at_thnn_batch_norm(o->batch, NULL, NULL, NULL, NULL, true, 0.1, 1e-3))    \
  X(group_norm, at_group_norm(o->sequence, 3))                                                  \
  X(max_pool,                                                                                   \
    at_max_pool2d(o->image, AT_INTS(3, 2), .stride = AT_INTS(1, 1), .padding = AT_INTS(1, 1))   \
        .output)                                                                                \
  X(max_pool_tall,                                                                              \
    at_max_pool2d(o->tall, AT_INTS(2, 3), .stride = AT_INTS(1, 2), .padding = AT_INTS(1, 1))    \
        .output)                                                                                \
  X(max_pool_planes, at_max_pool2d(o->planes, AT_INTS(2, 2)).indices)                           \
  X(avg_pool,                                                                                   \
    at_avg_pool2d(o->image, AT_INTS(3, 2), .stride = AT_INTS(1, 1), .padding = AT_INTS(1, 1)))  \
  X(avg_pool_3d, at_avg_pool3d(o->volume, AT_INTS(2, 2, 1)))                                    \
  X(adaptive_avg, at_adaptive_avg_pool2d(o->image, AT_INTS(3, 4)))                              \
  X(adaptive_max, at_adaptive_max_pool2d(o->tall, AT_INTS(7, 3)).output)                        \
  X(fractional, at_fractional_max_pool2d(o->tall, AT_INTS(1, 2), AT_INTS(n < 3 ? 1 : n / 2, 2), \
                                         at_detach(o->random))                                  \
                    .output)                                                                    \
  X(unpool, at_max_unpool2d(at_max_pool2d(o->planes, AT_INTS(2, 2)).output,                     \
                            at_max_pool2d(o->planes, AT_INTS(2, 2)).indices, AT_INTS(4, 4)))    \
  X(im2col, at_im2col(o->image, AT_INTS(2, 1), AT_INTS(1, 1), AT_INTS(1, 0), AT_INTS(1, 1)))    \
  X(conv1d, at_conv1d(o->sequence, o->weights[2], .padding = AT_INTS(1)))                       \
  X(conv2d, at_conv2d(o->image, o->weights[1], .padding = AT_INTS(1, 1)))                       \
  X(conv2d_batch, at_conv2d(o->batch, o->weights[1], .padding = AT_INTS(1, 1)))                 \
  X(conv3d, at_conv3d(o->volume, o->weights[4]))                                                \
  X(upsample_linear, at_upsample_bilinear2d(o->image, AT_INTS(7, 2 * n)))                       \
  X(upsample_down, at_upsample_bilinear2d(o->tall, AT_INTS((n + 1) / 2, 3)))                    \
  X(upsample_nearest, at_upsample_nearest2d(o->image, 2))                                       \
  X(reflection, at_reflection_pad2d(o->tall, AT_INTS(1, 2, 0, 0)))                              \
  X(replication, at_replication_pad2d(o->image, AT_INTS(2, 1, 1, 2)))                           \
  X(grid_sampler, at_grid_sampler_2d(o->image, o->grid))                                        \
  X(roi, at_RoiPooling2d_forward(o->batch, o->regions, 2, 2, 3).output)                         \
  X(mse, at_mse_loss(o->x, o->y))                                                               \
  X(smooth_l1, at_smooth_l1_loss(o->x, o->y, .reduce = false))                                  \
  X(kl_div, at_kl_div(o->x, at_detach(o->p)))                                                   \
  X(nll, at_nll_loss(o->few, o->classes))                                                       \
  X(nll_each, at_nll_loss(o->few, o->classes, .reduce = false))                                 \
  X(nll_image, at_nll_loss2d(o->image, o->pixels))                                              \
  X(multi_margin, at_multi_margin_loss(o->few, o->classes))                                     \
  X(multilabel, at_multilabel_margin_loss(o->few, o->lists))                                    \
  X(lstm_cell,                                                                                  \
    at_lstm_cell(o->few, AT_TENSORS(o->few, o->few), at_repeat(o->weights[3], AT_INTS(4, 1)),   \
                 at_repeat(o->weights[3], AT_INTS(4, 1)))                                       \
        .h)

#define BACKWARD(X)                                                                               \
  X(batch_norm_backward, at_thnn_batch_norm_backward(D(o->planes), D(o->planes), D(o->v), NULL,   \
                                                     NULL, true, 1e-3, D(o->u), D(o->v))          \
                             .grad_input)                                                         \
  X(batch_norm_weights,                                                                           \
    at_thnn_batch_norm_backward(D(o->image), D(o->image), NULL, NULL, NULL, true, 1e-3,           \
                                at_full(AT_SHAPE(2), at_scalar(0.5), .type = at_typeOf(o->x)),    \
                                at_full(AT_SHAPE(2), at_scalar(2), .type = at_typeOf(o->x)))      \
        .grad_input)                                                                              \
  X(layer_norm_backward,                                                                          \
    at_native_layer_norm_backward(D(o->y), D(o->x), AT_SHAPE(n), D(o->weights[0]),                \
                                  D(o->weights[0]), D(o->v), D(o->u))                             \
        .grad_input)                                                                              \
  X(layer_norm_weights,                                                                           \
    at_native_layer_norm_backward(D(o->columns), D(o->columns), AT_SHAPE(3), D(o->v), D(o->u),    \
                                  D(o->weights[0]), D(o->weights[0]))                             \
        .grad_weight)                                                                             \
  X(max_pool_backward,                                                                            \
    at_max_pool2d_backward(D(o->image), D(o->image), AT_INTS(3, 3), AT_INTS(1, 1), AT_INTS(1, 1), \
                           AT_INTS(1, 1), false,                                                  \
                           at_max_pool2d(D(o->image), AT_INTS(3, 3), .stride = AT_INTS(1, 1),     \
                                         .padding = AT_INTS(1, 1))                                \
                               .indices))                                                         \
  X(unpool_backward,                                                                              \
    at_max_unpool2d_backward(D(o->planes), at_max_pool2d(D(o->planes), AT_INTS(2, 2)).output,     \
                             at_max_pool2d(D(o->planes), AT_INTS(2, 2)).indices, AT_INTS(4, 4)))  \
  X(embedding_renorm, at_embedding_renorm_(at_clone(D(o->few)), o->index, 0.5, 2))                \
  X(conv2d_bias, at_conv2d(o->tall, o->weights[1],                                                \
                           .bias = at_slice(at_view(o->weights[3], AT_SHAPE(25)), .end = 4),      \
                           .padding = AT_INTS(1, 1)))                                             \
  X(bicubic, at_upsample_bicubic2d(D(o->image), AT_INTS(3, 2 * n), false))                        \
  X(dot_integers,                                                                                 \
    at_dot(at_view(o->integers, AT_SHAPE(3 * n)), at_view(o->integers, AT_SHAPE(3 * n))))         \
  X(histc_wide, at_histc(o->x, .bins = 5000, .min = -1, .max = 1))                                \
  X(determinants, at_det(at_matmul(at_unsqueeze(D(o->few), 1), at_unsqueeze(D(o->few), 2))))      \
  X(stft,                                                                                         \
    at_real(at_stft(at_cat(AT_TENSORS(D(o->v), at_ones(AT_SHAPE(16), .type = at_typeOf(o->x)))),  \
                    16, 4, 16)))

/* Lengths of the two bags. */
static at_tensor *bag_lengths(const Operands *o, int64_t n)
{
  at_tensor *const end = at_full(AT_SHAPE(1), at_scalar_long(n), .type = at_typeOf(o->index));
  return at_diff(at_cat(AT_TENSORS(o->offsets, end)));
}

/* Kernels of ATen's own. */
#define FURTHER(X)                                                                            \
  X(hash, at_hash_tensor(o->integers, .dim = AT_INTS(1)))                                     \
  X(hash_columns, at_hash_tensor(D(o->columns), .dim = AT_INTS(0)))                           \
  X(histogram, at_histogram(D(o->v), .bins = 7).hist)                                         \
  X(segments, at_segment_reduce(o->columns, "sum", .lengths = bag_lengths(o, n)))             \
  X(cross_entropy, at_cross_entropy_loss(o->few, o->classes))                                 \
  X(cross_entropy_wide, at_cross_entropy_loss(o->x, at_argmax(D(o->y), .dim = 1)))            \
  X(ctc, at_ctc_loss(at_log_softmax(at_view(o->few, AT_SHAPE(n, 1, 5)), 2),                   \
                     at_full(AT_SHAPE(1, 1), at_scalar_long(3), .type = at_typeOf(o->index)), \
                     AT_INTS(n), AT_INTS(1)))                                                 \
  X(smoothed, at__upsample_bilinear2d_aa(o->image, AT_INTS(3, (n + 1) / 2), false))           \
  X(smoothed_tall, at__upsample_bicubic2d_aa(o->tall, AT_INTS((n + 2) / 3, 5), false))        \
  X(smoothed_bytes, at__upsample_bilinear2d_aa(at_view(o->bytes, AT_SHAPE(1, 1, 3, n)),       \
                                               AT_INTS(2, (n + 1) / 2), false))

/* Whose results have n x n elements, or for which a block computes each. */
#define SQUARES(X)                                                                            \
  X(tril, at_tril(at_matmul(o->columns, o->x)))                                               \
  X(diag, at_diag(o->v))                                                                      \
  X(trace, at_trace(at_matmul(o->columns, o->x)))                                             \
  X(eye, at_eye(n, .type = at_typeOf(o->x)))                                                  \
  X(mm_outer, at_mm(o->columns, o->x))                                                        \
  X(ger, at_ger(o->v, o->u))                                                                  \
  X(attention, at_scaled_dot_product_attention(at_view(o->few, AT_SHAPE(1, 1, n, 5)),         \
                                               at_view(o->few, AT_SHAPE(1, 1, n, 5)),         \
                                               at_view(o->few, AT_SHAPE(1, 1, n, 5))))        \
  X(conv2d_each, at_conv2d(o->planes, o->each, .groups = n, .padding = AT_INTS(1, 1)))        \
  X(conv_transpose, at_conv_transpose2d(o->planes, at_expand(o->each, AT_SHAPE(n, 2, 3, 3)))) \
  X(pstrf, at_pstrf(at_add(at_matmul(D(o->columns), at_t(D(o->columns))),                     \
                           at_eye(n, .type = at_typeOf(o->x))))                               \
               .factor)

#define FOR_EACH(X) \
  POINTWISE(X) MAKING(X) REDUCE(X) SORT(X) INDEX(X) LINEAR(X) LAYERS(X) BACKWARD(X) FURTHER(X)

typedef struct Row {
  const char *name;
  at_tensor *(*call)(const Operands *o, int64_t n);
} Row;

#define FUNCTION(NAME, ...)                                   \
  static at_tensor *call_##NAME(const Operands *o, int64_t n) \
  {                                                           \
    return __VA_ARGS__;                                       \
  }
FOR_EACH(FUNCTION)
SQUARES(FUNCTION)

#define ENTRY(NAME, ...) {#NAME, call_##NAME},
static const Row rows[] = {FOR_EACH(ENTRY)}, squares[] = {SQUARES(ENTRY)};

/* --- comparison ------------------------------------------------------------------------------- */

static double *values(at_tensor *t)
{
  at_tensor *const here =
      at_to(at_detach(at_contiguous(t)), AT_CPU(at_type_scalarType(at_typeOf(t))));
  return at_data(at_contiguous(at_to(here, AT_CPU(AT_DOUBLE))));
}

/* Integers are equal; floating numbers agree within a part of the largest. */
static void check_like(const char *what, at_tensor *device, at_tensor *host)
{
  CHECK_EQ(at_dim(device), at_dim(host));
  for (int d = 0; d < at_dim(host); d++)
    CHECK_EQ(at_size(device, d), at_size(host, d));
  const int64_t count = at_numel(host);
  const double *const a = values(device), *const b = values(host);
  double most = 1;
  for (int64_t i = 0; i < count; i++)
    most = isfinite(b[i]) ? fmax(most, fabs(b[i])) : most;
  const double within = at_is_floating_point(host) ? 5e-5 * most : 0;
  for (int64_t i = 0; i < count; i++)
    CHECK_MSG(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) || fabs(a[i] - b[i]) <= within,
              "%s: element %lld is %.9g, and on the CPU %.9g", what, (long long)i, a[i], b[i]);
}

/* The gradients of a sum of the result's elements with weights. */
static void back(at_tensor *result)
{
  at_tensor *const weights = waves(at_sizes(result), 0.57);
  at_tensor *const there =
      at_to(weights, at_is_cuda(result) ? AT_CUDA(AT_FLOAT) : AT_CPU(AT_FLOAT));
  CHECK_MSG(at_backward(at_sum(at_mul(result, there))), "%s", at_error_message());
}

static void check_row(const Row *row, const Operands *of)
{
  Operands device = copies(of, true), host = copies(of, false);
  at_tensor *const d = row->call(&device, of->n);
  const char *const said = at_error() ? at_error_message() : "";
  CHECK_MSG(at_defined(d), "%s on CUDA: %s", row->name, said);
  at_tensor *const h = row->call(&host, of->n);
  CHECK_MSG(at_defined(h), "%s on the CPU: %s", row->name, at_error_message());
  check_like("the result", d, h);
  CHECK_EQ(at_requiresGrad(d), at_requiresGrad(h));
  if (!at_requiresGrad(h))
    return;
  back(d);
  back(h);
  at_tensor **const there = &device.x, **const here = &host.x;
  for (int i = 0; i < MEMBERS; i++)
    if (at_grad(here[i])) {
      CHECK_MSG(at_grad(there[i]), "operand %d has no gradient on CUDA", i);
      check_like("a gradient", at_grad(there[i]), at_grad(here[i]));
    }
}

static void climb(const Row *row, int count, const int64_t *sizes, int sizeCount)
{
  const char *const only = getenv("LADDER"); /* the name of a row */
  for (int s = 0; s < sizeCount; s++)
    AT_SCOPE
    {
      const Operands o = on_host(sizes[s]);
      CHECK_MSG(at_error() == AT_OK, "%s", at_error_message());
      for (int i = 0; i < count; i++)
        AT_SCOPE
        {
          if (only && strcmp(only, row[i].name))
            continue;
          th_note("%s of %lld", row[i].name, (long long)o.n);
          check_row(&row[i], &o);
        }
    }
  CHECK_EQ(at_error(), AT_OK);
}

#define COUNT(ROWS) (int)(sizeof(ROWS) / sizeof *(ROWS))

static void ladder(void **state)
{
  static const int64_t sizes[] = {1, 2, 31, 32, 33, 1023, 1025};
  climb(rows, COUNT(rows), sizes, COUNT(sizes));
}

static void square_ladder(void **state)
{
  static const int64_t sizes[] = {1, 2, 31, 32, 33, 129};
  climb(squares, COUNT(squares), sizes, COUNT(sizes));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ladder), cmocka_unit_test(square_ladder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
