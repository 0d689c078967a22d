/* What prepares the numbers of a model of ai.onnx.ml: scales, categories, missing values. */
#include <math.h>

#include "Ml.h"

/* Numbers as a tensor: one, or one for each column of width. */
static at_tensor *columns_of(const at_onnxCall *c, const at_mlFloats *numbers, double otherwise,
                             int64_t width)
{
  const int64_t count = THMax(1, numbers->count);
  if (count != 1 && count != width)
    AT_ONNX_FAILS(c, "it has %lld numbers for %lld columns", (long long)count, (long long)width);
  at_tensor *const made = at_full(AT_SHAPE(count), otherwise, .type = at_cpuType(AT_DOUBLE));
  if (at_defined(made) && numbers->count > 0)
    memcpy(at_hostData(made), numbers->data, (size_t)count * sizeof *numbers->data);
  return made;
}

/* Integers as a tensor. */
static at_tensor *integers_of(const at_mlInts *numbers)
{
  at_tensor *const made = at_empty(AT_SHAPE(numbers->count), .type = at_cpuType(AT_LONG));
  if (at_defined(made) && numbers->count > 0)
    memcpy(at_hostData(made), numbers->data, (size_t)numbers->count * sizeof *numbers->data);
  return made;
}

static int64_t width_of(const at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  if (at_dim(x) == 0)
    AT_ONNX_FAILS(c, "the input has no dimensions");
  return at_size(x, at_dim(x) - 1);
}

typedef struct Scaler {
  at_mlFloats offset, scale;
} Scaler;

const void *at_prepareScaler(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  Scaler *const m = at_mlTake(&s, 1, sizeof *m);
  *m = (Scaler){at_mlFloatsOf(&s, "offset", -1), at_mlFloatsOf(&s, "scale", -1)};
  return m;
}

void at_runScaler(at_onnxCall *c)
{
  const Scaler *const m = c->state;
  const int64_t width = width_of(c);
  at_tensor *const x = at_to(at_onnxInput(c, 0), at_cpuType(AT_DOUBLE));
  at_tensor *const scaled =
      at_mul(at_sub(x, columns_of(c, &m->offset, 0, width)), columns_of(c, &m->scale, 1, width));
  at_onnxGive(c, 0, at_to(scaled, at_cpuType(AT_FLOAT)));
}

void at_runBinarizer(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  at_onnxGive(c, 0, at_to(at_gt(x, at_onnxFloat(c, "threshold", 0)), x->type));
}

/* A row of zeros stays as it is. */
void at_runNormalizer(at_onnxCall *c)
{
  const char *const norm = at_onnxText(c, "norm", "MAX");
  const double p = !strcmp(norm, "L1") ? 1 : !strcmp(norm, "L2") ? 2 : INFINITY;
  if (p == INFINITY && strcmp(norm, "MAX") != 0)
    AT_ONNX_FAILS(c, "norm is '%.40s', which is none of MAX, L1 and L2", norm);
  width_of(c);
  at_tensor *const x = at_to(at_onnxInput(c, 0), at_cpuType(AT_FLOAT));
  at_tensor *const size = at_linalg_vector_norm(x, .ord = p, .dim = AT_INTS(-1), .keepdim = true);
  at_onnxGive(c, 0, at_div(x, at_masked_fill(size, at_eq(size, 0), 1)));
}

typedef struct Imputer {
  at_mlFloats floats;
  at_mlInts integers; /* if there are no floats */
  double missing;
  int64_t missingInteger;
} Imputer;

const void *at_prepareImputer(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  Imputer *const m = at_mlTake(&s, 1, sizeof *m);
  *m = (Imputer){
      at_mlFloatsOf(&s, "imputed_value_floats", -1), at_mlIntsOf(&s, "imputed_value_int64s", -1),
      at_mlFloat(&s, "replaced_value_float", 0), at_mlInt(&s, "replaced_value_int64", 0)};
  if (m->floats.count == 0 && m->integers.count == 0)
    at_mlFails(&s, "it has no numbers to put in place of others");
  return m;
}

/* Replaces a number that stands for missing ones. */
void at_runImputer(at_onnxCall *c)
{
  const Imputer *const m = c->state;
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t width = width_of(c);
  at_tensor *fill;
  at_tensor *mask;
  if (m->floats.count > 0) {
    fill = columns_of(c, &m->floats, 0, width);
    mask = isnan(m->missing) ? at_isnan(x) : at_eq(x, m->missing);
  } else {
    if (m->integers.count != 1 && m->integers.count != width)
      AT_ONNX_FAILS(c, "it puts %lld numbers in %lld columns", (long long)m->integers.count,
                    (long long)width);
    fill = integers_of(&m->integers);
    mask = at_eq(x, m->missingInteger);
  }
  at_onnxGive(c, 0, at_where(mask, at_to(fill, x->type), x));
}

typedef struct OneHot {
  at_mlInts categories;
  bool isZero; /* what is none of them is a row of zeros */
} OneHot;

const void *at_prepareOneHotEncoder(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  OneHot *const m = at_mlTake(&s, 1, sizeof *m);
  if (at_mlHas(&s, "cats_strings"))
    at_mlFails(&s, "its categories are texts, which are no tensors");
  *m = (OneHot){at_mlIntsOf(&s, "cats_int64s", -1), at_mlInt(&s, "zeros", 1) != 0};
  return m;
}

void at_runOneHotEncoder(at_onnxCall *c)
{
  const OneHot *const m = c->state;
  at_tensor *const x = at_to(at_onnxInput(c, 0), at_cpuType(AT_LONG));
  at_tensor *const hits = at_eq(at_unsqueeze(x, -1), integers_of(&m->categories));
  if (at_defined(hits) && !m->isZero && !at_item_long(at_all(at_any_dim(hits, AT_INTS(-1)))))
    AT_ONNX_FAILS(c, "a number is none of its %lld categories", (long long)m->categories.count);
  at_onnxGive(c, 0, at_to(hits, at_cpuType(AT_FLOAT)));
}

/* Elements of the last dimension. */
void at_runFeatureExtractor(at_onnxCall *c)
{
  at_tensor *x = at_onnxInput(c, 0);
  width_of(c);
  if (at_dim(x) == 1)
    x = at_unsqueeze(x, 0);
  at_tensor *const index = at_flatten(at_to(at_onnxInput(c, 1), at_cpuType(AT_LONG)));
  at_onnxGive(c, 0, at_index_select(x, -1, index));
}

void at_runFeatureVectorizer(at_onnxCall *c)
{
  at_tensor *joined = NULL;
  for (int i = 0; i < c->inputCount; i++) {
    at_tensor *t = at_to(at_onnxInput(c, i), at_cpuType(AT_FLOAT));
    t = at_defined(t) && at_dim(t) == 1 ? at_unsqueeze(t, -1) : t;
    joined = joined ? at_cat(AT_TENSORS(joined, t), .dim = 1) : t;
  }
  if (!joined)
    AT_ONNX_FAILS(c, "it has no inputs");
  at_onnxGive(c, 0, joined);
}
