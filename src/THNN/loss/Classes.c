/* Checks and sums that the losses of classes share. */
#include "THNN/layer/Template.h"

static void THNN_(checkWeights)(THTensor *weights, int64_t classes, THTensor *input, int arg)
{
  THArgCheck(!weights || THTensor_(nElement)(weights) == classes, arg,
             "weights has size %s, input has %s: one weight for each class is expected",
             weights ? THTensor_(sizeDesc)(weights).str : "", THTensor_(sizeDesc)(input).str);
}

/* The data of target, contiguous. */
static const int64_t *THNN_(targets)(THGuard *guard, THIndexTensor *target)
{
  THGuard_enter(guard, (THUndo)THIndexTensor_(free));
  target = guard->what = THIndexTensor_(newContiguous)(target);
  return target->nDimension ? THIndexTensor_(data)(target) : NULL;
}

THNNClasses THNN_(classes)(THGuard *guard, THTensor *input, THIndexTensor *target,
                           THTensor *weights, int arg)
{
  THArgCheck(input->nDimension == 1 || input->nDimension == 2, 2,
             "input has size %s, and has to be classes or batch x classes",
             THTensor_(sizeDesc)(input).str);
  const int single = input->nDimension == 1;
  THNNClasses c = {single ? 1 : input->size[0], input->size[!single], 1, single, NULL};
  THArgCheck(target->nDimension == 1 && target->size[0] == c.batch, 3,
             "target has size %s, input has %s: one class for each input is expected",
             THIndexTensor_(sizeDesc)(target).str, THTensor_(sizeDesc)(input).str);
  THNN_(checkWeights)(weights, c.classes, input, arg);
  c.target = THNN_(targets)(guard, target);
  return c;
}

THNNClasses THNN_(imageClasses)(THGuard *guard, THTensor *input, THIndexTensor *target,
                                THTensor *weights, int arg)
{
  THArgCheck(input->nDimension == 4, 2,
             "input has size %s, and has to be batch x classes x height x width",
             THTensor_(sizeDesc)(input).str);
  const int64_t *size = input->size;
  THNNClasses c = {size[0], size[1], size[2] * size[3], 0, NULL};
  THArgCheck(target->nDimension == 3 && target->size[0] == size[0] && target->size[1] == size[2] &&
                 target->size[2] == size[3],
             3, "target has size %s, input has %s: batch x height x width is expected",
             THIndexTensor_(sizeDesc)(target).str, THTensor_(sizeDesc)(input).str);
  THNN_(checkWeights)(weights, c.classes, input, arg);
  c.target = THNN_(targets)(guard, target);
  return c;
}

#ifndef TH_TEMPLATE_DEVICE /* a device checks targets itself */
void THNN_(checkTargets)(const THNNClasses *c, THTensor *input, int64_t ignore_index)
{
  const int64_t count = THNNClasses_count(c);
  const uint64_t classes = (uint64_t)c->classes;
  int wrong = 0;
  for (int64_t i = 0; i < count; i++) /* without a branch */
    wrong |= ((uint64_t)c->target[i] - TH_INDEX_BASE >= classes) & (c->target[i] != ignore_index);
  for (int64_t i = 0; wrong && i < count; i++) {
    const int64_t class = c->target[i];
    THArgCheck(class == ignore_index ||
                   (class >= TH_INDEX_BASE && class < c->classes + TH_INDEX_BASE),
               3, "target %lld is %lld, out of range of the %lld classes of input %s",
               (long long)i + TH_INDEX_BASE, (long long)class, (long long)c->classes,
               THTensor_(sizeDesc)(input).str);
  }
}
#endif

void THNN_(checkLossGradient)(THTensor *gradOutput, THTensor *input, int64_t count)
{
  THArgCheck(THTensor_(nElement)(gradOutput) == count, 4,
             "gradOutput has size %s, input has %s: %lld elements are expected",
             THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str, (long long)count);
}

#ifndef TH_TEMPLATE_DEVICE

/* --- sums ------------------------------------------------------------------------------------ */

enum { MAX_CHUNKS = 256 };

typedef struct {
  THNN_(SumBody) body;
  void *context;
  ptrdiff_t count, chunk;
  accreal sums[MAX_CHUNKS][2];
} THNN_(SumWork);

static void THNN_(sumChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THNN_(SumWork) *w = context;
  for (ptrdiff_t i = begin; i < end; i++)
    w->body(w->context, i * w->chunk, THMin(w->count, (i + 1) * w->chunk), w->sums[i]);
}

void THNN_(sumInputs)(ptrdiff_t count, ptrdiff_t grain, THNN_(SumBody) body, void *context,
                      accreal *sums)
{
  THNN_(SumWork) w; /* only the sums that are used are set to 0 */
  w.body = body;
  w.context = context;
  w.count = count;
  w.chunk = THMax(grain, (count + MAX_CHUNKS - 1) / MAX_CHUNKS);
  const ptrdiff_t chunks = (count + w.chunk - 1) / w.chunk;
  memset(w.sums, 0, (size_t)chunks * sizeof *w.sums);
  THParallel_for(chunks, 1, THNN_(sumChunks), &w);
  for (ptrdiff_t i = 0; i < chunks; i++) {
    sums[0] += w.sums[i][0];
    sums[1] += w.sums[i][1];
  }
}

#endif
