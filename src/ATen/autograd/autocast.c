/* Mixed precision: operations that choose the element types that they compute in. */
#include <stdlib.h>

#include "ATenCUDA.h"
#include "Node.h"

/* --- the thread's state ----------------------------------------------------------------------- */

at_scalar_type at_autocast_get(at_autocast_device device)
{
  const unsigned lower = (unsigned)device < AT_AUTOCAST_DEVICES ? at_gradState.lower[device] : 0;
  return lower ? (at_scalar_type)lower : AT_FLOAT;
}

static bool is_off(void)
{
  return !(at_gradState.lower[AT_AUTOCAST_CPU] | at_gradState.lower[AT_AUTOCAST_CUDA]);
}

static bool set(at_autocast_device device, at_scalar_type type)
{
  _Static_assert(AT_HALF != 0 && AT_BFLOAT16 != 0, "0 is no lower type");
  if ((unsigned)device >= AT_AUTOCAST_DEVICES) {
    at_fail(AT_ERROR_ARGUMENT, "autocast", "autocast: device is %d, and has to be 0 or 1",
            (int)device);
    return false;
  }
  if (type != AT_BFLOAT16 && type != AT_HALF && type != AT_FLOAT) {
    at_fail(AT_ERROR_TYPE, "autocast",
            "autocast: type is %s, and has to be BFloat16, Half or Float", at_scalarTypeName(type));
    return false;
  }
  at_gradState.lower[device] = type == AT_FLOAT ? 0 : (unsigned char)type;
  return true;
}

bool at_autocast_set(at_autocast_device device, at_scalar_type type)
{
  const bool good = set(device, type);
  if (good && is_off())
    at_forgetCasts();
  return good;
}

_Static_assert(sizeof(THGuard) == sizeof((at_autocast_block){0}.guard),
               "a block has room for a guard");

static void end(void *what)
{
  const at_autocast_block *const block = what;
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    (void)set((at_autocast_device)d, block->before[d]);
  if (is_off())
    at_forgetCasts();
}

bool at_autocast_once(at_autocast_block *block)
{
  if (!block || block->running)
    return false;
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    block->before[d] = at_autocast_get((at_autocast_device)d);
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    if (!set((at_autocast_device)d, block->type))
      return false;
  THGuard *const guard = (THGuard *)block->guard;
  THGuard_enter(guard, end);
  guard->what = block;
  block->running = true;
  return true;
}

void at_autocast_leave(at_autocast_block *block)
{
  if (block && block->running)
    THGuard_leave((THGuard *)block->guard);
}

/* --- calls ------------------------------------------------------------------------------------ */

static bool is_cast(const at_tensor *t)
{
  return at_defined(t) && at_isFloating(t->type->scalarType) && t->type->scalarType != AT_DOUBLE;
}

/* The wider of the type so far and t's: two different lower types give Float. */
static at_scalar_type wider(at_scalar_type type, const at_tensor *t)
{
  if (!at_defined(t) || !at_isFloating(t->type->scalarType) || t->type->scalarType == type)
    return type;
  return type == AT_DOUBLE || t->type->scalarType == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT;
}

static void begin(at_casting *casting, const at_type *type, int device)
{
  *casting = (at_casting){.type = type, .device = device};
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    casting->before[d] = at_gradState.lower[d];
}

bool at_casting_begin(at_casting *casting, at_autocast_policy cpu, at_autocast_policy cuda,
                      int count, at_tensor *const *tensors, at_tensors list)
{
  at_grad_state *const state = &at_gradState;
  if (is_off())
    return false;
  const at_tensor *first = list.count > 0 && list.data ? list.data[0] : NULL;
  for (int i = count - 1; i >= 0; i--)
    if (at_defined(tensors[i]))
      first = tensors[i];
  if (!at_defined(first))
    return false;
  const bool onCpu = at_isOnHost(first->type);
  const at_autocast_policy policy = onCpu ? cpu : cuda;
  at_scalar_type type = (at_scalar_type)state->lower[onCpu ? AT_AUTOCAST_CPU : AT_AUTOCAST_CUDA];
  if (!type || policy == AT_AUTOCAST_NONE)
    return false;
  for (int i = 0; i < count && policy == AT_AUTOCAST_WIDEST; i++)
    type = wider(type, tensors[i]);
  for (int i = 0; i < list.count && list.data && policy == AT_AUTOCAST_WIDEST; i++)
    type = wider(type, list.data[i]);
  if (policy == AT_AUTOCAST_SINGLE)
    type = AT_FLOAT;
  begin(casting, at_toScalarType(first->type, type), -1);
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    state->lower[d] = 0;
  return true;
}

static bool is_on_cpu(const at_tensor *t)
{
  return at_defined(t) && at_isOnHost(t->type);
}

bool at_bringing_begin(at_casting *casting, int written, int count, at_tensor *const *tensors,
                       at_tensors list)
{
  const at_tensor *there = NULL;
  bool isAny = false;
  for (int i = 0; i < count; i++) {
    if (!there && at_defined(tensors[i]) && !at_isOnHost(tensors[i]->type))
      there = tensors[i];
    if (i < written && is_on_cpu(tensors[i]))
      return false;
    isAny |= is_on_cpu(tensors[i]) && at_dim(tensors[i]) == 0;
  }
  for (int i = 0; i < list.count && list.data; i++)
    isAny |= is_on_cpu(list.data[i]);
  if (!there || !isAny)
    return false;
  begin(casting, NULL, THMax(at_deviceOf(there), 0));
  return true;
}

/* Whether an operand has to be made another one. */
static bool is_wanted(const at_casting *casting, const at_tensor *t, bool isIndex)
{
  if (casting->type)
    return is_cast(t) && t->type != casting->type;
  return is_on_cpu(t) && (isIndex || at_dim(t) == 0);
}

static at_tensor *bring(const at_casting *casting, at_tensor *t)
{
  at_tensor *made = at_undefined();
  AT_ON_DEVICE(casting->device)
  {
    made = (at_to)(t, at_getType(AT_BACKEND_CUDA, t->type->scalarType));
  }
  return made;
}

/* A new reference to t in the type, or on the device. */
static at_tensor *cast(at_casting *casting, at_tensor *t)
{
  at_tensor *const made = !casting->type                    ? bring(casting, t)
                          : at_isCastOnce(t, casting->type) ? at_castOnce(t, casting->type)
                                                            : (at_to)(t, casting->type);
  casting->failed |= !at_defined(made);
  return made;
}

at_tensor *at_casting_one(at_casting *casting, at_tensor *t)
{
  if (casting->failed || !is_wanted(casting, t, false))
    return t;
  return casting->made[casting->count++] = cast(casting, t);
}

at_tensors at_casting_all(at_casting *casting, at_tensors list)
{
  bool isAny = false;
  for (int i = 0; i < list.count && list.data; i++)
    isAny |= is_wanted(casting, list.data[i], true);
  if (!isAny || casting->failed)
    return list;
  at_tensor **const copy = calloc((size_t)list.count, sizeof *copy);
  if (!copy) {
    at_fail(AT_ERROR_RUNTIME, "cast", "cast: no memory for %d tensors", list.count);
    casting->failed = true;
    return list;
  }
  for (int i = 0; i < list.count; i++)
    copy[i] = is_wanted(casting, list.data[i], true) && !casting->failed
                  ? cast(casting, list.data[i])
                  : at_retain(list.data[i]);
  return casting->lists[casting->listCount++] = (at_tensors){copy, list.count};
}

void at_casting_end(at_casting *casting)
{
  for (int i = 0; i < casting->count; i++)
    at_release(casting->made[i]);
  for (int l = 0; l < casting->listCount; l++) {
    for (int i = 0; i < casting->lists[l].count; i++)
      at_release(casting->lists[l].data[i]);
    free((void *)casting->lists[l].data);
  }
  for (int d = 0; d < AT_AUTOCAST_DEVICES; d++)
    at_gradState.lower[d] = casting->before[d];
}
