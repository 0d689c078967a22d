/* Batches: made when they are asked for, or ahead by a thread, which hands them over in a ring. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ATen/random/drawn.h"
#include "Dataset.h"

enum { MOST_MESSAGE = 400, MOST_PREFETCH = 1000, MOST_BATCH = 1 << 30 };

/* A batch, or the error instead. */
typedef struct Slot {
  at_tensor **parts; /* references, or NULLs */
  at_error_code code;
  char message[MOST_MESSAGE];
} Slot;

struct at_loader {
  const at_dataset *data;
  at_loader_new_options options;
  int64_t batches, next; /* of a pass, and the next one to be handed out */
  bool isPassing;        /* a pass has begun */
  at_tensor *order;      /* of the pass: Long, or NULL */
  at_generator *drawn;   /* what functions of samples draw from, with prefetch; or NULL */
  int slotCount;
  Slot *slots;
  at_tensor **parts; /* of all slots */
  Slot current;      /* what the caller has */
  at_tensors list;
  /* the thread, and what the lock is for */
  pthread_t thread;
  bool hasThread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t made, taken;
  bool stops;
};

const at_loader_new_options at_loader_new_defaults = {
    .batch_size = 1, .prefetch = 2, .generator = AT_DEFAULT_GENERATOR};

/* --- a batch ---------------------------------------------------------------------------------- */

static int64_t size_of(const at_loader *l, int64_t batch)
{
  return THMin(l->options.batch_size, l->data->count - batch * l->options.batch_size);
}

/* A part of a batch of a data set of tensors. */
static at_tensor *rows_of(const at_loader *l, int64_t batch, int part)
{
  const int64_t first = batch * l->options.batch_size, count = size_of(l, batch);
  at_tensor *const all = l->data->tensors[part];
  if (!l->order)
    return at_clone(at_narrow(all, 0, first, count));
  return at_index_select(all, 0, at_narrow(l->order, 0, first, count));
}

/* Stores the parts of sample number i of the batch in rows, a row of samples for each part. */
static bool take_sample(const at_loader *l, int64_t batch, int64_t i, at_tensor **rows)
{
  enum { MOST_PARTS = 1000 };
  at_tensor *parts[MOST_PARTS] = {NULL};
  const int64_t at = batch * l->options.batch_size + i, count = size_of(l, batch);
  const int64_t index = l->order ? at_scalar_toLong(at_elementAt(l->order, at)) : at;
  if (!l->data->sample(l->data->context, index, parts)) {
    at_fail(AT_ERROR_RUNTIME, "loader_next", "loader_next: sample %lld could not be made",
            (long long)index);
    return false;
  }
  for (int p = 0; p < l->data->parts; p++) {
    if (!at_defined(parts[p])) {
      at_fail(AT_ERROR_RUNTIME, "loader_next", "loader_next: part %d of sample %lld is no tensor",
              p, (long long)index);
      return false;
    }
    rows[p * count + i] = parts[p];
  }
  return true;
}

static bool stack_samples(const at_loader *l, int64_t batch, at_tensor **rows, at_tensor **parts)
{
  const int64_t count = size_of(l, batch);
  for (int64_t i = 0; i < count; i++)
    if (!take_sample(l, batch, i, rows))
      return false;
  for (int p = 0; p < l->data->parts; p++) {
    const at_tensors row = {rows + p * count, (int)count};
    parts[p] = at_stack(row);
  }
  return true;
}

/* Makes a batch in a scope, which owns its parts; false after an error. */
static bool make_parts(const at_loader *l, int64_t batch, at_tensor **parts)
{
  if (l->data->tensors) {
    for (int p = 0; p < l->data->parts; p++)
      parts[p] = rows_of(l, batch, p);
    return true;
  }
  at_call call;
  at_begin(&call, "loader_next");
  volatile bool done = false;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, THFree);
    const ptrdiff_t count = (ptrdiff_t)size_of(l, batch) * l->data->parts;
    at_tensor **const rows = guard.what = THAlloc(count * (ptrdiff_t)sizeof *rows);
    done = stack_samples(l, batch, rows, parts);
    THGuard_leave(&guard);
  }
  return !at_failed(&call) && done;
}

/* Makes a batch in slot, without changing the thread's error. */
static void make_batch(const at_loader *l, int64_t batch, Slot *slot)
{
  const unsigned before = at_failureCount();
  at_generator *const own = l->drawn ? at_drawFrom(l->drawn) : NULL;
  slot->code = AT_OK;
  AT_NO_GRAD AT_SCOPE
  {
    bool done = make_parts(l, batch, slot->parts);
    for (int p = 0; p < l->data->parts && done; p++)
      done = at_defined(slot->parts[p]);
    for (int p = 0; p < l->data->parts; p++)
      slot->parts[p] = done ? at_keep(slot->parts[p]) : NULL;
    if (!done)
      slot->code =
          at_failureCount() != before && at_error() != AT_OK ? at_error() : AT_ERROR_RUNTIME;
  }
  if (slot->code != AT_OK)
    snprintf(slot->message, sizeof slot->message, "%s", at_error_message());
  if (l->drawn)
    (void)at_drawFrom(own);
}

static void clear(const at_loader *l, Slot *slot)
{
  for (int p = 0; p < l->data->parts; p++) {
    at_release(slot->parts[p]);
    slot->parts[p] = NULL;
  }
  slot->code = AT_OK;
}

/* --- the thread ------------------------------------------------------------------------------- */

static void *make_ahead(void *loader)
{
  at_loader *const l = loader;
  THSetNumThreads(1);
  for (int64_t batch = 0; batch < l->batches; batch++) {
    pthread_mutex_lock(&l->lock);
    while (!l->stops && l->made - l->taken == l->slotCount)
      pthread_cond_wait(&l->changed, &l->lock);
    const bool stops = l->stops;
    pthread_mutex_unlock(&l->lock);
    if (stops)
      break;
    Slot *const slot = &l->slots[batch % l->slotCount];
    make_batch(l, batch, slot);
    at_error_clear();
    pthread_mutex_lock(&l->lock);
    l->made++;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
  }
  return NULL;
}

static void stop_thread(at_loader *l)
{
  if (!l->hasThread)
    return;
  pthread_mutex_lock(&l->lock);
  l->stops = true;
  pthread_cond_signal(&l->changed);
  pthread_mutex_unlock(&l->lock);
  pthread_join(l->thread, NULL);
  l->hasThread = l->stops = false;
}

/* Waits for the next batch, and exchanges it with the current one. */
static void take_made(at_loader *l)
{
  pthread_mutex_lock(&l->lock);
  while (l->made == l->taken)
    pthread_cond_wait(&l->changed, &l->lock);
  Slot *const slot = &l->slots[l->taken % l->slotCount], current = l->current;
  l->current = *slot;
  *slot = current;
  l->taken++;
  pthread_cond_signal(&l->changed);
  pthread_mutex_unlock(&l->lock);
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* A seed from the loader's generator; false after an error. */
static bool draw_seed(const at_loader *l, uint64_t *seed)
{
  at_generator *const given = at_generatorGiven(l->options.generator);
  at_tensor *const t = at_zeros(AT_SCALAR_SHAPE, .type = AT_CPU(AT_LONG));
  at_tensor *const drawn = given ? at_random_(t, .generator = given) : at_random_(t);
  if (!at_defined(drawn))
    return false;
  *seed = (uint64_t)at_item_long(drawn);
  return true;
}

/* The order of a pass, drawn as PyTorch's DataLoader does: without a generator of its own by one with another
 * seed. */
static at_tensor *draw_order(const at_loader *l)
{
  at_generator *const given = at_generatorGiven(l->options.generator);
  uint64_t seed = 0;
  if (given)
    return at_randperm(l->data->count, .generator = given);
  if (!draw_seed(l, &seed))
    return at_undefined();
  at_generator *const own = at_generator_new(AT_BACKEND_CPU);
  if (!own)
    return at_undefined();
  at_generator_manualSeed(own, seed);
  at_tensor *const order = at_randperm(l->data->count, .generator = own);
  at_generator_free(own);
  return order;
}

/* PyTorch draws one more order at the end of a pass, of which no sample is taken. */
static void finish_order(const at_loader *l)
{
  at_generator *const given = at_generatorGiven(l->options.generator);
  if (l->order && given)
    AT_SCOPE
    {
      at_tensor *const unused = at_randperm(l->data->count, .generator = given);
      (void)unused;
    }
}

static void end_pass(at_loader *l)
{
  stop_thread(l);
  for (int i = 0; i < l->slotCount; i++)
    clear(l, &l->slots[i]);
  at_release(l->order);
  l->order = NULL;
  l->isPassing = false;
}

/* Draws the seed of a pass, as PyTorch does for its workers, and the order.  False after an error. */
static bool draw_pass(at_loader *l)
{
  bool isDrawn = false;
  AT_NO_GRAD AT_SCOPE
  {
    uint64_t seed = 0;
    isDrawn = draw_seed(l, &seed);
    at_generator_manualSeed(l->drawn, seed);
    at_tensor *const order = isDrawn && l->options.shuffle ? draw_order(l) : NULL;
    l->order = order && at_defined(order) ? at_keep(order) : NULL;
  }
  return isDrawn && (!l->options.shuffle || l->order);
}

/* False after an error. */
static bool begin_pass(at_loader *l)
{
  if (!draw_pass(l))
    return false;
  l->next = l->made = l->taken = 0;
  l->isPassing = true;
  l->hasThread = l->options.prefetch > 0 && l->batches > 0 &&
                 pthread_create(&l->thread, NULL, make_ahead, l) == 0;
  return true;
}

const at_tensors *(at_loader_next)(at_loader *l)
{
  const char *const name = "loader_next";
  if (!at_acceptPointer(name, "loader", l))
    return NULL;
  clear(l, &l->current);
  if (!l->isPassing && !begin_pass(l))
    return NULL;
  if (l->next == l->batches) {
    finish_order(l);
    end_pass(l);
    return NULL;
  }
  const at_error_code before = at_error();
  if (l->hasThread)
    take_made(l);
  else
    make_batch(l, l->next, &l->current);
  l->next++;
  l->list = (at_tensors){l->current.parts, l->data->parts};
  if (l->current.code == AT_OK)
    return &l->list;
  end_pass(l);
  if (before == at_error()) /* the error is not this thread's yet */
    at_fail(l->current.code, name, "%s", l->current.message);
  return NULL;
}

int64_t(at_loader_batches)(const at_loader *l)
{
  return at_acceptPointer("loader_batches", "loader", l) ? l->batches : -1;
}

void at_loader_free(at_loader *l)
{
  if (!l)
    return;
  end_pass(l);
  if (l->current.parts)
    clear(l, &l->current);
  pthread_cond_destroy(&l->changed);
  pthread_mutex_destroy(&l->lock);
  at_generator_free(l->drawn);
  THFree(l->parts);
  THFree(l->slots);
  THFree(l);
}

/* --- making one ------------------------------------------------------------------------------- */

static void check_options(const at_loader_new_options *o)
{
  if (o->batch_size < 1 || o->batch_size > MOST_BATCH)
    at_raise(AT_ERROR_ARGUMENT, "batch_size is %lld, and has to be from 1 to %d",
             (long long)o->batch_size, MOST_BATCH);
  if (o->prefetch < 0 || o->prefetch > MOST_PREFETCH)
    at_raise(AT_ERROR_ARGUMENT, "prefetch is %d, and has to be from 0 to %d", o->prefetch,
             MOST_PREFETCH);
  if (!o->generator)
    at_raise(AT_ERROR_NULL, "generator is NULL");
}

/* Gives each slot, and what the caller has, its part of the memory. */
static void allot(at_loader *l, int slots)
{
  const int parts = l->data->parts, all = (slots + 1) * parts;
  l->slots = THAlloc((slots + 1) * (ptrdiff_t)sizeof *l->slots);
  l->parts = THAlloc(all * (ptrdiff_t)sizeof *l->parts);
  memset(l->parts, 0, (size_t)all * sizeof *l->parts);
  for (int i = 0; i < slots; i++)
    l->slots[i] = (Slot){.parts = l->parts + i * parts};
  l->current = (Slot){.parts = l->parts + slots * parts};
  l->slotCount = slots;
}

at_loader *(at_loader_new)(const at_dataset *d, const at_loader_new_options *options)
{
  const at_loader_new_options *const o = options ? options : &at_loader_new_defaults;
  const char *const name = "loader_new";
  if (!at_acceptPointer(name, "dataset", d))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_loader *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    check_options(o);
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_loader_free);
    at_loader *const l = THAlloc(sizeof *l);
    *l = (at_loader){.data = d,
                     .options = *o,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER};
    guard.what = l;
    l->batches = d->count / o->batch_size + (!o->drop_last && d->count % o->batch_size != 0);
    allot(l, o->prefetch);
    if (o->prefetch > 0 && !(l->drawn = at_generator_new(AT_BACKEND_CPU)))
      at_raise(at_error(), "there is no memory for a generator");
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}
