/* Linear models, and those of support vectors. */
#include <math.h>

#include "Ml.h"

/* The scores of a row: a product with each of count rows of coefficients. */
static void products(const at_mlRows *x, int64_t row, const at_mlNumbers *coefficients,
                     const at_mlNumbers *intercepts, int64_t count, double *scores)
{
  for (int64_t k = 0; k < count; k++) {
    double sum = intercepts->count > 0 ? at_mlFloat(intercepts, k) : 0;
    for (int64_t j = 0; j < x->width; j++)
      sum += x->data[row * x->width + j] * at_mlFloat(coefficients, k * x->width + j);
    scores[k] = sum;
  }
}

/* How many rows of coefficients there are, and that there are as many intercepts, or none. */
static int64_t targets_of(const at_onnxCall *c, const at_mlRows *x,
                          const at_mlNumbers *coefficients, const at_mlNumbers *intercepts)
{
  const int64_t count = x->width > 0 ? coefficients->count / x->width : 0;
  if (count < 1 || coefficients->count % x->width != 0 ||
      (intercepts->count > 0 && intercepts->count < count))
    AT_ONNX_FAILS(c, "rows of %lld numbers, %lld coefficients and %lld intercepts do not fit",
                  (long long)x->width, (long long)coefficients->count,
                  (long long)intercepts->count);
  return count;
}

void at_runLinearRegressor(at_onnxCall *c)
{
  const at_mlRows x = at_mlRowsIn(c);
  const at_mlNumbers coefficients = at_mlFloats(c, "coefficients", -1),
                     intercepts = at_mlFloats(c, "intercepts", -1);
  const int64_t count = targets_of(c, &x, &coefficients, &intercepts);
  const at_mlTransform transform = at_mlTransformOf(c);
  double *const scores = at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, count), 0, 2), 8);
  for (int64_t i = 0; i < x.count; i++) {
    products(&x, i, &coefficients, &intercepts, count, scores + i * count);
    at_mlTransformed(transform, scores + i * count, count);
  }
  at_mlGive(c, 0, scores, x.count, count);
}

void at_runLinearClassifier(at_onnxCall *c)
{
  const at_mlRows x = at_mlRowsIn(c);
  const at_mlNumbers coefficients = at_mlFloats(c, "coefficients", -1),
                     intercepts = at_mlFloats(c, "intercepts", -1);
  const at_mlLabels labels = at_mlLabelsOf(c);
  const int64_t count = targets_of(c, &x, &coefficients, &intercepts);
  const bool isOne = count == 1 && labels.count == 2;
  const int64_t shown = count + isOne;
  if (shown > labels.count)
    AT_ONNX_FAILS(c, "it has %lld scores and %lld labels", (long long)shown,
                  (long long)labels.count);
  const at_mlTransform transform = at_mlTransformOf(c);
  double *const scores = at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, shown), 0, 2), 8);
  int64_t *const chosen = at_mlGiveLabels(c, x.count);
  for (int64_t i = 0; i < x.count; i++) {
    double *const own = scores + i * shown;
    products(&x, i, &coefficients, &intercepts, count, own);
    if (isOne)
      at_mlSecondClass(own, false);
    chosen[i] = at_mlLabel(&labels, at_mlLargest(own, shown));
    at_mlTransformed(transform, own, shown);
  }
  at_mlGive(c, 1, scores, x.count, shown);
}

/* --- support vectors --------------------------------------------------------------------------- */

typedef enum Kernel { KERNEL_LINEAR, KERNEL_POLY, KERNEL_RBF, KERNEL_SIGMOID } Kernel;

typedef struct Vectors {
  Kernel kernel;
  double gamma, coefficient, degree;
  int64_t count, width;
  at_mlNumbers vectors, coefficients, rho;
} Vectors;

static Vectors vectors_of(const at_onnxCall *c, int64_t count, int64_t width)
{
  static const char *const names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  const char *const name = at_onnxText(c, "kernel_type", "LINEAR");
  Vectors v = {.kernel = 4, .count = count, .width = width};
  for (int i = 0; i < 4; i++)
    if (!strcmp(name, names[i]))
      v.kernel = (Kernel)i;
  if (v.kernel == 4)
    AT_ONNX_FAILS(c, "kernel_type is '%.40s', which is none of the standard", name);
  if (at_onnxHas(c, "kernel_params")) {
    const at_mlNumbers how = at_mlFloats(c, "kernel_params", 3);
    v.gamma = at_mlFloat(&how, 0);
    v.coefficient = at_mlFloat(&how, 1);
    v.degree = at_mlFloat(&how, 2);
  }
  v.vectors = at_mlFloats(c, "support_vectors",
                          count > 0 ? at_onnxProduct(c, AT_SHAPE(count, width), 0, 2) : -1);
  v.coefficients = at_mlFloats(c, "coefficients", -1);
  v.rho = at_mlFloats(c, "rho", -1);
  return v;
}

static double kernel_of(const Vectors *v, const double *x, const at_mlNumbers *other, int64_t from)
{
  double sum = 0;
  for (int64_t j = 0; j < v->width; j++) {
    const double y = at_mlFloat(other, from + j);
    sum += v->kernel == KERNEL_RBF ? (x[j] - y) * (x[j] - y) : x[j] * y;
  }
  switch (v->kernel) {
    case KERNEL_POLY:
      return pow(v->gamma * sum + v->coefficient, v->degree);
    case KERNEL_RBF:
      return exp(-v->gamma * sum);
    case KERNEL_SIGMOID:
      return tanh(v->gamma * sum + v->coefficient);
    default:
      return sum;
  }
}

void at_runSvmRegressor(at_onnxCall *c)
{
  const at_mlRows x = at_mlRowsIn(c);
  const Vectors v = vectors_of(c, at_onnxInt(c, "n_supports", 0), x.width);
  const at_mlTransform transform = at_mlTransformOf(c);
  if (v.count < 0 || v.coefficients.count != (v.count > 0 ? v.count : x.width) || v.rho.count < 1)
    AT_ONNX_FAILS(c, "%lld support vectors, %lld coefficients and %lld of rho do not fit",
                  (long long)v.count, (long long)v.coefficients.count, (long long)v.rho.count);
  double *const scores = at_mlAlloc(c, x.count, sizeof *scores);
  for (int64_t i = 0; i < x.count; i++) {
    const double *const row = x.data + i * x.width;
    double sum = at_mlFloat(&v.rho, 0);
    for (int64_t k = 0; k < v.count; k++)
      sum += at_mlFloat(&v.coefficients, k) * kernel_of(&v, row, &v.vectors, k * x.width);
    if (v.count == 0)
      sum += kernel_of(&v, row, &v.coefficients, 0);
    scores[i] = sum;
    at_mlTransformed(transform, scores + i, 1);
    if (at_onnxInt(c, "one_class", 0))
      scores[i] = scores[i] > 0 ? 1 : -1;
  }
  at_mlGive(c, 0, scores, x.count, 1);
}

/* The probabilities of classes from those of pairs, by the second method of Wu, Lin and Weng (2004):
 * minimizes the sum over pairs of (r_ji p_i - r_ij p_j)^2. */
static void couple(const double *r, int64_t n, double *q, double *p)
{
  enum { MOST_ROUNDS = 100 };
  const double enough = 0.005 / (double)n;
  for (int64_t i = 0; i < n; i++) {
    p[i] = 1 / (double)n;
    q[i * n + i] = 0;
    for (int64_t j = 0; j < n; j++)
      if (j != i) {
        q[i * n + i] += r[j * n + i] * r[j * n + i];
        q[i * n + j] = -r[j * n + i] * r[i * n + j];
      }
  }
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double all = 0, worst = 0;
    double *const product = q + n * n;
    for (int64_t i = 0; i < n; i++) {
      product[i] = 0;
      for (int64_t j = 0; j < n; j++)
        product[i] += q[i * n + j] * p[j];
      all += p[i] * product[i];
    }
    for (int64_t i = 0; i < n; i++)
      worst = fmax(worst, fabs(product[i] - all));
    if (worst < enough)
      return;
    for (int64_t i = 0; i < n; i++) {
      const double d = (all - product[i]) / q[i * n + i];
      p[i] += d;
      all = (all + d * (d * q[i * n + i] + 2 * product[i])) / ((1 + d) * (1 + d));
      for (int64_t j = 0; j < n; j++) {
        product[j] = (product[j] + d * q[i * n + j]) / (1 + d);
        p[j] /= 1 + d;
      }
    }
  }
}

/* A classifier: vectors of each class, one decision for each pair of classes. */
typedef struct Pairs {
  Vectors v;
  at_mlNumbers perClass, a, b;
  int64_t classes, count;   /* count of pairs */
  double *kernels, *buffer; /* room for classes * (2 * classes + 2) numbers */
} Pairs;

/* The decisions of the pairs for a row, and how often each class wins. */
static void decide(const Pairs *p, const double *row, double *scores, int64_t *votes)
{
  for (int64_t k = 0; k < p->v.count; k++)
    p->kernels[k] = kernel_of(&p->v, row, &p->v.vectors, k * p->v.width);
  int64_t pair = 0, first = 0;
  for (int64_t i = 0; i < p->classes; i++)
    votes[i] = 0;
  for (int64_t i = 0; i < p->classes; i++) {
    const int64_t mine = at_mlInt(&p->perClass, i);
    int64_t second = first + mine;
    for (int64_t j = i + 1; j < p->classes; j++) {
      const int64_t others = at_mlInt(&p->perClass, j);
      double sum = at_mlFloat(&p->v.rho, pair);
      for (int64_t k = first; k < first + mine; k++)
        sum += at_mlFloat(&p->v.coefficients, p->v.count * (j - 1) + k) * p->kernels[k];
      for (int64_t k = second; k < second + others; k++)
        sum += at_mlFloat(&p->v.coefficients, p->v.count * i + k) * p->kernels[k];
      votes[sum > 0 ? i : j]++;
      scores[pair++] = sum;
      second += others;
    }
    first += mine;
  }
}

static void probabilities(const Pairs *p, const double *scores, double *shares)
{
  const double least = 1e-7;
  int64_t pair = 0;
  for (int64_t i = 0; i < p->classes; i++)
    for (int64_t j = i + 1; j < p->classes; j++, pair++) {
      const double at = scores[pair] * at_mlFloat(&p->a, pair) + at_mlFloat(&p->b, pair);
      const double share = fmin(fmax(1 / (1 + exp(at)), least), 1 - least);
      p->buffer[i * p->classes + j] = share;
      p->buffer[j * p->classes + i] = 1 - share;
    }
  couple(p->buffer, p->classes, p->buffer + p->classes * p->classes, shares);
}

static Pairs pairs_of(at_onnxCall *c, const at_mlRows *x)
{
  Pairs p = {.perClass = at_mlInts(c, "vectors_per_class", -1)};
  int64_t total = 0, capacity;
  p.classes = p.perClass.count;
  for (int64_t i = 0; i < p.classes; i++)
    if (at_mlInt(&p.perClass, i) < 0 ||
        __builtin_add_overflow(total, at_mlInt(&p.perClass, i), &total))
      AT_ONNX_FAILS(c, "a class has %lld support vectors", (long long)at_mlInt(&p.perClass, i));
  p.v = vectors_of(c, total, x->width);
  p.count = p.classes > 1 ? p.classes * (p.classes - 1) / 2 : 0;
  p.a = at_mlFloats(c, "prob_a", at_onnxHas(c, "prob_a") ? p.count : 0);
  p.b = at_mlFloats(c, "prob_b", p.a.count);
  if (total < 1 || p.count < 1 || p.v.rho.count < p.count ||
      __builtin_mul_overflow(total, p.classes - 1, &capacity) || p.v.coefficients.count != capacity)
    AT_ONNX_FAILS(c,
                  "%lld support vectors of %lld classes, %lld coefficients and %lld of rho do not "
                  "fit",
                  (long long)total, (long long)p.classes, (long long)p.v.coefficients.count,
                  (long long)p.v.rho.count);
  p.kernels = at_mlAlloc(c, total, sizeof *p.kernels);
  p.buffer = at_mlAlloc(c, p.classes * (2 * p.classes + 2), sizeof *p.buffer);
  return p;
}

/* The class of a model of lines alone: the largest score. */
static void run_lines(at_onnxCall *c, const at_mlRows *x, const at_mlLabels *labels)
{
  const Vectors v = vectors_of(c, 0, x->width);
  if (v.coefficients.count != at_onnxProduct(c, AT_SHAPE(labels->count, x->width), 0, 2) ||
      v.rho.count < 1)
    AT_ONNX_FAILS(c, "%lld labels and %lld coefficients do not fit", (long long)labels->count,
                  (long long)v.coefficients.count);
  double *const scores =
      at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x->count, labels->count), 0, 2), 8);
  int64_t *const chosen = at_mlGiveLabels(c, x->count);
  const at_mlTransform transform = at_mlTransformOf(c);
  for (int64_t i = 0; i < x->count; i++) {
    double *const own = scores + i * labels->count;
    for (int64_t k = 0; k < labels->count; k++)
      own[k] = kernel_of(&v, x->data + i * x->width, &v.coefficients, k * x->width) +
               at_mlFloat(&v.rho, 0);
    chosen[i] = at_mlLabel(labels, at_mlLargest(own, labels->count));
    at_mlTransformed(transform, own, labels->count);
  }
  at_mlGive(c, 1, scores, x->count, labels->count);
}

void at_runSvmClassifier(at_onnxCall *c)
{
  const at_mlRows x = at_mlRowsIn(c);
  const at_mlLabels labels = at_mlLabelsOf(c);
  if (!at_onnxHas(c, "vectors_per_class")) {
    run_lines(c, &x, &labels);
    return;
  }
  const Pairs p = pairs_of(c, &x);
  const bool hasShares = p.a.count > 0;
  if (labels.count != p.classes)
    AT_ONNX_FAILS(c, "it has %lld classes and %lld labels", (long long)p.classes,
                  (long long)labels.count);
  const int64_t shown = hasShares ? p.classes : p.classes == 2 ? 2 : p.count;
  double *const scores = at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, shown), 0, 2), 8),
                *const pairs = at_mlAlloc(c, p.count, sizeof *pairs);
  int64_t *const votes = at_mlAlloc(c, p.classes, sizeof *votes), *const chosen =
                                                                      at_mlGiveLabels(c, x.count);
  const at_mlTransform transform = at_mlTransformOf(c);
  for (int64_t i = 0; i < x.count; i++) {
    double *const own = scores + i * shown;
    int64_t best = 0;
    decide(&p, x.data + i * x.width, pairs, votes);
    for (int64_t k = 1; k < p.classes; k++)
      best = votes[k] > votes[best] ? k : best;
    if (hasShares) {
      probabilities(&p, pairs, own);
      best = p.classes == 2 ? at_mlLargest(own, 2) : best;
    } else {
      memcpy(own, pairs, (size_t)p.count * sizeof *own);
      if (p.classes == 2)
        at_mlSecondClass(own, false);
    }
    chosen[i] = at_mlLabel(&labels, best);
    at_mlTransformed(transform, own, shown);
  }
  at_mlGive(c, 1, scores, x.count, shown);
}
