/* Graphs: calls that are recorded once and then queued together, as often as a program likes.
 *
 * A capture has a stream of its own, so that the memory of what is made in it is no other stream's, and stays the
 * graph's until the graph is freed.  Exported for ATen. */
#ifndef THC_GRAPH_H
#define THC_GRAPH_H

#include "THC.h"

typedef struct THCGraph THCGraph;

/* From now on this thread's calls on the current device are recorded, and nothing runs.  A call that has to wait for
 * the device, or that reads memory of the CPU, is an error. */
TH_API THCGraph *THCGraph_begin(THCState *state);

/* Ends it: the thread's stream is the one from before.  After an error, also of a call between, the graph can only be
 * freed. */
TH_API void THCGraph_end(THCState *state, THCGraph *graph);

/* Queues all that was recorded on the current stream of the graph's device. */
TH_API void THCGraph_replay(THCState *state, THCGraph *graph);

/* Waits for the device.  NULL is ignored. */
TH_API void THCGraph_free(THCState *state, THCGraph *graph);

#endif
