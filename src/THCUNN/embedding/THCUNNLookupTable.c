/* Lookup tables and bags of their rows.  The arguments that once held sorted indices and counts are not used. */
#include "THCUNN/layer/THCUNNDevice.h"

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

/* Describes the rows of a table.  Raises unless it has dimensions; name and arg are for the message. */
static THCUNNTable THNN_(tableOf)(THCTensor *table, const char *name, int arg)
{
  THArgCheck(table->nDimension >= 1, arg, "%s has size %s, and has to be rows x columns", name,
             THTensor_(sizeDesc)(table).str);
  const int64_t rows = table->size[0];
  return (THCUNNTable){
      .rows = rows, .columns = rows ? THTensor_(nElement)(table) / rows : 0, .base = TH_INDEX_BASE};
}

/* Contiguous indices.  Raises unless each is one of count things, which text says. */
static const int64_t *THNN_(tableIndices)(THNN_LongCall *longCall, THCIndexTensor *index,
                                          const char *name, int arg, int64_t count,
                                          const char *text)
{
  int64_t at, value;
  THCIndexTensor *given = THNN_Longsource(longCall, index);
  THNN_Longready(longCall);
  const int64_t *values = THIndexTensor_(data)(given);
  if (THCUNN_findOther(values, THIndexTensor_(nElement)(given), TH_INDEX_BASE, count, TH_INDEX_BASE,
                       arg, &at, &value))
    THArgError(arg, "index %lld of %s is %lld, out of range of %s", (long long)at, name,
               (long long)value, text);
  return values;
}

static void THNN_(describeRows)(char *text, size_t length, const char *name, THCTensor *table)
{
  snprintf(text, length, "the rows of %s, which has size %s", name, THTensor_(sizeDesc)(table).str);
}

/* --- rows ------------------------------------------------------------------------------------ */

void THNN_(LookupTable_accGradParameters)(THCState *state, THCIndexTensor *input,
                                          THCTensor *gradOutput, THCTensor *gradWeight,
                                          THCIndexTensor *count, THCIndexTensor *sorted,
                                          THCIndexTensor *indices, bool scaleGradByFreq,
                                          int paddingValue, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, count, sorted, indices);
  THCUNNTable t = THNN_(tableOf)(gradWeight, "gradWeight", 4);
  char text[TH_MESSAGE_LENGTH / 4];
  THNN_(describeRows)(text, sizeof text, "gradWeight", gradWeight);
  t.count = THIndexTensor_(nElement)(input);
  t.padding = paddingValue;
  t.byFrequency = scaleGradByFreq;
  t.scale = scale;
  ptrdiff_t elements;
  THArgCheck(!__builtin_mul_overflow(t.count, t.columns, &elements) &&
                 elements == THTensor_(nElement)(gradOutput),
             3, "gradOutput has size %s: %lld rows of %lld elements are expected for input %s",
             THTensor_(sizeDesc)(gradOutput).str, (long long)t.count, (long long)t.columns,
             THIndexTensor_(sizeDesc)(input).str);
  THNN_LongCall longCall;
  THNN_(Call) call;
  THNN_Longbegin(&longCall);
  t.index = THNN_(tableIndices)(&longCall, input, "input", 2, t.rows, text);
  THNN_(beginPart)(&call, longCall.memory);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  THNN_(start)(&call);
  t.g = THTensor_(data)(gradOutput);
  t.table = THTensor_(data)(gradWeight);
  if (t.count > 0 && t.columns > 0)
    LAUNCH(addRows)(&t, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

void THNN_(LookupTable_renorm)(THCState *state, THCIndexTensor *idx, THCTensor *weight,
                               accreal maxNorm, accreal normType)
{
  THNN_ENTER(state, idx, weight);
  THCUNNTable t = THNN_(tableOf)(weight, "weight", 3);
  char text[TH_MESSAGE_LENGTH / 4];
  THNN_(describeRows)(text, sizeof text, "weight", weight);
  THArgCheck(normType > 0, 5, "normType is %g, and has to be positive", (double)normType);
  t.count = THIndexTensor_(nElement)(idx);
  t.maxNorm = maxNorm;
  t.normType = normType;
  THNN_LongCall longCall;
  THNN_(Call) call;
  THNN_Longbegin(&longCall);
  t.index = THNN_(tableIndices)(&longCall, idx, "idx", 2, t.rows, text);
  THNN_(beginPart)(&call, longCall.memory);
  weight = THNN_(sum)(&call, weight);
  THNN_(start)(&call);
  t.table = THTensor_(data)(weight);
  if (t.count > 0 && t.columns > 0)
    LAUNCH(renormRows)(&t, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

/* --- bags ------------------------------------------------------------------------------------ */

static void THNN_(checkMode)(int mode, int arg)
{
  THArgCheck(mode == THCUNN_BAG_SUM || mode == THCUNN_BAG_MEAN, arg,
             "mode is %d, and has to be 0 (sum) or 1 (mean)", mode);
}

static void THNN_(checkVector)(THCIndexTensor *t, const char *name, int arg)
{
  THArgCheck(t->nDimension == 1, arg, "%s has size %s, and has to be a vector", name,
             THIndexTensor_(sizeDesc)(t).str);
}

void THNN_(LookupTableBag_updateOutput)(THCState *state, THCIndexTensor *input,
                                        THCIndexTensor *offsets, THCTensor *weight,
                                        THCTensor *output, THCIndexTensor *offset2bag, int mode,
                                        THCIndexTensor *seq_length)
{
  THNN_ENTER(state, input, offsets, weight, output, offset2bag, seq_length);
  THArgCheck(weight->nDimension == 2, 4, "weight has size %s, and has to be rows x columns",
             THTensor_(sizeDesc)(weight).str);
  THNN_(checkMode)(mode, 7);
  THNN_(checkVector)(input, "input", 2);
  THNN_(checkVector)(offsets, "offsets", 3);
  THCUNNTable t = THNN_(tableOf)(weight, "weight", 4);
  char text[TH_MESSAGE_LENGTH / 4], entries[64];
  THNN_(describeRows)(text, sizeof text, "weight", weight);
  t.count = input->size[0];
  t.bags = offsets->size[0];
  t.mode = mode;
  snprintf(entries, sizeof entries, "the %lld indices of input", (long long)t.count);
  const int64_t size[] = {t.bags, t.columns};

  THNN_LongCall longCall;
  THNN_(Call) call;
  THNN_Longbegin(&longCall);
  t.index = THNN_(tableIndices)(&longCall, input, "input", 2, t.rows, text);
  t.offsets = THNN_(tableIndices)(&longCall, offsets, "offsets", 3, t.count + 1, entries);
  THCIndexTensor *bag = THNN_Longresult(&longCall, offset2bag, 1, &t.count);
  THCIndexTensor *lengths = seq_length ? THNN_Longresult(&longCall, seq_length, 1, &t.bags) : NULL;
  THNN_(beginPart)(&call, longCall.memory);
  weight = THNN_(source)(&call, weight);
  THCTensor *out = THNN_(result)(&call, output, 2, size);
  THNN_(ready)(&call);
  THNN_Longready(&longCall);
  THNN_(start)(&call);
  THNN_Longstart(&longCall);
  t.table = THTensor_(data)(weight);
  t.y = THTensor_(data)(out);
  t.bag = THIndexTensor_(data)(bag);
  t.lengths = lengths ? THIndexTensor_(data)(lengths) : NULL;
  LAUNCH(sumBags)(&t, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

void THNN_(LookupTableBag_accGradParameters)(THCState *state, THCIndexTensor *input,
                                             THCTensor *gradOutput, THCTensor *gradWeight,
                                             THCIndexTensor *offset2bag, THCIndexTensor *count,
                                             THCIndexTensor *sortedIndices,
                                             THCIndexTensor *origIndices, bool scaleGradByFreq,
                                             int mode, THCIndexTensor *seq_length, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, offset2bag, count, sortedIndices, origIndices,
             seq_length);
  THNN_(checkMode)(mode, 10);
  THNN_(checkVector)(input, "input", 2);
  THCUNNTable t = THNN_(tableOf)(gradWeight, "gradWeight", 4);
  char text[TH_MESSAGE_LENGTH / 4], bags[64];
  THNN_(describeRows)(text, sizeof text, "gradWeight", gradWeight);
  THArgCheck(gradOutput->nDimension == 2 && gradOutput->size[1] == t.columns, 3,
             "gradOutput has size %s, and has to be bags x columns, gradWeight having size %s",
             THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(gradWeight).str);
  t.count = input->size[0];
  t.bags = gradOutput->size[0];
  t.mode = mode;
  t.padding = TH_INDEX_BASE - 1;
  t.byFrequency = scaleGradByFreq;
  t.scale = scale;
  THArgCheck(THIndexTensor_(nElement)(offset2bag) == t.count, 5,
             "offset2bag has size %s, input has %s", THIndexTensor_(sizeDesc)(offset2bag).str,
             THIndexTensor_(sizeDesc)(input).str);
  THArgCheck(mode == THCUNN_BAG_SUM ||
                 (seq_length && THIndexTensor_(nElement)(seq_length) == t.bags),
             11, "seq_length is needed for means, with an element for each of %lld bags",
             (long long)t.bags);
  snprintf(bags, sizeof bags, "the %lld bags of gradOutput", (long long)t.bags);

  THNN_LongCall longCall;
  THNN_(Call) call;
  THNN_Longbegin(&longCall);
  t.index = THNN_(tableIndices)(&longCall, input, "input", 2, t.rows, text);
  t.givenBag = THNN_(tableIndices)(&longCall, offset2bag, "offset2bag", 5, t.bags, bags);
  THCIndexTensor *lengths = THNN_Longsource(&longCall, mode == THCUNN_BAG_MEAN ? seq_length : NULL);
  THNN_(beginPart)(&call, longCall.memory);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  THNN_Longready(&longCall);
  THNN_(start)(&call);
  t.g = THTensor_(data)(gradOutput);
  t.table = THTensor_(data)(gradWeight);
  t.givenLengths = lengths ? THIndexTensor_(data)(lengths) : NULL;
  if (t.count > 0 && t.columns > 0)
    LAUNCH(addRows)(&t, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}
