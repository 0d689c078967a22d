/* ATen's kernels on CUDA at sizes that the cases of operations do not have: lines of a whole block,
 * attention in groups, many bins and indices; against the CPU's results.  And numbers that a device
 * draws, by their means and variances. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

/* Elements in [-1, 1] that look random. */
static at_tensor *waves(at_ints sizes, double step)
{
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  at_tensor *const line = at_arange(at_scalar((double)count), .type = AT_CPU(AT_DOUBLE));
  at_tensor *const wave = at_sin(at_mul(at_mul(line, line), step));
  return at_to(at_view(wave, sizes), AT_CPU(AT_FLOAT));
}

static at_tensor *on_device(at_tensor *t)
{
  return at_to(t, AT_CUDA(at_type_scalarType(at_typeOf(t))));
}

/* Checks that both are equal, within that part of 1 or of the element. */
static void check_same(at_tensor *device, at_tensor *host)
{
  CHECK_MSG(at_defined(device) && at_defined(host), "%s", at_error_message());
  CHECK(at_equal(at_to(device, at_typeOf(host)), host));
}

static void check_like(at_tensor *device, at_tensor *host, double within)
{
  CHECK_MSG(at_defined(device) && at_defined(host), "%s", at_error_message());
  at_tensor *const got = at_to(at_to(at_contiguous(device), at_typeOf(host)), AT_CPU(AT_DOUBLE));
  at_tensor *const want = at_to(at_contiguous(host), AT_CPU(AT_DOUBLE));
  CHECK_EQ(at_numel(got), at_numel(want));
  for (int64_t i = 0; i < at_numel(want); i++) {
    const double a = ((double *)at_data(got))[i], b = ((double *)at_data(want))[i];
    CHECK_MSG(fabs(a - b) <= within * fmax(1, fabs(b)), "element %lld is %.9g, and on the CPU %.9g",
              (long long)i, a, b);
  }
}

/* Lines of a warp, and of a block: above 1024 elements. */
static void layer_norms(void **state)
{
  const int64_t lengths[] = {1, 31, 1024, 1025, 3000};
  for (int k = 0; k < 5; k++)
    AT_SCOPE
    {
      const int64_t n = lengths[k];
      th_note("%lld elements", (long long)n);
      at_tensor *const in[] = {waves(AT_SHAPE(19, n), 0.37), waves(AT_SHAPE(n), 1.1),
                               waves(AT_SHAPE(n), 1.7), waves(AT_SHAPE(19, n), 2.3)};
      at_tensor *there[4];
      for (int i = 0; i < 4; i++)
        there[i] = on_device(in[i]);
      const at_output_mean_rstd h = at_native_layer_norm(in[0], AT_SHAPE(n), in[1], in[2], 1e-3);
      const at_output_mean_rstd d =
          at_native_layer_norm(there[0], AT_SHAPE(n), there[1], there[2], 1e-3);
      check_like(d.output, h.output, 1e-4);
      check_like(d.mean, h.mean, 1e-5);
      check_like(d.rstd, h.rstd, 1e-4);
      const at_grad_input_grad_weight_grad_bias gh =
          at_native_layer_norm_backward(in[3], in[0], AT_SHAPE(n), h.mean, h.rstd, in[1], in[2]);
      const at_grad_input_grad_weight_grad_bias gd =
          at_native_layer_norm_backward(there[3], there[0], AT_SHAPE(n), d.mean, d.rstd, there[1],
                                        there[2]);
      check_like(gd.grad_input, gh.grad_input, 2e-3);
      check_like(gd.grad_weight, gh.grad_weight, 1e-4);
      check_like(gd.grad_bias, gh.grad_bias, 1e-4);
    }
  CHECK_EQ(at_error(), AT_OK);
}

/* Keys of a warp and of a block, in groups, with the three kinds of mask. */
static void attention(void **state)
{
  const int64_t keys[] = {7, 1100};
  for (int k = 0; k < 2; k++)
    for (int kind = 0; kind < 4; kind++)
      AT_SCOPE
      {
        th_note("%lld keys, mask %d", (long long)keys[k], kind);
        at_tensor *const q = waves(AT_SHAPE(2, 4, 5, 8), 0.7), *const v =
                                                                   waves(AT_SHAPE(2, 2, keys[k], 3),
                                                                         1.9);
        at_tensor *const key = waves(AT_SHAPE(2, 2, keys[k], 8), 1.3);
        at_tensor *mask = waves(AT_SHAPE(2, 1, 5, keys[k]), 0.9);
        mask = kind == 1 ? at_gt(mask, -0.5) : mask;
        at_tensor *const device[] = {on_device(q), on_device(key), on_device(v), on_device(mask)};
        at_tensor *h, *d;
        if (kind == 0 || kind == 3) {
          h = at_scaled_dot_product_attention(q, key, v, .is_causal = kind == 3,
                                              .enable_gqa = true);
          d = at_scaled_dot_product_attention(device[0], device[1], device[2],
                                              .is_causal = kind == 3, .enable_gqa = true);
        } else {
          h = at_scaled_dot_product_attention(q, key, v, .attn_mask = mask, .enable_gqa = true);
          d = at_scaled_dot_product_attention(device[0], device[1], device[2],
                                              .attn_mask = device[3], .enable_gqa = true);
        }
        check_like(d, h, 1e-5);
      }
  CHECK_EQ(at_error(), AT_OK);
}

/* Logarithms of sums for keys of a warp and of a block; a query whose keys are all left out has minus infinity. */
static void sums_of_scores(void **state)
{
  const int64_t keys[] = {7, 1100};
  for (int k = 0; k < 2; k++)
    AT_SCOPE
    {
      th_note("%lld keys", (long long)keys[k]);
      at_tensor *const q = waves(AT_SHAPE(2, 3, 5, 8), 0.7), *const v =
                                                                 waves(AT_SHAPE(2, 3, keys[k], 8),
                                                                       1.9);
      at_tensor *const mask = at_gt(waves(AT_SHAPE(5, keys[k]), 0.9), -0.5);
      at_fill_(at_select(mask, 0, 3), 0);
      at_tensor *const there = on_device(v);
      const at_output_logsumexp h =
          at__scaled_dot_product_flash_attention_for_cpu(q, v, v, .attn_mask = mask);
      const at_output_logsumexp d =
          at__scaled_dot_product_flash_attention_for_cpu(on_device(q), there, there,
                                                         .attn_mask = on_device(mask));
      check_like(d.output, h.output, 1e-5);
      check_like(at_exp(d.logsumexp), at_exp(h.logsumexp), 1e-5);
      CHECK_EQ(at_item_double(at_select(at_view(d.logsumexp, AT_SHAPE(-1)), 0, 3)), -INFINITY);
    }
  CHECK_EQ(at_error(), AT_OK);
}

/* Rows of several pieces. */
static void hashes(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = waves(AT_SHAPE(3, 5000), 0.77), *const there = on_device(x);
    at_tensor *const h[] = {at_hash_tensor(x), at_hash_tensor(x, .dim = AT_INTS(1)),
                            at_hash_tensor(x, .dim = AT_INTS(0))};
    at_tensor *const d[] = {at_hash_tensor(there), at_hash_tensor(there, .dim = AT_INTS(1)),
                            at_hash_tensor(there, .dim = AT_INTS(0))};
    for (int i = 0; i < 3; i++)
      CHECK_MSG(at_equal(at_to(d[i], AT_CPU(AT_UINT64)), h[i]), "hash %d: %s", i,
                at_error_message());
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* An index that fills most of the list, bins beyond shared memory, matrices larger than a block. */
static void large(void **state)
{
  AT_SCOPE
  {
    at_tensor *const index =
        at_to(at_mul(at_gt(waves(AT_SHAPE(3000), 0.011), 0), 5), AT_CPU(AT_LONG));
    at_tensor *const grad = waves(AT_SHAPE(3000, 3), 0.21);
    for (int scale = 0; scale < 2; scale++)
      check_like(at_embedding_dense_backward(on_device(grad), on_device(index), 9, -1, scale),
                 at_embedding_dense_backward(grad, index, 9, -1, scale), 1e-3);
    at_tensor *const x = waves(AT_SHAPE(20000), 0.77);
    const int64_t bins[] = {7, 4096, 5000};
    for (int k = 0; k < 3; k++)
      check_like(at_histc(on_device(x), .bins = bins[k], .min = -0.9, .max = 0.8),
                 at_histc(x, .bins = bins[k], .min = -0.9, .max = 0.8), 0);
    at_tensor *const m = at_to(waves(AT_SHAPE(300, 300), 0.53), AT_CPU(AT_DOUBLE));
    at_tensor *const square = at_add(at_matmul(m, at_t(m)), at_eye(300, .type = at_typeOf(m)));
    for (int upper = 0; upper < 2; upper++) {
      const at_factor_pivots h = at_pstrf(square, .upper = upper),
                             d = at_pstrf(on_device(square), .upper = upper);
      check_like(d.pivots, h.pivots, 0);
      check_like(d.factor, h.factor, 1e-6);
    }
    at_tensor *const some = at_div(at_slice(at_slice(m, .end = 40), .dim = 1, .end = 40), 2);
    check_like(at_det(on_device(some)), at_det(some), 1e-9);
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* The mean and variance of n draws are within 5 deviations of those of the distribution, whose
 * fourth central moment is given. */
static void check_draws(at_tensor *draws, double mean, double variance, double fourth)
{
  at_tensor *const wide = at_to(at_to(draws, AT_CPU(AT_DOUBLE)), AT_CPU(AT_DOUBLE));
  const double n = (double)at_numel(wide), *x = at_data(wide);
  double sum = 0, square = 0;
  for (int64_t i = 0; i < at_numel(wide); i++) {
    sum += x[i];
    square += (x[i] - mean) * (x[i] - mean);
  }
  CHECK_MSG(fabs(sum / n - mean) < 5 * sqrt(variance / n), "the mean is %g, not %g", sum / n, mean);
  CHECK_MSG(fabs(square / n - variance) < 5 * sqrt((fourth - variance * variance) / n),
            "the variance is %g, not %g", square / n, variance);
}

static void draws(void **state)
{
  const double parameters[] = {0.3, 2.5, 9.5, 40};
  at_manualSeed(123);
  for (int k = 0; k < 4; k++)
    AT_SCOPE
    {
      const double a = parameters[k];
      th_note("parameter %g", a);
      at_tensor *const of = at_full(AT_SHAPE(20000), at_scalar(a), .type = AT_CUDA(AT_DOUBLE));
      check_draws(at_poisson(of), a, a, a * (1 + 3 * a));
      check_draws(at__standard_gamma(of), a, a, 3 * a * a + 6 * a);
    }
  CHECK_EQ(at_error(), AT_OK);
}

static void check_unique(at_values_inverse_counts device, at_values_inverse_counts host)
{
  check_like(device.values, host.values, 0);
  check_like(device.inverse, host.inverse, 0);
  check_like(device.counts, host.counts, 0);
}

/* Elements of few values, and slices with equal beginnings, in more than a block of a sort. */
static void unique(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = at_floor(at_mul(waves(AT_SHAPE(3001, 3), 0.37), 3)), *const there =
                                                                                  on_device(x);
    check_unique(at_unique(there, .return_inverse = true, .return_counts = true),
                 at_unique(x, .return_inverse = true, .return_counts = true));
    check_unique(at_unique_dim(there, 0, .return_inverse = true, .return_counts = true),
                 at_unique_dim(x, 0, .return_inverse = true, .return_counts = true));
    check_unique(at_unique_consecutive(there, .return_inverse = true, .return_counts = true),
                 at_unique_consecutive(x, .return_inverse = true, .return_counts = true));
  }
  CHECK_EQ(at_error(), AT_OK);
}

static at_tensor *vector_of(const int64_t *numbers, int64_t count)
{
  at_tensor *const t = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  memcpy(at_data(t), numbers, (size_t)count * sizeof *numbers);
  return t;
}

/* Lengths that stay on the device, of targets with more labels than any is long. */
static void check_padded(at_tensor *x, at_tensor *labels, at_ints in, at_ints out,
                         at_tensor *const *given)
{
  at_tensor *const more =
      at_full(AT_SHAPE(at_size(labels, 0), 2), at_scalar_long(-1), .type = AT_CPU(AT_LONG));
  at_tensor *const here = at_requires_grad_(at_clone(x));
  at_tensor *const there = at_requires_grad_(on_device(x));
  at_tensor *const loss = at_ctc_loss(here, labels, in, out);
  at_tensor *const got =
      at_ctc_loss_tensor(there, on_device(at_cat(AT_TENSORS(labels, more), .dim = 1)),
                         on_device(given[0]), on_device(given[1]));
  check_like(got, loss, 1e-5);
  at_backward(loss);
  at_backward(got);
  check_like(at_grad(there), at_grad(here), 1e-4);
}

static void check_spelled(int64_t steps, int64_t batch, int64_t classes, int64_t longest)
{
  th_note("%lld steps, %lld samples, targets of %lld", (long long)steps, (long long)batch,
          (long long)longest);
  int64_t inputs[70], lengths[70];
  for (int64_t b = 0; b < batch; b++) {
    inputs[b] = steps - b % 3;
    lengths[b] = longest - b % 2;
  }
  const at_ints in = {inputs, (int)batch}, out = {lengths, (int)batch};
  at_tensor *const x = at_log_softmax(waves(AT_SHAPE(steps, batch, classes), 0.37), 2);
  at_tensor *const scaled = at_mul(at_abs(waves(AT_SHAPE(batch, longest), 1.1)), 9);
  at_tensor *const labels = at_add(at_to(scaled, AT_CPU(AT_LONG)), 1);
  at_tensor *const grad = waves(AT_SHAPE(batch), 1.7);
  at_tensor *const there = on_device(x), *const to = on_device(labels);
  const at_neg_log_likelihood_log_alpha h = at__ctc_loss(x, labels, in, out);
  const at_neg_log_likelihood_log_alpha d = at__ctc_loss(there, to, in, out);
  check_like(d.neg_log_likelihood, h.neg_log_likelihood, 1e-5);
  check_like(at_exp(d.log_alpha), at_exp(h.log_alpha), 1e-5);
  check_like(at__ctc_loss_backward(on_device(grad), there, to, in, out, d.neg_log_likelihood,
                                   d.log_alpha, 0),
             at__ctc_loss_backward(grad, x, labels, in, out, h.neg_log_likelihood, h.log_alpha, 0),
             1e-4);
  at_tensor *const given[] = {vector_of(inputs, batch), vector_of(lengths, batch)};
  at_tensor *const loss = at_ctc_loss(x, labels, in, out);
  check_like(at_ctc_loss_tensor(there, to, given[0], given[1]), loss, 1e-5);
  check_like(at_ctc_loss_tensor(there, to, on_device(given[0]), on_device(given[1])), loss, 1e-5);
  check_padded(x, labels, in, out, given);
}

/* More samples than one launch writes lengths of; more states, and classes, than a block has threads. */
static void spelled(void **state)
{
  AT_SCOPE
  {
    check_spelled(9, 70, 300, 4);
    check_spelled(290, 3, 12, 140);
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- lines that begin anywhere ----------------------------------------------------------------- */

/* Scans of long lines, of which blocks take chunks: like those of the CPU, and always of the same bits. */
static void long_scans(void **state)
{
  for (int offset = 0; offset < 4; offset++)
    AT_SCOPE
    {
      th_note("from element %d on", offset);
      at_tensor *const all = waves(AT_SHAPE(1 + offset + 2 * 12345), 0.37), *const device =
                                                                                on_device(all);
      at_tensor *const h = at_view(at_narrow(all, 0, offset, 2 * 12345), AT_SHAPE(2, 12345));
      at_tensor *const d = at_view(at_narrow(device, 0, offset, 2 * 12345), AT_SHAPE(2, 12345));
      check_like(at_cumsum(d, 1), at_cumsum(h, 1), 1e-4);
      check_like(at_cumprod(at_add(at_mul(d, 1e-4), 1), 1),
                 at_cumprod(at_add(at_mul(h, 1e-4), 1), 1), 1e-4);
      check_like(at_cummax(d, 1).values, at_cummax(h, 1).values, 0);
      check_like(at_cummax(d, 1).indices, at_cummax(h, 1).indices, 0);
      at_tensor *const few = at_floor(at_mul(h, 3)), *const integers = at_to(few, AT_CPU(AT_LONG));
      check_like(at_cummin(on_device(integers), 1).indices, at_cummin(integers, 1).indices, 0);
      check_like(at_logcumsumexp(d, 1), at_logcumsumexp(h, 1), 1e-5);
      CHECK(at_equal(at_cumsum(d, 1), at_cumsum(d, 1)));
      CHECK(at_equal(at_logcumsumexp(d, 1), at_logcumsumexp(d, 1)));
    }
  CHECK_EQ(at_error(), AT_OK);
}

static void softmax_lines(void **state)
{
  const int64_t lengths[] = {1, 3, 4, 8, 31, 36, 128, 255, 1000, 1023, 1024, 1025, 1028, 4099};
  for (int k = 0; k < (int)(sizeof lengths / sizeof *lengths); k++)
    for (int offset = 0; offset < 4; offset++)
      AT_SCOPE
      {
        const int64_t n = lengths[k];
        th_note("%lld elements from element %d on", (long long)n, offset);
        at_tensor *const x = waves(AT_SHAPE(offset + 3 * n), 0.37), *const g =
                                                                        waves(AT_SHAPE(3, n), 1.3);
        at_tensor *const h = at_view(at_narrow(x, 0, offset, 3 * n), AT_SHAPE(3, n));
        at_tensor *const d = at_view(at_narrow(on_device(x), 0, offset, 3 * n), AT_SHAPE(3, n));
        at_tensor *const soft = at_softmax(h, 1), *const log = at_log_softmax(h, 1);
        check_like(at_softmax(d, 1), soft, 1e-6);
        check_like(at_log_softmax(d, 1), log, 1e-5);
        check_like(at_softmax_backward(on_device(g), d, 1, on_device(soft)),
                   at_softmax_backward(g, h, 1, soft), 1e-6);
        check_like(at_log_softmax_backward(on_device(g), d, 1, on_device(log)),
                   at_log_softmax_backward(g, h, 1, log), 1e-4);
      }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- gradients of losses ----------------------------------------------------------------------- */

static at_tensor *cross_gradient(at_tensor *x, at_tensor *target, at_tensor *weight, int reduction,
                                 double smoothing)
{
  at_tensor *const leaf = at_requires_grad_(at_alias(x));
  at_tensor *const loss =
      at_cross_entropy_loss(leaf, target, .weight = weight, .reduction = reduction,
                            .ignore_index = 1, .label_smoothing = smoothing);
  CHECK_MSG(at_defined(loss), "%s", at_error_message());
  CHECK(at_backward(loss, .gradient = at_add(at_mul(loss, 0), 0.5)));
  return at_grad(leaf);
}

static void check_cross_entropy(at_ints sizes, at_ints targets)
{
  const int64_t classes = sizes.data[1];
  at_tensor *const x = at_mul(waves(sizes, 0.37), 4), *const weight =
                                                          at_add(waves(AT_SHAPE(classes), 1.7),
                                                                 1.5);
  at_tensor *const share = at_mul(at_add(waves(targets, 0.9), 1), 0.4999 * (double)classes);
  at_tensor *const target = at_to(at_floor(share), AT_CPU(AT_LONG));
  at_tensor *const half = at_to(x, AT_CPU(AT_HALF));
  for (int k = 0; k < 12; k++) {
    const int reduction = k % 3;
    const double smoothing = k / 3 % 2 ? 0.1 : 0;
    at_tensor *const w = k / 6 ? weight : NULL;
    th_note("size %s, reduction %d, smoothing %g, %s", sizes.count > 2 ? "of images" : "of rows",
            reduction, smoothing, w ? "weights" : "no weights");
    check_like(cross_gradient(on_device(x), on_device(target), w ? on_device(w) : NULL, reduction,
                              smoothing),
               cross_gradient(x, target, w, reduction, smoothing), 1e-5);
    if (!w)
      check_like(cross_gradient(on_device(half), on_device(target), NULL, reduction, smoothing),
                 cross_gradient(half, target, NULL, reduction, smoothing), 2e-3);
  }
}

/* Classes of a warp and of a block, more targets than a part of their weights has, and images. */
static void cross_entropies(void **state)
{
  AT_SCOPE
  {
    check_cross_entropy(AT_SHAPE(37, 5), AT_SHAPE(37));
    check_cross_entropy(AT_SHAPE(9001, 3), AT_SHAPE(9001));
    check_cross_entropy(AT_SHAPE(3, 1101), AT_SHAPE(3));
    check_cross_entropy(AT_SHAPE(2, 6, 7, 5), AT_SHAPE(2, 7, 5));
    check_cross_entropy(AT_SHAPE(2, 4, 9), AT_SHAPE(2, 9));
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- optimizers -------------------------------------------------------------------------------- */

enum { PARAMETERS = 150 };

/* Parameters of many sizes that begin anywhere; one of them is a chunk and more, and one has gaps. */
static at_tensors parameters(at_tensor **leaves, const at_type *type)
{
  for (int i = 0; i < PARAMETERS; i++) {
    const int64_t n = i == 40 ? 9001 : i % 13 + (i % 7 ? 1 : 0), offset = i % 5;
    at_tensor *const all =
        at_to(waves(AT_SHAPE(offset + 2 * n + 1), 0.3 + i), AT_CPU(at_type_scalarType(type)));
    at_tensor *t = at_narrow(at_to(all, type), 0, offset, i == 77 ? 2 * n : n);
    if (i == 77)
      t = at_select(at_view(t, AT_SHAPE(n, 2)), 1, 1);
    leaves[i] = at_requires_grad_(at_detach(t));
  }
  return (at_tensors){leaves, PARAMETERS};
}

static void set_gradients(at_tensors params, int step)
{
  for (int i = 0; i < params.count; i++) {
    at_tensor *const g = waves(at_sizes(params.data[i]), 1.1 + i + step);
    CHECK(at_set_grad(params.data[i], at_to(g, at_typeOf(params.data[i]))));
  }
}

static at_optimizer *optimizer_of(int kind, at_tensors params)
{
  return kind == 0   ? at_sgd(params, .lr = 0.1, .momentum = 0.9, .weight_decay = 0.01)
         : kind == 1 ? at_adam(params, .lr = 0.01)
         : kind == 2 ? at_adamw(params, .lr = 0.01, .amsgrad = true)
                     : at_rmsprop(params, .lr = 0.01);
}

static void many_parameters(void **state)
{
  for (int k = 0; k < 12; k++)
    AT_SCOPE
    {
      const int type = (int[]){AT_FLOAT, AT_DOUBLE, AT_HALF}[k / 4];
      th_note("optimizer %d, type %d", k % 4, type);
      at_tensor *ours[PARAMETERS], *theirs[PARAMETERS];
      const at_tensors device = parameters(ours, AT_CUDA(type)),
                       host = parameters(theirs, AT_CPU(type));
      at_optimizer *const d = optimizer_of(k % 4, device), *const h = optimizer_of(k % 4, host);
      for (int step = 0; step < 2; step++) {
        set_gradients(device, step);
        set_gradients(host, step);
        const double norm = at_clip_grad_norm(device, 3.0), want = at_clip_grad_norm(host, 3.0);
        CHECK_MSG(fabs(norm - want) <= (type == AT_HALF ? 1e-3 : 1e-6) * want, "norm %g, %g", norm,
                  want);
        CHECK(at_optimizer_step(d) && at_optimizer_step(h));
      }
      for (int i = 0; i < PARAMETERS; i++)
        check_like(ours[i], theirs[i], type == AT_HALF ? 4e-3 : 1e-5);
      at_optimizer_free(d);
      at_optimizer_free(h);
    }
  CHECK_EQ(at_error(), AT_OK);
}

/* Integers whose bits are those of floats that arithmetic changes: -0, NaN that signal, denormal numbers. */
static void integers_that_are_no_floats(void **state)
{
  static const int32_t ints[] = {INT32_MIN, 0x7FA00000, -1, (int32_t)0xFF812345, 3, 0};
  static const int64_t longs[] = {INT64_MIN, 0x7FF4000000000000, -1, -0xFFFEDCBA98765, 3, 0};
  AT_SCOPE
  {
    for (int wide = 0; wide < 2; wide++) {
      const at_type *const type = AT_CPU(wide ? AT_LONG : AT_INT);
      at_tensor *const x = at_empty(AT_SHAPE(1, 2, 3), .type = type);
      memcpy(at_data(x), wide ? (const void *)longs : ints, wide ? sizeof longs : sizeof ints);
      at_tensor *const y = on_device(x), *const image = at_unsqueeze(x, 0);
      at_tensor *const there = on_device(image);
      check_same(at_replication_pad1d(y, AT_INTS(2, 1)), at_replication_pad1d(x, AT_INTS(2, 1)));
      check_same(at_reflection_pad1d(y, AT_INTS(1, 2)), at_reflection_pad1d(x, AT_INTS(1, 2)));
      check_same(at_replication_pad2d(there, AT_INTS(1, 1, 1, 1)),
                 at_replication_pad2d(image, AT_INTS(1, 1, 1, 1)));
      check_same(at_upsample_nearest2d(there, 2), at_upsample_nearest2d(image, 2));
    }
  }
}

/* --- products of groups --------------------------------------------------------------------------- */

/* Both forms of _grouped_mm, of sizes around those of a tile, with operands that have gaps, and their gradients. */
static void check_groups(at_scalar_type type, int64_t rows, int64_t depth, int64_t columns)
{
  int32_t ends[] = {0, 3, 3, (int32_t)(rows - 6), (int32_t)rows - 1};
  at_tensor *const offs = at_fromArray(AT_CPU(AT_INT), ends, AT_SHAPE(5));
  const bool floats = type == AT_FLOAT || type == AT_DOUBLE;
  at_tensor *const x = at_to(at_mul(waves(AT_SHAPE(rows, depth), 0.37), 9), AT_CPU(type)),
                   *const y =
                       at_to(at_mul(waves(AT_SHAPE(5, columns, depth), 0.41), 9), AT_CPU(type)),
                   *const z = at_to(at_mul(waves(AT_SHAPE(rows, columns), 0.43), 9), AT_CPU(type));
  const double within = type == AT_BFLOAT16 || type == AT_HALF ? 0.02 : floats ? 1e-3 : 0;
  at_tensor *const params[2][3] = {{x, y, z}, {on_device(x), on_device(y), on_device(z)}};
  at_tensor *got[2][4] = {{NULL}};
  th_note("type %d, %lld rows, depth %lld, %lld columns", type, (long long)rows, (long long)depth,
          (long long)columns);
  for (int there = 0; there < 2; there++) {
    at_tensor *const *const p = params[there];
    at_tensor *const ends_there = there ? on_device(offs) : offs;
    for (int i = 0; i < 3 && floats; i++)
      at_requires_grad_(p[i]);
    got[there][0] = at__grouped_mm(p[0], at_transpose(p[1], 1, 2), ends_there);
    got[there][1] = at__grouped_mm(at_t(p[0]), p[2], ends_there);
    if (!floats)
      continue;
    at_backward(at_add(at_sum(at_mul(got[there][0], p[2])),
                       at_sum(at_cos(at_mul(got[there][1], 1e-3)))));
    got[there][2] = at_grad(p[0]);
    got[there][3] = at_grad(p[1]);
  }
  for (int i = 0; i < (floats ? 4 : 2); i++)
    check_like(at_detach(got[1][i]), at_detach(got[0][i]), within);
}

static void groups(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF, AT_BFLOAT16,
                                         AT_BYTE,  AT_SHORT,  AT_INT,  AT_LONG};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    AT_SCOPE
    {
      check_groups(types[i], 10, 3, 2);
      check_groups(types[i], 150, 33, 70);
      check_groups(types[i], 64, 16, 64);
    }
  CHECK_EQ(at_error(), AT_OK);
}

/* Ends that are none are reported to the call that waits, and groups stay inside of the operands. */
static void wrong_ends(void **state)
{
  static const int64_t ends[][2] = {{-1, 5}, {4, 3}, {2, 9}, {INT64_MIN, INT64_MAX}};
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      at_tensor *const x = on_device(waves(AT_SHAPE(8, 4), 0.37)),
                       *const y = on_device(waves(AT_SHAPE(2, 4, 4), 0.41));
      at_tensor *const offs = on_device(at_fromArray(AT_CPU(AT_LONG), ends[i], AT_SHAPE(2)));
      CHECK(at_defined(at__grouped_mm(x, y, offs)) && at_defined(at__grouped_mm(at_t(x), x, offs)));
      at_cuda_synchronize();
      CHECK_MSG(strstr(at_error_message(), "_grouped_mm"), "%s", at_error_message());
      at_error_clear();
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(long_scans),
                                     cmocka_unit_test(softmax_lines),
                                     cmocka_unit_test(cross_entropies),
                                     cmocka_unit_test(many_parameters),
                                     cmocka_unit_test(spelled),
                                     cmocka_unit_test(unique),
                                     cmocka_unit_test(layer_norms),
                                     cmocka_unit_test(attention),
                                     cmocka_unit_test(sums_of_scores),
                                     cmocka_unit_test(hashes),
                                     cmocka_unit_test(integers_that_are_no_floats),
                                     cmocka_unit_test(large),
                                     cmocka_unit_test(draws),
                                     cmocka_unit_test(groups),
                                     cmocka_unit_test(wrong_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
