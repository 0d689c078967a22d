/* See th_faults.h. */
#include "th_faults.h"

static THFaults *tables;

void th_faults_add(THFaults *faults, THFault *fault)
{
  if (!faults->end)
    faults->end = &faults->first;
  *faults->end = fault;
  faults->end = &fault->next;
}

void th_faults_register(THFaults *faults)
{
  faults->next = tables;
  tables = faults;
}

void th_faults_list(void)
{
  for (const THFaults *faults = tables; faults; faults = faults->next)
    for (const THFault *fault = faults->first; fault; fault = fault->next)
      printf("%s\n", fault->statement);
}

/* --- watched tensors ------------------------------------------------------------------------- */

/* The structs of all types have one layout; data counts bytes here. */
typedef THByteTensor Tensor;
typedef THByteStorage Storage;

enum { MOST_WATCHED = 64, MOST_DIMS = 32 };

static struct Watched {
  const char *name;
  const void *tensor, *storage; /* NULL where there is none */
  size_t elementSize;
  Tensor tensorBefore;
  int64_t sizes[MOST_DIMS], strides[MOST_DIMS];
  Storage storageBefore;
  const void *data;
  unsigned char *contents; /* a copy of the contents, and room for the current ones */
  size_t bytes;
} watched[MOST_WATCHED];
static int nwatched;

static void read_own(void *to, const void *from, size_t size)
{
  memcpy(to, from, size);
}

static void (*read_contents)(void *to, const void *from, size_t size) = read_own;

void th_watch_reader(void (*read)(void *to, const void *from, size_t size))
{
  read_contents = read;
}

static struct Watched *watch(const char *name)
{
  if (nwatched == MOST_WATCHED)
    fail_msg("more than %d operands are watched", MOST_WATCHED);
  struct Watched *w = watched + nwatched++;
  *w = (struct Watched){.name = name};
  return w;
}

static void keep_bytes(struct Watched *w, const void *data, size_t size)
{
  w->data = data;
  w->bytes = size;
  w->contents = malloc(2 * size + 1);
  if (size)
    read_contents(w->contents, data, size);
}

static void keep_storage(struct Watched *w, const void *storage, size_t elementSize)
{
  w->storage = storage;
  w->elementSize = elementSize;
  memcpy(&w->storageBefore, storage, sizeof w->storageBefore);
  keep_bytes(w, w->storageBefore.data, (size_t)w->storageBefore.size * elementSize);
}

void th_watch_bytes(const char *name, const void *data, size_t size)
{
  keep_bytes(watch(name), data, size);
}

void th_watch_storage(const char *name, const void *storage, size_t elementSize)
{
  keep_storage(watch(name), storage, elementSize);
}

void th_watch_tensor(const char *name, const void *tensor, size_t elementSize)
{
  struct Watched *w = watch(name);
  Tensor *t = &w->tensorBefore;
  w->tensor = tensor;
  memcpy(t, tensor, sizeof *t);
  for (int d = 0; d < t->nDimension; d++) {
    w->sizes[d] = t->size[d];
    w->strides[d] = t->stride[d];
  }
  if (t->storage)
    keep_storage(w, t->storage, elementSize);
}

void th_watch_forget(void)
{
  while (nwatched > 0)
    free(watched[--nwatched].contents);
}

/* Every element lies inside the storage. */
static void check_valid(const struct Watched *w)
{
  Tensor t;
  memcpy(&t, w->tensor, sizeof t);
  ptrdiff_t first = t.storageOffset, last = first;
  for (int d = 0; d < t.nDimension; d++) {
    CHECK_MSG(t.size[d] > 0, "%s has size %lld in dimension %d", w->name, (long long)t.size[d], d);
    *(t.stride[d] < 0 ? &first : &last) += (t.size[d] - 1) * t.stride[d];
  }
  CHECK_MSG(t.refcount > 0, "%s has been freed", w->name);
  if (t.nDimension == 0)
    return;
  Storage storage;
  CHECK_MSG(t.storage, "%s has elements but no storage", w->name);
  memcpy(&storage, t.storage, sizeof storage);
  CHECK_MSG(first >= 0 && last < storage.size, "%s reaches from %td to %td in a storage of %td",
            w->name, first, last, storage.size);
  CHECK_MSG(storage.refcount > 0, "the storage of %s has been freed", w->name);
}

#define SAME(NOW, BEFORE, FIELD, FORMAT)                                                         \
  CHECK_MSG((NOW).FIELD == (BEFORE).FIELD, "%s: " #FIELD " was " FORMAT ", is " FORMAT, w->name, \
            (BEFORE).FIELD, (NOW).FIELD)

static void check_unchanged(const struct Watched *w)
{
  const void *data = w->data;
  if (w->tensor) {
    Tensor t;
    memcpy(&t, w->tensor, sizeof t);
    SAME(t, w->tensorBefore, nDimension, "%d");
    for (int d = 0; d < t.nDimension; d++)
      CHECK_MSG(t.size[d] == w->sizes[d] && t.stride[d] == w->strides[d],
                "%s: in dimension %d size and stride were %lld and %lld, are %lld and %lld",
                w->name, d, (long long)w->sizes[d], (long long)w->strides[d], (long long)t.size[d],
                (long long)t.stride[d]);
    SAME(t, w->tensorBefore, storageOffset, "%td");
    SAME(t, w->tensorBefore, refcount, "%d");
    CHECK_MSG(t.storage == w->storage, "%s has another storage", w->name);
  }
  if (w->storage) {
    Storage storage;
    memcpy(&storage, w->storage, sizeof storage);
    SAME(storage, w->storageBefore, size, "%td");
    SAME(storage, w->storageBefore, refcount, "%d");
    SAME(storage, w->storageBefore, flag, "%d");
    data = storage.data; /* the block may be another one */
  }
  if (w->bytes == 0)
    return;
  unsigned char *before = w->contents, *now = before + w->bytes;
  read_contents(now, data, w->bytes);
  for (size_t i = 0; i < w->bytes && memcmp(now, before, w->bytes); i++)
    CHECK_MSG(now[i] == before[i], "%s: byte %zu was %d, is %d", w->name, i, before[i], now[i]);
}

void th_watch_check(int unchanged)
{
  for (int i = 0; i < nwatched; i++) {
    if (unchanged)
      check_unchanged(watched + i);
    if (watched[i].tensor)
      check_valid(watched + i);
  }
}

/* --- running --------------------------------------------------------------------------------- */

typedef struct Running {
  THFaults *faults;
  const THFault *fault;
} Running;

static void set_up(void *context)
{
  const Running *running = context;
  memset(running->faults->operands, 0, running->faults->size);
  running->faults->set_up(running->faults->operands);
}

static void body(void *context)
{
  const Running *running = context;
  running->fault->body(running->faults->operands);
}

static void check(void *context, int raised)
{
  th_watch_check(raised);
}

static void tear_down(void *context)
{
  const Running *running = context;
  th_watch_forget();
  running->faults->tear_down(running->faults->operands);
}

void th_faults_raised(const THTry *attempt)
{
  CHECK_MSG(attempt->failed, "no error");
  th_watch_check(1);
}

void th_faults_run(THFaults *faults)
{
  for (const THFault *fault = faults->first; fault; fault = fault->next) {
    th_note("%s: %s", fault->name, fault->statement);
    Running running = {faults, fault};
    const int acquired = th_fail(&(THFailCase){set_up, body, check, tear_down}, &running);
    CHECK_MSG(fault->acquires == TH_MAY_ACQUIRE ||
                  (acquired > 0) == (fault->acquires == TH_ACQUIRES),
              "it makes %d acquisitions", acquired);
  }
}

/* --- as a program ---------------------------------------------------------------------------- */

static void run_all(void **state)
{
  for (THFaults *faults = tables; faults; faults = faults->next)
    th_faults_run(faults);
}

int th_faults_main(int count, char **arguments)
{
  if (count > 1 && !strcmp(arguments[1], "--faults")) {
    th_faults_list();
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(run_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
