/* Plans of cuDNN: a convolution is described as a graph of one operation, for which cuDNN
 * proposes engine configurations. The plan has the first configuration that the settings allow,
 * or the fastest of several. */
#include "THCDnnPlan.h"

#include <stdlib.h>

#include "THC/core/THCPrivate.h"

enum {
  MOST_CANDIDATES = 8, /* candidates that are timed */
  MOST_CONFIGS = 64,   /* configurations that cuDNN is asked for */
  MOST_NOTES = 32,     /* numerical notes of an engine */
  ROUNDS = 3           /* timed runs of a candidate */
};
static const int64_t most_workspace = INT64_C(1) << 30; /* bytes */

/* A plan that is being made.  After a status that is no success nothing more is done. */
typedef struct Build {
  const THCDnnLibrary *dnn;
  void *handle;
  THCDnnPlan *plan;
  int status;
} Build;

/* A candidate: an engine configuration, and its execution plan (NULL: cuDNN makes none). */
typedef struct Candidate {
  void *config, *execution;
  int64_t workspace;
} Candidate;

/* --- descriptors ------------------------------------------------------------------------------ */

/* A descriptor that the plan keeps. */
static void *make(Build *b, int type)
{
  THCDnnPlan *plan = b->plan;
  void *made = NULL;
  if (!b->status)
    b->status = b->dnn->BackendCreateDescriptor(type, &made);
  if (!b->status)
    plan->made[plan->count++] = made;
  return made;
}

static void set(Build *b, void *descriptor, int name, int type, int64_t count, const void *elements)
{
  if (!b->status)
    b->status = b->dnn->BackendSetAttribute(descriptor, name, type, count, elements);
}

static void finish(Build *b, void *descriptor)
{
  if (!b->status)
    b->status = b->dnn->BackendFinalize(descriptor);
}

/* A row-major tensor. */
static void *make_tensor(Build *b, int64_t id, const int64_t *size, int dims)
{
  const THCDnnConvolution *c = &b->plan->key.c;
  const int type = (int)c->type;
  int64_t stride[5];
  stride[dims - 1] = 1;
  for (int d = dims - 1; d > 0; d--)
    stride[d - 1] = stride[d] * size[d];
  void *t = make(b, DNN_BACKEND_TENSOR_DESCRIPTOR);
  set(b, t, DNN_ATTR_TENSOR_DATA_TYPE, DNN_TYPE_DATA_TYPE, 1, &type);
  set(b, t, DNN_ATTR_TENSOR_DIMENSIONS, DNN_TYPE_INT64, dims, size);
  set(b, t, DNN_ATTR_TENSOR_STRIDES, DNN_TYPE_INT64, dims, stride);
  set(b, t, DNN_ATTR_TENSOR_UNIQUE_ID, DNN_TYPE_INT64, 1, &id);
  set(b, t, DNN_ATTR_TENSOR_BYTE_ALIGNMENT, DNN_TYPE_INT64, 1, &c->alignment);
  finish(b, t);
  return t;
}

/* Half and BFloat16 are added up in Float. */
static int sum_type(const THCDnnConvolution *c)
{
  return c->type == THC_DNN_DOUBLE ? DNN_DATA_DOUBLE : DNN_DATA_FLOAT;
}

static void *make_convolution(Build *b, int first)
{
  const THCDnnConvolution *c = &b->plan->key.c;
  const int64_t axes = 3 - first;
  const int mode = DNN_CROSS_CORRELATION, type = sum_type(c);
  int64_t step[3], pad[3], dilation[3];
  for (int a = first; a < 3; a++) {
    step[a - first] = c->at[a].step;
    pad[a - first] = c->at[a].pad;
    dilation[a - first] = c->at[a].dilation;
  }
  void *made = make(b, DNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  set(b, made, DNN_ATTR_CONVOLUTION_COMP_TYPE, DNN_TYPE_DATA_TYPE, 1, &type);
  set(b, made, DNN_ATTR_CONVOLUTION_CONV_MODE, DNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  set(b, made, DNN_ATTR_CONVOLUTION_SPATIAL_DIMS, DNN_TYPE_INT64, 1, &axes);
  set(b, made, DNN_ATTR_CONVOLUTION_FILTER_STRIDES, DNN_TYPE_INT64, axes, step);
  set(b, made, DNN_ATTR_CONVOLUTION_PRE_PADDINGS, DNN_TYPE_INT64, axes, pad);
  set(b, made, DNN_ATTR_CONVOLUTION_POST_PADDINGS, DNN_TYPE_INT64, axes, pad);
  set(b, made, DNN_ATTR_CONVOLUTION_DILATIONS, DNN_TYPE_INT64, axes, dilation);
  finish(b, made);
  return made;
}

/* The operation: result = 1 * the pass of the operands + 0 * result. */
static void *make_operation(Build *b, void *const tensors[3], void *convolution)
{
  static const struct {
    int type, alpha, beta, convolution, tensors[3];
  } operations[] = {
#define OF(NAME, WHAT) DNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##WHAT
#define COMMON(NAME)   OF(NAME, ALPHA), OF(NAME, BETA), OF(NAME, CONV_DESC)
      [THC_DNN_FORWARD] = {DNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                           COMMON(FORWARD),
                           {OF(FORWARD, X), OF(FORWARD, W), OF(FORWARD, Y)}},
      [THC_DNN_BACKWARD_DATA] = {DNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                 COMMON(BWD_DATA),
                                 {OF(BWD_DATA, DX), OF(BWD_DATA, W), OF(BWD_DATA, DY)}},
      [THC_DNN_BACKWARD_WEIGHTS] = {DNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                                    COMMON(BWD_FILTER),
                                    {OF(BWD_FILTER, X), OF(BWD_FILTER, DW), OF(BWD_FILTER, DY)}},
#undef COMMON
#undef OF
  };
  static const double factors[] = {1, 0};
  static const float floats[] = {1, 0};
  const THCDnnConvolution *c = &b->plan->key.c;
  const int wide = c->type == THC_DNN_DOUBLE, type = wide ? DNN_TYPE_DOUBLE : DNN_TYPE_FLOAT;
  const __typeof__(&operations[0]) o = &operations[c->pass];
  void *made = make(b, o->type);
  for (int i = 0; i < 3; i++)
    set(b, made, o->tensors[i], DNN_TYPE_BACKEND_DESCRIPTOR, 1, &tensors[i]);
  set(b, made, o->convolution, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &convolution);
  set(b, made, o->alpha, type, 1, wide ? (const void *)&factors[0] : &floats[0]);
  set(b, made, o->beta, type, 1, wide ? (const void *)&factors[1] : &floats[1]);
  finish(b, made);
  return made;
}

/* Whether the axis has one slice, a kernel of 1 and no padding. */
static int is_flat(const THCDnnAxis *a)
{
  return a->input == 1 && a->output == 1 && a->size == 1 && a->pad == 0;
}

/* The sizes of x, weight and y without the axes before `first`. */
static void sizes_of(const THCDnnConvolution *c, int first, int64_t size[3][5])
{
  const int64_t planes[3][2] = {
      {c->batch, c->planes}, {c->outputs, c->planes / c->groups}, {c->batch, c->outputs}};
  for (int i = 0; i < 3; i++) {
    size[i][0] = planes[i][0];
    size[i][1] = planes[i][1];
  }
  for (int a = first; a < 3; a++) {
    size[0][2 + a - first] = c->at[a].input;
    size[1][2 + a - first] = c->at[a].size;
    size[2][2 + a - first] = c->at[a].output;
  }
}

static void *make_graph(Build *b)
{
  const THCDnnConvolution *c = &b->plan->key.c;
  const int first = is_flat(&c->at[0]);
  int64_t size[3][5];
  void *tensors[3];
  sizes_of(c, first, size);
  for (int i = 0; i < 3; i++)
    tensors[i] = make_tensor(b, i + 1, size[i], 5 - first);
  void *convolution = make_convolution(b, first);
  void *operation = make_operation(b, tensors, convolution);
  void *graph = make(b, DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(b, graph, DNN_ATTR_OPERATIONGRAPH_HANDLE, DNN_TYPE_HANDLE, 1, &b->handle);
  set(b, graph, DNN_ATTR_OPERATIONGRAPH_OPS, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation);
  finish(b, graph);
  return graph;
}

/* --- candidates ------------------------------------------------------------------------------- */

static int refuses(const THCDnnKey *key, int note)
{
  switch (note) {
    case DNN_NUMERICAL_NOTE_TENSOR_CORE:
      return key->c.type == THC_DNN_FLOAT && !key->rounds;
    case DNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      return key->isDeterministic != 0;
    case DNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
    case DNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      return 1;
    default:
      return 0;
  }
}

/* Whether the settings allow what cuDNN notes of the engine. */
static int allows(Build *b, void *config)
{
  int notes[MOST_NOTES];
  int64_t count = 0;
  void *engine = NULL;
  if (b->dnn->BackendCreateDescriptor(DNN_BACKEND_ENGINE_DESCRIPTOR, &engine))
    return 0;
  int status = b->dnn->BackendGetAttribute(config, DNN_ATTR_ENGINECFG_ENGINE,
                                           DNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
  if (!status)
    status = b->dnn->BackendGetAttribute(engine, DNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                         DNN_TYPE_NUMERICAL_NOTE, MOST_NOTES, &count, notes);
  b->dnn->BackendDestroyDescriptor(engine);
  int fits = !status && count <= MOST_NOTES;
  for (int i = 0; fits && i < count; i++)
    fits = !refuses(&b->plan->key, notes[i]);
  return fits;
}

/* The candidate of a configuration; its execution is NULL if cuDNN makes none, or one that needs too much memory. */
static Candidate open_candidate(const Build *b, void *config)
{
  Build own = *b;
  Candidate candidate = {.config = config};
  int64_t count;
  own.status =
      b->dnn->BackendCreateDescriptor(DNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &candidate.execution);
  if (own.status)
    candidate.execution = NULL;
  set(&own, candidate.execution, DNN_ATTR_EXECUTION_PLAN_HANDLE, DNN_TYPE_HANDLE, 1, &b->handle);
  set(&own, candidate.execution, DNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, DNN_TYPE_BACKEND_DESCRIPTOR,
      1, &config);
  finish(&own, candidate.execution);
  if (!own.status)
    own.status =
        b->dnn->BackendGetAttribute(candidate.execution, DNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                    DNN_TYPE_INT64, 1, &count, &candidate.workspace);
  if (candidate.execution &&
      (own.status || candidate.workspace < 0 || candidate.workspace > most_workspace)) {
    b->dnn->BackendDestroyDescriptor(candidate.execution);
    candidate.execution = NULL;
  }
  return candidate;
}

/* Asks cuDNN's heuristic of that mode for up to `room` configurations, the best first; returns how many there are. */
static int64_t propose(const Build *b, void *graph, int mode, void **configs, int64_t room)
{
  Build own = *b;
  int64_t count = 0, made = 0;
  void *proposals = NULL;
  own.status = b->dnn->BackendCreateDescriptor(DNN_BACKEND_ENGINEHEUR_DESCRIPTOR, &proposals);
  if (own.status)
    return 0;
  set(&own, proposals, DNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
  set(&own, proposals, DNN_ATTR_ENGINEHEUR_MODE, DNN_TYPE_HEUR_MODE, 1, &mode);
  finish(&own, proposals);
  if (!own.status)
    own.status = b->dnn->BackendGetAttribute(proposals, DNN_ATTR_ENGINEHEUR_RESULTS,
                                             DNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, NULL);
  count = own.status ? 0 : THMin(count, room);
  while (made < count &&
         !b->dnn->BackendCreateDescriptor(DNN_BACKEND_ENGINECFG_DESCRIPTOR, &configs[made]))
    made++;
  int64_t given = 0;
  if (made > 0 && b->dnn->BackendGetAttribute(proposals, DNN_ATTR_ENGINEHEUR_RESULTS,
                                              DNN_TYPE_BACKEND_DESCRIPTOR, made, &given, configs))
    given = 0;
  given = THMin(given, made);
  for (int64_t i = given; i < made; i++)
    b->dnn->BackendDestroyDescriptor(configs[i]);
  b->dnn->BackendDestroyDescriptor(proposals);
  return given;
}

/* Adds candidates to the list until there are `most`; returns how many there are. */
static int find_candidates(Build *b, void *graph, int mode, Candidate *candidates, int count,
                           int most)
{
  void *configs[MOST_CONFIGS];
  const int64_t found = propose(b, graph, mode, configs, MOST_CONFIGS);
  for (int64_t i = 0; i < found; i++) {
    Candidate candidate = {.config = configs[i]};
    if (count < most && allows(b, configs[i]))
      candidate = open_candidate(b, configs[i]);
    if (candidate.execution)
      candidates[count++] = candidate;
    else
      b->dnn->BackendDestroyDescriptor(configs[i]);
  }
  return count;
}

/* --- measurements ----------------------------------------------------------------------------- */

/* Operands and workspace for timed runs, whose values do not matter, and the events around the runs. */
typedef struct Bench {
  void *operands[3], *workspace;
  cudaEvent_t begin, end;
  THGuard guard[6];
} Bench;

static void destroy_event(void *event)
{
  cudaEventDestroy(event);
}

/* Raises where there is no memory. */
static void open_bench(Bench *bench, const THCDnnConvolution *c, int64_t workspace)
{
  static const int bytes[] = {
      [THC_DNN_FLOAT] = 4, [THC_DNN_DOUBLE] = 8, [THC_DNN_HALF] = 2, [THC_DNN_BFLOAT16] = 2};
  int64_t size[3][5];
  sizes_of(c, 0, size);
  for (int i = 0; i < 3; i++) {
    int64_t count = bytes[c->type];
    for (int d = 0; d < 5; d++)
      count *= size[i][d];
    bench->operands[i] = THC_scratch(&bench->guard[i], (size_t)count);
  }
  bench->workspace = THC_scratch(&bench->guard[3], (size_t)workspace);
  THGuard_enter(&bench->guard[4], destroy_event);
  THCudaCheck(cudaEventCreate(&bench->begin));
  bench->guard[4].what = bench->begin;
  THGuard_enter(&bench->guard[5], destroy_event);
  THCudaCheck(cudaEventCreate(&bench->end));
  bench->guard[5].what = bench->end;
}

/* The time of ROUNDS runs of a candidate after the first one; INFINITY if cuDNN refuses to run it. */
static float time_of(const Build *b, const Bench *bench, const Candidate *candidate)
{
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  float time = 0;
  for (int i = 0; i <= ROUNDS; i++) {
    if (THCDnnPlan_execute(b->dnn, b->handle, candidate->execution, bench->operands,
                           bench->workspace))
      return INFINITY;
    if (i == 0)
      THCudaCheck(cudaEventRecord(bench->begin, stream));
  }
  THCudaCheck(cudaEventRecord(bench->end, stream));
  THCudaCheck(cudaEventSynchronize(bench->end));
  THCudaCheck(cudaEventElapsedTime(&time, bench->begin, bench->end));
  return time;
}

/* The number of the fastest candidate; of the first one among those with the same time, or if
 * nothing can be measured. */
static int fastest(const Build *b, const Candidate *candidates, int count)
{
  volatile int best = 0;
  int64_t workspace = 0;
  for (int i = 0; i < count; i++)
    workspace = THMax(workspace, candidates[i].workspace);
  THTry attempt;
  TH_TRY(attempt)
  {
    Bench bench = {{NULL}};
    float least = INFINITY;
    open_bench(&bench, &b->plan->key.c, workspace);
    for (int i = 0; i < count; i++) {
      const float time = time_of(b, &bench, &candidates[i]);
      if (time < least) {
        least = time;
        best = i;
      }
    }
    for (int i = 5; i >= 0; i--)
      THGuard_leave(&bench.guard[i]);
  }
  return best;
}

/* --- plans ------------------------------------------------------------------------------------ */

/* Gives the plan the candidate `best`, and destroys the others. */
static void keep(Build *b, const Candidate *candidates, int count, int best)
{
  THCDnnPlan *plan = b->plan;
  for (int i = 0; i < count; i++) {
    if (i == best)
      continue;
    b->dnn->BackendDestroyDescriptor(candidates[i].execution);
    b->dnn->BackendDestroyDescriptor(candidates[i].config);
  }
  if (count == 0)
    return;
  plan->made[plan->count++] = candidates[best].config;
  plan->made[plan->count++] = candidates[best].execution;
  plan->execution = candidates[best].execution;
  plan->workspace = candidates[best].workspace;
}

THCDnnPlan *THCDnnPlan_new(const THCDnnLibrary *dnn, void *handle, const THCDnnKey *key,
                           int measures)
{
  THCDnnPlan *plan = calloc(1, sizeof *plan);
  if (!plan)
    return NULL;
  plan->key = *key;
  Build b = {.dnn = dnn, .handle = handle, .plan = plan};
  Candidate candidates[MOST_CANDIDATES];
  void *graph = make_graph(&b);
  const int most = measures ? MOST_CANDIDATES : 1;
  int count = b.status ? 0 : find_candidates(&b, graph, DNN_HEUR_MODE_A, candidates, 0, most);
  if (!b.status && count < most)
    count = find_candidates(&b, graph, DNN_HEUR_MODE_FALLBACK, candidates, count, most);
  keep(&b, candidates, count, count > 1 ? fastest(&b, candidates, count) : 0);
  return plan;
}

/* The newest descriptors refer to the older ones. */
void THCDnnPlan_free(const THCDnnLibrary *dnn, THCDnnPlan *plan)
{
  while (plan->count > 0)
    dnn->BackendDestroyDescriptor(plan->made[--plan->count]);
  free(plan);
}

int THCDnnPlan_execute(const THCDnnLibrary *dnn, void *handle, void *execution,
                       void *const operands[3], void *workspace)
{
  static const int64_t ids[] = {1, 2, 3};
  void *pack = NULL;
  Build b = {.dnn = dnn, .handle = handle};
  b.status = dnn->BackendCreateDescriptor(DNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
  if (b.status)
    return b.status;
  set(&b, pack, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS, DNN_TYPE_INT64, 3, ids);
  set(&b, pack, DNN_ATTR_VARIANT_PACK_DATA_POINTERS, DNN_TYPE_VOID_PTR, 3, operands);
  set(&b, pack, DNN_ATTR_VARIANT_PACK_WORKSPACE, DNN_TYPE_VOID_PTR, 1, &workspace);
  finish(&b, pack);
  if (!b.status)
    b.status = dnn->BackendExecute(handle, execution, pack);
  dnn->BackendDestroyDescriptor(pack);
  return b.status;
}
