/* What models of ai.onnx.ml have in common: rows, numbers of attributes, scores and labels. */
#include <math.h>

#include "Ml.h"

/* --- what is read ------------------------------------------------------------------------------ */

at_mlRows at_mlRowsIn(const at_onnxCall *c)
{
  at_tensor *const x = at_onnxPlain(c, at_onnxInput(c, 0), AT_DOUBLE);
  const int dims = at_dim(x);
  if (dims != 1 && dims != 2)
    AT_ONNX_FAILS(c, "the input is of size %s, and has to be rows of numbers",
                  at_sizeDesc(at_sizes(x)).str);
  return (at_mlRows){dims == 2 ? at_size(x, 0) : 1, at_size(x, dims - 1), at_hostData(x)};
}

static at_mlNumbers numbers_of(const at_onnxCall *c, const char *name, int64_t count,
                               at_cellKind number)
{
  enum { MOST_NAME = 64 };
  char other[MOST_NAME];
  snprintf(other, sizeof other, "%s_as_tensor", name);
  at_tensor *const t = at_onnxTensorOf(c, at_onnxHas(c, name) ? name : other);
  at_mlNumbers made = {0};
  if (t) {
    made.count = at_numel(t);
    made.doubles = at_hostData(at_onnxPlain(c, t, AT_DOUBLE));
  } else {
    const at_given *const given = at_onnxNumbers(c, name, number);
    made.count = given ? given->count : 0;
    made.parts = given ? given->parts : NULL;
  }
  if (count >= 0 && made.count != count)
    AT_ONNX_FAILS(c, "%s has %lld numbers, and has to have %lld", name, (long long)made.count,
                  (long long)count);
  return made;
}

at_mlNumbers at_mlFloats(const at_onnxCall *c, const char *name, int64_t count)
{
  return numbers_of(c, name, count, AT_CELL_FLOAT);
}

at_mlNumbers at_mlInts(const at_onnxCall *c, const char *name, int64_t count)
{
  return numbers_of(c, name, count, AT_CELL_INT);
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

at_mlTransform at_mlTransformOf(const at_onnxCall *c)
{
  static const char *const names[] = {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"};
  const char *const name = at_onnxText(c, "post_transform", "NONE");
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
    if (!strcmp(name, names[i]))
      return (at_mlTransform)i;
  AT_ONNX_FAILS(c, "post_transform is '%.40s', which is none of the standard", name);
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

void at_mlGive(const at_onnxCall *c, int index, const double *scores, int64_t rows, int64_t count)
{
  at_tensor *const made = at_empty(AT_SHAPE(rows, count), .type = at_cpuType(AT_FLOAT));
  float *const to = at_defined(made) ? at_hostData(made) : NULL;
  for (int64_t i = 0; to && i < rows * count; i++)
    to[i] = (float)scores[i];
  at_onnxGive(c, index, made);
}

/* --- labels ------------------------------------------------------------------------------------ */

at_mlLabels at_mlLabelsOf(const at_onnxCall *c)
{
  const char *const name =
      at_onnxHas(c, "classlabels_int64s") ? "classlabels_int64s" : "classlabels_ints";
  at_mlLabels labels = {.numbers = at_mlInts(c, name, -1)};
  labels.count = labels.numbers.count;
  if (labels.count == 0)
    labels.count = at_onnxTextsOf(c, "classlabels_strings").count;
  if (labels.count == 0)
    AT_ONNX_FAILS(c, "it has no labels");
  return labels;
}

int64_t at_mlLabel(const at_mlLabels *labels, int64_t index)
{
  return labels->numbers.count > 0 ? at_mlInt(&labels->numbers, index) : index;
}

int64_t *at_mlGiveLabels(const at_onnxCall *c, int64_t rows)
{
  at_tensor *const made = at_empty(AT_SHAPE(rows), .type = at_cpuType(AT_LONG));
  at_onnxGive(c, 0, made);
  return at_hostData(made);
}
