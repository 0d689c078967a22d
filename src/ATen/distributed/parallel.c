/* Data-parallel training: gradients are copied to buckets, in the order in which a backward pass makes
 * them, and a bucket is averaged as soon as it is full. */
#include <stdlib.h>

#include "Comm.h"

const at_comm_parallel_new_options at_comm_parallel_new_defaults = {.bucket_bytes = 25 << 20};

typedef struct Bucket {
  at_tensor *flat; /* a reference */
  int first, count, ready;
  at_comm_work *work; /* while it is on its way */
} Bucket;

typedef struct Entry {
  at_comm_parallel *parallel;
  at_tensor *param, *view; /* references; view is the parameter's part of the bucket */
  int bucket;
  bool isReady, hasHook;
} Entry;

struct at_comm_parallel {
  at_comm_group *group;
  at_module *net;
  Entry *entries;
  Bucket *buckets;
  int count, bucketCount, launched; /* launched: buckets that are on their way, the first ones */
  bool isOff, hasFailed;
};

static const char *const make_name = "comm_parallel_new";

/* --- in the backward pass ------------------------------------------------------------------------ */

/* The buckets go in the same order on all ranks. */
static bool launch(at_comm_parallel *p, bool all)
{
  while (p->launched < p->bucketCount) {
    Bucket *const bucket = &p->buckets[p->launched];
    if (!all && bucket->ready < bucket->count)
      break;
    const at_comm_options options = {p->group, AT_COMM_AVG, &bucket->work};
    if (!(at_comm_all_reduce)(bucket->flat, &options))
      return false;
    p->launched++;
  }
  return true;
}

/* Writes the gradient of a pass, and what the parameter had before, to the bucket. */
static bool fill(Entry *e, at_tensor *grad)
{
  at_tensor *const before = at_grad(e->param);
  bool done = false;
  AT_NO_GRAD AT_SCOPE
  {
    if (before && at_data(before) == at_data(e->view))
      done = !grad || at_defined((at_add_)(e->view, grad, NULL));
    else if (!grad && !before)
      done = at_defined((at_zero_)(e->view));
    else
      done = at_defined((at_copy_)(e->view, grad ? grad : before)) &&
             (!grad || !before || at_defined((at_add_)(e->view, before, NULL)));
  }
  return done;
}

static at_tensor *see_gradient(void *context, at_tensor *grad)
{
  Entry *const e = context;
  at_comm_parallel *const p = e->parallel;
  if (p->isOff || p->hasFailed)
    return NULL;
  if (e->isReady) {
    at_fail(AT_ERROR_ARGUMENT, "comm_parallel_finish",
            "comm_parallel_finish: it has to be called behind each backward pass");
    p->hasFailed = true;
    return NULL;
  }
  e->isReady = true;
  p->buckets[e->bucket].ready++;
  p->hasFailed = !fill(e, grad) || !launch(p, false);
  return NULL;
}

/* --- after it ------------------------------------------------------------------------------------ */

/* Waits for all that is on its way. */
static bool await_all(at_comm_parallel *p)
{
  bool done = true;
  for (int b = 0; b < p->bucketCount; b++) {
    Bucket *const bucket = &p->buckets[b];
    if (bucket->work)
      done = (at_comm_wait)(bucket->work) && done;
    bucket->work = NULL;
    bucket->ready = 0;
  }
  p->launched = 0;
  return done;
}

static bool accepts(const char *name, const at_comm_parallel *p)
{
  if (!p)
    at_fail(AT_ERROR_NULL, name, "%s: parallel is NULL", name);
  return p;
}

bool at_comm_parallel_finish(at_comm_parallel *p)
{
  if (!accepts("comm_parallel_finish", p))
    return false;
  bool done = !p->hasFailed;
  for (int i = 0; i < p->count && done; i++)
    done = p->entries[i].isReady || fill(&p->entries[i], NULL);
  /* What failed here alone is on its way nevertheless: the others wait for it. */
  const bool launched = launch(p, true);
  done = await_all(p) && launched && done;
  for (int i = 0; i < p->count; i++) {
    Entry *const e = &p->entries[i];
    e->isReady = false;
    if (done)
      (at_set_grad)(e->param, e->view);
  }
  p->hasFailed = false;
  return done;
}

bool at_comm_parallel_setSync(at_comm_parallel *p, bool on)
{
  if (!accepts("comm_parallel_setSync", p))
    return false;
  p->isOff = !on;
  return true;
}

static bool broadcast_all(at_comm_parallel *p, at_dict *dict)
{
  bool done = dict;
  const at_comm_options options = {p->group, AT_COMM_SUM, NULL};
  for (int64_t i = 0; i < at_dict_count(dict) && done; i++)
    done = (at_comm_broadcast)((at_dict_at)(dict, i), 0, &options);
  at_dict_free(dict);
  return done;
}

bool at_comm_parallel_buffers(at_comm_parallel *p)
{
  return accepts("comm_parallel_buffers", p) && broadcast_all(p, (at_module_named_buffers)(p->net));
}

/* --- buckets ------------------------------------------------------------------------------------- */

void at_comm_parallel_free(at_comm_parallel *p)
{
  if (!p)
    return;
  await_all(p);
  for (int i = 0; i < p->count; i++) {
    if (p->entries[i].hasHook)
      (at_remove_hook)(p->entries[i].param, see_gradient, &p->entries[i]);
    at_release(p->entries[i].param);
    at_release(p->entries[i].view);
  }
  for (int b = 0; b < p->bucketCount; b++)
    at_release(p->buckets[b].flat);
  at_module_free(p->net);
  at_comm_leave(p->group);
  free(p->entries);
  free(p->buckets);
  free(p);
}

/* Divides the entries into buckets: neighbours of one type, up to so many bytes. */
static void divide_entries(at_comm_parallel *p, int64_t most)
{
  int64_t bytes = 0;
  for (int i = 0; i < p->count; i++) {
    const at_tensor *const t = p->entries[i].param;
    const int64_t own = at_numel(t) * (int64_t)t->type->elementSize;
    if (i == 0 || t->type != p->entries[i - 1].param->type || bytes + own > most) {
      p->buckets[p->bucketCount++] = (Bucket){.first = i};
      bytes = 0;
    }
    bytes += own;
    p->buckets[p->bucketCount - 1].count++;
    p->entries[i].bucket = p->bucketCount - 1;
  }
}

/* Makes a bucket's memory and the views of it. */
static bool make_bucket(at_comm_parallel *p, Bucket *bucket)
{
  int64_t total = 0, at = 0;
  bool done = false;
  for (int i = 0; i < bucket->count; i++)
    total += at_numel(p->entries[bucket->first + i].param);
  AT_NO_GRAD AT_SCOPE
  {
    const at_zeros_options options = {.type = p->entries[bucket->first].param->type};
    at_tensor *const flat = (at_zeros)((at_ints){&total, 1}, &options);
    done = at_defined(flat);
    bucket->flat = done ? at_retain(flat) : NULL;
    for (int i = 0; i < bucket->count && done; i++) {
      Entry *const e = &p->entries[bucket->first + i];
      const int64_t count = at_numel(e->param);
      at_tensor *const view = (at_view)((at_narrow)(flat, 0, at, count), at_sizes(e->param));
      done = at_defined(view);
      e->view = done ? at_retain(view) : NULL;
      at += count;
    }
  }
  return done;
}

/* The parameters that want gradients, the last ones first: so passes make them. */
static bool take_params(at_comm_parallel *p, at_dict *dict)
{
  const int64_t all = at_dict_count(dict);
  p->entries = calloc((size_t)all + 1, sizeof *p->entries);
  p->buckets = calloc((size_t)all + 1, sizeof *p->buckets);
  if (!p->entries || !p->buckets) {
    at_fail(AT_ERROR_RUNTIME, make_name, "%s: there is no memory", make_name);
    return false;
  }
  for (int64_t i = all - 1; i >= 0; i--) {
    at_tensor *const t = (at_dict_at)(dict, i);
    if (at_requiresGrad(t))
      p->entries[p->count++] = (Entry){.parallel = p, .param = at_retain(t)};
  }
  return true;
}

static bool prepare(at_comm_parallel *p, int64_t most)
{
  at_dict *const dict = (at_module_named_parameters)(p->net);
  bool done = dict && take_params(p, dict);
  if (done)
    divide_entries(p, most);
  for (int b = 0; b < p->bucketCount && done; b++)
    done = make_bucket(p, &p->buckets[b]);
  for (int i = 0; i < p->count && done; i++)
    done = p->entries[i].hasHook = (at_add_hook)(p->entries[i].param, see_gradient, &p->entries[i]);
  if (done)
    return broadcast_all(p, dict) && at_comm_parallel_buffers(p);
  at_dict_free(dict);
  return false;
}

at_comm_parallel *(at_comm_parallel_new)(at_module *net,
                                         const at_comm_parallel_new_options *options)
{
  const at_comm_parallel_new_options o = options ? *options : at_comm_parallel_new_defaults;
  at_comm_parallel *const p = calloc(1, sizeof *p);
  if (!net || o.bucket_bytes < 1 || !p) {
    at_fail(!net ? AT_ERROR_NULL
            : p  ? AT_ERROR_ARGUMENT
                 : AT_ERROR_RUNTIME,
            make_name, "%s: %s", make_name,
            !net ? "net is NULL"
            : p  ? "bucket_bytes is below 1"
                 : "there is no memory");
    free(p);
    return NULL;
  }
  p->group = at_comm_enter(o.group);
  if (!p->group) {
    at_fail(AT_ERROR_ARGUMENT, make_name, "%s: %s", make_name,
            o.group ? "group is none of this process" : "at_comm_start has not been called");
    free(p);
    return NULL;
  }
  p->net = at_module_retain(net);
  if (prepare(p, o.bucket_bytes))
    return p;
  at_comm_parallel_free(p);
  return NULL;
}
