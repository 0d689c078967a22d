/* The functions on tensors: they check their arguments, find contiguous memory, and hand over a work.  Tensors
 * of a device go by copies on the CPU. */
#include <stdio.h>
#include <stdlib.h>

#include "ATenCUDA.h"
#include "Comm.h"

const at_comm_options at_comm_defaults = {NULL, AT_COMM_SUM, NULL};

/* A call as it was made; names for messages. */
typedef struct Call {
  const char *name;
  at_comm_kind kind;
  at_tensor *in,
      *out; /* in and out are the same tensor if the call is in place; NULL: the rank has none */
  int root;
  at_comm_options options;
} Call;

/* --- checks ------------------------------------------------------------------------------------- */

#define REFUSE(CODE, ...) (at_fail(CODE, call->name, __VA_ARGS__), false)

static bool accepts(const Call *call, const char *argument, const at_tensor *t, bool writes)
{
  if (!at_defined(t))
    return REFUSE(AT_ERROR_NULL, "%s: %s is %s", call->name, argument, t ? "undefined" : "NULL");
  for (int d = 0; writes && at_numel(t) > 0 && d < at_dim(t); d++)
    if (at_strides(t).data[d] == 0 && at_sizes(t).data[d] > 1)
      return REFUSE(AT_ERROR_ARGUMENT,
                    "%s: elements of %s share memory: dimension %d has the stride 0", call->name,
                    argument, d);
  return true;
}

static bool is_inplace(const Call *call)
{
  return call->kind <= AT_COMM_REDUCE || call->kind >= AT_COMM_SEND;
}

/* Whether the sides that the rank needs are there. */
static bool accepts_sides(const Call *call, bool isRoot)
{
  const bool needsIn = call->kind != AT_COMM_SCATTER || isRoot;
  const bool needsOut = call->kind != AT_COMM_GATHER || isRoot;
  const char *const out = is_inplace(call) ? "t" : "result";
  const bool writes = call->kind != AT_COMM_SEND;
  if ((needsIn && !accepts(call, "t", call->in, is_inplace(call) && writes)) ||
      (needsOut && !accepts(call, out, call->out, writes)))
    return false;
  if (needsIn && needsOut && call->in->type != call->out->type)
    return REFUSE(AT_ERROR_TYPE, "%s: result is of type %s, and t of type %s", call->name,
                  call->out->type->name, call->in->type->name);
  return true;
}

/* Whether one side has as many elements as all parts together. */
static bool accepts_counts(const Call *call, int size, bool isRoot)
{
  const bool gathers = call->kind == AT_COMM_ALL_GATHER || call->kind == AT_COMM_GATHER;
  const bool scatters = call->kind == AT_COMM_REDUCE_SCATTER || call->kind == AT_COMM_SCATTER;
  const bool isEven = call->kind == AT_COMM_ALL_TO_ALL;
  if ((!gathers && !scatters && !isEven) ||
      ((call->kind == AT_COMM_GATHER || call->kind == AT_COMM_SCATTER) && !isRoot))
    return true;
  const int64_t in = at_numel(call->in), out = at_numel(call->out);
  const int64_t whole = gathers ? out : in, part = gathers ? in : out;
  if (isEven ? in == out && in % size == 0 : whole / size == part && whole % size == 0)
    return true;
  return REFUSE(AT_ERROR_ARGUMENT,
                "%s: result has %lld elements and t %lld, which do not fit together for %d ranks",
                call->name, (long long)out, (long long)in, size);
}

static bool combines(at_comm_kind kind)
{
  return kind == AT_COMM_ALL_REDUCE || kind == AT_COMM_REDUCE || kind == AT_COMM_REDUCE_SCATTER;
}

static bool accepts_numbers(const Call *call, const at_comm_group *group)
{
  if (call->root < 0 || call->root >= group->size)
    return REFUSE(AT_ERROR_ARGUMENT, "%s: there is no rank %d, the group has %d", call->name,
                  call->root, group->size);
  if ((call->kind == AT_COMM_SEND || call->kind == AT_COMM_RECEIVE) && call->root == group->rank)
    return REFUSE(AT_ERROR_ARGUMENT, "%s: peer is %d, the rank itself", call->name, call->root);
  return true;
}

static bool accepts_op(const Call *call)
{
  if (!combines(call->kind) || at_comm_canCombine(call->in->type->scalarType, call->options.op))
    return true;
  return REFUSE(AT_ERROR_TYPE, "%s: op %d is not for elements of type %s", call->name,
                (int)call->options.op, call->in->type->name);
}

static bool accept_call(const Call *call, const at_comm_group *group)
{
  const bool isRoot = call->root == group->rank;
  return accepts_numbers(call, group) && accepts_sides(call, isRoot) &&
         accepts_counts(call, group->size, isRoot) && accepts_op(call);
}

/* --- memory ------------------------------------------------------------------------------------- */

/* A reference to a tensor of its own on the CPU, or to t if that will do; NULL after an error.  What fills it from
 * a device, the thread copies when the work's turn comes. */
static at_tensor *contiguous(at_comm_work *work, at_tensor *t, bool copies, bool fills)
{
  const bool isHere = at_isOnHost(t->type);
  at_tensor *made = NULL;
  AT_NO_GRAD AT_SCOPE
  {
    if (isHere && !copies && at_isContiguous(t))
      made = at_retain(t);
    else if (isHere && fills)
      made = at_keep((at_contiguous)((at_clone)(t)));
    else
      made = at_keep((at_empty)(at_sizes(t),
                                &(at_empty_options){.type = AT_CPU(t->type->scalarType)}));
  }
  if (!at_defined(made))
    return NULL;
  if (!isHere && fills) {
    work->given = at_retain(t);
    work->landing = made;
  }
  return made;
}

/* Whether the memory of two contiguous tensors overlaps. */
static bool overlap(const at_tensor *a, const at_tensor *b)
{
  const char *const x = at_data(a), *const y = at_data(b);
  const size_t xs = (size_t)at_numel(a) * a->type->elementSize,
               ys = (size_t)at_numel(b) * b->type->elementSize;
  return x && y && x < y + ys && y < x + xs;
}

/* Finds the memory that the call reads, where the collective may change it. */
static bool find_in(const Call *call, at_comm_work *work)
{
  const bool changes = call->kind == AT_COMM_REDUCE_SCATTER;
  work->held = contiguous(work, call->in, changes, true);
  if (work->held && call->out && call->kind != AT_COMM_ALL_GATHER && !changes &&
      at_isOnHost(call->out->type) && at_isContiguous(call->out) &&
      overlap(work->held, call->out)) {
    at_release(work->held);
    work->held = contiguous(work, call->in, true, true);
  }
  work->in = work->held ? at_data(work->held) : NULL;
  return work->held;
}

/* Finds the memory that the call writes: the tensor's own, or a copy which is copied back. */
static bool find_out(const Call *call, at_comm_work *work, bool isPrivate)
{
  at_tensor *const t = contiguous(work, call->out, isPrivate, is_inplace(call));
  if (!t)
    return false;
  work->out = at_data(t);
  if (isPrivate)
    work->held = t; /* read, and computed in */
  else if (t != call->out)
    work->staged = t;
  else
    at_release(t);
  if (!isPrivate)
    work->result = at_retain(call->out);
  return true;
}

/* The thread uses a device on a stream of its own: what the program has queued there comes first. */
static bool finish_queued(const at_tensor *t)
{
  bool done = true;
  const int device =
      t && !at_isOnHost(t->type) ? at_deviceOf(t) : -1; /* also where there is no memory */
  if (device >= 0)
    AT_ON_DEVICE(device) done = at_cuda_synchronize();
  return done;
}

static bool find_memory(const Call *call, at_comm_work *work)
{
  const int size = work->group->size;
  const bool isRoot = call->root == work->group->rank;
  const bool isPrivate = call->kind == AT_COMM_SEND || (call->kind == AT_COMM_REDUCE && !isRoot);
  const int64_t count = work->row.count;
  if (!finish_queued(call->in) || !finish_queued(call->out))
    return false;
  if (call->kind == AT_COMM_SEND) {
    work->held = contiguous(work, call->in, false, true);
    work->out = work->held ? at_data(work->held) : NULL;
    return work->held;
  }
  if (call->in && !is_inplace(call) && !find_in(call, work))
    return false;
  if (call->out && !find_out(call, work, isPrivate))
    return false;
  const int64_t scratch = at_comm_scratchOf(call->kind, count, work->element, size);
  if (scratch <= 0)
    return true;
  work->scratch = malloc((size_t)scratch * work->element);
  if (!work->scratch)
    return REFUSE(AT_ERROR_RUNTIME, "%s: there is no memory for %lld elements", call->name,
                  (long long)scratch);
  return true;
}

/* --- calls -------------------------------------------------------------------------------------- */

/* What other ranks compare: the elements of t, or of a part. */
static void describe(const Call *call, at_comm_work *work)
{
  const bool takesOut = call->kind == AT_COMM_REDUCE_SCATTER || call->kind == AT_COMM_SCATTER;
  const at_tensor *const t = takesOut ? call->out : call->in;
  const int64_t parts = call->kind == AT_COMM_ALL_TO_ALL ? work->group->size : 1;
  work->row.root = call->root;
  work->row.op = combines(call->kind) ? (int)call->options.op : 0;
  work->row.type = t->type->scalarType;
  work->row.count = at_numel(t) / parts;
  work->element = t->type->elementSize;
}

/* The tensors of a device, with which NCCL can work. */
static void hold_device(const Call *call, at_comm_work *work)
{
  if (call->in && !at_isOnHost(call->in->type))
    work->from = at_retain(call->in);
  if (call->out && !at_isOnHost(call->out->type))
    work->to = at_retain(call->out);
}

static bool make_call(Call call)
{
  if (call.options.work)
    *call.options.work = NULL;
  at_comm_work *const work = at_comm_newWork(call.name, call.kind, call.options.group);
  if (!work)
    return false;
  if (call.kind == AT_COMM_GATHER && call.root != work->group->rank)
    call.out = NULL;
  if (call.kind == AT_COMM_SCATTER && call.root != work->group->rank)
    call.in = NULL;
  bool isGood = call.kind == AT_COMM_BARRIER || accept_call(&call, work->group);
  if (isGood && call.kind != AT_COMM_BARRIER) {
    describe(&call, work);
    hold_device(&call, work);
    isGood = find_memory(&call, work);
  }
  if (!isGood) { /* the others learn it, instead of waiting */
    work->row.isBad = true;
    if (at_comm.checked && call.kind < AT_COMM_SEND)
      at_comm_runWork(work);
    at_comm_freeWork(work);
    return false;
  }
  at_comm_queue(work);
  if (!call.options.work)
    return (at_comm_wait)(work);
  *call.options.work = work;
  return true;
}

static at_comm_options options_of(const at_comm_options *options)
{
  return options ? *options : at_comm_defaults;
}

/* A function in place, and one from t to result. */
/* clang-format off */
#define IN_PLACE(NAME, KIND)                                                          \
  bool(at_comm_##NAME)(at_tensor * t, int root, const at_comm_options *options)       \
  { return make_call((Call){"comm_" #NAME, KIND, t, t, root, options_of(options)}); }
#define FROM_TO(NAME, KIND)                                                               \
  bool(at_comm_##NAME)(at_tensor * result, at_tensor * t, const at_comm_options *options) \
  { return make_call((Call){"comm_" #NAME, KIND, t, result, 0, options_of(options)}); }
#define WITH_ROOT(NAME, KIND)                                                                       \
  bool(at_comm_##NAME)(at_tensor * result, at_tensor * t, int root, const at_comm_options *options) \
  { return make_call((Call){"comm_" #NAME, KIND, t, result, root, options_of(options)}); }
/* clang-format on */

IN_PLACE(broadcast, AT_COMM_BROADCAST)
IN_PLACE(reduce, AT_COMM_REDUCE)
IN_PLACE(send, AT_COMM_SEND)
IN_PLACE(receive, AT_COMM_RECEIVE)
FROM_TO(all_gather, AT_COMM_ALL_GATHER)
FROM_TO(reduce_scatter, AT_COMM_REDUCE_SCATTER)
FROM_TO(all_to_all, AT_COMM_ALL_TO_ALL)
WITH_ROOT(gather, AT_COMM_GATHER)
WITH_ROOT(scatter, AT_COMM_SCATTER)

bool(at_comm_all_reduce)(at_tensor *t, const at_comm_options *options)
{
  return make_call((Call){"comm_all_reduce", AT_COMM_ALL_REDUCE, t, t, 0, options_of(options)});
}

bool(at_comm_barrier)(const at_comm_options *options)
{
  return make_call((Call){"comm_barrier", AT_COMM_BARRIER, NULL, NULL, 0, options_of(options)});
}
