/* Layers: side effects, results that are not wanted, and layouts. */
#include <float.h>
#include <limits.h>
#include <math.h>

#include "ATen.h"
#include "th_test.h"

static at_tensor *filled(const at_type *type, at_ints sizes, const double *values)
{
  at_tensor *t = at_empty(sizes, .type = AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < at_numel(t); i++)
    ((double *)at_data(t))[i] = values[i];
  return at_to(t, type);
}

static double element(at_tensor *t, int64_t i)
{
  return at_item_double(at_select(t, 0, i));
}

/* Means 2 and 20, unbiased variances 2 and 200, momentum 1/2. */
static void runningStatistics(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF, AT_BFLOAT16};
  static const double x[] = {1, 10, 3, 30}, mean[] = {0, 4}, variance[] = {1, 8};
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      const at_type *type = AT_CPU(types[i]);
      at_tensor *self = filled(type, AT_SHAPE(2, 2), x);
      at_tensor *m = filled(type, AT_SHAPE(2), mean), *v = filled(type, AT_SHAPE(2), variance);
      at_tensor *trained = at_batch_norm(self, NULL, NULL, m, v, true, 0.5, 0, false);
      CHECK(at_defined(trained));
      CHECK(element(m, 0) == 1 && element(m, 1) == 12);
      CHECK(element(v, 0) == 1.5 && element(v, 1) == 104);
      at_tensor *used = at_batch_norm(self, NULL, NULL, m, v, false, 0.5, 0, false);
      CHECK(at_defined(used));
      CHECK(element(m, 1) == 12 && element(v, 1) == 104);

      at_tensor *wrong = at_ones(AT_SHAPE(3), .type = type);
      CHECK(!at_defined(at_batch_norm(self, wrong, NULL, m, v, true, 0.5, 0, false)));
      CHECK(at_error() == AT_ERROR_ARGUMENT);
      at_error_clear();
      CHECK(element(m, 1) == 12 && element(v, 1) == 104);
    }
}

static void noise(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF, AT_BFLOAT16};
  static const double x[] = {1, -1, 2, -2};
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      const at_type *type = AT_CPU(types[i]);
      at_tensor *self = filled(type, AT_SHAPE(4), x),
                *kept = at_full(AT_SHAPE(4), at_scalar(7), .type = type);
      at_tensor *y = at_rrelu_with_noise(self, kept);
      CHECK(at_defined(y) && element(kept, 1) == 7);
      y = at_rrelu_with_noise(self, kept, .training = true);
      CHECK(at_defined(y));
      for (int k = 0; k < 4; k++) {
        const double slope = element(kept, k), product = slope * x[k];
        if (x[k] > 0)
          CHECK(slope == 1);
        else
          CHECK(slope >= 0.124 && slope <= 0.335);
        CHECK(fabs(element(y, k) - product) <= 0.01);
      }
    }
}

static void maskedGradients(void **state)
{
  AT_SCOPE
  {
    static const double x[] = {1, -1, 2, -2}, w[] = {0.5};
    at_tensor *self = filled(AT_CPU(AT_FLOAT), AT_SHAPE(4), x);
    at_tensor *weight = filled(AT_CPU(AT_FLOAT), AT_SHAPE(1), w);
    at_tensor *ones = at_ones(AT_SHAPE(4));
    at_grad_input_grad_weight both =
        at_prelu_backward(ones, self, weight, .output_mask = AT_INTS(0, 1));
    CHECK(!at_defined(both.grad_input) && element(both.grad_weight, 0) == -3);
    CHECK(at_error() == AT_OK);

    at_tensor *result = at_zeros(AT_SHAPE(4));
    both = at_prelu_backward_out(result, NULL, ones, self, weight);
    CHECK(both.grad_input == result && !at_defined(both.grad_weight));
    CHECK(element(result, 0) == 1 && element(result, 1) == 0.5);
    both = at_prelu_backward_out(NULL, weight, ones, self, weight);
    CHECK(both.grad_weight == weight && element(weight, 0) == -3);
  }
}

/* Many rows, and long rows, compared with the definition in double. */
static void manyRows(void **state)
{
  static const int64_t sizes[][2] = {{1501, 203}, {70001, 3}, {3, 150001}};
  const double eps = 1e-5;
  for (int k = 0; k < 3; k++)
    AT_SCOPE
    {
      const int64_t rows = sizes[k][0], columns = sizes[k][1];
      at_tensor *x = at_empty(AT_SHAPE(rows, columns), .type = AT_CPU(AT_DOUBLE));
      at_tensor *w = at_empty(AT_SHAPE(columns), .type = AT_CPU(AT_DOUBLE)),
                *b = at_empty(AT_SHAPE(columns), .type = AT_CPU(AT_DOUBLE));
      for (int64_t i = 0; i < rows * columns; i++)
        ((double *)at_data(x))[i] = (double)(i * 7919 % 1013) / 100 + (double)(i / columns % 5);
      for (int64_t j = 0; j < columns; j++) {
        ((double *)at_data(w))[j] = (double)(j % 17) / 8 - 1;
        ((double *)at_data(b))[j] = (double)(j % 5) - 2;
      }
      for (int given = 0; given < 4; given++) {
        at_tensor *y = at_layer_norm(x, AT_SHAPE(columns), .weight = given & 1 ? w : NULL,
                                     .bias = given & 2 ? b : NULL, .eps = eps);
        CHECK(at_defined(y));
        double worst = 0;
        for (int64_t i = 0; i < rows; i++) {
          const double *row = (const double *)at_data(x) + i * columns;
          double mean = 0, variance = 0;
          for (int64_t j = 0; j < columns; j++)
            mean += row[j] / (double)columns;
          for (int64_t j = 0; j < columns; j++)
            variance += (row[j] - mean) * (row[j] - mean) / (double)columns;
          for (int64_t j = 0; j < columns; j++) {
            const double normal = (row[j] - mean) / sqrt(variance + eps);
            const double expected = normal * (given & 1 ? ((double *)at_data(w))[j] : 1) +
                                    (given & 2 ? ((double *)at_data(b))[j] : 0);
            worst = fmax(worst, fabs(((double *)at_data(y))[i * columns + j] - expected));
          }
        }
        CHECK(worst < 1e-11);
      }
    }
}

/* --- lines of any length, of numbers that are hard to sum up --------------------------------- */

/* Kinds of values: any; close together and far from 0; with one outlier; very small; with squares
 * that overflow; equal. */
enum { ANY, FAR, OUTLIER, SMALL, LARGE, EQUAL, KINDS };

static at_tensor *lines_of(int kind, int64_t rows, int64_t n, const at_type *type)
{
  at_tensor *t = at_empty(AT_SHAPE(rows, n), .type = AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < rows * n; i++) {
    const double v = (double)(i * 7919 % 1013) / 1013 - 0.5 + (double)(i / n);
    ((double *)at_data(t))[i] = kind == FAR       ? 1e4 + 0.5 * (v - (double)(i / n))
                                : kind == OUTLIER ? (i % n ? v : 1e4)
                                : kind == SMALL   ? 1e-21 * v
                                : kind == LARGE   ? 1e21 * v
                                : kind == EQUAL   ? 0.1
                                                  : v;
  }
  return at_to(t, type);
}

static const double *doubles(at_tensor *t)
{
  return at_data(at_contiguous(at_to(t, AT_CPU(AT_DOUBLE))));
}

/* The largest error, relative to the largest expected value. */
static double distance(at_tensor *t, const double *expected, double scale)
{
  const double *found = doubles(t);
  double worst = 0;
  for (int64_t i = 0; i < at_numel(t); i++)
    if (!(fabs(found[i] - expected[i]) <= worst))
      worst = fabs(found[i] - expected[i]); /* also catches NaN */
  return worst == 0 ? 0 : worst / scale;
}

/* Compares with the definitions in double.  Gradients are those for the given mean and rstd. */
static void check_lines(int kind, int64_t rows, int64_t n, const at_type *type, int given)
{
  const double eps = kind == SMALL ? 0 : 1e-5, bound = type == AT_CPU(AT_DOUBLE) ? 1e-14 : 1e-6;
  at_tensor *x = lines_of(kind, rows, n, type), *g = lines_of(ANY, rows, n, type);
  at_tensor *w = given & 1 ? lines_of(ANY, 1, n, type) : NULL;
  at_tensor *b = given & 2 ? at_reshape(lines_of(ANY, 1, n, type), AT_SHAPE(n)) : NULL;
  w = w ? at_reshape(w, AT_SHAPE(n)) : NULL;
  const double *X = doubles(x), *G = doubles(g), *W = w ? doubles(w) : NULL,
               *B = b ? doubles(b) : NULL;
  const at_output_mean_rstd y = at_native_layer_norm(x, AT_SHAPE(n), w, b, eps);
  CHECK(at_defined(y.output));
  const double *M = doubles(y.mean), *R = doubles(y.rstd);
  const at_grad_input_grad_weight_grad_bias grads =
      at_native_layer_norm_backward(g, x, AT_SHAPE(n), y.mean, y.rstd, w, b);
  CHECK(at_defined(grads.grad_input));

  const at_type *real = AT_CPU(AT_DOUBLE);
  double *Y = at_data(at_empty(AT_SHAPE(rows, n), .type = real));
  double *D = at_data(at_empty(AT_SHAPE(rows, n), .type = real));
  double *DW = at_data(at_zeros(AT_SHAPE(n), .type = real));
  double *DB = at_data(at_zeros(AT_SHAPE(n), .type = real));
  double largest = 1, steepest = 0, weights = 0, biases = 0;
  double slack = 0; /* the error of distances from a mean that is rounded to double */
  for (int64_t k = 0; k < rows; k++) {
    double variance = 0, sum = 0, dot = 0, most = 0, weight = 0;
    long double total = 0;
    for (int64_t j = 0; j < n; j++)
      total += X[k * n + j];
    const double mean = (double)(total / n);
    for (int64_t j = 0; j < n; j++)
      variance += (X[k * n + j] - mean) * (X[k * n + j] - mean) / (double)n;
    const double rstd = 1 / sqrt(variance + eps);
    slack = fmax(slack, 8 * DBL_EPSILON * fabs(mean) * rstd);
    for (int64_t j = 0; j < n; j++) {
      const int64_t i = k * n + j;
      const double h = G[i] * (W ? W[j] : 1), normal = (X[i] - M[k]) * R[k];
      Y[i] = (X[i] - mean) * rstd * (W ? W[j] : 1) + (B ? B[j] : 0);
      largest = fmax(largest, fabs(Y[i]));
      sum += h / (double)n;
      dot += h * normal / (double)n;
      DW[j] += G[i] * normal;
      DB[j] += G[i];
      most = fmax(most, fabs(h));
      weight = fmax(weight, fabs(G[i] * normal));
      biases = fmax(biases, (double)rows * fabs(G[i]));
    }
    weights += weight;
    for (int64_t j = 0; j < n; j++)
      D[k * n + j] =
          R[k] * (G[k * n + j] * (W ? W[j] : 1) - sum - (X[k * n + j] - M[k]) * R[k] * dot);
    steepest = fmax(steepest, R[k] * most);
    CHECK(fabs(M[k] - mean) <= bound / 8 * (fabs(mean) + 1 / rstd));
    CHECK(fabs(R[k] - rstd) <= bound * rstd);
  }
  CHECK(distance(y.output, Y, largest) < bound + slack);
  CHECK(distance(grads.grad_input, D, steepest) < 4 * bound);
  CHECK(distance(grads.grad_weight, DW, weights) < bound);
  CHECK(distance(grads.grad_bias, DB, biases) < bound);
}

static void linesOfAnyLength(void **state)
{
  static const int64_t lengths[] = {1,  2,  7,  8,    15,   16,   17,   31,
                                    40, 64, 65, 1000, 1027, 2085, 4099, 17011};
  static const int64_t rows[] = {1, 4, 6, 67};
  for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++)
    for (int k = 0; k < 2 * KINDS; k++)
      AT_SCOPE
      {
        const int kind = k / 2;
        if (kind != SMALL || lengths[i] > 1) /* a single number has variance 0 */
          check_lines(kind, rows[(i + k) % 4], lengths[i], AT_CPU(k % 2 ? AT_DOUBLE : AT_FLOAT),
                      (i + k / 4) % 4);
      }
}

/* Sums do not depend on the number of threads. */
static void threadsOfLines(void **state)
{
  const int before = THGetNumThreads();
  AT_SCOPE
  {
    const at_type *type = AT_CPU(AT_FLOAT);
    at_tensor *x = lines_of(ANY, 700, 203, type), *g = lines_of(OUTLIER, 700, 203, type);
    at_output_mean_rstd y[2];
    at_grad_input_grad_weight_grad_bias grads[2];
    for (int i = 0; i < 2; i++) {
      THSetNumThreads(i ? 3 : 1);
      y[i] = at_native_layer_norm(x, AT_SHAPE(203), NULL, NULL, 1e-5);
      grads[i] =
          at_native_layer_norm_backward(g, x, AT_SHAPE(203), y[0].mean, y[0].rstd, NULL, NULL);
    }
    CHECK(at_equal(y[0].output, y[1].output) && at_equal(y[0].rstd, y[1].rstd));
    CHECK(at_equal(grads[0].grad_input, grads[1].grad_input));
    CHECK(at_equal(grads[0].grad_weight, grads[1].grad_weight));
    CHECK(at_equal(grads[0].grad_bias, grads[1].grad_bias));
  }
  THSetNumThreads(before);
}

static at_tensor *any_images(at_ints sizes, const at_type *type)
{
  at_tensor *t = at_empty(sizes, .type = AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < at_numel(t); i++)
    ((double *)at_data(t))[i] = (double)(i * 7919 % 31 - 15) / 8;
  return at_to(t, type);
}

/* The images of t in channels-last layout. */
static at_tensor *to_nhwc(at_tensor *t)
{
  return at_permute(at_contiguous(at_permute(t, AT_SHAPE(0, 2, 3, 1))), AT_SHAPE(0, 3, 1, 2));
}

static bool is_nhwc(at_tensor *t)
{
  const at_ints size = at_sizes(t), stride = at_strides(t);
  return stride.data[1] == 1 && stride.data[3] == size.data[1] &&
         stride.data[2] == size.data[1] * size.data[3] &&
         stride.data[0] == size.data[1] * size.data[2] * size.data[3];
}

/* Convolutions keep the layout of their input, and their results equal those of row-major images,
 * which the cases of PyTorch check: sums of a few eighths are exact. */
static void convolutionsNhwc(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF};
  for (int i = 0; i < 3; i++)
    AT_SCOPE
    {
      const at_type *type = AT_CPU(types[i]);
      at_tensor *x = any_images(AT_SHAPE(2, 6, 9, 7), type);
      at_tensor *w = any_images(AT_SHAPE(18, 6, 2, 3), type), *b = any_images(AT_SHAPE(18), type);
      at_tensor *y = at_conv2d(x, w, .bias = b, .stride = AT_INTS(2, 1), .padding = AT_INTS(1, 1));
      at_tensor *last = to_nhwc(x);
      CHECK(is_nhwc(last) && !is_nhwc(x));
      at_tensor *found =
          at_conv2d(last, w, .bias = b, .stride = AT_INTS(2, 1), .padding = AT_INTS(1, 1));
      CHECK(at_equal(found, y));
      CHECK(is_nhwc(found) == (types[i] != AT_HALF) && !is_nhwc(y));

      at_tensor *full =
          at_conv_transpose2d(x, to_nhwc(at_transpose(w, 0, 1)), .stride = AT_INTS(2, 2));
      found = at_conv_transpose2d(last, at_transpose(w, 0, 1), .stride = AT_INTS(2, 2));
      CHECK(at_equal(found, full) && is_nhwc(found) == (types[i] != AT_HALF));

      at_grad_input_grad_weight_grad_bias expected, given;
      expected = at_convolution_backward(found, x, at_transpose(w, 0, 1), AT_SHAPE(18), AT_SHAPE(2),
                                         AT_SHAPE(0), AT_SHAPE(1), true, AT_SHAPE(0), 1);
      given = at_convolution_backward(found, last, at_transpose(w, 0, 1), AT_SHAPE(18), AT_SHAPE(2),
                                      AT_SHAPE(0), AT_SHAPE(1), true, AT_SHAPE(0), 1);
      CHECK(at_allclose(given.grad_input, expected.grad_input, .rtol = 1e-2));
      CHECK(at_allclose(given.grad_weight, expected.grad_weight, .rtol = 1e-2));
      CHECK(is_nhwc(given.grad_input) == (types[i] != AT_HALF));

      /* Sizes that do not fit are errors as for row-major images. */
      CHECK(!at_defined(at_conv2d(last, w, .bias = b, .padding = AT_INTS(-3, -3))));
      CHECK(!at_defined(at_conv2d(last, any_images(AT_SHAPE(18, 5, 2, 3), type))));
      CHECK(at_error() != AT_OK);
      at_error_clear();
    }
}

/* Batch normalization keeps the layout too, except for few channels and for Half. */
static void batchNormNhwc(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF};
  static const int64_t channels[] = {3, 8, 17, 64, 100};
  for (int i = 0; i < 15; i++)
    AT_SCOPE
    {
      const at_type *type = AT_CPU(types[i % 3]);
      const int64_t c = channels[i / 3];
      const bool keepsLayout = types[i % 3] != AT_HALF && c >= 8;
      at_tensor *x = at_randn(AT_SHAPE(3, c, 9, 7), .type = type), *last = to_nhwc(x);
      at_tensor *g = at_randn(AT_SHAPE(3, c, 9, 7), .type = type);
      at_tensor *w = at_randn(AT_SHAPE(c), .type = type), *b = at_randn(AT_SHAPE(c), .type = type);
      at_tensor *m = at_zeros(AT_SHAPE(c), .type = type), *v = at_ones(AT_SHAPE(c), .type = type);
      for (int training = 0; training < 2; training++) {
        at_output_save_mean_save_std y, z;
        y = at_native_batch_norm(x, w, b, training ? NULL : m, training ? NULL : v, training, 0, 0);
        z = at_native_batch_norm(last, w, b, training ? NULL : m, training ? NULL : v, training, 0,
                                 0);
        CHECK(at_allclose(z.output, y.output, .rtol = 1e-4, .atol = 1e-4));
        CHECK(is_nhwc(z.output) == keepsLayout);
        at_tensor *into = at_zeros_like(x);
        at_thnn_batch_norm_out(into, last, w, b, m, v, false, 0, 0);
        CHECK(training || (at_equal(into, z.output) && !is_nhwc(into)));

        at_grad_input_grad_weight_grad_bias d, e;
        d = at_thnn_batch_norm_backward(g, x, w, m, v, training, 0, y.save_mean, y.save_std,
                                        .output_mask = AT_INTS(1, 1, 1));
        e = at_thnn_batch_norm_backward(g, last, w, m, v, training, 0, y.save_mean, y.save_std,
                                        .output_mask = AT_INTS(1, 1, 1));
        CHECK(at_allclose(e.grad_input, d.grad_input, .rtol = 1e-2, .atol = 1e-4));
        CHECK(at_allclose(e.grad_weight, d.grad_weight, .rtol = 1e-4, .atol = 1e-3));
        CHECK(at_allclose(e.grad_bias, d.grad_bias, .rtol = 1e-4, .atol = 1e-3));
        CHECK(is_nhwc(e.grad_input) == keepsLayout);
      }
    }
}

/* Windows of size, in steps of step and step + 1, on images x and the same in channels-last. */
typedef struct {
  at_tensor *x, *last;
  int64_t size, step;
  bool ceil, keepsLayout;
} Pools;

static void check_max_pools(const Pools *p)
{
  const int64_t size = p->size, step = p->step;
  const bool ceil = p->ceil, keepsLayout = p->keepsLayout;
  at_tensor *x = p->x, *last = p->last;
  const at_ints windows = AT_SHAPE(size, size), steps = AT_SHAPE(step, step + 1);
  const at_ints pad = AT_SHAPE(size / 2, size / 2);
  const int before = THGetNumThreads();
  const at_output_indices y = at_max_pool2d(x, windows, .stride = AT_INTS(step, step + 1),
                                            .padding = AT_INTS(size / 2, size / 2),
                                            .dilation = AT_INTS(1, 2), .ceil_mode = ceil);
  const at_output_indices z = at_max_pool2d(last, windows, .stride = AT_INTS(step, step + 1),
                                            .padding = AT_INTS(size / 2, size / 2),
                                            .dilation = AT_INTS(1, 2), .ceil_mode = ceil);
  CHECK(at_equal(z.output, y.output) && at_equal(z.indices, y.indices));
  CHECK(is_nhwc(z.output) == keepsLayout && is_nhwc(z.indices) == keepsLayout);
  at_tensor *g = at_randn_like(y.output), *into = at_zeros_like(x);
  at_tensor *back =
      at_max_pool2d_backward(g, x, windows, steps, pad, AT_SHAPE(1, 2), ceil, y.indices);
  for (int threads = 1; threads <= 4; threads += 3) { /* more images than threads, or fewer */
    THSetNumThreads(threads);
    at_tensor *lastBackward = at_max_pool2d_backward(to_nhwc(g), last, windows, steps, pad,
                                                     AT_SHAPE(1, 2), ceil, z.indices);
    CHECK(at_equal(lastBackward, back));
    CHECK(is_nhwc(lastBackward) == keepsLayout);
  }
  THSetNumThreads(before);
  at_max_pool2d_backward_out(into, to_nhwc(g), last, windows, steps, pad, AT_SHAPE(1, 2), ceil,
                             z.indices);
  CHECK(at_equal(into, back) && !is_nhwc(into));
  ((int64_t *)at_data(z.indices))[at_numel(z.indices) - 1] = 72;
  CHECK(!at_defined(at_max_pool2d_backward(to_nhwc(g), last, windows, steps, pad, AT_SHAPE(1, 2),
                                           ceil, z.indices)));
  CHECK(at_error() != AT_OK);
  at_error_clear();
}

static void check_average_pools(const Pools *p)
{
  const int64_t size = p->size, step = p->step;
  const bool ceil = p->ceil, keepsLayout = p->keepsLayout;
  at_tensor *x = p->x, *last = p->last;
  const at_ints windows = AT_SHAPE(size, size);
  at_tensor *mean = at_avg_pool2d(x, windows, .stride = AT_INTS(step, step + 1),
                                  .padding = AT_INTS(size / 2, size / 2), .ceil_mode = ceil);
  at_tensor *found = at_avg_pool2d(last, windows, .stride = AT_INTS(step, step + 1),
                                   .padding = AT_INTS(size / 2, size / 2), .ceil_mode = ceil);
  CHECK(at_allclose(found, mean, .rtol = 1e-2, .atol = 1e-5));
  CHECK(is_nhwc(found) == keepsLayout);
  found = at_adaptive_avg_pool2d(last, windows);
  mean = at_adaptive_avg_pool2d(x, windows);
  CHECK(at_allclose(found, mean, .rtol = 1e-2, .atol = 1e-5));
  CHECK(size == 1 || is_nhwc(found) == keepsLayout);
}

static void check_adaptive_pools(const Pools *p, bool keepsGradient)
{
  const int64_t size = p->size;
  const bool keepsLayout = p->keepsLayout;
  at_tensor *x = p->x, *last = p->last;
  const at_ints windows = AT_SHAPE(size, size);
  const at_output_indices parts = at_adaptive_max_pool2d(x, windows);
  const at_output_indices partsNhwc = at_adaptive_max_pool2d(last, windows);
  CHECK(at_equal(partsNhwc.output, parts.output) && at_equal(partsNhwc.indices, parts.indices));
  CHECK(size == 1 || is_nhwc(partsNhwc.output) == keepsLayout);
  CHECK(size == 1 || is_nhwc(partsNhwc.indices) == keepsLayout);
  at_tensor *g = at_randn_like(parts.output);
  at_tensor *back = at_adaptive_max_pool2d_backward(g, x, parts.indices);
  at_tensor *found = at_adaptive_max_pool2d_backward(to_nhwc(g), last, to_nhwc(parts.indices));
  CHECK(at_equal(found, back) && is_nhwc(found) == keepsGradient);
  at_adaptive_max_pool2d_out(parts.output, parts.indices, last, windows);
  CHECK(at_equal(partsNhwc.output, parts.output) && at_equal(partsNhwc.indices, parts.indices));
  CHECK(!is_nhwc(parts.output) && !is_nhwc(parts.indices));
}

/* Pooling keeps the layout too where that is faster, and its results equal those of row-major
 * images. */
static void poolsNhwc(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF};
  static const int64_t channels[] = {3, 8, 17, 64, 100};
  for (int i = 0; i < 15 * 8; i++)
    AT_SCOPE
    {
      const int64_t c = channels[i % 15 / 3];
      const bool isHalf = types[i % 3] == AT_HALF;
      at_tensor *x = at_randn(AT_SHAPE(3, c, 9, 8), .type = AT_CPU(types[i % 3]));
      const Pools p = {
          x, to_nhwc(x), 1 + i / 15 / 2, 1 + i / 15 % 2, i / 15 % 4 < 2, !isHalf && c >= 8};
      check_max_pools(&p);
      check_average_pools(&p);
      check_adaptive_pools(&p, !isHalf);
    }
}

/* Upsampling and gradients of average pooling keep the layout too; moved elements are unchanged. */
static void upsamplesNhwc(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF};
  static const int64_t channels[] = {3, 8, 17, 100};
  for (int i = 0; i < 3 * 4; i++)
    AT_SCOPE
    {
      const at_type *type = AT_CPU(types[i % 3]);
      const double near = types[i % 3] == AT_HALF ? 1e-2 : 1e-4;
      const int64_t c = channels[i / 3];
      const bool keepsLayout = types[i % 3] != AT_HALF && c >= 8;
      at_tensor *x = at_randn(AT_SHAPE(3, c, 5, 6), .type = type), *last = to_nhwc(x);
      at_tensor *y = at_upsample_nearest2d(x, 2), *found = at_upsample_nearest2d(last, 2);
      CHECK(at_equal(found, y) && is_nhwc(found) == keepsLayout);
      at_tensor *g = at_randn_like(y), *lastG = to_nhwc(g);
      found = at_upsample_nearest2d_backward(lastG, last, 2);
      y = at_upsample_nearest2d_backward(g, x, 2);
      CHECK(at_allclose(found, y, .rtol = near, .atol = near) && is_nhwc(found) == keepsLayout);
      y = at_upsample_bilinear2d(x, AT_SHAPE(10, 12));
      found = at_upsample_bilinear2d(last, AT_SHAPE(10, 12));
      CHECK(at_allclose(found, y, .rtol = near, .atol = near) && is_nhwc(found) == keepsLayout);
      y = at_upsample_bilinear2d_backward(g, AT_SHAPE(10, 12), AT_SHAPE(3, c, 5, 6));
      found = at_upsample_bilinear2d_backward(lastG, AT_SHAPE(10, 12), AT_SHAPE(3, c, 5, 6));
      CHECK(at_allclose(found, y, .rtol = near, .atol = near) && is_nhwc(found) == keepsLayout);
      y = at_zeros_like(x);
      at_upsample_bilinear2d_backward_out(y, lastG, AT_SHAPE(10, 12), AT_SHAPE(3, c, 5, 6));
      CHECK(at_allclose(found, y, .rtol = near, .atol = near) && !is_nhwc(y));

      for (int size = 1; size < 4; size++) {
        const at_ints windows = AT_SHAPE(size, size), steps = AT_SHAPE(1, 2), pad = AT_SHAPE(0, 0);
        g = at_randn_like(at_avg_pool2d(x, windows, .stride = AT_INTS(1, 2)));
        y = at_avg_pool2d_backward(g, x, windows, steps, pad, false, true);
        found = at_avg_pool2d_backward(to_nhwc(g), last, windows, steps, pad, false, true);
        CHECK(at_allclose(found, y, .rtol = near, .atol = near) && is_nhwc(found) == keepsLayout);
        g = at_randn_like(at_adaptive_avg_pool2d(x, windows));
        y = at_adaptive_avg_pool2d_backward(g, x);
        found = at_adaptive_avg_pool2d_backward(to_nhwc(g), last);
        CHECK(at_allclose(found, y, .rtol = near, .atol = near) && is_nhwc(found) == keepsLayout);
      }

      /* Sizes that do not fit are errors as for row-major images. */
      CHECK(!at_defined(at_upsample_nearest2d(last, 0)));
      CHECK(!at_defined(at_upsample_nearest2d(last, INT_MAX)));
      CHECK(!at_defined(at_upsample_bilinear2d(last, AT_SHAPE(10, 0))));
      CHECK(!at_defined(at_upsample_nearest2d_backward(lastG, last, 3)));
      CHECK(!at_defined(at_upsample_bilinear2d_backward(lastG, AT_SHAPE(10, 12),
                                                        AT_SHAPE(3, c + 1, 5, 6))));
      CHECK(!at_defined(at_avg_pool2d_backward(lastG, last, AT_SHAPE(2, 2), AT_SHAPE(2, 2),
                                               AT_SHAPE(0, 0), false, true)));
      CHECK(!at_defined(at_adaptive_avg_pool2d_backward(to_nhwc(at_randn(AT_SHAPE(2, c, 2, 2))),
                                                        last)));
      CHECK(at_error() != AT_OK);
      at_error_clear();
    }
}

/* Integers whose bits are NaNs as floats, and those that change if 0 is added to them as floats. */
static void movedIntegers(void **state)
{
  static const int32_t all[] = {INT32_MIN, -1, 0x7f800001, 0x7fc00001, -5, INT32_MAX};
  AT_SCOPE
  {
    at_tensor *x = at_empty(AT_SHAPE(2, 9, 4, 5), .type = AT_CPU(AT_INT));
    for (int64_t i = 0; i < at_numel(x); i++)
      ((int32_t *)at_data(x))[i] = all[i % 6];
    at_tensor *wide = at_to(x, AT_CPU(AT_LONG)), *y = at_upsample_nearest2d(x, 3);
    CHECK(at_equal(at_to(y, AT_CPU(AT_LONG)), at_upsample_nearest2d(wide, 3)));
    CHECK(at_equal(y, at_upsample_nearest2d(to_nhwc(x), 3)));
    const int32_t *from = at_data(x), *found = at_data(y);
    for (int64_t i = 0; i < at_numel(y); i++)
      CHECK(found[i] == from[(i / 15 / 12 * 4 + i / 15 % 12 / 3) * 5 + i % 15 / 3]);
  }
}

/* The rows of an embedding's gradient are sums in the order of the indices, bit for bit, for any
 * number of threads. */
static void check_table(int64_t rows, int64_t columns, int64_t count, const at_type *type,
                        int64_t padding, bool shares)
{
  at_tensor *g = at_randn(AT_SHAPE(count, columns), .type = type);
  at_tensor *index = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  at_random_between_(index, 0, rows - rows / 4); /* some rows are never picked */
  at_tensor *expected = at_zeros(AT_SHAPE(rows, columns), .type = type);
  at_tensor *out = at_full(AT_SHAPE(rows, columns), at_scalar(7), .type = type);
  const int64_t *at = at_data(index);
  for (int64_t i = 0; i < count; i++) {
    int64_t times = 0;
    for (int64_t k = 0; shares && k < count; k++)
      times += at[k] == at[i];
    for (int64_t c = 0; at[i] != padding && c < columns; c++)
      if (at_type_scalarType(type) == AT_DOUBLE)
        ((double *)at_data(expected))[at[i] * columns + c] +=
            ((double *)at_data(g))[i * columns + c] * (shares ? 1 / (double)times : 1);
      else
        ((float *)at_data(expected))[at[i] * columns + c] +=
            ((float *)at_data(g))[i * columns + c] * (shares ? 1 / (float)times : 1);
  }
  const int before = THGetNumThreads();
  for (int threads = 1; threads <= 3; threads++) {
    THSetNumThreads(threads);
    CHECK(at_equal(at_embedding_dense_backward(g, index, rows, padding, shares), expected));
    at_fill_(out, at_scalar(7));
    at_embedding_dense_backward_out(out, g, index, rows, padding, shares);
    CHECK(at_equal(out, expected));
  }
  THSetNumThreads(before);
}

static void embeddingGradients(void **state)
{
  static const int64_t columns[] = {0, 1, 7, 16, 63, 64, 127, 128, 129, 200, 300, 512};
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 2; k++)
      AT_SCOPE
      {
        const at_type *type = AT_CPU(k ? AT_DOUBLE : AT_FLOAT);
        check_table(9, columns[i], 40, type, -1, false);
        check_table(9, columns[i], 40, type, 3, true);
        check_table(100, columns[i], 30, type, 0, false);
        check_table(5, columns[i], 0, type, -1, true);
      }
  /* Larger than the caches. */
  AT_SCOPE
  {
    check_table(16500, 256, 300, AT_CPU(AT_FLOAT), -1, false);
    check_table(16500, 333, 300, AT_CPU(AT_FLOAT), 3, true);
    check_table(300000, 17, 300, AT_CPU(AT_FLOAT), -1, false);
  }
}

/* The position of the largest element of the 3 x 3 window around (y, x) of a plane. */
static int64_t largest_around(const double *plane, int64_t height, int64_t width, int64_t y,
                              int64_t x)
{
  int64_t found = -1;
  for (int64_t i = THMax(y - 1, 0); i <= THMin(y + 1, height - 1); i++)
    for (int64_t j = THMax(x - 1, 0); j <= THMin(x + 1, width - 1); j++)
      if (found < 0 || plane[i * width + j] > plane[found])
        found = i * width + j;
  return found;
}

/* The gradient of windows that overlap is the sum of several: in a lower type it is that sum, rounded
 * once, in each layout.  (PyTorch rounds after each term on the CPU: 6 % of the elements are others, by
 * more than their own size where terms cancel.) */
static void check_overlap(at_scalar_type type, double half, bool isLast)
{
  enum { PLANES = 6, HEIGHT = 9, WIDTH = 11, COUNT = HEIGHT * WIDTH };
  static double want[PLANES * COUNT];
  at_tensor *x = at_to(at_randn(AT_SHAPE(2, 3, HEIGHT, WIDTH)), AT_CPU(type));
  at_tensor *grad = at_to(at_randn(AT_SHAPE(2, 3, HEIGHT, WIDTH)), AT_CPU(type));
  const double *const of = at_data(at_contiguous(at_to(x, AT_CPU(AT_DOUBLE))));
  const double *const given = at_data(at_contiguous(at_to(grad, AT_CPU(AT_DOUBLE))));
  memset(want, 0, sizeof want);
  for (int p = 0; p < PLANES; p++)
    for (int64_t y = 0; y < HEIGHT; y++)
      for (int64_t j = 0; j < WIDTH; j++)
        want[p * COUNT + largest_around(of + p * COUNT, HEIGHT, WIDTH, y, j)] +=
            given[p * COUNT + y * WIDTH + j];
  if (isLast)
    x = at_permute(at_contiguous(at_permute(x, AT_INTS(0, 2, 3, 1))), AT_INTS(0, 3, 1, 2));
  x = at_requires_grad_(at_detach(x));
  at_tensor *const y =
      at_max_pool2d(x, AT_INTS(3, 3), .stride = AT_INTS(1, 1), .padding = AT_INTS(1, 1)).output;
  CHECK_MSG(at_backward(y, .gradient = grad), "%s", at_error_message());
  const double *const got = at_data(at_contiguous(at_to(at_grad(x), AT_CPU(AT_DOUBLE))));
  for (int i = 0; i < PLANES * COUNT; i++)
    CHECK_MSG(fabs(got[i] - want[i]) <= half * fabs(want[i]) + 1e-6, "%d: %g, and %g rounded", i,
              got[i], want[i]);
}

static void overlappingWindows(void **state)
{
  for (int isLast = 0; isLast < 2; isLast++)
    AT_SCOPE
    {
      check_overlap(AT_BFLOAT16, 0x1.01p-8, isLast);
      check_overlap(AT_HALF, 0x1.01p-11, isLast);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(manyRows),          cmocka_unit_test(linesOfAnyLength),
      cmocka_unit_test(threadsOfLines),    cmocka_unit_test(convolutionsNhwc),
      cmocka_unit_test(runningStatistics), cmocka_unit_test(noise),
      cmocka_unit_test(maskedGradients),   cmocka_unit_test(embeddingGradients),
      cmocka_unit_test(batchNormNhwc),     cmocka_unit_test(poolsNhwc),
      cmocka_unit_test(upsamplesNhwc),     cmocka_unit_test(movedIntegers),
      cmocka_unit_test(overlappingWindows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
