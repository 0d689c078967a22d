/* Memory that becomes free when events on streams have happened. */
#include "THC/core/THCPrivate.h"

typedef struct THCPendingEvent {
  cudaEvent_t event;
  void *block;
  struct THCPendingEvent *next;
} THCPendingEvent;

/* Allocators call this with their lock held and return statuses: nothing here raises an error. */
cudaError_t THCPending_add(THCPending *pending, cudaStream_t stream, int device, void *block)
{
  int before;
  cudaError_t status = cudaGetDevice(&before);
  if (status != cudaSuccess)
    return status;
  THCPendingEvent *entry = malloc(sizeof *entry);
  if (!entry)
    return cudaErrorMemoryAllocation;
  *entry = (THCPendingEvent){.block = block};
  if (before != device)
    status = cudaSetDevice(device);
  if (status == cudaSuccess)
    status = cudaEventCreateWithFlags(&entry->event, cudaEventDisableTiming);
  if (status == cudaSuccess) {
    status = cudaEventRecord(entry->event, stream);
    if (status != cudaSuccess)
      cudaEventDestroy(entry->event);
  }
  if (before != device)
    cudaSetDevice(before);
  if (status != cudaSuccess) {
    free(entry);
    return status;
  }
  if (!pending->first)
    pending->end = &pending->first;
  *pending->end = entry;
  pending->end = &entry->next;
  return cudaSuccess;
}

cudaError_t THCPending_collect(THCPending *pending, int wait, void (*done)(void *block))
{
  while (pending->first) {
    THCPendingEvent *entry = pending->first;
    const cudaError_t status =
        wait ? cudaEventSynchronize(entry->event) : cudaEventQuery(entry->event);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();
      return cudaSuccess;
    }
    if (status != cudaSuccess)
      return status;
    pending->first = entry->next;
    cudaEventDestroy(entry->event);
    done(entry->block);
    free(entry);
  }
  return cudaSuccess;
}
