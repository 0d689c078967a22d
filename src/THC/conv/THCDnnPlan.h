/* The functions of cuDNN that are called, its numbers, and plans of convolutions. */
#ifndef THC_DNN_PLAN_H
#define THC_DNN_PLAN_H

#include <cuda_runtime_api.h>

#include "THCDnn.h"

/* --- the library ------------------------------------------------------------------------------ */

/* cuDNN's header is not needed: handles and descriptors are pointers, statuses and names ints. */
#define THC_FOR_EACH_DNN(X)                                                               \
  X(size_t, GetVersion, (void))                                                           \
  X(const char *, GetErrorString, (int status))                                           \
  X(int, Create, (void **handle))                                                         \
  X(int, Destroy, (void *handle))                                                         \
  X(int, SetStream, (void *handle, cudaStream_t stream))                                  \
  X(int, BackendCreateDescriptor, (int type, void **descriptor))                          \
  X(int, BackendDestroyDescriptor, (void *descriptor))                                    \
  X(int, BackendFinalize, (void *descriptor))                                             \
  X(int, BackendSetAttribute,                                                             \
    (void *descriptor, int name, int type, int64_t count, const void *elements))          \
  X(int, BackendGetAttribute,                                                             \
    (void *descriptor, int name, int type, int64_t room, int64_t *count, void *elements)) \
  X(int, BackendExecute, (void *handle, void *plan, void *pack))

typedef struct THCDnnLibrary {
#define THC_DNN_FIELD(RESULT, NAME, PARAMETERS) RESULT(*NAME) PARAMETERS;
  THC_FOR_EACH_DNN(THC_DNN_FIELD)
#undef THC_DNN_FIELD
} THCDnnLibrary;

enum {
#define DNN_NUMBER(NAME, NUMBER) DNN_##NAME = NUMBER,
#include "THCDnnNumbers.h"
};

/* --- plans ------------------------------------------------------------------------------------ */

/* What a plan is for.  No part of it is padding, since keys are compared as bytes. */
typedef struct THCDnnKey {
  THCDnnConvolution c;
  int64_t rounds;          /* TF32 is allowed */
  int64_t isDeterministic; /* the same bits every time */
  int64_t measures;        /* the fastest of several plans is chosen by measurement */
} THCDnnKey;

enum { THC_DNN_DESCRIPTORS = 12 };

typedef struct THCDnnPlan {
  struct THCDnnPlan *next; /* in a list, the one used last first */
  THCDnnKey key;
  void *made[THC_DNN_DESCRIPTORS]; /* all descriptors that the plan refers to */
  int count;
  void *execution; /* NULL: cuDNN cannot compute this convolution */
  int64_t workspace;
} THCDnnPlan;

/* A plan for the key, which may have no execution; NULL if memory runs out.  measures: whether candidates may be run
 * and timed now. */
THCDnnPlan *THCDnnPlan_new(const THCDnnLibrary *dnn, void *handle, const THCDnnKey *key,
                           int measures);
void THCDnnPlan_free(const THCDnnLibrary *dnn, THCDnnPlan *plan);

/* Queues an execution plan on the handle's stream; returns cuDNN's status. */
int THCDnnPlan_execute(const THCDnnLibrary *dnn, void *handle, void *execution,
                       void *const operands[3], void *workspace);

/* Gives a stream's handle back, with its plans; NULL is ignored. */
void THCDnn_destroy(void *handle);

/* Makes the handle of the current stream, where cuDNN is in use: before a graph is recorded. */
void THCDnn_needHandle(struct THCState *state);

#endif
