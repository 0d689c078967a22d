/* The CUDA side of THNN's SparseLinear.  Kernels read the entries from the tensor, without sorting them. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/linear/SparseLayers.h"

#define LAUNCH(NAME) TH_CONCAT_4(THCUNN_, NAME, _, Real)

static THCUNNSparse THNN_(sparseOf)(const THNN_(SparseWork) * w)
{
  return (THCUNNSparse){.entries = w->in.entries,
                        .count = w->in.count,
                        .legacy = w->in.legacy,
                        .each = w->in.each,
                        .batch = w->batch,
                        .inputs = w->inputs,
                        .outputs = w->outputs,
                        .scale = w->scale,
                        .decay = w->decay,
                        .weight = w->w,
                        .bias = w->b,
                        .g = w->g,
                        .y = w->y,
                        .dWeight = w->dw,
                        .dBias = w->db};
}

/* Raises if an entry whose value is not 0 is known to be out of range. */
static void THNN_(checkEntries)(const THNN_(SparseWork) * w, THCTensor *input, const char *name,
                                int arg, int64_t rows)
{
  THCCheck check;
  THCFault fault;
  THCUNNSparse sparse = THNN_(sparseOf)(w);
  const cudaStream_t stream = THCUNN_STREAM;
  sparse.batch = rows;
  if (!THCCheck_open(&check, THCUNN_using, THCUNN_function, arg, 1, w->inputs))
    return;
  LAUNCH(sparseCheck)(&sparse, &check.report, stream);
  if (!THCCheck_close(&check, &fault))
    return;
  real entry[3];
  const int each = w->in.legacy ? 2 : 3;
  THCudaCheck(cudaMemcpyAsync(entry, w->in.entries + (ptrdiff_t)fault.at * each,
                              (size_t)each * sizeof *entry, cudaMemcpyDeviceToHost, stream));
  THC_wait(THCUNN_using);
  const double column = THNN_NUMBER(entry[each - 2]);
  const double row = w->in.legacy ? 1 : THNN_NUMBER(entry[0]);
  const int inside = column >= 1 && column < (double)w->inputs + 1;
  THArgError(arg, THNN_SPARSE_RANGE, (ptrdiff_t)fault.at, name, THTensor_(sizeDesc)(input).str,
             inside ? "row" : "column", inside ? row : column,
             (long long)(inside ? rows : w->inputs));
}

void THNN_(readSparse)(THNN_(SparseWork) * w, THNN_(Call) * call, THNN_LongCall *longCall,
                       THCTensor *input, const char *name, int arg, int legacy, int64_t rows,
                       THNNSparse pass)
{
  THCTensor *x = THNN_(source)(call, input);
  THNN_(ready)(call); /* there are no results yet */
  w->in.entries = THTensor_(data)(x);
  w->in.legacy = legacy;
  w->in.count = THTensor_(nElement)(x) / (legacy ? 2 : 3);
  w->in.each = legacy ? input->size[1] : 0;
  if (w->in.count > 0)
    THNN_(checkEntries)(w, input, name, arg, rows);
}

void THNN_(prepareSparse)(THNN_(SparseWork) * w, THNNSparse pass, THNN_(Call) * call)
{
}

void THNN_(runSparse)(THNN_(SparseWork) * w, THNNSparse pass)
{
  THCUNNSparse sparse = THNN_(sparseOf)(w);
  if (pass == THNN_SPARSE_OUTPUT) {
    LAUNCH(sparseOutput)(&sparse, THCUNN_STREAM);
  } else if (pass == THNN_SPARSE_GRADIENTS) {
    LAUNCH(sparseGradients)(&sparse, THCUNN_STREAM);
  } else {
    sparse.batch = INT64_MAX; /* rows do not matter */
    LAUNCH(sparseChange)(&sparse, THCUNN_STREAM);
  }
  THCudaCheck(cudaGetLastError());
}
