/* Graphs of calls, by CUDA's stream capture. */
#include "THCGraph.h"

#include "THCPrivate.h"

#include "THC/conv/THCDnnPlan.h"
#include "THC/linear/THCProduct.h"

struct THCGraph {
  int device, captures;
  THCStream *stream, *before; /* before: the thread's, while the graph captures */
  cudaGraphExec_t exec;       /* NULL until it has ended */
};

static void free_graph(void *what)
{
  THCGraph *graph = what;
  if (graph->captures) {
    cudaGraph_t made = NULL;
    if (cudaStreamEndCapture(graph->stream->stream, &made) == cudaSuccess && made)
      cudaGraphDestroy(made);
    cudaGetLastError();
  }
  if (graph->before)
    THCState_setStream(THC_using, graph->before);
  if (graph->exec)
    THCudaCheckWarn(cudaGraphExecDestroy(graph->exec));
  THC_holdMemory(graph->stream, 0);
  THCStream_free(graph->stream);
  THCStream_free(graph->before);
  THFree(graph);
}

THCGraph *THCGraph_begin(THCState *state)
{
  THC_enter(state);
  THGuard stream, guard;
  THGuard_enter(&stream, (THUndo)THCStream_free);
  THCStream *own = stream.what = THCStream_new(cudaStreamNonBlocking);
  THGuard_enter(&guard, free_graph);
  THCGraph *graph = THAlloc(sizeof *graph);
  *graph = (THCGraph){.device = own->device, .stream = own};
  stream.what = NULL;
  guard.what = graph;
  THC_holdMemory(own, 1);
  THCStream *before = THCState_getStream(state);
  THCStream_retain(before);
  graph->before = before;
  THCState_setStream(state, own);
  THC_needBlas(state); /* handles and the error word are made before anything is recorded */
  THCDnn_needHandle(state);
  THCStream_memory(own, THC_STREAM_FAULT, sizeof(THCFault));
  THCudaCheck(cudaStreamBeginCapture(own->stream, cudaStreamCaptureModeRelaxed));
  graph->captures = 1;
  THGuard_keep(&guard);
  THGuard_leave(&stream);
  return graph;
}

static void destroy_graph(void *graph)
{
  THCudaCheckWarn(cudaGraphDestroy(graph));
}

void THCGraph_end(THCState *state, THCGraph *graph)
{
  THC_enter(state);
  if (!graph->captures)
    THError("the graph has ended already");
  cudaGraph_t made = NULL;
  graph->captures = 0;
  const cudaError_t status = cudaStreamEndCapture(graph->stream->stream, &made);
  THCState_setStream(state, graph->before);
  THCStream_free(graph->before);
  graph->before = NULL;
  if (status != cudaSuccess) {
    cudaGetLastError();
    THError("a call that cannot be recorded has ended the capture (%s)", THC_describe(status));
  }
  THGuard guard;
  THGuard_enter(&guard, destroy_graph);
  guard.what = made;
  THCudaCheck(cudaGraphInstantiate(&graph->exec, made, 0));
  THGuard_leave(&guard);
}

void THCGraph_replay(THCState *state, THCGraph *graph)
{
  THC_enter(state);
  if (!graph->exec)
    THError("the graph has nothing to replay: its capture %s",
            graph->captures ? "has not ended" : "failed");
  THCOnDevice on;
  THCOnDevice_enter(&on, graph->device);
  THCudaCheck(cudaGraphLaunch(graph->exec, THC_streamOn(state, graph->device)->stream));
  THCOnDevice_leave(&on);
}

void THCGraph_free(THCState *state, THCGraph *graph)
{
  THC_enter(state);
  if (!graph)
    return;
  THCOnDevice on;
  THCOnDevice_enter(&on, graph->device);
  if (!graph->captures)
    THCudaCheckWarn(cudaDeviceSynchronize());
  free_graph(graph);
  THCOnDevice_leave(&on);
}

void THC_refuseCapture(THCStream *stream, const char *what)
{
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (stream->stream)
    THCudaCheck(cudaStreamIsCapturing(stream->stream, &status));
  if (status == cudaStreamCaptureStatusNone)
    return;
  cudaStreamSynchronize(stream
                            ->stream); /* which ends the capture: half of the calls are no graph */
  cudaGetLastError();
  THError("%s cannot be recorded in a graph", what);
}
