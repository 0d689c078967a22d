/* Map allocators: every flag on files, shared memory and descriptors, and sharing by processes. */
#include "th_test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "th_fail.h"

enum {
  SHARED = TH_ALLOCATOR_MAPPED_SHARED,
  SHAREDMEM = TH_ALLOCATOR_MAPPED_SHAREDMEM,
  EXCLUSIVE = TH_ALLOCATOR_MAPPED_EXCLUSIVE,
  NOCREATE = TH_ALLOCATOR_MAPPED_NOCREATE,
  KEEPFD = TH_ALLOCATOR_MAPPED_KEEPFD,
  FROMFD = TH_ALLOCATOR_MAPPED_FROMFD,
  UNLINK = TH_ALLOCATOR_MAPPED_UNLINK
};

/* --- a file and a piece of shared memory, new for each test ----------------------------------- */

static char folder[64], file[96], memory[64];

static int setup(void **state)
{
  strcpy(folder, "/tmp/th-mapping-XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(memory, sizeof memory, "/th-mapping-%ld", (long)getpid());
  return 0;
}

static int teardown(void **state)
{
  unlink(file);
  shm_unlink(memory);
  return rmdir(folder);
}

static void write_file(const void *bytes, size_t n)
{
  FILE *f = fopen(file, "wb");
  CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static int64_t file_size(const char *name)
{
  struct stat status;
  return stat(name, &status) ? -1 : status.st_size;
}

static int memory_exists(void)
{
  const int fd = shm_open(memory, O_RDONLY, 0);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static int file_byte(int64_t at)
{
  unsigned char byte;
  const int fd = open(file, O_RDONLY);
  const ssize_t got = pread(fd, &byte, 1, at);
  close(fd);
  return got == 1 ? byte : -1;
}

static THMapAllocatorContext *context_of(THByteStorage *storage)
{
  return storage->allocatorContext;
}

static THByteStorage *map_memory(ptrdiff_t size, int flags)
{
  return THByteStorage_newWithMapping(memory, size, flags);
}

/* --- contexts --------------------------------------------------------------------------------- */

static void contexts(void **state)
{
  char name[] = "some/file";
  THMapAllocatorContext *ctx = THMapAllocatorContext_new(name, SHARED);
  name[0] = 'X'; /* the context has a copy of the name */
  assert_string_equal(THMapAllocatorContext_filename(ctx), "some/file");
  CHECK_EQ(THMapAllocatorContext_fd(ctx), -1);
  CHECK_EQ(THMapAllocatorContext_size(ctx), 0);
  THMapAllocatorContext_free(ctx);
  THMapAllocatorContext_free(NULL);

  ctx = THMapAllocatorContext_newWithFd(NULL, 7, FROMFD | SHARED);
  CHECK_EQ(THMapAllocatorContext_fd(ctx), 7);
  THMapAllocatorContext_free(ctx);

  CHECK_RAISES(1, "no name", THMapAllocatorContext_new(NULL, 0));
  CHECK_RAISES(1, "no name", THMapAllocatorContext_new("", SHARED));
  CHECK_RAISES(2, "FROMFD", THMapAllocatorContext_new("f", FROMFD));
  CHECK_RAISES(2, "128", THMapAllocatorContext_new("f", 128));
  CHECK_RAISES(2, "EXCLUSIVE", THMapAllocatorContext_new("f", SHARED | EXCLUSIVE | NOCREATE));
  CHECK_RAISES(2, "EXCLUSIVE", THMapAllocatorContext_new("f", EXCLUSIVE));
#ifndef TH_COMPAT_TORCH7
  CHECK_RAISES(1, "must begin with /", THMapAllocatorContext_new("name", SHAREDMEM));
#endif
  CHECK_RAISES(3, "FROMFD", THMapAllocatorContext_newWithFd("f", 1, SHARED));
  CHECK_RAISES(3, "EXCLUSIVE",
               THMapAllocatorContext_newWithFd("f", 1, SHARED | FROMFD | EXCLUSIVE));
  CHECK_RAISES(2, "-1", THMapAllocatorContext_newWithFd("f", -1, FROMFD));
  CHECK_RAISES(1, "name", THMapAllocatorContext_newWithFd(NULL, 1, FROMFD | UNLINK));
  CHECK_RAISES(1, "name", THMapAllocatorContext_newWithFd(NULL, 1, FROMFD | SHAREDMEM));
  CHECK_RAISES(1, "context", THMapAllocator.malloc(NULL, 10));
  CHECK_RAISES(1, "context", THRefcountedMapAllocator.malloc(NULL, 10));
}

/* --- files ------------------------------------------------------------------------------------ */

static void private_file(void **state)
{
  write_file("abcdefgh", 8);
  const int live = th_fail_live();
  THByteStorage *s = THByteStorage_newWithMapping(file, 5, 0);
  CHECK_EQ(s->size, 5);
  CHECK_EQ(s->flag, TH_STORAGE_REFCOUNTED | TH_STORAGE_FREEMEM);
  CHECK(s->allocator == &THMapAllocator);
  CHECK_EQ(s->refcount, 1);
  assert_memory_equal(s->data, "abcde", 5);
  assert_string_equal(THMapAllocatorContext_filename(context_of(s)), file);
  CHECK_EQ(THMapAllocatorContext_size(context_of(s)), 5);
  CHECK_EQ(THMapAllocatorContext_fd(context_of(s)), -1);
  s->data[2] = 'X';
  CHECK_EQ(file_byte(2), 'c');
  CHECK_RAISES(1, "not resizable", THByteStorage_resize(s, 7));
  THByteStorage_free(s);
  CHECK_EQ(file_size(file), 8);
  CHECK_EQ(file_byte(2), 'c');

  CHECK(chmod(file, 0400) == 0); /* reading is enough */
  s = THByteStorage_newWithMapping(file, 8, NOCREATE);
  s->data[7] = 'Y';
  THByteStorage_free(s);

  CHECK_RAISES(0, "it has 8", THByteStorage_newWithMapping(file, 9, 0));
  CHECK_EQ(file_size(file), 8);
  unlink(file);
  CHECK_RAISES(0, strerror(ENOENT), THByteStorage_newWithMapping(file, 9, 0));
  CHECK_RAISES(0, file, THByteStorage_newWithMapping(file, 0, 0));
  CHECK_EQ(file_size(file), -1);
  CHECK_RAISES(0, folder, THByteStorage_newWithMapping(folder, 4, SHARED));
  CHECK_EQ(th_fail_live(), live);
}

static void whole_file(void **state)
{
  const int live = th_fail_live();
  write_file("abcdefghijk", 11);
  for (int flags = 0; flags <= SHARED; flags += SHARED) {
    THIntStorage *s = THIntStorage_newWithMapping(file, 0, flags);
    CHECK_EQ(s->size, 2);
    assert_memory_equal(s->data, "abcdefgh", 8);
    CHECK_EQ(s->flag, TH_STORAGE_REFCOUNTED | TH_STORAGE_FREEMEM);
    CHECK_EQ(THMapAllocatorContext_size(s->allocatorContext), 11);
    THIntStorage_free(s);
  }
  write_file("", 0);
  CHECK_RAISES(0, "empty", THIntStorage_newWithMapping(file, 0, 0));
  CHECK_RAISES(0, "empty", THIntStorage_newWithMapping(file, 0, SHARED));
  CHECK_RAISES(0, "-1", THIntStorage_newWithMapping(file, -1, SHARED));
  CHECK_RAISES(0, "elements", THIntStorage_newWithMapping(file, PTRDIFF_MAX / 2, SHARED));
  unlink(file);
  CHECK_RAISES(0, "empty", THIntStorage_newWithMapping(file, 0, SHARED));
  CHECK_EQ(file_size(file), -1); /* what a failed call made is gone */
  CHECK_EQ(th_fail_live(), live);
}

static void shared_file(void **state)
{
  const int live = th_fail_live();
  THByteStorage *s = THByteStorage_newWithMapping(file, 5000, SHARED);
  CHECK_EQ(file_size(file), 5000);
  CHECK_EQ(s->data[4999], 0);
  s->data[4999] = 77;
  CHECK_EQ(file_byte(4999), 77);
  THByteStorage_free(s);
  CHECK_EQ(file_size(file), 5000); /* the file stays */

  s = THByteStorage_newWithMapping(file, 9000, SHARED | NOCREATE); /* the file grows */
  CHECK_EQ(file_size(file), 9000);
  CHECK_EQ(s->data[4999], 77);
  s->data[8999] = 78;
  THByteStorage_free(s);

  s = THByteStorage_newWithMapping(file, 10, SHARED); /* and does not shrink */
  s->data[0] = 79;
  THByteStorage_free(s);
  CHECK_EQ(file_size(file), 9000);
  CHECK_EQ(file_byte(8999), 78);
  CHECK_EQ(file_byte(0), 79);

  CHECK_RAISES(0, strerror(EEXIST), THByteStorage_newWithMapping(file, 10, SHARED | EXCLUSIVE));
  unlink(file);
  CHECK_RAISES(0, strerror(ENOENT), THByteStorage_newWithMapping(file, 10, SHARED | NOCREATE));
  CHECK_EQ(file_size(file), -1);
  s = THByteStorage_newWithMapping(file, 10, SHARED | EXCLUSIVE);
  CHECK_EQ(file_size(file), 10);
  THByteStorage_free(s);
  s = THByteStorage_newWithMapping(file, 10, SHARED | UNLINK);
  CHECK_EQ(file_size(file), -1);
  memset(s->data, 1, 10);
  THByteStorage_free(s);
  CHECK_EQ(th_fail_live(), live);
}

static void two_mappings_of_a_file(void **state)
{
  THDoubleStorage *a = THDoubleStorage_newWithMapping(file, 100, SHARED);
  THDoubleStorage *b = THDoubleStorage_newWithMapping(file, 0, SHARED);
  THDoubleStorage *c = THDoubleStorage_newWithMapping(file, 50, 0);
  CHECK_EQ(b->size, 100);
  THDoubleStorage_fill(a, 2.385);
  CHECK_EQ(b->data[99], 2.385);
  CHECK_EQ(c->data[49], 2.385); /* a private page follows the file until it is written to */
  c->data[49] = 1;
  CHECK_EQ(a->data[49], 2.385);
  THDoubleStorage_free(a);
  CHECK_EQ(b->data[7], 2.385);
  THDoubleStorage_free(b);
  THDoubleStorage_free(c);
}

/* --- descriptors ------------------------------------------------------------------------------ */

static int is_open(int fd)
{
  return fcntl(fd, F_GETFD) != -1;
}

static void kept_descriptor(void **state)
{
  THByteStorage *s = THByteStorage_newWithMapping(file, 100, SHARED | KEEPFD);
  const int fd = THMapAllocatorContext_fd(context_of(s));
  CHECK(fd >= 0);
  CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  s->data[3] = 41;
  unsigned char byte;
  CHECK(pread(fd, &byte, 1, 3) == 1);
  CHECK_EQ(byte, 41);
  THByteStorage_free(s);
  CHECK(!is_open(fd));
}

static void given_descriptor(void **state)
{
  const int live = th_fail_live();
  write_file("abcdefgh", 8);
  for (int keep = 0; keep <= KEEPFD; keep += KEEPFD)
    for (int shared = 0; shared <= SHARED; shared += SHARED) {
      int fd = open(file, O_RDWR);
      THMapAllocatorContext *ctx =
          THMapAllocatorContext_newWithFd(NULL, fd, FROMFD | keep | shared);
      THByteStorage *s = THByteStorage_newWithAllocator(8, &THMapAllocator, ctx);
      CHECK_EQ(is_open(fd), keep != 0);
      CHECK_EQ(THMapAllocatorContext_fd(ctx), keep ? fd : -1);
      CHECK_EQ(s->data[7], 'h');
      s->data[0] = 'Z';
      CHECK_EQ(file_byte(0), shared ? 'Z' : 'a');
      THByteStorage_free(s);
      CHECK(!is_open(fd));
      write_file("abcdefgh", 8);
    }

  /* The file grows, and its name may go. */
  int fd = open(file, O_RDWR);
  THMapAllocatorContext *ctx = THMapAllocatorContext_newWithFd(file, fd, FROMFD | SHARED | UNLINK);
  THByteStorage *s = THByteStorage_newWithAllocator(5000, &THMapAllocator, ctx);
  CHECK_EQ(file_size(file), -1);
  s->data[4999] = 1;
  THByteStorage_free(s);

  /* After an error descriptor and context are the caller's. */
  write_file("abcdefgh", 8);
  fd = open(file, O_RDONLY);
  ctx = THMapAllocatorContext_newWithFd("my descriptor", fd, FROMFD);
  CHECK_RAISES(0, "my descriptor", THByteStorage_newWithAllocator(9, &THMapAllocator, ctx));
  CHECK(is_open(fd));
  CHECK_EQ(THMapAllocatorContext_fd(ctx), fd);
  s = THByteStorage_newWithAllocator(8, &THMapAllocator, ctx);
  CHECK_RAISES(0, "used up", THMapAllocator.malloc(ctx, 8));
  THByteStorage_free(s);

  fd = open(file, O_RDONLY);
  ctx = THMapAllocatorContext_newWithFd("my descriptor", fd, FROMFD | SHARED);
  CHECK_RAISES(0, strerror(EACCES), THByteStorage_newWithAllocator(8, &THMapAllocator, ctx));
  close(fd);
  CHECK_RAISES(0, strerror(EBADF), THByteStorage_newWithAllocator(8, &THMapAllocator, ctx));
  THMapAllocatorContext_free(ctx);
  CHECK_EQ(th_fail_live(), live);
}

/* --- shared memory ---------------------------------------------------------------------------- */

static void shared_memory(void **state)
{
  const int live = th_fail_live();
  CHECK_RAISES(0, strerror(ENOENT), map_memory(10, SHAREDMEM | NOCREATE));
  CHECK(!memory_exists());
  THByteStorage *a = map_memory(1000, SHAREDMEM | EXCLUSIVE);
  CHECK_EQ(a->flag, TH_STORAGE_REFCOUNTED | TH_STORAGE_FREEMEM);
  CHECK_RAISES(0, strerror(EEXIST), map_memory(1000, SHAREDMEM | EXCLUSIVE));
  CHECK(memory_exists());
  a->data[999] = 91;
  THByteStorage *b = map_memory(0, SHARED | SHAREDMEM | NOCREATE);
  CHECK_EQ(b->size, 1000);
  CHECK_EQ(b->data[999], 91);
  b->data[0] = 92;
  CHECK_EQ(a->data[0], 92);
  THByteStorage *c = map_memory(100000, SHAREDMEM); /* longer */
  c->data[99999] = 93;
  CHECK_EQ(c->data[0], 92);
  THByteStorage_free(a);
  CHECK(!memory_exists());
  CHECK_EQ(b->data[999], 91);
  THByteStorage_free(b);
  THByteStorage_free(c);

  a = map_memory(1000, SHAREDMEM | UNLINK);
  CHECK(!memory_exists());
  b = map_memory(1000, SHAREDMEM); /* another one */
  a->data[1] = 1;
  CHECK_EQ(b->data[1], 0);
  THByteStorage_free(a); /* leaves the other's name alone */
  CHECK(memory_exists());
  THByteStorage_free(b);
  CHECK(!memory_exists());

  CHECK_RAISES(0, memory, map_memory((ptrdiff_t)1 << 60, SHAREDMEM));
  CHECK(!memory_exists());

#ifdef TH_COMPAT_TORCH7 /* the name without its slash */
  THMapAllocatorContext *ctx = THMapAllocatorContext_new(memory + 1, SHAREDMEM);
  a = THByteStorage_newWithAllocator(1000, &THMapAllocator, ctx);
  CHECK(memory_exists());
  THByteStorage_free(a);
  CHECK(!memory_exists());
#endif
  CHECK_EQ(th_fail_live(), live);
}

static void no_realloc(void **state)
{
  THByteStorage *s = map_memory(100, SHAREDMEM);
  THByteStorage_setFlag(s, TH_STORAGE_RESIZABLE);
  s->data[99] = 5;
  CHECK(THMapAllocator.realloc && THRefcountedMapAllocator.realloc);
  CHECK_RAISES(0, "cannot realloc mapped data", THByteStorage_resize(s, 200));
  CHECK_EQ(s->size, 100);
  CHECK_EQ(s->data[99], 5);
  THByteStorage_free(s);
}

/* --- counted mappings ----------------------------------------------------------------------- */

static THFloatStorage *counted(const char *name, int flags, ptrdiff_t size)
{
  THMapAllocatorContext *ctx = THMapAllocatorContext_new(name, flags);
  THTry attempt;
  THFloatStorage *volatile s = NULL;
  TH_TRY(attempt)
  {
    s = THFloatStorage_newWithAllocator(size, &THRefcountedMapAllocator, ctx);
  }
  if (attempt.failed) {
    THMapAllocatorContext_free(ctx);
    THError("%s", attempt.message);
  }
  return s;
}

static void counted_memory(void **state)
{
  const int live = th_fail_live();
  CHECK_RAISES(0, strerror(ENOENT), counted(memory, SHAREDMEM | NOCREATE, 10));
  THFloatStorage *a = counted(memory, SHAREDMEM | EXCLUSIVE, 10);
  CHECK_EQ(a->size, 10);
  CHECK_EQ((uintptr_t)a->data % 64, 0);
  int32_t volatile *count = (int32_t volatile *)((char *)a->data - 64);
  CHECK_EQ(*count, 1);
  CHECK_EQ(THMapAllocatorContext_size(a->allocatorContext), 10 * 4 + 64);
  CHECK_RAISES(0, strerror(EEXIST), counted(memory, SHAREDMEM | EXCLUSIVE, 10));
  CHECK_EQ(*count, 1);
  THFloatStorage *b = counted(memory, SHAREDMEM | NOCREATE, 10);
  CHECK_EQ(*count, 2);
  a->data[9] = 2.5f;
  CHECK_EQ(b->data[9], 2.5f);
  THRefcountedMapAllocator_incref(b->allocatorContext, b->data);
  CHECK_EQ(*count, 3);
  CHECK_EQ(THRefcountedMapAllocator_decref(a->allocatorContext, a->data), 0);
  CHECK_EQ(*count, 2);
  THFloatStorage_free(a);
  CHECK(memory_exists());
  count = (int32_t volatile *)((char *)b->data - 64);
  CHECK_EQ(*count, 1);
  THFloatStorage_free(b);
  CHECK(!memory_exists());

  /* Held for somebody who maps it later. */
  a = counted(memory, SHAREDMEM, 3);
  a->data[2] = 7;
  THRefcountedMapAllocator_incref(a->allocatorContext, a->data);
  THFloatStorage_free(a);
  CHECK(memory_exists());
  b = counted(memory, SHAREDMEM | NOCREATE, 3);
  CHECK_EQ(b->data[2], 7);
  CHECK_EQ(THRefcountedMapAllocator_decref(b->allocatorContext, b->data), 0);
  THFloatStorage_free(b);
  CHECK(!memory_exists());

  /* Without data. */
  a = counted(memory, SHAREDMEM, 0);
  CHECK_EQ(a->size, 0);
  THFloatStorage_free(a);
  CHECK(!memory_exists());

  /* On a file. */
  a = counted(file, SHARED, 10);
  CHECK_EQ(file_size(file), 104);
  b = counted(file, SHARED, 10);
  THFloatStorage_free(a);
  CHECK_EQ(file_size(file), 104);
  THFloatStorage_free(b);
  CHECK_EQ(file_size(file), -1);
  CHECK_EQ(th_fail_live(), live);
}

static void counted_memory_errors(void **state)
{
  const int live = th_fail_live();
  CHECK_RAISES(0, "FROMFD, KEEPFD or UNLINK", counted(memory, SHAREDMEM | KEEPFD, 3));
  CHECK_RAISES(0, "FROMFD, KEEPFD or UNLINK", counted(memory, SHAREDMEM | UNLINK, 3));
  CHECK_RAISES(0, "SHARED or SHAREDMEM", counted(file, 0, 3));
  THMapAllocatorContext *ctx = THMapAllocatorContext_new(memory, SHAREDMEM);
  CHECK_RAISES(0, "-3 bytes", THRefcountedMapAllocator.malloc(ctx, -3));
  CHECK_RAISES(0, "cannot map", THRefcountedMapAllocator.malloc(ctx, PTRDIFF_MAX));
  CHECK_RAISES(0, "-3 bytes", THMapAllocator.malloc(ctx, -3));
  THMapAllocatorContext_free(ctx);
  CHECK_EQ(th_fail_live(), live);
}

/* Memory whose last user was stopped before it removed the name is not joined. */
static void counted_memory_that_was_left(void **state)
{
  const int fd = shm_open(memory, O_CREAT | O_RDWR, 0600);
  const int32_t gone = INT32_MIN;
  CHECK(write(fd, &gone, sizeof gone) == sizeof gone);
  close(fd);
  const int live = th_fail_live();
  CHECK_RAISES(0, "its last user has left", counted(memory, SHAREDMEM, 3));
  CHECK_EQ(th_fail_live(), live);
}

/* --- processes ------------------------------------------------------------------------------ */

static void wait_for(pid_t child)
{
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %#x",
            status);
}

/* A child maps a tensor's storage by its name, changes it, and outlives the parent's mapping. */
static void processes_share_a_tensor(void **state)
{
  int go[2];
  CHECK(pipe(go) == 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    char byte;
    if (read(go[0], &byte, 1) != 1)
      _exit(1);
    THTry attempt;
    volatile int wrong = 0;
    TH_TRY(attempt)
    {
      THFloatStorage *s = counted(memory, SHAREDMEM | NOCREATE, 12);
      for (int i = 0; i < 12; i++) {
        wrong |= s->data[i] != (float)i + 0.25f;
        s->data[i] *= 2;
      }
      THFloatStorage_free(s);
    }
    _exit(attempt.failed ? 2 : wrong ? 3 : 0);
  }
  THFloatStorage *s = counted(memory, SHAREDMEM | EXCLUSIVE, 12);
  THFloatTensor *t = THFloatTensor_newWithStorage2d(s, 0, 3, 4, 4, 1);
  for (int i = 0; i < 12; i++)
    THFloatTensor_set2d(t, i / 4, i % 4, (float)i + 0.25f);
  CHECK(write(go[1], "x", 1) == 1);
  wait_for(child);
  CHECK_EQ(THFloatTensor_get2d(t, 2, 3), 22.5f);
  CHECK(memory_exists());
  THFloatTensor_free(t);
  CHECK(memory_exists());
  THFloatStorage_free(s);
  CHECK(!memory_exists());
  close(go[0]);
  close(go[1]);
}

/* Processes come and go: whoever gets in sees a live count, the name leads to the same memory for
 * as long as it stays, and at the end the name is gone. */
static void processes_come_and_go(void **state)
{
  enum { CHILDREN = 4, ROUNDS = 500 };
  pid_t child[CHILDREN];
  for (int i = 0; i < CHILDREN; i++) {
    child[i] = fork();
    if (child[i] == 0) {
      alarm(60);
      THTry attempt;
      volatile int wrong = 0;
      TH_TRY(attempt)
      {
        for (int round = 0; round < ROUNDS; round++) {
          THFloatStorage *s = counted(memory, SHAREDMEM, 5);
          const int32_t count = THAtomicGet((int32_t volatile *)((char *)s->data - 64));
          wrong |= count < 1 || count > 2 * CHILDREN;
          THFloatStorage *again = counted(memory, SHAREDMEM | NOCREATE, 5);
          s->data[i] = (float)round;
          wrong |= again->data[i] != (float)round;
          THFloatStorage_free(again);
          THFloatStorage_free(s);
        }
      }
      _exit(attempt.failed ? 2 : wrong ? 3 : 0);
    }
  }
  for (int i = 0; i < CHILDREN; i++)
    wait_for(child[i]);
  CHECK(!memory_exists());
}

/* --- when the system refuses ---------------------------------------------------------------- */

typedef struct {
  int memory;
  int counted;
  int flags;
} What;

static void map_body(void *context)
{
  const What *what = context;
  const char *name = what->memory ? memory : file;
  if (what->counted)
    THFloatStorage_free(counted(name, what->flags, 100));
  else
    THFloatStorage_free(THFloatStorage_newWithMapping(name, 100, what->flags));
}

/* A mapping that failed leaves no name behind. */
static void map_check(void *context, int raised)
{
  const What *what = context;
  if (raised)
    CHECK(what->memory ? !memory_exists() : file_size(file) == -1);
  unlink(file);
}

static void failing_mappings(void **state)
{
  static const What all[] = {
      {0, 0, SHARED},
      {0, 0, SHARED | KEEPFD},
      {0, 0, SHARED | UNLINK},
      {1, 0, SHAREDMEM},
      {1, 0, SHAREDMEM | EXCLUSIVE | KEEPFD},
      {1, 0, SHAREDMEM | UNLINK},
      {0, 1, SHARED},
      {1, 1, SHAREDMEM},
  };
  const THFailCase stages = {.body = map_body, .check = map_check};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    What what = all[i];
    th_note("memory %d, counted %d, flags %d", what.memory, what.counted, what.flags);
    CHECK(th_fail(&stages, &what) >= 6); /* context, storage, name, size, mapping, growth */
  }
}

static void descriptor_body(void *context)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THMapAllocatorContext_free);
  THMapAllocatorContext *ctx = guard.what =
      THMapAllocatorContext_newWithFd(NULL, *(int *)context, FROMFD | SHARED);
  THFloatStorage *s = THFloatStorage_newWithAllocator(300, &THMapAllocator, ctx);
  THGuard_keep(&guard);
  *(int *)context = -1;
  THFloatStorage_free(s);
}

static void descriptor_setup(void *context)
{
  *(int *)context = open(file, O_RDWR | O_CREAT, 0600);
}

static void descriptor_teardown(void *context)
{
  if (*(int *)context >= 0)
    CHECK(close(*(int *)context) == 0);
}

static void failing_descriptors(void **state)
{
  int fd;
  const THFailCase stages = {descriptor_setup, descriptor_body, NULL, descriptor_teardown};
  th_fail(&stages, &fd);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(contexts),
      TEST(private_file),
      TEST(whole_file),
      TEST(shared_file),
      TEST(two_mappings_of_a_file),
      TEST(kept_descriptor),
      TEST(given_descriptor),
      TEST(shared_memory),
      TEST(no_realloc),
      TEST(counted_memory),
      TEST(counted_memory_errors),
      TEST(counted_memory_that_was_left),
      TEST(processes_share_a_tensor),
      TEST(processes_come_and_go),
      TEST(failing_mappings),
      TEST(failing_descriptors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
