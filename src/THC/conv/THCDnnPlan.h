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

/* X(name in cuDNN's headers without CUDNN_, number) */
#define THC_FOR_EACH_DNN_NUMBER(X)                                \
  X(STATUS_SUCCESS, 0)                                            \
  X(STATUS_NOT_INITIALIZED, 1001)                                 \
  X(STATUS_BAD_PARAM, 2000)                                       \
  X(STATUS_NOT_SUPPORTED, 3000)                                   \
  X(STATUS_EXECUTION_FAILED, 5000)                                \
  X(DATA_FLOAT, 0)                                                \
  X(DATA_DOUBLE, 1)                                               \
  X(DATA_HALF, 2)                                                 \
  X(DATA_BFLOAT16, 9)                                             \
  X(CROSS_CORRELATION, 1)                                         \
  X(HEUR_MODE_FALLBACK, 2)                                        \
  X(HEUR_MODE_A, 3)                                               \
  X(NUMERICAL_NOTE_TENSOR_CORE, 0)                                \
  X(NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, 1)                        \
  X(NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, 2)                \
  X(NUMERICAL_NOTE_NONDETERMINISTIC, 4)                           \
  X(TYPE_HANDLE, 0)                                               \
  X(TYPE_DATA_TYPE, 1)                                            \
  X(TYPE_INT64, 3)                                                \
  X(TYPE_FLOAT, 4)                                                \
  X(TYPE_DOUBLE, 5)                                               \
  X(TYPE_VOID_PTR, 6)                                             \
  X(TYPE_CONVOLUTION_MODE, 7)                                     \
  X(TYPE_HEUR_MODE, 8)                                            \
  X(TYPE_NUMERICAL_NOTE, 11)                                      \
  X(TYPE_BACKEND_DESCRIPTOR, 15)                                  \
  X(BACKEND_CONVOLUTION_DESCRIPTOR, 1)                            \
  X(BACKEND_ENGINE_DESCRIPTOR, 2)                                 \
  X(BACKEND_ENGINECFG_DESCRIPTOR, 3)                              \
  X(BACKEND_ENGINEHEUR_DESCRIPTOR, 4)                             \
  X(BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5)                         \
  X(BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 10)         \
  X(BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 11) \
  X(BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 12)   \
  X(BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15)                        \
  X(BACKEND_VARIANT_PACK_DESCRIPTOR, 16)                          \
  X(BACKEND_TENSOR_DESCRIPTOR, 17)                                \
  X(ATTR_CONVOLUTION_COMP_TYPE, 100)                              \
  X(ATTR_CONVOLUTION_CONV_MODE, 101)                              \
  X(ATTR_CONVOLUTION_DILATIONS, 102)                              \
  X(ATTR_CONVOLUTION_FILTER_STRIDES, 103)                         \
  X(ATTR_CONVOLUTION_POST_PADDINGS, 104)                          \
  X(ATTR_CONVOLUTION_PRE_PADDINGS, 105)                           \
  X(ATTR_CONVOLUTION_SPATIAL_DIMS, 106)                           \
  X(ATTR_ENGINEHEUR_MODE, 200)                                    \
  X(ATTR_ENGINEHEUR_OPERATION_GRAPH, 201)                         \
  X(ATTR_ENGINEHEUR_RESULTS, 202)                                 \
  X(ATTR_ENGINECFG_ENGINE, 300)                                   \
  X(ATTR_EXECUTION_PLAN_HANDLE, 400)                              \
  X(ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401)                       \
  X(ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402)                      \
  X(ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 700)                \
  X(ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 701)                 \
  X(ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, 702)            \
  X(ATTR_OPERATION_CONVOLUTION_FORWARD_W, 703)                    \
  X(ATTR_OPERATION_CONVOLUTION_FORWARD_X, 704)                    \
  X(ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 705)                    \
  X(ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 706)               \
  X(ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 707)                \
  X(ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, 708)           \
  X(ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, 709)                   \
  X(ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, 710)                  \
  X(ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, 711)                  \
  X(ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 712)             \
  X(ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 713)              \
  X(ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, 714)         \
  X(ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, 715)                \
  X(ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, 716)                 \
  X(ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, 717)                \
  X(ATTR_OPERATIONGRAPH_HANDLE, 800)                              \
  X(ATTR_OPERATIONGRAPH_OPS, 801)                                 \
  X(ATTR_TENSOR_BYTE_ALIGNMENT, 900)                              \
  X(ATTR_TENSOR_DATA_TYPE, 901)                                   \
  X(ATTR_TENSOR_DIMENSIONS, 902)                                  \
  X(ATTR_TENSOR_STRIDES, 903)                                     \
  X(ATTR_TENSOR_UNIQUE_ID, 906)                                   \
  X(ATTR_VARIANT_PACK_UNIQUE_IDS, 1000)                           \
  X(ATTR_VARIANT_PACK_DATA_POINTERS, 1001)                        \
  X(ATTR_VARIANT_PACK_WORKSPACE, 1003)                            \
  X(ATTR_ENGINE_NUMERICAL_NOTE, 1303)

enum {
#define THC_DNN_NUMBER(NAME, NUMBER) DNN_##NAME = NUMBER,
  THC_FOR_EACH_DNN_NUMBER(THC_DNN_NUMBER)
#undef THC_DNN_NUMBER
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
