/* What models of ai.onnx.ml have in common: rows, scores and labels. */
#include <math.h>

#include "Ml.h"

/* --- rows -------------------------------------------------------------------------------------- */

at_mlRows at_mlRowsIn(const at_onnxCall *c)
{
  at_tensor *const x = at_onnxPlain(c, at_onnxInput(c, 0), AT_DOUBLE);
  const int dims = at_dim(x);
  if (dims != 1 && dims != 2)
    AT_ONNX_FAILS(c, "the input is of size %s, and has to be rows of numbers",
                  at_sizeDesc(at_sizes(x)).str);
  return (at_mlRows){dims == 2 ? at_size(x, 0) : 1, at_size(x, dims - 1), at_hostData(x)};
}

void *at_mlAlloc(const at_onnxCall *c, int64_t count, size_t size)
{
  int64_t bytes;
  if (__builtin_mul_overflow(count, (int64_t)size, &bytes))
    AT_ONNX_FAILS(c, "there is no memory for %lld elements", (long long)count);
  at_tensor *const t = at_zeros(AT_SHAPE(bytes), .type = at_cpuType(AT_BYTE));
  if (!at_defined(t))
    AT_ONNX_FAILS(c, "there is no memory for %lld bytes", (long long)bytes);
  return at_hostData(t);
}

/* --- scores ------------------------------------------------------------------------------------ */

at_mlTransform at_mlTransformOf(const at_mlSource *s)
{
  static const char *const names[] = {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"};
  return (at_mlTransform)at_mlChoice(s, "post_transform", "NONE", names,
                                     (int)(sizeof names / sizeof *names));
}

static double logistic(double x)
{
  return 1 / (1 + exp(-x));
}

/* The inverse of the normal distribution: sqrt(2) erfinv(2 x - 1), with Winitzki's erfinv. */
static double probit(double x)
{
  const double y = 2 * x - 1, l = log((1 - y) * (1 + y)), a = 2 / (M_PI * 0.147) + l / 2;
  return M_SQRT2 * copysign(sqrt(sqrt(a * a - l / 0.147) - a), y);
}

static void softmax(double *scores, int64_t count, bool keepsZeros)
{
  double most = -INFINITY, sum = 0;
  for (int64_t i = 0; i < count; i++)
    most = fmax(most, scores[i]);
  for (int64_t i = 0; i < count; i++)
    if (!keepsZeros || fabs(scores[i]) > 0.0000001)
      sum += scores[i] = exp(scores[i] - most);
    else
      scores[i] *= exp(-most);
  for (int64_t i = 0; i < count; i++)
    scores[i] /= sum;
}

void at_mlTransformed(at_mlTransform kind, double *scores, int64_t count)
{
  if (kind == AT_ML_SOFTMAX || kind == AT_ML_SOFTMAX_ZERO)
    softmax(scores, count, kind == AT_ML_SOFTMAX_ZERO);
  for (int64_t i = 0; i < count; i++)
    if (kind == AT_ML_LOGISTIC)
      scores[i] = logistic(scores[i]);
    else if (kind == AT_ML_PROBIT)
      scores[i] = probit(scores[i]);
}

int64_t at_mlLargest(const double *scores, int64_t count)
{
  int64_t best = 0;
  for (int64_t i = 1; i < count; i++)
    if (scores[i] > scores[best])
      best = i;
  return best;
}

void at_mlSecondClass(double *scores, bool isShare)
{
  scores[1] = scores[0];
  scores[0] = isShare ? 1 - scores[1] : -scores[1];
}

void at_mlGive(const at_onnxCall *c, int index, const double *scores, int64_t rows, int64_t count,
               at_scalar_type type)
{
  const int64_t all = at_onnxProduct(c, AT_SHAPE(rows, count), 0, 2);
  at_tensor *const made = at_empty(AT_SHAPE(rows, count), .type = at_cpuType(AT_DOUBLE));
  if (at_defined(made) && all > 0)
    memcpy(at_hostData(made), scores, (size_t)all * sizeof *scores);
  at_onnxGive(c, index, at_to(made, at_cpuType(type)));
}

/* --- labels ------------------------------------------------------------------------------------ */

at_mlLabels at_mlLabelsOf(const at_mlSource *s)
{
  const at_mlInts numbers =
      at_mlIntsOf(s, at_mlHas(s, "classlabels_int64s") ? "classlabels_int64s" : "classlabels_ints",
                  -1);
  const int64_t count =
      numbers.count > 0 ? numbers.count : at_mlTextsOf(s, "classlabels_strings").count;
  if (count == 0)
    at_mlFails(s, "it has no labels");
  return (at_mlLabels){count, numbers.count > 0 ? numbers.data : NULL};
}

int64_t at_mlLabel(const at_mlLabels *labels, int64_t index)
{
  return labels->numbers ? labels->numbers[index] : index;
}

int64_t *at_mlGiveLabels(const at_onnxCall *c, int64_t rows)
{
  at_tensor *const made = at_empty(AT_SHAPE(rows), .type = at_cpuType(AT_LONG));
  at_onnxGive(c, 0, made);
  return at_hostData(made);
}
