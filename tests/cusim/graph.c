/* Graphs of one stream: what is queued while the stream captures is kept, and copies of it are queued at each
 * launch. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* A graph, or one that can be launched. */
struct CUgraph_st {
  int device;
  CusimOp *first;
};

struct CUgraphExec_st {
  struct CUgraph_st graph;
};

/* The operations, copied; their memory is that of cusim_op. */
static CusimOp *copy_all(const CusimOp *op)
{
  CusimOp *first = NULL, **last = &first;
  for (; op; op = op->next) {
    CusimOp *copy = malloc(op->size);
    if (!copy)
      abort();
    memcpy(copy, op, op->size);
    copy->next = NULL;
    *last = copy;
    last = &copy->next;
  }
  return first;
}

static void free_all(CusimOp *op)
{
  while (op) {
    CusimOp *next = op->next;
    free(op);
    op = next;
  }
}

cudaError_t cusim_refuse_capture(struct CUstream_st *stream)
{
  if (!stream->captures)
    return cudaSuccess;
  stream->spoiled = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream || stream == cusim_null_stream(stream->device))
    return cusim_leave(stream ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidResourceHandle);
  if (stream->captures || mode != cudaStreamCaptureModeRelaxed) /* no other is used here */
    return cusim_leave(cudaErrorIllegalState);
  stream->captures = true;
  stream->spoiled = false;
  stream->captured = NULL;
  stream->last_captured = &stream->captured;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream || !stream->captures)
    return cusim_leave(stream ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle);
  stream->captures = false;
  *graph = NULL;
  if (stream->spoiled) {
    free_all(stream->captured);
    return cusim_leave(cudaErrorStreamCaptureInvalidated);
  }
  struct CUgraph_st *made = malloc(sizeof *made);
  if (!made)
    abort();
  *made = (struct CUgraph_st){stream->device, stream->captured};
  *graph = made;
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status)
{
  cusim_enter();
  const struct CUstream_st *stream = cusim_stream(handle);
  if (stream)
    *status = !stream->captures ? cudaStreamCaptureStatusNone
              : stream->spoiled ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
  return cusim_leave(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *result, cudaGraph_t graph,
                                 unsigned long long flags)
{
  struct CUgraphExec_st *made = malloc(sizeof *made);
  if (!made)
    abort();
  *made = (struct CUgraphExec_st){{graph->device, copy_all(graph->first)}};
  *result = made;
  return flags ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
  cusim_enter();
  struct CUstream_st *stream = cusim_stream(handle);
  if (!stream || stream->device != exec->graph.device)
    return cusim_leave(cudaErrorInvalidResourceHandle);
  for (CusimOp *op = copy_all(exec->graph.first), *next; op; op = next) {
    next = op->next;
    op->next = NULL;
    cusim_queue(stream, op);
  }
  return cusim_leave(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  free_all(graph->first);
  free(graph);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
  free_all(exec->graph.first);
  free(exec);
  return cudaSuccess;
}
