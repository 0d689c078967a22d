/* The part of cuDNN's graph API that THC calls: convolutions of one operation.  There is none unless CUSIM_CUDNN=1 is
 * in the environment.  Stricter than cuDNN: strides are those of row-major tensors, nothing is set twice, and the
 * config of a plan has to be there when it is executed. */
#include "cudnn.h"

#include <stdlib.h>
#include <string.h>

#define DECLARE(RESULT, NAME, PARAMETERS) RESULT cudnn##NAME PARAMETERS;
THC_FOR_EACH_DNN(DECLARE)
#undef DECLARE

/* --- statuses ----------------------------------------------------------------------------- */

size_t cudnnGetVersion(void)
{
  return 90000;
}

const char *cudnnGetErrorString(int status)
{
  return status == DNN_STATUS_SUCCESS            ? "success"
         : status == DNN_STATUS_NOT_INITIALIZED  ? "not initialized"
         : status == DNN_STATUS_BAD_PARAM        ? "bad parameter"
         : status == DNN_STATUS_NOT_SUPPORTED    ? "not supported"
         : status == DNN_STATUS_EXECUTION_FAILED ? "execution failed"
                                                 : "unknown";
}

/* --- handles ------------------------------------------------------------------------------ */

typedef struct Handle {
  int device;
  cudaStream_t stream;
} Handle;

int cudnnCreate(void **result)
{
  cusim_enter();
  Handle *handle =
      cusim_device_count() && cusim_setting("CUSIM_CUDNN", 0) ? calloc(1, sizeof *handle) : NULL;
  if (handle)
    handle->device = cusim_device();
  *result = handle;
  cusim_leave(cudaSuccess);
  return handle ? DNN_STATUS_SUCCESS : DNN_STATUS_NOT_INITIALIZED;
}

int cudnnDestroy(void *handle)
{
  free(handle);
  return DNN_STATUS_SUCCESS;
}

int cudnnSetStream(void *handle, cudaStream_t stream)
{
  ((Handle *)handle)->stream = stream;
  return DNN_STATUS_SUCCESS;
}

/* --- descriptors -------------------------------------------------------------------------- */

enum { ATTRIBUTES = 12 };

typedef struct Attribute {
  int name, type;
  int64_t count;
  void *elements;
} Attribute;

typedef struct Descriptor {
  int type, count;
  bool isFinal;
  Attribute attributes[ATTRIBUTES];
  Conv conv; /* of operations and what is made of them */
  Engine engine;
} Descriptor;

static size_t size_of(int type)
{
  switch (type) {
    case DNN_TYPE_INT64:
    case DNN_TYPE_DOUBLE:
    case DNN_TYPE_HANDLE:
    case DNN_TYPE_VOID_PTR:
    case DNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    default:
      return 4;
  }
}

int cudnnBackendCreateDescriptor(int type, void **result)
{
  Descriptor *made = calloc(1, sizeof *made);
  if (!made)
    abort();
  made->type = type;
  *result = made;
  return DNN_STATUS_SUCCESS;
}

int cudnnBackendDestroyDescriptor(void *descriptor)
{
  Descriptor *d = descriptor;
  for (int i = 0; i < d->count; i++)
    free(d->attributes[i].elements);
  free(d);
  return DNN_STATUS_SUCCESS;
}

static Attribute *find(Descriptor *d, int name)
{
  for (int i = 0; i < d->count; i++)
    if (d->attributes[i].name == name)
      return &d->attributes[i];
  return NULL;
}

int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t count,
                             const void *elements)
{
  Descriptor *d = descriptor;
  if (d->isFinal || find(d, name) || d->count == ATTRIBUTES || count < 1)
    return DNN_STATUS_BAD_PARAM;
  for (int64_t i = 0; type == DNN_TYPE_BACKEND_DESCRIPTOR && i < count; i++)
    if (!((Descriptor *const *)elements)[i]->isFinal)
      return DNN_STATUS_BAD_PARAM;
  Attribute a = {name, type, count, malloc((size_t)count * size_of(type))};
  if (!a.elements)
    abort();
  memcpy(a.elements, elements, (size_t)count * size_of(type));
  d->attributes[d->count++] = a;
  return DNN_STATUS_SUCCESS;
}

/* The elements of an attribute that has to have that type and count; NULL, and a status, where it has not. */
static const void *need(Descriptor *d, int name, int type, int64_t count, int *status)
{
  const Attribute *a = find(d, name);
  if (a && a->type == type && a->count == count)
    return a->elements;
  *status = DNN_STATUS_BAD_PARAM;
  return NULL;
}

/* The descriptor, of that type, that an attribute is. */
static Descriptor *refer(Descriptor *d, int name, int type, int *status)
{
  Descriptor *const *elements = need(d, name, DNN_TYPE_BACKEND_DESCRIPTOR, 1, status);
  if (elements && (*elements)->type == type)
    return *elements;
  *status = DNN_STATUS_BAD_PARAM;
  return NULL;
}

/* --- what is described -------------------------------------------------------------------- */

static int finalize_tensor(Descriptor *d)
{
  int status = DNN_STATUS_SUCCESS;
  const Attribute *sizes = find(d, DNN_ATTR_TENSOR_DIMENSIONS);
  if (!sizes || sizes->count < 4 || sizes->count > 5)
    return DNN_STATUS_BAD_PARAM;
  const int64_t *size = need(d, DNN_ATTR_TENSOR_DIMENSIONS, DNN_TYPE_INT64, sizes->count, &status);
  const int64_t *stride = need(d, DNN_ATTR_TENSOR_STRIDES, DNN_TYPE_INT64, sizes->count, &status);
  const int64_t *alignment = need(d, DNN_ATTR_TENSOR_BYTE_ALIGNMENT, DNN_TYPE_INT64, 1, &status);
  const int *type = need(d, DNN_ATTR_TENSOR_DATA_TYPE, DNN_TYPE_DATA_TYPE, 1, &status);
  need(d, DNN_ATTR_TENSOR_UNIQUE_ID, DNN_TYPE_INT64, 1, &status);
  if (status)
    return status;
  int64_t apart = 1;
  for (int64_t i = sizes->count - 1; i >= 0; i--) {
    if (size[i] < 1 || stride[i] != apart)
      return DNN_STATUS_BAD_PARAM;
    apart *= size[i];
  }
  return *alignment < cusim_dnn_bytes(*type) || *alignment > 16 || *alignment & (*alignment - 1)
             ? DNN_STATUS_BAD_PARAM
             : DNN_STATUS_SUCCESS;
}

/* Adds what the descriptor of a convolution says. */
static int read_convolution(Descriptor *d, int type, Conv *conv)
{
  int status = DNN_STATUS_SUCCESS;
  const int64_t *axes = need(d, DNN_ATTR_CONVOLUTION_SPATIAL_DIMS, DNN_TYPE_INT64, 1, &status);
  if (!axes || *axes < 2 || *axes > 3)
    return DNN_STATUS_BAD_PARAM;
#define NUMBERS(NAME) need(d, DNN_ATTR_CONVOLUTION_##NAME, DNN_TYPE_INT64, *axes, &status)
  const int64_t *steps = NUMBERS(FILTER_STRIDES), *before = NUMBERS(PRE_PADDINGS),
                *after = NUMBERS(POST_PADDINGS), *dilations = NUMBERS(DILATIONS);
#undef NUMBERS
  const int *sums = need(d, DNN_ATTR_CONVOLUTION_COMP_TYPE, DNN_TYPE_DATA_TYPE, 1, &status);
  const int *mode = need(d, DNN_ATTR_CONVOLUTION_CONV_MODE, DNN_TYPE_CONVOLUTION_MODE, 1, &status);
  if (status || *mode != DNN_CROSS_CORRELATION ||
      *sums != (type == DNN_DATA_DOUBLE ? DNN_DATA_DOUBLE : DNN_DATA_FLOAT))
    return DNN_STATUS_BAD_PARAM;
  for (int a = 0; a < *axes; a++) {
    Axis *axis = &conv->at[3 - *axes + a];
    if (steps[a] < 1 || before[a] < 0 || before[a] != after[a] || dilations[a] < 1)
      return DNN_STATUS_BAD_PARAM;
    axis->step = steps[a];
    axis->pad = before[a];
    axis->dilation = dilations[a];
  }
  return DNN_STATUS_SUCCESS;
}

/* Whether the sizes of x, w and y go together. */
static bool fits(const Conv *c, const int64_t *w, const int64_t *y)
{
  bool all = c->planes % w[1] == 0 && c->outputs % (c->planes / w[1]) == 0 && y[0] == c->batch &&
             y[1] == c->outputs;
  for (int a = 0; all && a < 3; a++) {
    const Axis *axis = &c->at[a];
    const int64_t reach = (axis->w - 1) * axis->dilation + 1;
    all = axis->x + 2 * axis->pad >= reach &&
          axis->y == (axis->x + 2 * axis->pad - reach) / axis->step + 1;
  }
  return all;
}

static int finalize_operation(Descriptor *d, int pass, const int names[6])
{
  int status = DNN_STATUS_SUCCESS;
  Descriptor *t[3];
  const int64_t *size[3];
  for (int i = 0; i < 3; i++)
    t[i] = refer(d, names[i], DNN_BACKEND_TENSOR_DESCRIPTOR, &status);
  Descriptor *how = refer(d, names[3], DNN_BACKEND_CONVOLUTION_DESCRIPTOR, &status);
  if (status)
    return status;
  const int type = *(int *)find(t[0], DNN_ATTR_TENSOR_DATA_TYPE)->elements;
  const bool wide = type == DNN_DATA_DOUBLE;
  const void *alpha = need(d, names[4], wide ? DNN_TYPE_DOUBLE : DNN_TYPE_FLOAT, 1, &status);
  const void *beta = need(d, names[5], wide ? DNN_TYPE_DOUBLE : DNN_TYPE_FLOAT, 1, &status);
  if (status || (wide ? *(const double *)alpha : *(const float *)alpha) != 1 ||
      (wide ? *(const double *)beta : *(const float *)beta) != 0)
    return DNN_STATUS_BAD_PARAM;
  const int64_t dims = find(t[0], DNN_ATTR_TENSOR_DIMENSIONS)->count;
  Conv conv = {.pass = pass, .type = type, .at = {{1, 1, 1, 1, 0, 1}}};
  for (int i = 0; i < 3; i++) {
    size[i] = need(t[i], DNN_ATTR_TENSOR_DIMENSIONS, DNN_TYPE_INT64, dims, &status);
    if (!size[i] || *(int *)find(t[i], DNN_ATTR_TENSOR_DATA_TYPE)->elements != type)
      return DNN_STATUS_BAD_PARAM;
    conv.alignment[i] = *(int64_t *)find(t[i], DNN_ATTR_TENSOR_BYTE_ALIGNMENT)->elements;
  }
  status = read_convolution(how, type, &conv);
  conv.batch = size[0][0];
  conv.planes = size[0][1];
  conv.outputs = size[1][0];
  conv.groups = size[1][1] <= conv.planes ? conv.planes / size[1][1] : 0;
  for (int64_t a = 2; a < dims; a++) {
    Axis *axis = &conv.at[3 - dims + a];
    axis->x = size[0][a];
    axis->w = size[1][a];
    axis->y = size[2][a];
  }
  d->conv = conv;
  return status                                              ? status
         : conv.groups < 1 || !fits(&conv, size[1], size[2]) ? DNN_STATUS_BAD_PARAM
                                                             : DNN_STATUS_SUCCESS;
}

/* A graph of one operation.  As an example of what is not supported: padding as wide as the window. */
static int finalize_graph(Descriptor *d)
{
  int status = DNN_STATUS_SUCCESS;
  Descriptor *const *operation =
      need(d, DNN_ATTR_OPERATIONGRAPH_OPS, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &status);
  need(d, DNN_ATTR_OPERATIONGRAPH_HANDLE, DNN_TYPE_HANDLE, 1, &status);
  if (status)
    return status;
  d->conv = (*operation)->conv;
  for (int a = 0; a < 3; a++)
    if (d->conv.at[a].pad > (d->conv.at[a].w - 1) * d->conv.at[a].dilation)
      return DNN_STATUS_NOT_SUPPORTED;
  return DNN_STATUS_SUCCESS;
}

/* --- engines ------------------------------------------------------------------------------ */

static int notes_of(const Descriptor *d, int notes[2])
{
  const bool isHalf = d->conv.type == DNN_DATA_HALF || d->conv.type == DNN_DATA_BFLOAT16;
  switch (d->engine) {
    case NARROW:
      notes[0] = DNN_NUMERICAL_NOTE_TENSOR_CORE;
      notes[1] = isHalf ? DNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION
                        : DNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
      return 2;
    case ROUNDING:
      notes[0] = DNN_NUMERICAL_NOTE_TENSOR_CORE;
      return 1;
    case UNORDERED:
      notes[0] = DNN_NUMERICAL_NOTE_NONDETERMINISTIC;
      return 1;
    default:
      return 0;
  }
}

/* The engines that are proposed: none for volumes and Double in the first mode. */
static int propose(Descriptor *d, Engine *engines)
{
  int status = DNN_STATUS_SUCCESS, count = 0;
  const int mode = *(const int *)need(d, DNN_ATTR_ENGINEHEUR_MODE, DNN_TYPE_HEUR_MODE, 1, &status);
  if (mode == DNN_HEUR_MODE_FALLBACK) {
    engines[count++] = REFUSING;
    engines[count++] = PLAIN;
  } else if (d->conv.at[0].w == 1 && d->conv.type != DNN_DATA_DOUBLE) {
    for (Engine e = NARROW; e <= DIRECT; e++)
      if (e != UNORDERED || d->conv.pass != THC_DNN_FORWARD)
        engines[count++] = e;
  }
  return count;
}

static int finalize_from(Descriptor *d, int name, int type)
{
  int status = DNN_STATUS_SUCCESS;
  const Descriptor *from = refer(d, name, type, &status);
  if (status)
    return status;
  d->conv = from->conv;
  d->engine = from->engine;
  return DNN_STATUS_SUCCESS;
}

static int plans;

static int finalize_plan(Descriptor *d)
{
  plans++;
  int status =
      finalize_from(d, DNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, DNN_BACKEND_ENGINECFG_DESCRIPTOR);
  need(d, DNN_ATTR_EXECUTION_PLAN_HANDLE, DNN_TYPE_HANDLE, 1, &status);
  return !status && d->engine == REFUSING ? DNN_STATUS_NOT_SUPPORTED : status;
}

static int finalize(Descriptor *d)
{
#define NAMES(NAME, X, W, Y)                                                                  \
  (const int[])                                                                               \
  {                                                                                           \
    DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##X, DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##W, \
        DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##Y,                                          \
        DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_CONV_DESC,                                    \
        DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_ALPHA,                                        \
        DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_BETA                                          \
  }
  int status = DNN_STATUS_SUCCESS;
  switch (d->type) {
    case DNN_BACKEND_TENSOR_DESCRIPTOR:
      return finalize_tensor(d);
    case DNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return DNN_STATUS_SUCCESS;
    case DNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return finalize_operation(d, THC_DNN_FORWARD, NAMES(FORWARD, X, W, Y));
    case DNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return finalize_operation(d, THC_DNN_BACKWARD_DATA, NAMES(BWD_DATA, DX, W, DY));
    case DNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return finalize_operation(d, THC_DNN_BACKWARD_WEIGHTS, NAMES(BWD_FILTER, X, DW, DY));
    case DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return finalize_graph(d);
    case DNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      need(d, DNN_ATTR_ENGINEHEUR_MODE, DNN_TYPE_HEUR_MODE, 1, &status);
      return status ? status
                    : finalize_from(d, DNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                                    DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    case DNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return finalize_plan(d);
    case DNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      need(d, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS, DNN_TYPE_INT64, 3, &status);
      need(d, DNN_ATTR_VARIANT_PACK_DATA_POINTERS, DNN_TYPE_VOID_PTR, 3, &status);
      need(d, DNN_ATTR_VARIANT_PACK_WORKSPACE, DNN_TYPE_VOID_PTR, 1, &status);
      return status;
    default:
      return DNN_STATUS_BAD_PARAM;
  }
#undef NAMES
}

int cudnnBackendFinalize(void *descriptor)
{
  Descriptor *d = descriptor;
  const int status = d->isFinal ? DNN_STATUS_BAD_PARAM : finalize(d);
  d->isFinal = !status;
  return status;
}

/* --- what is asked ------------------------------------------------------------------------ */

/* What was made beforehand becomes a config or an engine. */
static void become(Descriptor *made, const Descriptor *from, Engine engine)
{
  made->conv = from->conv;
  made->engine = engine;
  made->isFinal = true;
}

int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t room, int64_t *count,
                             void *elements)
{
  Descriptor *d = descriptor;
  Engine engines[ENGINES];
  int notes[2];
  if (!d->isFinal)
    return DNN_STATUS_BAD_PARAM;
  if (name == DNN_ATTR_ENGINEHEUR_RESULTS && type == DNN_TYPE_BACKEND_DESCRIPTOR) {
    *count = propose(d, engines);
    for (int64_t i = 0; i < *count && i < room; i++)
      become(((Descriptor **)elements)[i], d, engines[i]);
    *count = room && room < *count ? room : *count;
  } else if (name == DNN_ATTR_ENGINECFG_ENGINE && type == DNN_TYPE_BACKEND_DESCRIPTOR &&
             room == 1) {
    become(*(Descriptor **)elements, d, d->engine);
    *count = 1;
  } else if (name == DNN_ATTR_ENGINE_NUMERICAL_NOTE && type == DNN_TYPE_NUMERICAL_NOTE &&
             room >= 2) {
    *count = notes_of(d, notes);
    memcpy(elements, notes, (size_t)*count * sizeof *notes);
  } else if (name == DNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE && type == DNN_TYPE_INT64 &&
             room == 1) {
    *(int64_t *)elements = cusim_dnn_workspace(&d->conv, d->engine);
    *count = 1;
  } else {
    return DNN_STATUS_BAD_PARAM;
  }
  return DNN_STATUS_SUCCESS;
}

/* --- execution ---------------------------------------------------------------------------- */

static int failure; /* what the next call returns */
static int runs[ENGINES];

int cusim_dnn_plans(void)
{
  return plans;
}

void cusim_dnn_fail(int status)
{
  failure = status;
}

int cusim_dnn_runs(const char *engine)
{
  static const char *const names[ENGINES] = {"narrow",   "rounding", "unordered",
                                             "refusing", "direct",   "plain"};
  int count = 0;
  for (int i = 0; i < ENGINES; i++)
    count += !engine || !strcmp(engine, names[i]) ? runs[i] : 0;
  return count;
}

/* Orders pointers as the graph has its tensors: x, w and y have the numbers 1, 2 and 3 in whatever order. */
static int operands_of(Descriptor *pack, void *operands[3])
{
  int status = DNN_STATUS_SUCCESS, found = 0;
  const int64_t *ids = need(pack, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS, DNN_TYPE_INT64, 3, &status);
  void *const *data =
      need(pack, DNN_ATTR_VARIANT_PACK_DATA_POINTERS, DNN_TYPE_VOID_PTR, 3, &status);
  for (int i = 0; !status && i < 3; i++)
    for (int k = 0; k < 3; k++)
      if (ids[k] == i + 1) {
        operands[i] = data[k];
        found++;
      }
  return status ? status : found == 3 ? DNN_STATUS_SUCCESS : DNN_STATUS_BAD_PARAM;
}

int cudnnBackendExecute(void *handle, void *execution, void *pack)
{
  Handle *h = handle;
  Descriptor *plan = execution;
  void *operands[3];
  int status = operands_of(pack, operands);
  void *const *workspace =
      need(pack, DNN_ATTR_VARIANT_PACK_WORKSPACE, DNN_TYPE_VOID_PTR, 1, &status);
  if (!plan->isFinal || !((Descriptor *)pack)->isFinal)
    status = DNN_STATUS_BAD_PARAM;
  if (!status) {
    status = failure;
    failure = DNN_STATUS_SUCCESS;
  }
  if (status)
    return status;
  const Descriptor *config =
      refer(plan, DNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, DNN_BACKEND_ENGINECFG_DESCRIPTOR, &status);
  if (status || config->engine != plan->engine)
    return DNN_STATUS_BAD_PARAM;
  cusim_enter();
  struct CUstream_st *stream = h->stream && h->stream != cudaStreamLegacy
                                   ? cusim_stream(h->stream)
                                   : cusim_null_stream(h->device);
  status = stream ? cusim_dnn_queue(stream, &plan->conv, plan->engine, operands, *workspace)
                  : DNN_STATUS_EXECUTION_FAILED;
  runs[plan->engine] += !status;
  cusim_leave(cudaSuccess);
  return status;
}
