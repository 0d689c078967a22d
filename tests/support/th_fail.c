/* See th_fail.h.  The linker's --wrap=malloc turns calls of malloc into calls of __wrap_malloc, and
 * those of __real_malloc into the original; CMakeLists.txt has the same list of names. */
#define _GNU_SOURCE
#include "th_fail.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "th_test.h"

/* --- live acquisitions ----------------------------------------------------------------------- */

typedef enum { NOTHING, BLOCK, MAPPING, DESCRIPTOR, STREAM, ON_DEVICE } Kind;
static const char *const kind_name[] = {"nothing",    "block",  "mapping",
                                        "descriptor", "stream", "thing of CUDA's"};

typedef struct {
  Kind kind;
  uintptr_t id; /* an address or a descriptor */
  size_t size;
  uint64_t serial;
  const void *caller;
} Live;

/* A hash table with linear probing. */
enum { SLOTS = 1 << 16 };
static Live live[SLOTS];
static int nlive;
static uint64_t serial;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A child must not find the lock taken by a thread that it does not have. */
static void before_fork(void)
{
  pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
  pthread_atfork(before_fork, after_fork, after_fork);
}

static size_t home_of(Kind kind, uintptr_t id)
{
  return (size_t)((id + (uintptr_t)kind) * UINT64_C(0x9E3779B97F4A7C15) >> 40) % SLOTS;
}

static void add(Kind kind, uintptr_t id, size_t size, const void *caller)
{
  pthread_mutex_lock(&lock);
  if (nlive == SLOTS / 2)
    fail_msg("th_fail cannot watch more than %d acquisitions", SLOTS / 2);
  size_t at = home_of(kind, id);
  while (live[at].kind)
    at = (at + 1) % SLOTS;
  live[at] = (Live){kind, id, size, ++serial, caller};
  nlive++;
  pthread_mutex_unlock(&lock);
}

/* An unknown resource came from another library, or was acquired before its wrapper was active. */
static void drop(Kind kind, uintptr_t id)
{
  pthread_mutex_lock(&lock);
  size_t at = home_of(kind, id);
  while (live[at].kind && (live[at].kind != kind || live[at].id != id))
    at = (at + 1) % SLOTS;
  if (live[at].kind) {
    nlive--;
    for (size_t next = (at + 1) % SLOTS; live[next].kind; next = (next + 1) % SLOTS) {
      const size_t home = home_of(live[next].kind, live[next].id);
      if ((next - home) % SLOTS >= (next - at) % SLOTS) { /* its entry may move to the hole */
        live[at] = live[next];
        at = next;
      }
    }
    live[at] = (Live){0};
  }
  pthread_mutex_unlock(&lock);
}

/* The function that empties caches. */
static void (*empty)(void);

void th_fail_caches(void (*function)(void))
{
  empty = function;
}

static void empty_caches(void)
{
  THMemory_emptyCache();
  if (empty)
    empty();
}

int th_fail_live(void)
{
  empty_caches();
  pthread_mutex_lock(&lock);
  const int n = nlive;
  pthread_mutex_unlock(&lock);
  return n;
}

/* --- which acquisitions fail ----------------------------------------------------------------- */

/* Only acquisitions of the thread that runs body fail. */
static _Thread_local struct {
  int armed;
  int paused;
  int onwards; /* whether those after the k-th fail, too */
  int k;
  int count;
} failing;

static int fails(int error)
{
  if (!failing.armed || failing.paused)
    return 0;
  failing.count++;
  if (failing.onwards ? failing.count < failing.k : failing.count != failing.k)
    return 0;
  errno = error;
  return 1;
}

void th_fail_pause(int paused)
{
  failing.paused = paused;
}

/* The most bytes that a request is granted. */
static size_t most = SIZE_MAX;

void th_fail_above(size_t bytes)
{
  most = bytes;
}

static int refused(size_t size)
{
  return size > most || fails(ENOMEM);
}

/* --- for wrappers elsewhere --------------------------------------------------------------- */

int th_fail_asked(void)
{
  return fails(ENOMEM);
}

void th_fail_add(const void *thing, size_t size, const void *caller)
{
  add(ON_DEVICE, (uintptr_t)thing, size, caller);
}

void th_fail_drop(const void *thing)
{
  drop(ON_DEVICE, (uintptr_t)thing);
}

/* --- the wrappers ------------------------------------------------------------------------- */

/* References of a sanitized shared library are linked to the wrappers, which must not be hidden
 * then. */
#pragma GCC visibility push(default)

#define CALLER __builtin_return_address(0)

static void *keep(Kind kind, void *it, size_t size, const void *caller)
{
  if (it)
    add(kind, (uintptr_t)it, size, caller);
  return it;
}

static int keep_descriptor(int fd, const void *caller)
{
  if (fd >= 0)
    add(DESCRIPTOR, (uintptr_t)fd, 0, caller);
  return fd;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
  return refused(size) ? NULL : keep(BLOCK, __real_malloc(size), size, CALLER);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
  const bool whole = !size || count <= SIZE_MAX / size;
  return !whole || refused(count * size)
             ? NULL
             : keep(BLOCK, __real_calloc(count, size), count * size, CALLER);
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return refused(size) ? NULL : keep(BLOCK, __real_aligned_alloc(alignment, size), size, CALLER);
}

int __real_posix_memalign(void **block, size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
  if (refused(size))
    return ENOMEM;
  const int result = __real_posix_memalign(block, alignment, size);
  if (!result)
    keep(BLOCK, *block, size, CALLER);
  return result;
}

/* The block is dropped first: another thread may be given its address as soon as it is free. */
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size)
{
  if (refused(size))
    return NULL;
  const uintptr_t before = (uintptr_t)block;
  drop(BLOCK, before);
  void *after = __real_realloc(block, size);
  if (!after && size > 0 && before)
    add(BLOCK, before, 0, CALLER);
  return keep(BLOCK, after, size, CALLER);
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
  drop(BLOCK, (uintptr_t)block);
  __real_free(block);
}

char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = fails(ENOMEM) ? NULL : keep(BLOCK, __real_malloc(size), size, CALLER);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *__wrap_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most)
{
  const size_t length = strnlen(text, most);
  char *copy = fails(ENOMEM) ? NULL : keep(BLOCK, __real_malloc(length + 1), length + 1, CALLER);
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}

void *__real_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
  if (fails(ENOMEM))
    return MAP_FAILED;
  void *data = __real_mmap(at, size, access, flags, fd, offset);
  if (data != MAP_FAILED)
    keep(MAPPING, data, size, CALLER);
  return data;
}

int __real_munmap(void *data, size_t size);
int __wrap_munmap(void *data, size_t size);
int __wrap_munmap(void *data, size_t size)
{
  drop(MAPPING, (uintptr_t)data);
  return __real_munmap(data, size);
}

static mode_t mode_of(int flags, va_list arguments)
{
  return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

int __real_open(const char *name, int flags, mode_t mode);
int __wrap_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails(EMFILE) ? -1 : keep_descriptor(__real_open(name, flags, mode), CALLER);
}

int __real_shm_open(const char *name, int flags, mode_t mode);
int __wrap_shm_open(const char *name, int flags, mode_t mode);
int __wrap_shm_open(const char *name, int flags, mode_t mode)
{
  return fails(EMFILE) ? -1 : keep_descriptor(__real_shm_open(name, flags, mode), CALLER);
}

int __real_mkstemp(char *name);
int __wrap_mkstemp(char *name);
int __wrap_mkstemp(char *name)
{
  return fails(EMFILE) ? -1 : keep_descriptor(__real_mkstemp(name), CALLER);
}

int __real_dup(int fd);
int __wrap_dup(int fd);
int __wrap_dup(int fd)
{
  return fails(EMFILE) ? -1 : keep_descriptor(__real_dup(fd), CALLER);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
  drop(DESCRIPTOR, (uintptr_t)fd);
  return __real_close(fd);
}

int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status)
{
  return fails(EIO) ? -1 : __real_fstat(fd, status);
}

int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size)
{
  return fails(ENOSPC) ? -1 : __real_ftruncate(fd, size);
}

int __real_fallocate(int fd, int mode, off_t offset, off_t size);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t size);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t size)
{
  return fails(ENOSPC) ? -1 : __real_fallocate(fd, mode, offset, size);
}

FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode)
{
  return fails(EMFILE) ? NULL : keep(STREAM, __real_fopen(name, mode), 0, CALLER);
}

FILE *__real_popen(const char *command, const char *mode);
FILE *__wrap_popen(const char *command, const char *mode);
FILE *__wrap_popen(const char *command, const char *mode)
{
  return fails(EMFILE) ? NULL : keep(STREAM, __real_popen(command, mode), 0, CALLER);
}

/* The stream owns the descriptor from now on. */
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
  FILE *file = fails(ENOMEM) ? NULL : keep(STREAM, __real_fdopen(fd, mode), 0, CALLER);
  if (file)
    drop(DESCRIPTOR, (uintptr_t)fd);
  return file;
}

int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file)
{
  drop(STREAM, (uintptr_t)file);
  return __real_fclose(file);
}

int __real_pclose(FILE *file);
int __wrap_pclose(FILE *file);
int __wrap_pclose(FILE *file)
{
  drop(STREAM, (uintptr_t)file);
  return __real_pclose(file);
}

#pragma GCC visibility pop

/* --- running ------------------------------------------------------------------------------ */

/* Fails the test if anything acquired after the first mark acquisitions is still there. */
static void check_nothing_left(uint64_t mark, const char *when)
{
  empty_caches();
  int found = 0;
  pthread_mutex_lock(&lock);
  for (size_t at = 0; at < SLOTS && nlive > 0 && found < 8; at++)
    if (live[at].kind && live[at].serial > mark) {
      print_error("left behind %s: a %s of %zu bytes, acquired at %p\n", when,
                  kind_name[live[at].kind], live[at].size, live[at].caller);
      found++;
    }
  pthread_mutex_unlock(&lock);
  if (found)
    fail_msg("something was left behind %s; addr2line -pfe PROGRAM tells where it was acquired",
             when);
}

/* One run with the k-th acquisition failing; k 0: none.  Returns how many there were. */
static int run(const THFailCase *stages, void *context, int k, int onwards, int watch)
{
  char when[TH_MESSAGE_LENGTH + 128];
  empty_caches();
  const uint64_t mark = serial;
  if (stages->setup)
    stages->setup(context);

  failing.k = k;
  failing.count = 0;
  failing.onwards = onwards && k > 0;
  THTry attempt;
  TH_TRY(attempt)
  {
    failing.armed = 1;
    stages->body(context);
  }
  failing.armed = 0;
  const int count = failing.count;
  THGuard probe;
  THGuard_enter(&probe, NULL);
  const int guarded = probe.below != attempt.guards;
  THGuard_keep(&probe);

  if (k == 0 || count < k)
    snprintf(when, sizeof when, "without any failure");
  else
    snprintf(when, sizeof when, "when acquisition %d%s failed (%.500s)", k,
             onwards ? " and all after it" : "", attempt.failed ? attempt.message : "no error");
  if (guarded)
    fail_msg("a guard was entered and not left %s", when);
  if (attempt.failed && (k == 0 || count < k))
    fail_msg("an error %s: %s", when, attempt.message);
  if (stages->check)
    stages->check(context, attempt.failed);
  if (stages->teardown)
    stages->teardown(context);
  if (watch)
    check_nothing_left(mark, when);
  return count;
}

int th_fail(const THFailCase *stages, void *context)
{
  failing.armed = 0;
  run(stages, context, 0, 0, 0);
  run(stages, context, 0, 0, 1);
  for (int k = 1;; k++)
    for (int onwards = 0; onwards < 2; onwards++) {
      const int count = run(stages, context, k, onwards, 1);
      if (count < k)
        return count;
    }
}

int th_fail_each(void (*body)(void *context), void *context)
{
  const THFailCase stages = {.body = body};
  return th_fail(&stages, context);
}
