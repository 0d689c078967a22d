/* Linear models, and those of support vectors. */
#include <math.h>

#include "Ml.h"

/* Rows of coefficients, of which the scores of a row of the input are products. */
typedef struct Linear {
  at_mlFloats coefficients, intercepts;
  at_mlTransform transform;
  at_mlLabels labels; /* of a classifier */
} Linear;

static void products(const Linear *m, const double *row, int64_t width, int64_t count,
                     double *scores)
{
  for (int64_t k = 0; k < count; k++) {
    double sum = m->intercepts.count > 0 ? m->intercepts.data[k] : 0;
    for (int64_t j = 0; j < width; j++)
      sum += row[j] * m->coefficients.data[k * width + j];
    scores[k] = sum;
  }
}

/* How many rows of coefficients there are, and that there are as many intercepts, or none. */
static int64_t targets_of(const at_onnxCall *c, const Linear *m, int64_t width)
{
  const int64_t count = width > 0 ? m->coefficients.count / width : 0;
  if (count < 1 || m->coefficients.count % width != 0 ||
      (m->intercepts.count > 0 && m->intercepts.count < count))
    AT_ONNX_FAILS(c, "rows of %lld numbers, %lld coefficients and %lld intercepts do not fit",
                  (long long)width, (long long)m->coefficients.count,
                  (long long)m->intercepts.count);
  return count;
}

static Linear *read_linear(const at_mlSource *s)
{
  Linear *const m = at_mlTake(s, 1, sizeof *m);
  m->coefficients = at_mlFloatsOf(s, "coefficients", -1);
  m->intercepts = at_mlFloatsOf(s, "intercepts", -1);
  m->transform = at_mlTransformOf(s);
  if (m->coefficients.count == 0)
    at_mlFails(s, "it has no coefficients");
  return m;
}

const void *at_prepareLinearRegressor(at_names *names, const at_onnxItem *item)
{
  return read_linear(&(at_mlSource){names, item});
}

const void *at_prepareLinearClassifier(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  Linear *const m = read_linear(&s);
  m->labels = at_mlLabelsOf(&s);
  return m;
}

void at_runLinearRegressor(at_onnxCall *c)
{
  const Linear *const m = c->state;
  const at_mlRows x = at_mlRowsIn(c);
  const int64_t count = targets_of(c, m, x.width);
  double *const scores =
      at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, count), 0, 2), sizeof *scores);
  for (int64_t i = 0; i < x.count; i++) {
    products(m, x.data + i * x.width, x.width, count, scores + i * count);
    at_mlTransformed(m->transform, scores + i * count, count);
  }
  at_mlGive(c, 0, scores, x.count, count, AT_FLOAT);
}

void at_runLinearClassifier(at_onnxCall *c)
{
  const Linear *const m = c->state;
  const at_mlRows x = at_mlRowsIn(c);
  const int64_t count = targets_of(c, m, x.width);
  const bool isOne = count == 1 && m->labels.count == 2;
  const int64_t shown = count + isOne;
  if (shown > m->labels.count)
    AT_ONNX_FAILS(c, "it has %lld scores and %lld labels", (long long)shown,
                  (long long)m->labels.count);
  double *const scores =
      at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, shown), 0, 2), sizeof *scores);
  int64_t *const chosen = at_mlGiveLabels(c, x.count);
  for (int64_t i = 0; i < x.count; i++) {
    double *const own = scores + i * shown;
    products(m, x.data + i * x.width, x.width, count, own);
    if (isOne)
      at_mlSecondClass(own, false);
    chosen[i] = at_mlLabel(&m->labels, at_mlLargest(own, shown));
    at_mlTransformed(m->transform, own, shown);
  }
  at_mlGive(c, 1, scores, x.count, shown, AT_FLOAT);
}

/* --- support vectors --------------------------------------------------------------------------- */

typedef enum Kernel { KERNEL_LINEAR, KERNEL_POLY, KERNEL_RBF, KERNEL_SIGMOID } Kernel;

/* Without vectors (of count 0) a model is linear, and coefficients are of columns of the input. */
typedef struct Vectors {
  Kernel kernel;
  double gamma, coefficient, degree;
  int64_t count, width; /* width: that all inputs have to have, if there are vectors */
  at_mlFloats vectors, coefficients, rho;
  at_mlTransform transform;
} Vectors;

static Vectors vectors_of(const at_mlSource *s, int64_t count)
{
  static const char *const names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  Vectors v = {.kernel = (Kernel)at_mlChoice(s, "kernel_type", "LINEAR", names, 4),
               .count = count,
               .transform = at_mlTransformOf(s)};
  if (at_mlHas(s, "kernel_params")) {
    const at_mlFloats how = at_mlFloatsOf(s, "kernel_params", 3);
    v.gamma = how.data[0];
    v.coefficient = how.data[1];
    v.degree = how.data[2];
  }
  v.vectors = at_mlFloatsOf(s, "support_vectors", -1);
  v.coefficients = at_mlFloatsOf(s, "coefficients", -1);
  v.rho = at_mlFloatsOf(s, "rho", -1);
  v.width = count > 0 ? v.vectors.count / count : 0;
  if (count < 0 || v.rho.count < 1 || (count > 0 && v.vectors.count % count != 0))
    at_mlFails(s, "%lld support vectors of %lld numbers and %lld of rho do not fit",
               (long long)count, (long long)v.vectors.count, (long long)v.rho.count);
  return v;
}

/* The rows of the input, which are as wide as the vectors, or as the coefficients of each target. */
static at_mlRows rows_for(const at_onnxCall *c, const Vectors *v, int64_t targets)
{
  const at_mlRows x = at_mlRowsIn(c);
  const bool fits =
      v->count > 0 ? v->width == x.width
                   : v->coefficients.count == at_onnxProduct(c, AT_SHAPE(targets, x.width), 0, 2);
  if (!fits)
    AT_ONNX_FAILS(c, "rows of %lld numbers and support vectors of %lld do not fit",
                  (long long)x.width,
                  (long long)(v->count > 0 ? v->width : v->coefficients.count / targets));
  return x;
}

static double kernel_of(const Vectors *v, const double *x, const double *other, int64_t width)
{
  double sum = 0;
  for (int64_t j = 0; j < width; j++)
    sum += v->kernel == KERNEL_RBF ? (x[j] - other[j]) * (x[j] - other[j]) : x[j] * other[j];
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

typedef struct Regressor {
  Vectors v;
  bool isOneClass;
} Regressor;

const void *at_prepareSvmRegressor(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  Regressor *const m = at_mlTake(&s, 1, sizeof *m);
  m->v = vectors_of(&s, at_mlInt(&s, "n_supports", 0));
  m->isOneClass = at_mlInt(&s, "one_class", 0) != 0;
  if (m->v.count > 0 && m->v.coefficients.count != m->v.count)
    at_mlFails(&s, "%lld support vectors and %lld coefficients do not fit", (long long)m->v.count,
               (long long)m->v.coefficients.count);
  return m;
}

void at_runSvmRegressor(at_onnxCall *c)
{
  const Regressor *const m = c->state;
  const Vectors *const v = &m->v;
  const at_mlRows x = rows_for(c, v, 1);
  double *const scores = at_mlAlloc(c, x.count, sizeof *scores);
  for (int64_t i = 0; i < x.count; i++) {
    const double *const row = x.data + i * x.width;
    double sum = v->rho.data[0];
    for (int64_t k = 0; k < v->count; k++)
      sum += v->coefficients.data[k] * kernel_of(v, row, v->vectors.data + k * v->width, v->width);
    if (v->count == 0)
      sum += kernel_of(v, row, v->coefficients.data, x.width);
    scores[i] = sum;
    at_mlTransformed(v->transform, scores + i, 1);
    if (m->isOneClass)
      scores[i] = scores[i] > 0 ? 1 : -1;
  }
  at_mlGive(c, 0, scores, x.count, 1, AT_FLOAT);
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
  at_mlLabels labels;
  at_mlInts perClass;
  at_mlFloats a, b;
  int64_t classes, count; /* count of pairs; classes 0: linear, one score for each label */
} Pairs;

/* Scratch memory for a row of the input. */
typedef struct Scratch {
  double *kernels, *pairs;
  double *buffer; /* for classes * (2 * classes + 2) numbers */
  int64_t *votes;
} Scratch;

/* The decisions of the pairs for a row, and how often each class wins. */
static void decide(const Pairs *p, const double *row, const Scratch *scratch)
{
  const double *const coefficients = p->v.coefficients.data;
  for (int64_t k = 0; k < p->v.count; k++)
    scratch->kernels[k] = kernel_of(&p->v, row, p->v.vectors.data + k * p->v.width, p->v.width);
  int64_t pair = 0, first = 0;
  for (int64_t i = 0; i < p->classes; i++)
    scratch->votes[i] = 0;
  for (int64_t i = 0; i < p->classes; i++) {
    const int64_t mine = p->perClass.data[i];
    int64_t second = first + mine;
    for (int64_t j = i + 1; j < p->classes; j++) {
      const int64_t others = p->perClass.data[j];
      double sum = p->v.rho.data[pair];
      for (int64_t k = first; k < first + mine; k++)
        sum += coefficients[p->v.count * (j - 1) + k] * scratch->kernels[k];
      for (int64_t k = second; k < second + others; k++)
        sum += coefficients[p->v.count * i + k] * scratch->kernels[k];
      scratch->votes[sum > 0 ? i : j]++;
      scratch->pairs[pair++] = sum;
      second += others;
    }
    first += mine;
  }
}

static void probabilities(const Pairs *p, const Scratch *scratch, double *shares)
{
  const double least = 1e-7;
  int64_t pair = 0;
  for (int64_t i = 0; i < p->classes; i++)
    for (int64_t j = i + 1; j < p->classes; j++, pair++) {
      const double at = scratch->pairs[pair] * p->a.data[pair] + p->b.data[pair];
      const double share = fmin(fmax(1 / (1 + exp(at)), least), 1 - least);
      scratch->buffer[i * p->classes + j] = share;
      scratch->buffer[j * p->classes + i] = 1 - share;
    }
  couple(scratch->buffer, p->classes, scratch->buffer + p->classes * p->classes, shares);
}

static void read_pairs(const at_mlSource *s, Pairs *p)
{
  int64_t total = 0, needed;
  p->perClass = at_mlIntsOf(s, "vectors_per_class", -1);
  p->classes = p->perClass.count;
  for (int64_t i = 0; i < p->classes; i++)
    if (p->perClass.data[i] < 0 || __builtin_add_overflow(total, p->perClass.data[i], &total))
      at_mlFails(s, "a class has %lld support vectors", (long long)p->perClass.data[i]);
  p->v = vectors_of(s, total);
  p->count = p->classes > 1 ? p->classes * (p->classes - 1) / 2 : 0;
  p->a = at_mlFloatsOf(s, "prob_a", at_mlHas(s, "prob_a") ? p->count : 0);
  p->b = at_mlFloatsOf(s, "prob_b", p->a.count);
  if (total < 1 || p->count < 1 || p->v.rho.count < p->count ||
      __builtin_mul_overflow(total, p->classes - 1, &needed) || p->v.coefficients.count != needed)
    at_mlFails(s,
               "%lld support vectors of %lld classes, %lld coefficients and %lld of rho do not fit",
               (long long)total, (long long)p->classes, (long long)p->v.coefficients.count,
               (long long)p->v.rho.count);
  if (p->labels.count != p->classes)
    at_mlFails(s, "it has %lld classes and %lld labels", (long long)p->classes,
               (long long)p->labels.count);
}

const void *at_prepareSvmClassifier(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  Pairs *const p = at_mlTake(&s, 1, sizeof *p);
  p->labels = at_mlLabelsOf(&s);
  if (at_mlHas(&s, "vectors_per_class"))
    read_pairs(&s, p);
  else
    p->v = vectors_of(&s, 0);
  return p;
}

/* The class of a model of lines alone: the largest score. */
static void run_lines(at_onnxCall *c, const Pairs *p)
{
  const int64_t count = p->labels.count;
  const at_mlRows x = rows_for(c, &p->v, count);
  double *const scores =
      at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, count), 0, 2), sizeof *scores);
  int64_t *const chosen = at_mlGiveLabels(c, x.count);
  for (int64_t i = 0; i < x.count; i++) {
    double *const own = scores + i * count;
    for (int64_t k = 0; k < count; k++)
      own[k] =
          kernel_of(&p->v, x.data + i * x.width, p->v.coefficients.data + k * x.width, x.width) +
          p->v.rho.data[0];
    chosen[i] = at_mlLabel(&p->labels, at_mlLargest(own, count));
    at_mlTransformed(p->v.transform, own, count);
  }
  at_mlGive(c, 1, scores, x.count, count, AT_FLOAT);
}

static Scratch new_scratch(const at_onnxCall *c, const Pairs *p)
{
  const int64_t square = at_onnxProduct(c, AT_SHAPE(p->classes, 2 * p->classes + 2), 0, 2);
  return (Scratch){.kernels = at_mlAlloc(c, p->v.count, sizeof(double)),
                   .pairs = at_mlAlloc(c, p->count, sizeof(double)),
                   .buffer = at_mlAlloc(c, square, sizeof(double)),
                   .votes = at_mlAlloc(c, p->classes, sizeof(int64_t))};
}

void at_runSvmClassifier(at_onnxCall *c)
{
  const Pairs *const p = c->state;
  if (p->classes == 0) {
    run_lines(c, p);
    return;
  }
  const at_mlRows x = rows_for(c, &p->v, 1);
  const bool hasShares = p->a.count > 0;
  const int64_t shown = hasShares ? p->classes : p->classes == 2 ? 2 : p->count;
  const Scratch scratch = new_scratch(c, p);
  double *const scores =
      at_mlAlloc(c, at_onnxProduct(c, AT_SHAPE(x.count, shown), 0, 2), sizeof *scores);
  int64_t *const chosen = at_mlGiveLabels(c, x.count);
  for (int64_t i = 0; i < x.count; i++) {
    double *const own = scores + i * shown;
    int64_t best = 0;
    decide(p, x.data + i * x.width, &scratch);
    for (int64_t k = 1; k < p->classes; k++)
      best = scratch.votes[k] > scratch.votes[best] ? k : best;
    if (hasShares) {
      probabilities(p, &scratch, own);
      best = p->classes == 2 ? at_mlLargest(own, 2) : best;
    } else {
      memcpy(own, scratch.pairs, (size_t)p->count * sizeof *own);
      if (p->classes == 2)
        at_mlSecondClass(own, false);
    }
    chosen[i] = at_mlLabel(&p->labels, best);
    at_mlTransformed(p->v.transform, own, shown);
  }
  at_mlGive(c, 1, scores, x.count, shown, AT_FLOAT);
}
