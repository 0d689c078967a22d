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
      *spread;
} Operands;

/* X(name, launches, waits, products, copies, expression of o).  A transform of 48 has
 * the tables of three passes, the passes, and the way to the lanes and back; a sum of BFloat16 two
 * conversions to Float, the sum, and one back */
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
  X(linear, 1, 0, 1, 0, at_linear(o->x, at_t(o->m), .bias = o->bias))                \
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
  X(ctc_trained, 15, 1, 0, 2, trained_ctc(o))                                        \
  X(bce, 3, 0, 0, 0, at_binary_cross_entropy(o->x, o->y))                            \
  X(fractional, 2, 0, 0, 0,                                                          \
    at_fractional_max_pool2d(o->image, AT_INTS(2, 2), AT_INTS(3, 3), o->spread).output)

/* The gradient of ctc_loss with lengths on the device, which are read once. */
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

#define ENTRY(NAME, LAUNCHES, WAITS, PRODUCTS, COPIES, EXPRESSION) \
  {#NAME, {LAUNCHES, 0, WAITS, PRODUCTS, COPIES}, call_##NAME},
static const CountsRow rows[] = {FOR_EACH(ENTRY)};

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
                  .h = at_to(made(AT_SHAPE(8, 48)), AT_CUDA(AT_BFLOAT16))};
    CHECK_EQ(counts_differ(rows, sizeof rows / sizeof *rows, &o), 0);
  }
  CHECK_EQ(at_error(), AT_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
