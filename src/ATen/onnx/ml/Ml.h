/* Operators of ai.onnx.ml, and TfIdfVectorizer: models of scikit-learn and of gradient boosting.
 * (github.com/onnx/onnx: docs/Operators-ml.md)
 *
 * Each has a table that is read and checked once, when the program is loaded: at_prepare... makes the
 * state of the node, which at_run... uses. */
#ifndef ATEN_ONNX_ML_H
#define ATEN_ONNX_ML_H

#include "../Runs.h"

/* --- what is read ------------------------------------------------------------------------------ */

/* A node of the file that is being read. */
typedef struct at_mlSource {
  at_names *names;
  const at_onnxItem *item;
} at_mlSource;

/* Raises, with the name of the operator. */
TH_NO_RETURN void at_mlFails(const at_mlSource *source, const char *format, ...)
    TH_PRINTF_LIKE(2, 3);

bool at_mlHas(const at_mlSource *source, const char *name);
int64_t at_mlInt(const at_mlSource *source, const char *name, int64_t otherwise);
double at_mlFloat(const at_mlSource *source, const char *name, double otherwise);

/* Which of count names a text is; raises if it is none. */
int at_mlChoice(const at_mlSource *source, const char *name, const char *otherwise,
                const char *const *names, int count);

/* Numbers of an attribute: a list, or a tensor, whose name may end in _as_tensor. */
typedef struct at_mlFloats {
  int64_t count; /* 0 if it is not given */
  const double *data;
} at_mlFloats;
typedef struct at_mlInts {
  int64_t count;
  const int64_t *data;
} at_mlInts;

/* Raises if there are not so many, unless count is negative. */
at_mlFloats at_mlFloatsOf(const at_mlSource *source, const char *name, int64_t count);
at_mlInts at_mlIntsOf(const at_mlSource *source, const char *name, int64_t count);
at_onnxTexts at_mlTextsOf(const at_mlSource *source, const char *name);

/* The element type of an attribute that is a tensor; AT_SCALAR_TYPES if it is none. */
at_scalar_type at_mlTypeOf(const at_mlSource *source, const char *name);

/* Memory of zeros as long as the program lives. */
void *at_mlTake(const at_mlSource *source, int64_t count, size_t size);

/* --- keys -------------------------------------------------------------------------------------- */

/* Keys that are looked up: sorted by both, a number for each. */
typedef struct at_mlKey {
  int64_t first, second;
  int64_t index;
} at_mlKey;
void at_mlSort(at_mlKey *keys, int64_t count);

/* The index of the first key that is not less; count if there is none. */
int64_t at_mlFind(const at_mlKey *keys, int64_t count, int64_t first, int64_t second);

/* --- runs -------------------------------------------------------------------------------------- */

/* The input as contiguous rows of Double; a vector is one row. */
typedef struct at_mlRows {
  int64_t count, width;
  const double *data;
} at_mlRows;
at_mlRows at_mlRowsIn(const at_onnxCall *call);

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
at_mlTransform at_mlTransformOf(const at_mlSource *source);

/* What the attribute post_transform makes of the scores of a row, in place. */
void at_mlTransformed(at_mlTransform kind, double *scores, int64_t count);

/* The labels of a classifier: numbers, or texts, which are counted from 0 here. */
typedef struct at_mlLabels {
  int64_t count;
  const int64_t *numbers; /* NULL if they are texts */
} at_mlLabels;
at_mlLabels at_mlLabelsOf(const at_mlSource *source);
int64_t at_mlLabel(const at_mlLabels *labels, int64_t index);
int64_t at_mlLargest(const double *scores, int64_t count);

/* Gives rows of scores. */
void at_mlGive(const at_onnxCall *call, int index, const double *scores, int64_t rows,
               int64_t count, at_scalar_type type);

/* New labels for rows, which the call gives first. */
int64_t *at_mlGiveLabels(const at_onnxCall *call, int64_t rows);

/* What two classes of which one has a score are written as: 1 - p and p, or -s and s. */
void at_mlSecondClass(double *scores, bool isShare);

#endif
