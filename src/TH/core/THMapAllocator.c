/* Allocators whose memory is a mapping: of a file, of shared memory, of a descriptor. */
#define _GNU_SOURCE /* fallocate */
#include "THAllocator.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "THAtomic.h"

struct THMapAllocatorContext_ {
  char *filename; /* in the same block, after the struct */
  int flags;
  ptrdiff_t size; /* bytes mapped */
  int fd;         /* to be mapped (FROMFD) or kept (KEEPFD), else -1 */
};

enum {
  SHARED = TH_ALLOCATOR_MAPPED_SHARED,
  SHAREDMEM = TH_ALLOCATOR_MAPPED_SHAREDMEM,
  EXCLUSIVE = TH_ALLOCATOR_MAPPED_EXCLUSIVE,
  NOCREATE = TH_ALLOCATOR_MAPPED_NOCREATE,
  KEEPFD = TH_ALLOCATOR_MAPPED_KEEPFD,
  FROMFD = TH_ALLOCATOR_MAPPED_FROMFD,
  UNLINK = TH_ALLOCATOR_MAPPED_UNLINK,
  ALL_FLAGS = SHARED | SHAREDMEM | EXCLUSIVE | NOCREATE | KEEPFD | FROMFD | UNLINK
};

/* --- contexts ----------------------------------------------------------------------------- */

static THMapAllocatorContext *new_context(const char *filename, int fd, int flags)
{
  const size_t length = strlen(filename) + 1;
  THMapAllocatorContext *ctx = THAlloc((ptrdiff_t)(sizeof *ctx + length));
  *ctx = (THMapAllocatorContext){.filename = (char *)(ctx + 1), .flags = flags, .fd = fd};
  memcpy(ctx->filename, filename, length);
  return ctx;
}

/* Raises an error if flags are invalid; argument is their argument number. */
static void check_flags(int flags, const char *filename, int argument)
{
  THArgCheck((flags & ~ALL_FLAGS) == 0, argument, "unknown bits in the flags %d to map %s", flags,
             filename);
  THArgCheck(!(flags & EXCLUSIVE) || !(flags & NOCREATE), argument,
             "flags %d to map %s: EXCLUSIVE creates, and NOCREATE forbids it", flags, filename);
  THArgCheck(!(flags & EXCLUSIVE) || (flags & (SHARED | SHAREDMEM)), argument,
             "flags %d to map %s: EXCLUSIVE needs SHARED or SHAREDMEM", flags, filename);
#ifndef TH_COMPAT_TORCH7 /* Torch7's programs let the system choose, which needs no name */
  THArgCheck(!(flags & SHAREDMEM) || filename[0] == '/', 1,
             "the name of shared memory must begin with /, not as in %s", filename);
#endif
}

THMapAllocatorContext *THMapAllocatorContext_new(const char *filename, int flags)
{
  THArgCheck(filename && filename[0], 1, "there is no name to map");
  check_flags(flags, filename, 2);
  THArgCheck(!(flags & FROMFD), 2,
             "flags %d to map %s: FROMFD is for THMapAllocatorContext_newWithFd", flags, filename);
  return new_context(filename, -1, flags);
}

THMapAllocatorContext *THMapAllocatorContext_newWithFd(const char *filename, int fd, int flags)
{
  const int named = filename && filename[0];
  THArgCheck(named || !(flags & (UNLINK | SHAREDMEM)), 1,
             "flags %d to map descriptor %d need a name", flags, fd);
  if (!named)
    filename = "(a descriptor)";
  check_flags(flags, filename, 3);
  THArgCheck(flags & FROMFD, 3, "flags %d to map %s lack FROMFD, but there is a descriptor, %d",
             flags, filename, fd);
  THArgCheck(!(flags & EXCLUSIVE), 3, "flags %d to map %s: what is open cannot be EXCLUSIVE", flags,
             filename);
  THArgCheck(fd >= 0, 2, "%d is no descriptor of %s", fd, filename);
  return new_context(filename, fd, flags);
}

char *THMapAllocatorContext_filename(THMapAllocatorContext *ctx)
{
  return ctx->filename;
}

int THMapAllocatorContext_fd(THMapAllocatorContext *ctx)
{
  return ctx->fd;
}

ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext *ctx)
{
  return ctx->size;
}

void THMapAllocatorContext_free(THMapAllocatorContext *ctx)
{
  THFree(ctx);
}

/* --- names -------------------------------------------------------------------------------- */

static int open_name(const THMapAllocatorContext *ctx, int how)
{
  return ctx->flags & SHAREDMEM ? shm_open(ctx->filename, how | O_CLOEXEC, 0600)
                                : open(ctx->filename, how | O_CLOEXEC, 0600);
}

static int remove_name(const THMapAllocatorContext *ctx)
{
  return ctx->flags & SHAREDMEM ? shm_unlink(ctx->filename) : unlink(ctx->filename);
}

/* Opens the name as the flags say; sets *created if it was not there.  -1 and errno on failure. */
static int open_or_create(const THMapAllocatorContext *ctx, int *created)
{
  *created = 0;
  if (!(ctx->flags & (SHARED | SHAREDMEM)))
    return open_name(ctx, O_RDONLY);
  if (ctx->flags & NOCREATE)
    return open_name(ctx, O_RDWR);
  for (;;) {
    int fd = open_name(ctx, O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0)
      *created = 1;
    if (fd >= 0 || errno != EEXIST || (ctx->flags & EXCLUSIVE))
      return fd;
    fd = open_name(ctx, O_RDWR);
    if (fd >= 0 || errno != ENOENT)
      return fd;
    sched_yield(); /* another process has just removed it */
  }
}

/* Makes the object of fd at least size bytes long.  Shared memory is allocated at once: when it is
 * used up, later writes to the mapping would be killed by a signal. */
static int grow(const THMapAllocatorContext *ctx, int fd, ptrdiff_t size)
{
  if (ctx->flags & SHAREDMEM) {
    int result;
    do
      result = fallocate(fd, 0, 0, size);
    while (result && errno == EINTR);
    if (!result || (errno != EOPNOTSUPP && errno != ENOSYS))
      return result;
  }
  return ftruncate(fd, size);
}

/* --- mapping ------------------------------------------------------------------------------ */

/* A mapping under construction: everything that a failure has to undo. */
typedef struct {
  const THMapAllocatorContext *ctx;
  int fd; /* opened here, or -1 */
  int created;
  void *data;
  size_t size;
} Mapping;

static void undo_mapping(void *what)
{
  const Mapping *mapping = what;
  if (mapping->data)
    munmap(mapping->data, mapping->size);
  if (mapping->created)
    remove_name(mapping->ctx);
  if (mapping->fd >= 0)
    close(mapping->fd);
}

/* Maps size bytes (0: all there are) and sets ctx->size, ctx->fd.  On failure ctx, its descriptor
 * and the file are as they were. */
static void *map(THMapAllocatorContext *ctx, ptrdiff_t size)
{
  const char *name = ctx->filename;
  const int shared = (ctx->flags & (SHARED | SHAREDMEM)) != 0;
  if (size < 0)
    THError("cannot map %td bytes of %s", size, name);

  THGuard guard;
  THGuard_enter(&guard, undo_mapping);
  Mapping mapping = {.ctx = ctx, .fd = -1};
  guard.what = &mapping;

  int fd = ctx->fd;
  if (!(ctx->flags & FROMFD)) {
    fd = mapping.fd = open_or_create(ctx, &mapping.created);
    if (fd < 0)
      THError("cannot open %s to map it: %s", name, strerror(errno));
  } else if (fd < 0) {
    THError("the descriptor of %s has been used up by an earlier mapping", name);
  }

  struct stat status;
  if (fstat(fd, &status))
    THError("cannot tell the size of %s: %s", name, strerror(errno));
  const ptrdiff_t length = status.st_size;
  if (size == 0 && length == 0)
    THError("cannot map all of %s: it is empty", name);
  if (size == 0)
    size = length;
  if (size > length && !shared)
    THError("cannot map %td bytes of %s: it has %td", size, name, length);

  /* No memory is reserved for private writes; otherwise a file could not be larger than the
   * memory. */
  void *data = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                    shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  if (data == MAP_FAILED)
    THError("cannot map %td bytes of %s: %s", size, name, strerror(errno));
  mapping.data = data;
  mapping.size = (size_t)size;

  if (size > length && grow(ctx, fd, size))
    THError("cannot make %s %td bytes long: %s", name, size, strerror(errno));
  if ((ctx->flags & UNLINK) && remove_name(ctx))
    THError("cannot remove the name %s: %s", name, strerror(errno));

  THGuard_keep(&guard);
  ctx->size = size;
  ctx->fd = fd;
  if (!(ctx->flags & KEEPFD)) {
    close(fd);
    ctx->fd = -1;
  }
  return data;
}

/* Undoes map; the context goes too. */
static void unmap(THMapAllocatorContext *ctx, void *data, int remove)
{
  munmap(data, (size_t)ctx->size);
  if (ctx->fd >= 0)
    close(ctx->fd);
  if (remove)
    remove_name(
        ctx); /* the name may be gone: another process that had the file mapped removes it too */
  THMapAllocatorContext_free(ctx);
}

static void *map_malloc(void *ctx, ptrdiff_t size)
{
  THArgCheck(ctx != NULL, 1, "mapped memory needs a context");
  return map(ctx, size);
}

static void *map_realloc(void *ctx, void *ptr, ptrdiff_t size)
{
  THError("cannot realloc mapped data (%s, to %td bytes)",
          ctx ? ((THMapAllocatorContext *)ctx)->filename : "no context", size);
}

static void map_free(void *context, void *data)
{
  THMapAllocatorContext *ctx = context;
  if (data)
    unmap(ctx, data, (ctx->flags & SHAREDMEM) && !(ctx->flags & UNLINK));
}

THAllocator THMapAllocator = {map_malloc, map_realloc, map_free};

/* --- counted mappings --------------------------------------------------------------------- */

/* The head of a counted mapping, padded to the alignment. */
typedef struct {
  int32_t volatile refcount;
} THMapInfo;

enum {
  TH_ALLOC_ALIGNMENT = 64,
  GONE = INT32_MIN, /* the count after the last user left, who is about to remove the name */
  PATIENCE = 10000  /* how often a name is tried whose last user is leaving */
};

static THMapInfo *info_of(void *data)
{
  return (THMapInfo *)((char *)data - TH_ALLOC_ALIGNMENT);
}

void THRefcountedMapAllocator_incref(THMapAllocatorContext *ctx, void *data)
{
  THAtomicIncrementRef(&info_of(data)->refcount);
}

int THRefcountedMapAllocator_decref(THMapAllocatorContext *ctx, void *data)
{
  return THAtomicDecrementRef(&info_of(data)->refcount);
}

/* Adds a user; returns 0 if the last one has left, so that the name is about to be removed. */
static int join(THMapInfo *info)
{
  int32_t count;
  do {
    count = THAtomicGet(&info->refcount);
    if (count < 0)
      return 0;
  } while (!THAtomicCompareAndSwap(&info->refcount, count, count + 1));
  return 1;
}

static void *refcounted_malloc(void *context, ptrdiff_t size)
{
  THArgCheck(context != NULL, 1, "mapped memory needs a context");
  THMapAllocatorContext *ctx = context;
  const char *name = ctx->filename;
  const int flags = ctx->flags;
  if (flags & (FROMFD | KEEPFD | UNLINK))
    THError("a counted mapping cannot have FROMFD, KEEPFD or UNLINK (flags %d, %s)", flags, name);
  if (!(flags & (SHARED | SHAREDMEM)))
    THError("a counted mapping needs SHARED or SHAREDMEM (flags %d, %s)", flags, name);
  ptrdiff_t bytes;
  if (size < 0 || __builtin_add_overflow(size, TH_ALLOC_ALIGNMENT, &bytes))
    THError("cannot map %td bytes of %s", size, name);

  for (int i = 0; i < PATIENCE; i++) {
    void *head = map(ctx, bytes);
    if (join(head))
      return (char *)head + TH_ALLOC_ALIGNMENT;
    munmap(head, (size_t)ctx->size);
    ctx->size = 0;
    sched_yield();
  }
  THError("cannot map %s: its last user has left, but not removed the name", name);
}

/* The user who takes the count to 0 removes the name, unless somebody joins at that moment. */
static void refcounted_free(void *context, void *data)
{
  if (!data)
    return;
  THMapInfo *info = info_of(data);
  const int last = THRefcountedMapAllocator_decref(context, data) &&
                   THAtomicCompareAndSwap(&info->refcount, 0, GONE);
  unmap(context, info, last);
}

THAllocator THRefcountedMapAllocator = {refcounted_malloc, map_realloc, refcounted_free};
