/* Storage pools: gaps, storages that do not fit, that outlive a run, that change their size. */
#include "th_test.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "TH/tensor/THStoragePool.h"
#include "th_fail.h"

enum { KB = 1 << 10, MB = 1 << 20 };

static THByteStorage *made(ptrdiff_t bytes, int value)
{
  THByteStorage *const s = THByteStorage_newWithSize(bytes);
  memset(s->data, value, (size_t)bytes);
  return s;
}

static void check_filled(const THByteStorage *s, ptrdiff_t bytes, int value)
{
  for (ptrdiff_t i = 0; i < bytes; i++)
    CHECK_EQ(s->data[i], value);
}

/* Skips the test where nothing is kept. */
static THStoragePool *begun(size_t bytes)
{
  THStoragePool *const pool = THStoragePool_begin(bytes);
  if (!pool)
    skip();
  CHECK(THStoragePool_use(pool) == NULL);
  return pool;
}

static THStoragePoolCounts ended(THStoragePool *pool)
{
  CHECK(THStoragePool_use(NULL) == pool);
  return THStoragePool_end(pool);
}

static void lowest_gap(void **state)
{
  THStoragePool *const pool = begun(MB);
  THByteStorage *const a = made(100 * KB, 1), *const b = made(200 * KB, 2);
  const uint8_t *const first = a->data;
  CHECK(b->data == first + 100 * KB);
  THByteStorage_free(a);
  THByteStorage *const c = made(60 * KB + 1, 3); /* in the memory that was a's */
  CHECK(c->data == first);
  THByteStorage *const d = made(40 * KB, 4); /* is larger than what is left there */
  CHECK(d->data == first + 300 * KB);
  THByteStorage *const e = made(39 * KB, 5);
  CHECK(e->data == first + 60 * KB + 64);
  check_filled(b, 200 * KB, 2);
  check_filled(c, 60 * KB + 1, 3);
  check_filled(d, 40 * KB, 4);
  check_filled(e, 39 * KB, 5);
  THByteStorage_free(b);
  THByteStorage *const f = made(200 * KB, 6);
  CHECK(f->data == first + 99 * KB + 64);
  THByteStorage_free(c);
  THByteStorage_free(d);
  THByteStorage_free(e);
  THByteStorage_free(f);
  const THStoragePoolCounts counts = ended(pool);
  CHECK_EQ(counts.peak, 339 * KB + 64);
  CHECK_EQ(counts.missed, 0);
  CHECK_EQ(counts.left, 0);
}

static void does_not_fit(void **state)
{
  THStoragePool *const pool = begun(100 * KB);
  THByteStorage *const small = made(32 * KB, 1), *const one = made(60 * KB, 2);
  THByteStorage *const two = made(50 * KB, 3), *const rest = made(40 * KB, 4);
  CHECK(rest->data == one->data + 60 * KB);
  CHECK(two->data < one->data || two->data >= one->data + 100 * KB);
  CHECK(small->data < one->data || small->data >= one->data + 100 * KB);
  check_filled(one, 60 * KB, 2);
  check_filled(two, 50 * KB, 3);
  THByteStorage_free(one);
  THByteStorage_free(two);
  THByteStorage_free(rest);
  THByteStorage_free(small);
  const THStoragePoolCounts counts = ended(pool);
  CHECK_EQ(counts.missed, 1);
  CHECK(counts.peak >= 150 * KB && counts.peak < 156 * KB);
}

/* A pool without a block counts what one would need. */
static void only_counts(void **state)
{
  THStoragePool *const pool = begun(0);
  for (int i = 0; i < 3; i++) {
    THByteStorage *const a = made(100 * KB, 1), *const b = made(300 * KB, 2);
    THByteStorage_free(a);
    THByteStorage_free(b);
  }
  const THStoragePoolCounts counts = ended(pool);
  CHECK(counts.peak >= 400 * KB && counts.peak < 460 * KB);
  CHECK_EQ(counts.missed, 6);
}

static void *free_storage(void *storage)
{
  THByteStorage_free(storage);
  return NULL;
}

static void outlives_the_run(void **state)
{
  const ptrdiff_t before = THMemory_stats().inUse;
  THStoragePool *const pool = begun(MB);
  THByteStorage *const a = made(100 * KB, 1), *const b = made(300 * KB, 2);
  CHECK_EQ(ended(pool).left, 2);
  CHECK(THMemory_stats().inUse >= before + MB);
  check_filled(a, 100 * KB, 1);
  THByteStorage_free(a);
  check_filled(b, 300 * KB, 2);

  THStoragePool *const next = begun(MB); /* another block while the first is in use */
  CHECK(next != pool);
  THByteStorage *const c = made(300 * KB, 3);
  CHECK(c->data != b->data);
  THByteStorage_free(c);
  CHECK_EQ(ended(next).left, 0);

  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, free_storage, b), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);
  CHECK_EQ(THMemory_stats().inUse, before);
}

static void changes_its_size(void **state)
{
  THStoragePool *const pool = begun(MB);
  THByteStorage *const s = made(100 * KB, 7), *const empty = THByteStorage_new();
  const uint8_t *const first = s->data;
  THByteStorage_resize(s, 60 * KB);
  CHECK(s->data == first);
  THByteStorage_resize(s, 400 * KB); /* moves: the contents are still there */
  CHECK(s->data == first + 100 * KB);
  check_filled(s, 60 * KB, 7);
  THByteStorage_resize(empty, 100 * KB);
  CHECK(empty->data == first);
  THByteStorage_resize(empty, 0);
  CHECK(empty->data == NULL);
  CHECK_EQ(ended(pool).left, 1);

  THByteStorage_resize(s, 500 * KB); /* after the run: leaves the block */
  check_filled(s, 60 * KB, 7);
  THByteStorage_resize(empty, 50 * KB);
  memset(empty->data, 8, 50 * KB);
  THByteStorage_resize(s, 600 * KB);
  check_filled(s, 60 * KB, 7);
  check_filled(empty, 50 * KB, 8);
  THByteStorage_free(s);
  THByteStorage_free(empty);
}

static void many_storages(void **state)
{
  enum { COUNT = 400 }; /* more than a pool has */
  static THByteStorage *storages[COUNT];
  THStoragePool *const pool = begun(COUNT * 34 * KB);
  for (int i = 0; i < COUNT; i++)
    storages[i] = made(34 * KB, i % 251);
  for (int i = 0; i < COUNT; i += 2) {
    check_filled(storages[i], 34 * KB, i % 251);
    THByteStorage_free(storages[i]);
  }
  for (int i = 1; i < COUNT; i += 2) {
    check_filled(storages[i], 34 * KB, i % 251);
    THByteStorage_free(storages[i]);
  }
  const THStoragePoolCounts counts = ended(pool);
  CHECK(counts.missed > 0);
  CHECK_EQ(counts.left, 0);
}

/* A run of a storage or two. */
static void run_once(void)
{
  THStoragePool *const pool = THStoragePool_begin(200 * KB);
  THStoragePool_use(pool);
  for (int i = 0; i < 20; i++)
    THByteStorage_free(THByteStorage_newWithSize(100 * KB));
  THStoragePool_use(NULL);
  THStoragePool_end(pool);
}

static int isOver;

static void *run_on(void *context)
{
  while (!__atomic_load_n(&isOver, __ATOMIC_RELAXED))
    run_once();
  return NULL;
}

/* A child runs, whatever lock another thread held when it was forked. */
static void forks(void **state)
{
  enum { FORKS = 300 };
  pthread_t thread;
  ended(begun(
      0)); /* with a sanitizer there are no pools, and its own malloc may leave a lock behind */
  CHECK_EQ(pthread_create(&thread, NULL, run_on, NULL), 0);
  for (int i = 0; i < FORKS; i++) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      alarm(20);
      for (int k = 0; k < 3; k++)
        run_once();
      _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
  }
  __atomic_store_n(&isOver, 1, __ATOMIC_RELAXED);
  CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void nothing_is_kept(void **state)
{
  const ptrdiff_t limit = THMemory_cacheLimit();
  THMemory_setCacheLimit(0);
  CHECK(THStoragePool_begin(MB) == NULL);
  THMemory_setCacheLimit(limit);
  CHECK(THStoragePool_use(NULL) == NULL);
  CHECK_EQ(THStoragePool_end(NULL).left, 0);
}

static void free_what(void *storage)
{
  THByteStorage_free(storage);
}

static void body(void *context)
{
  THGuard guard;
  THStoragePool *const pool = THStoragePool_begin(200 * KB);
  THStoragePool_use(pool);
  THTry attempt;
  TH_TRY(attempt)
  {
    THGuard_enter(&guard, free_what);
    THByteStorage *const s = guard.what = made(100 * KB, 1);
    THByteStorage_resize(s, 300 * KB);
    check_filled(s, 100 * KB, 1);
    THGuard_leave(&guard);
  }
  THStoragePool_use(NULL);
  CHECK_EQ(THStoragePool_end(pool).left, 0);
}

static void failing(void **state)
{
  CHECK(th_fail_each(body, NULL) >= 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lowest_gap),
      cmocka_unit_test(does_not_fit),
      cmocka_unit_test(only_counts),
      cmocka_unit_test(outlives_the_run),
      cmocka_unit_test(changes_its_size),
      cmocka_unit_test(many_storages),
      cmocka_unit_test(forks),
      cmocka_unit_test(nothing_is_kept),
      cmocka_unit_test(failing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
