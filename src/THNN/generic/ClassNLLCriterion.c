/* The negative log-likelihood of a class for each input. */
#include "THNNTemplate.h"

/* A single input is a batch of one. */
typedef struct {
  int64_t batch, classes;
  int single;
} THNN_(NllShape);

static THNN_(NllShape)
    THNN_(nllCheck)(THTensor *input, THIndexTensor *target, THTensor *weights, int64_t ignore_index)
{
  THArgCheck(input->nDimension == 1 || input->nDimension == 2, 2,
             "input has size %s, and has to be classes or batch x classes",
             THTensor_(sizeDesc)(input).str);
  const int single = input->nDimension == 1;
  const THNN_(NllShape) shape = {single ? 1 : input->size[0], input->size[!single], single};
  THArgCheck(target->nDimension == 1 && target->size[0] == shape.batch, 3,
             "target has size %s, input has %s: one class for each input is expected",
             THIndexTensor_(sizeDesc)(target).str, THTensor_(sizeDesc)(input).str);
  THArgCheck(!weights || THTensor_(nElement)(weights) == shape.classes, 6,
             "weights has size %s, input has %s: one weight for each class is expected",
             weights ? THTensor_(sizeDesc)(weights).str : "", THTensor_(sizeDesc)(input).str);
  const int64_t *t = THIndexTensor_(data)(target);
  for (int64_t i = 0; i < shape.batch; i++) {
    const int64_t class = t[i * target->stride[0]];
    THArgCheck(
        class == ignore_index || (class >= TH_INDEX_BASE && class < shape.classes + TH_INDEX_BASE),
        3, "target %lld is %lld, out of range of the %lld classes of input %s",
        (long long)i + TH_INDEX_BASE, (long long)class, (long long)shape.classes,
        THTensor_(sizeDesc)(input).str);
  }
  return shape;
}

/* The class of input i from 0 on, -1 if it is left out. */
static int64_t THNN_(nllClass)(THIndexTensor *target, int64_t i, int64_t ignore_index)
{
  const int64_t class = THIndexTensor_(data)(target)[i * target->stride[0]];
  return class == ignore_index ? -1 : class - TH_INDEX_BASE;
}

void THNN_(ClassNLLCriterion_updateOutput)(THNNState *state, THTensor *input, THIndexTensor *target,
                                           THTensor *output, bool sizeAverage, THTensor *weights,
                                           THTensor *total_weight, int64_t ignore_index,
                                           bool reduce)
{
  const THNN_(NllShape) shape = THNN_(nllCheck)(input, target, weights, ignore_index);
  const int each = !reduce && !shape.single;
  const int64_t one = 1;

  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weights = THNN_(source)(&call, weights);
  THTensor *out = THNN_(result)(&call, output, 1, each ? &shape.batch : &one);
  THTensor *total = each ? NULL : THNN_(result)(&call, total_weight, 1, &one);
  THNN_(start)(&call);

  const real *x = THTensor_(data)(input), *w = weights ? THTensor_(data)(weights) : NULL;
  real *y = THTensor_(data)(out);
  accreal loss = 0, weight = 0;
  for (int64_t i = 0; i < shape.batch; i++) {
    const int64_t class = THNN_(nllClass)(target, i, ignore_index);
    const real factor = class < 0 ? 0 : w ? w[class] : 1;
    const real value = class < 0 ? 0 : -x[i * shape.classes + class] * factor;
    if (each)
      y[i] = value;
    loss += (accreal)value;
    weight += (accreal)factor;
  }
  if (!each) {
    y[0] = (real)(sizeAverage && weight != 0 ? loss / weight : loss);
    *THTensor_(data)(total) = (real)weight;
  }
  THNN_(finish)(&call);
}

void THNN_(ClassNLLCriterion_updateGradInput)(THNNState *state, THTensor *input,
                                              THIndexTensor *target, THTensor *gradOutput,
                                              THTensor *gradInput, bool sizeAverage,
                                              THTensor *weights, THTensor *total_weight,
                                              int64_t ignore_index, bool reduce)
{
  const THNN_(NllShape) shape = THNN_(nllCheck)(input, target, weights, ignore_index);
  const int each = !reduce && !shape.single;
  THArgCheck(THTensor_(nElement)(gradOutput) == (each ? shape.batch : 1), 4,
             "gradOutput has size %s, input has %s: %lld elements are expected",
             THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
             (long long)(each ? shape.batch : 1));
  THArgCheck(each || THTensor_(nElement)(total_weight) == 1, 8,
             "total_weight has size %s, and has to be one element",
             THTensor_(sizeDesc)(total_weight).str);

  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  weights = THNN_(source)(&call, weights);
  THTensor *grad = THNN_(result)(&call, gradInput, input->nDimension, input->size);
  THNN_(start)(&call);

  const real *g = THTensor_(data)(gradOutput), *w = weights ? THTensor_(data)(weights) : NULL;
  const real total = each ? 1 : *THTensor_(data)(total_weight);
  real *d = THTensor_(data)(grad);
  memset(d, 0, (size_t)(shape.batch * shape.classes) * sizeof *d);
  if (each || total > 0)
    for (int64_t i = 0; i < shape.batch; i++) {
      const int64_t class = THNN_(nllClass)(target, i, ignore_index);
      if (class < 0)
        continue;
      const real factor = -(w ? w[class] : 1) * g[each ? i : 0];
      d[i * shape.classes + class] = !each && sizeAverage ? factor / total : factor;
    }
  THNN_(finish)(&call);
}
