/* Averages of parameters: exponential ones, and plain ones (stochastic weight averaging). */
#include "ATen/core/ATenOperations.h"
#include "Optimizer.h"

struct at_average {
  double decay; /* negative: a plain average */
  int64_t updates;
  int count;
  at_job *jobs; /* of[0] is the average, of[1] the parameter: references */
};

void at_average_free(at_average *a)
{
  if (!a)
    return;
  for (int i = 0; i < a->count; i++) {
    at_release(a->jobs[i].of[0]);
    at_release(a->jobs[i].of[1]);
  }
  THFree(a->jobs);
  THFree(a);
}

static void add_param(at_average *a, at_tensor *t)
{
  if (!at_isFloating(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "params[%d] is of type %s, and has to be of a floating type", a->count,
             t->type->name);
  THGuard guard;
  at_guard(&guard);
  at_tensor *const made = guard.what = at_newZerosLike(t);
  at_convert(made, t);
  THGuard_keep(&guard);
  a->jobs[a->count++] = (at_job){.name = AT_UPDATE_blend,
                                 .numbers = {.sign = 1, .shrink = 1},
                                 .operands = 2,
                                 .of = {made, at_retain(t)}};
}

static at_average *new_average(const char *name, at_tensors params, double decay)
{
  if (!at_acceptAll(name, "params", params, false))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_average *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_average_free);
    at_average *const a = guard.what = THAlloc(sizeof *a);
    *a = (at_average){.decay = decay};
    a->jobs = THAlloc((params.count + 1) * (ptrdiff_t)sizeof *a->jobs);
    for (int i = 0; i < params.count; i++)
      add_param(a, params.data[i]);
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}

at_average *(at_ema)(at_tensors params, double decay)
{
  if (decay >= 0 && decay <= 1)
    return new_average("ema", params, decay);
  at_fail(AT_ERROR_ARGUMENT, "ema", "ema: decay is %g, and has to be from 0 to 1", decay);
  return NULL;
}

at_average *(at_swa)(at_tensors params)
{
  return new_average("swa", params, -1);
}

/* Raises if a parameter is of another size than before; averages of parameters that have become those
 * of another type, as at_module_to makes them, follow them. */
static void follow_params(at_average *a)
{
  for (int i = 0; i < a->count; i++) {
    const at_tensor *const average = a->jobs[i].of[0], *const t = a->jobs[i].of[1];
    if (!at_sameSizes(at_sizesOf(average), at_sizesOf(t)))
      at_raise(AT_ERROR_ARGUMENT, "params[%d] is of size (%s), and was of size (%s)", i,
               at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(at_sizesOf(average)).str);
  }
  for (int i = 0; i < a->count; i++) {
    at_tensor *const before = a->jobs[i].of[0], *const t = a->jobs[i].of[1];
    if (before->type == t->type)
      continue;
    THGuard guard;
    at_guard(&guard);
    at_tensor *const made = guard.what = at_newZerosLike(t);
    at_convert(made, before);
    const at_tensor was = *before;
    before->type = made->type, before->th = made->th; /* the average stays the same object */
    made->type = was.type, made->th = was.th;
    THGuard_leave(&guard);
  }
}

bool(at_average_update)(at_average *a)
{
  const char *const name = "average_update";
  if (!at_acceptPointer(name, "average", a))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    follow_params(a);
    for (int i = 0; i < a->count; i++)
      a->jobs[i].numbers.rate = a->updates == 0 ? 1
                                : a->decay < 0  ? 1 / (double)(a->updates + 1)
                                                : 1 - a->decay;
    at_updateAll(a->count, a->jobs);
    a->updates++;
  }
  return !at_failed(&call);
}

at_tensor *(at_average_param)(const at_average *a, int index)
{
  const char *const name = "average_param";
  if (!at_acceptPointer(name, "average", a))
    return at_undefined();
  if (index >= 0 && index < a->count)
    return a->jobs[index].of[0];
  at_fail(AT_ERROR_ARGUMENT, name, "%s: index is %d, the average has %d parameters", name, index,
          a->count);
  return at_undefined();
}
