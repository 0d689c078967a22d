/* What prepares the numbers of a model of ai.onnx.ml: scales, categories, missing values. */
#include <math.h>

#include "Ml.h"

/* Numbers of an attribute as a tensor: one, or one for each column of width. */
static at_tensor *columns_of(const at_onnxCall *c, const char *name, double otherwise,
                             int64_t width)
{
  const at_mlNumbers numbers = at_mlFloats(c, name, -1);
  const int64_t count = numbers.count > 0 ? numbers.count : 1;
  if (count != 1 && count != width)
    AT_ONNX_FAILS(c, "%s has %lld numbers for %lld columns", name, (long long)count,
                  (long long)width);
  at_tensor *const made = at_empty(AT_SHAPE(count), .type = at_cpuType(AT_DOUBLE));
  double *const to = at_defined(made) ? at_hostData(made) : NULL;
  for (int64_t i = 0; to && i < count; i++)
    to[i] = numbers.count > 0 ? at_mlFloat(&numbers, i) : otherwise;
  return made;
}

static int64_t width_of(const at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  if (at_dim(x) == 0)
    AT_ONNX_FAILS(c, "the input has no dimensions");
  return at_size(x, at_dim(x) - 1);
}

void at_runScaler(at_onnxCall *c)
{
  const int64_t width = width_of(c);
  at_tensor *const x = at_to(at_onnxInput(c, 0), at_cpuType(AT_DOUBLE));
  at_tensor *const scaled =
      at_mul(at_sub(x, columns_of(c, "offset", 0, width)), columns_of(c, "scale", 1, width));
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

/* Replaces a number that stands for missing ones. */
void at_runImputer(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const int64_t width = width_of(c);
  const bool isFloat = at_onnxHas(c, "imputed_value_floats");
  at_tensor *fill;
  at_tensor *mask;
  if (isFloat) {
    const double missing = at_onnxFloat(c, "replaced_value_float", 0);
    fill = columns_of(c, "imputed_value_floats", 0, width);
    mask = isnan(missing) ? at_isnan(x) : at_eq(x, missing);
  } else {
    const at_mlNumbers numbers = at_mlInts(c, "imputed_value_int64s", -1);
    if (numbers.count != 1 && numbers.count != width)
      AT_ONNX_FAILS(c, "it puts %lld numbers in %lld columns", (long long)numbers.count,
                    (long long)width);
    fill = at_empty(AT_SHAPE(numbers.count), .type = at_cpuType(AT_LONG));
    int64_t *const to = at_defined(fill) ? at_hostData(fill) : NULL;
    for (int64_t i = 0; to && i < numbers.count; i++)
      to[i] = at_mlInt(&numbers, i);
    mask = at_eq(x, at_onnxInt(c, "replaced_value_int64", 0));
  }
  at_onnxGive(c, 0, at_where(mask, at_to(fill, x->type), x));
}

void at_runOneHotEncoder(at_onnxCall *c)
{
  if (at_onnxHas(c, "cats_strings"))
    AT_ONNX_FAILS(c, "its categories are texts, which are no tensors");
  const at_mlNumbers categories = at_mlInts(c, "cats_int64s", -1);
  at_tensor *const x = at_to(at_onnxInput(c, 0), at_cpuType(AT_LONG));
  at_tensor *const all = at_empty(AT_SHAPE(categories.count), .type = at_cpuType(AT_LONG));
  int64_t *const to = at_defined(all) ? at_hostData(all) : NULL;
  for (int64_t i = 0; to && i < categories.count; i++)
    to[i] = at_mlInt(&categories, i);
  at_tensor *const hits = at_eq(at_unsqueeze(x, -1), all);
  if (at_defined(hits) && !at_onnxInt(c, "zeros", 1) &&
      !at_item_long(at_all(at_any_dim(hits, AT_INTS(-1)))))
    AT_ONNX_FAILS(c, "a number is none of its %lld categories", (long long)categories.count);
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

/* Numbers, or the positions of texts in the list of them, instead of others. */
void at_runLabelEncoder(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const bool fromFloats = at_onnxHas(c, "keys_floats"), toFloats = at_onnxHas(c, "values_floats"),
             isTensor = at_onnxHas(c, "keys_tensor");
  const char *const from = isTensor     ? "keys_tensor"
                           : fromFloats ? "keys_floats"
                                        : "keys_int64s",
                    *const to = isTensor   ? "values_tensor"
                                : toFloats ? "values_floats"
                                           : "values_int64s";
  const at_mlNumbers keys = fromFloats ? at_mlFloats(c, from, -1) : at_mlInts(c, from, -1);
  if (keys.count == 0 || (!isTensor && at_onnxHas(c, "values_strings")))
    AT_ONNX_FAILS(c, "its keys or values are texts, which are no tensors");
  const at_mlNumbers values =
      toFloats ? at_mlFloats(c, to, keys.count) : at_mlInts(c, to, keys.count);
  const at_mlNumbers other = at_mlFloats(c, "default_tensor", isTensor ? 1 : -1);
  const double otherwise = isTensor   ? at_mlFloat(&other, 0)
                           : toFloats ? at_onnxFloat(c, "default_float", 0)
                                      : (double)at_onnxInt(c, "default_int64", -1);
  at_tensor *const wide = at_to(x, at_cpuType(fromFloats || isTensor ? AT_DOUBLE : AT_LONG));
  at_tensor *made = at_full_like(at_to(x, at_cpuType(AT_DOUBLE)), otherwise);
  at_tensor *const plain = at_contiguous(wide);
  if (!at_defined(made) || !at_defined(plain))
    AT_ONNX_FAILS(c, "it failed");
  double *const result = at_hostData(made);
  for (int64_t i = 0; i < at_numel(plain); i++)
    for (int64_t k = keys.count; k-- > 0;) {
      const double number = fromFloats || isTensor ? ((const double *)at_hostData(plain))[i] : 0;
      const bool isEqual =
          fromFloats || isTensor
              ? number == at_mlFloat(&keys, k) || (isnan(number) && isnan(at_mlFloat(&keys, k)))
              : ((const int64_t *)at_hostData(plain))[i] == at_mlInt(&keys, k);
      if (isEqual)
        result[i] = toFloats || isTensor ? at_mlFloat(&values, k) : (double)at_mlInt(&values, k);
    }
  const at_tensor *const sample = isTensor ? at_onnxTensorOf(c, to) : NULL;
  at_onnxGive(c, 0,
              at_to(made, sample     ? sample->type
                          : toFloats ? at_cpuType(AT_FLOAT)
                                     : at_cpuType(AT_LONG)));
}
