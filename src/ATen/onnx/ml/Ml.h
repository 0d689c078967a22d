/* Operators of ai.onnx.ml: models of scikit-learn and of gradient boosting.  (github.com/onnx/onnx:
 * docs/Operators-ml.md) */
#ifndef ATEN_ONNX_ML_H
#define ATEN_ONNX_ML_H

#include "../Runs.h"

/* The input as contiguous rows of Double; a vector is one row. */
typedef struct at_mlRows {
  int64_t count, width;
  const double *data;
} at_mlRows;
at_mlRows at_mlRowsIn(const at_onnxCall *call);

/* Numbers of an attribute, of any length: a list, or a tensor whose name ends in _as_tensor.  Raises if they
 * are not count, unless that is negative. */
typedef struct at_mlNumbers {
  int64_t count;         /* 0 if it is not given */
  const at_part *parts;  /* of a list, */
  const double *doubles; /* or of a tensor */
} at_mlNumbers;
at_mlNumbers at_mlFloats(const at_onnxCall *call, const char *name, int64_t count);
at_mlNumbers at_mlInts(const at_onnxCall *call, const char *name, int64_t count);

static inline double at_mlFloat(const at_mlNumbers *numbers, int64_t i)
{
  return numbers->doubles ? numbers->doubles[i] : numbers->parts[i].constant.is.number;
}

static inline int64_t at_mlInt(const at_mlNumbers *numbers, int64_t i)
{
  return numbers->doubles ? (int64_t)numbers->doubles[i] : numbers->parts[i].constant.is.integer;
}

/* Memory for count elements until the end of the call. */
void *at_mlAlloc(const at_onnxCall *call, int64_t count, size_t size);

/* --- scores ------------------------------------------------------------------------------------ */

typedef enum at_mlTransform {
  AT_ML_NONE,
  AT_ML_LOGISTIC,
  AT_ML_SOFTMAX,
  AT_ML_SOFTMAX_ZERO, /* numbers that are 0 stay 0 */
  AT_ML_PROBIT
} at_mlTransform;
at_mlTransform at_mlTransformOf(const at_onnxCall *call);

/* What the attribute post_transform makes of the scores of a row, in place. */
void at_mlTransformed(at_mlTransform kind, double *scores, int64_t count);

/* The labels of a classifier: numbers, or texts, which are counted from 0 here. */
typedef struct at_mlLabels {
  int64_t count;
  at_mlNumbers numbers; /* of count 0 if they are texts */
} at_mlLabels;
at_mlLabels at_mlLabelsOf(const at_onnxCall *call);
int64_t at_mlLabel(const at_mlLabels *labels, int64_t index);
int64_t at_mlLargest(const double *scores, int64_t count);

/* Gives rows of scores as Float. */
void at_mlGive(const at_onnxCall *call, int index, const double *scores, int64_t rows,
               int64_t count);

/* New labels for rows, which the call gives first. */
int64_t *at_mlGiveLabels(const at_onnxCall *call, int64_t rows);

/* What two classes of which one has a score are written as: 1 - p and p, or -s and s. */
void at_mlSecondClass(double *scores, bool isShare);

#endif
