/* States of an optimizer, of which each rank keeps those of its own parameters. */
#include <stdlib.h>
#include <string.h>

#include "Comm.h"

enum { NAME_BYTES = 64 };

typedef struct Param {
  int group, index, owner;
} Param;

struct at_comm_sharded {
  at_comm_group *group;
  at_optimizer *optimizer;
  Param *params;
  int count;
};

static bool is_own(const at_comm_sharded *z, int i)
{
  return z->params[i].owner == z->group->rank;
}

static at_tensor *tensor_of(const at_comm_sharded *z, int i)
{
  return (at_optimizer_param)(z->optimizer, z->params[i].group, z->params[i].index);
}

static bool accepts(const char *name, const void *given, const char *argument)
{
  if (!given)
    at_fail(AT_ERROR_NULL, name, "%s: %s is NULL", name, argument);
  return given;
}

static at_tensor *number_tensor(int64_t value)
{
  return (at_full)(AT_SCALAR_SHAPE, at_scalar_long(value),
                   &(at_full_options){.type = AT_CPU(AT_LONG)});
}

/* --- division ------------------------------------------------------------------------------------ */

/* Each parameter goes to the rank that has the fewest elements so far. */
static void divide_params(at_comm_sharded *z, int64_t *sums)
{
  for (int i = 0; i < z->count; i++) {
    int least = 0;
    for (int r = 1; r < z->group->size; r++)
      if (sums[r] < sums[least])
        least = r;
    z->params[i].owner = least;
    sums[least] += at_numel(tensor_of(z, i)) + 1;
  }
}

/* Removes states of parameters of other ranks. */
static bool drop_others(at_comm_sharded *z)
{
  bool done = true;
  for (int i = 0; i < z->count && done; i++)
    done = is_own(z, i) || (at_optimizer_set_param_state)(z->optimizer, z->params[i].group,
                                                          z->params[i].index, NULL);
  return done;
}

static bool list_params(at_comm_sharded *z)
{
  const int groups = at_optimizer_groups(z->optimizer);
  int count = 0;
  for (int g = 0; g < groups; g++)
    count += at_optimizer_group_count(z->optimizer, g);
  int64_t *const sums = calloc((size_t)z->group->size, sizeof *sums);
  z->params = calloc((size_t)count + 1, sizeof *z->params);
  if (!sums || !z->params) {
    at_fail(AT_ERROR_RUNTIME, "comm_sharded_new", "comm_sharded_new: there is no memory");
    free(sums);
    return false;
  }
  for (int g = 0; g < groups; g++)
    for (int i = 0; i < at_optimizer_group_count(z->optimizer, g); i++)
      z->params[z->count++] = (Param){g, i, 0};
  divide_params(z, sums);
  free(sums);
  return drop_others(z);
}

at_comm_sharded *(at_comm_sharded_new)(at_optimizer *optimizer, const at_comm_options *options)
{
  const char *const name = "comm_sharded_new";
  if (!accepts(name, optimizer, "optimizer"))
    return NULL;
  at_comm_group *const group = at_comm_enter(options ? options->group : NULL);
  at_comm_sharded *const z = calloc(1, sizeof *z);
  if (!group || !z) {
    at_fail(group ? AT_ERROR_RUNTIME : AT_ERROR_ARGUMENT, name, "%s: %s", name,
            group ? "there is no memory"
                  : "there is no such group, or at_comm_start has not been called");
    at_comm_leave(group);
    free(z);
    return NULL;
  }
  *z = (at_comm_sharded){.group = group, .optimizer = optimizer};
  if (list_params(z))
    return z;
  at_comm_sharded_free(z);
  return NULL;
}

void at_comm_sharded_free(at_comm_sharded *z)
{
  if (!z)
    return;
  at_comm_leave(z->group);
  free(z->params);
  free(z);
}

int at_comm_sharded_owner(const at_comm_sharded *z, int group, int index)
{
  const char *const name = "comm_sharded_owner";
  if (!accepts(name, z, "sharded"))
    return -1;
  for (int i = 0; i < z->count; i++)
    if (z->params[i].group == group && z->params[i].index == index)
      return z->params[i].owner;
  at_fail(AT_ERROR_ARGUMENT, name, "%s: there is no parameter %d in group %d", name, index, group);
  return -1;
}

/* --- a step -------------------------------------------------------------------------------------- */

/* Whether all ranks succeeded; the call that failed has its error already. */
static bool all_succeeded(const at_comm_sharded *z, const char *name, bool succeeded)
{
  bool done = false;
  AT_SCOPE
  {
    const at_comm_options options = {z->group, AT_COMM_MIN, NULL};
    at_tensor *const t = number_tensor(succeeded);
    done = (at_comm_all_reduce)(t, &options) && at_item_long(t) == 1;
  }
  if (!done && succeeded)
    at_fail(AT_ERROR_RUNTIME, name, "%s: it has failed on another rank", name);
  return done && succeeded;
}

/* Steps with the gradients of the own parameters alone; the others are hidden meanwhile. */
static bool step_own(at_comm_sharded *z, at_tensor **grads)
{
  for (int i = 0; i < z->count; i++) {
    at_tensor *const t = tensor_of(z, i);
    grads[i] = is_own(z, i) ? NULL : at_retain(at_grad(t));
    if (grads[i])
      (at_set_grad)(t, NULL);
  }
  const bool done = (at_optimizer_step)(z->optimizer);
  for (int i = 0; i < z->count; i++)
    if (grads[i]) {
      (at_set_grad)(tensor_of(z, i), grads[i]);
      at_release(grads[i]);
    }
  return done;
}

bool at_comm_sharded_step(at_comm_sharded *z)
{
  const char *const name = "comm_sharded_step";
  if (!accepts(name, z, "sharded"))
    return false;
  at_tensor **const grads = calloc((size_t)z->count, sizeof *grads);
  at_comm_work **const works = calloc((size_t)z->count, sizeof *works);
  bool done = grads && works;
  if (!done)
    at_fail(AT_ERROR_RUNTIME, name, "%s: there is no memory", name);
  done = all_succeeded(z, name, done && step_own(z, grads));
  const bool sends = done;
  for (int i = 0; i < z->count && sends; i++) {
    const at_comm_options options = {z->group, AT_COMM_SUM, &works[i]};
    done = (at_comm_broadcast)(tensor_of(z, i), z->params[i].owner, &options) && done;
  }
  for (int i = 0; i < z->count && sends; i++)
    if (works[i])
      done = (at_comm_wait)(works[i]) && done;
  free(grads);
  free(works);
  return done;
}

/* --- files --------------------------------------------------------------------------------------- */

/* A state travels as the number of its tensors, and for each its name and itself. */
static bool send_state(const at_comm_sharded *z, const Param *param)
{
  const at_comm_options options = {z->group, AT_COMM_SUM, NULL};
  at_dict *const dict = (at_optimizer_param_state)(z->optimizer, param->group, param->index);
  bool done = false;
  AT_SCOPE
  {
    done = (at_comm_send)(number_tensor(dict ? at_dict_count(dict) : -1), 0, &options) && dict;
    for (int64_t i = 0; i < at_dict_count(dict) && done; i++) {
      const int64_t bytes = NAME_BYTES;
      at_tensor *const t = (at_dict_at)(dict, i);
      at_tensor *const name =
          (at_zeros)((at_ints){&bytes, 1}, &(at_zeros_options){.type = AT_CPU(AT_BYTE)});
      done = at_defined(name);
      if (!done)
        break;
      char *const text = at_data(name);
      strncpy(text, (at_dict_name)(dict, i), NAME_BYTES - 2);
      text[NAME_BYTES - 1] = at_dim(t) == 0 && t->type->scalarType == AT_DOUBLE;
      done = (at_comm_send)(name, 0, &options) && (at_comm_send)(t, 0, &options);
    }
  }
  at_dict_free(dict);
  return done;
}

static bool receive_entry(const at_comm_sharded *z, const Param *param, at_tensor *like,
                          at_dict *dict)
{
  const at_comm_options options = {z->group, AT_COMM_SUM, NULL};
  const int64_t bytes = NAME_BYTES;
  at_tensor *const name =
      (at_zeros)((at_ints){&bytes, 1}, &(at_zeros_options){.type = AT_CPU(AT_BYTE)});
  if (!(at_comm_receive)(name, param->owner, &options))
    return false;
  char *const text = at_data(name);
  const bool isNumber = text[NAME_BYTES - 1];
  text[NAME_BYTES - 1] = '\0';
  at_tensor *const t =
      isNumber ? (at_zeros)(AT_SCALAR_SHAPE, &(at_zeros_options){.type = AT_CPU(AT_DOUBLE)})
               : (at_zeros)(at_sizes(like), &(at_zeros_options){.type = like->type});
  return (at_comm_receive)(t, param->owner, &options) && (at_dict_set)(dict, text, t);
}

/* Rank 0 takes the state of a parameter of another rank. */
static bool receive_state(const at_comm_sharded *z, int i)
{
  const Param *const param = &z->params[i];
  const at_comm_options options = {z->group, AT_COMM_SUM, NULL};
  at_dict *const dict = (at_dict_new)();
  bool done = false;
  AT_SCOPE
  {
    at_tensor *const count = number_tensor(0);
    done = (at_comm_receive)(count, param->owner, &options) && dict;
    const int64_t entries = done ? at_item_long(count) : -1;
    done = done && entries >= 0;
    for (int64_t k = 0; k < entries && done; k++)
      done = receive_entry(z, param, tensor_of(z, i), dict);
  }
  done = done && (at_optimizer_set_param_state)(z->optimizer, param->group, param->index, dict);
  at_dict_free(dict);
  return done;
}

bool at_comm_sharded_save(at_comm_sharded *z, const char *path)
{
  const char *const name = "comm_sharded_save";
  if (!accepts(name, z, "sharded"))
    return false;
  bool done = true;
  const bool isFirst = z->group->rank == 0;
  for (int i = 0; i < z->count && done; i++)
    if (z->params[i].owner != 0 && (isFirst || is_own(z, i)))
      done = isFirst ? receive_state(z, i) : send_state(z, &z->params[i]);
  if (isFirst && done) {
    at_dict *const dict = (at_optimizer_state_dict)(z->optimizer);
    done = dict && accepts(name, path, "path") && (at_save)(path, dict);
    at_dict_free(dict);
  }
  if (isFirst)
    done = drop_others(z) && done;
  return all_succeeded(z, name, done);
}

bool at_comm_sharded_load(at_comm_sharded *z, const char *path)
{
  const char *const name = "comm_sharded_load";
  if (!accepts(name, z, "sharded"))
    return false;
  at_dict *const dict = accepts(name, path, "path") ? (at_load)(path, NULL) : NULL;
  const bool done =
      dict && (at_optimizer_load)(z->optimizer, at_dict_values(dict)) && drop_others(z);
  at_dict_free(dict);
  return all_succeeded(z, name, done);
}
