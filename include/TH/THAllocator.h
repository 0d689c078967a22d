/* Allocators: where the memory of a storage comes from.
 *
 *     THStorage *s = THFloatStorage_newWithAllocator(1000, &THMapAllocator,
 * THMapAllocatorContext_new("file", 0));
 *
 * malloc returns memory of size bytes or raises an error; realloc may be NULL, then a storage is
 * resized by allocating anew and copying; free releases.  Each is handed the context that the
 * storage was made with. */
#ifndef TH_ALLOCATOR_H
#define TH_ALLOCATOR_H

#include "THGeneral.h"

/* Bits of a map allocator's flags. */
#define TH_ALLOCATOR_MAPPED_SHARED 1 /* changes reach the file and every process that maps it */
#define TH_ALLOCATOR_MAPPED_SHAREDMEM                                                             \
  2                                      /* the name is one of POSIX shared memory, not of a file \
                                          */
#define TH_ALLOCATOR_MAPPED_EXCLUSIVE 4  /* create it; fail if it is there */
#define TH_ALLOCATOR_MAPPED_NOCREATE  8  /* open it; fail if it is not there */
#define TH_ALLOCATOR_MAPPED_KEEPFD    16 /* keep the descriptor open in the context */
#define TH_ALLOCATOR_MAPPED_FROMFD    32 /* map the descriptor that the caller gives */
#define TH_ALLOCATOR_MAPPED_UNLINK    64 /* remove the name once it is mapped */

typedef struct THAllocator {
  void *(*malloc)(void *ctx, ptrdiff_t size);
  void *(*realloc)(void *ctx, void *ptr, ptrdiff_t size);
  void (*free)(void *ctx, void *ptr);
} THAllocator;

/* The heap: THAlloc, THRealloc and THFree.  Takes no context. */
TH_API THAllocator THDefaultAllocator;

/* Files, shared memory and descriptors, mapped.  The context is used up: freeing the memory frees
 * the context too. */
typedef struct THMapAllocatorContext_ THMapAllocatorContext;

TH_API THMapAllocatorContext *THMapAllocatorContext_new(const char *filename, int flags);
TH_API THMapAllocatorContext *THMapAllocatorContext_newWithFd(const char *filename, int fd,
                                                              int flags);
TH_API char *THMapAllocatorContext_filename(THMapAllocatorContext *ctx);
TH_API int THMapAllocatorContext_fd(THMapAllocatorContext *ctx);         /* -1 if it is not kept */
TH_API ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext *ctx); /* bytes mapped */
TH_API void THMapAllocatorContext_free(THMapAllocatorContext *ctx);

TH_API THAllocator THMapAllocator;

/* As THMapAllocator, on shared memory that counts the processes which map it at its head and is
 * removed by the last one. incref and decref change that count for data; decref returns nonzero
 * when it reached 0. */
TH_API void THRefcountedMapAllocator_incref(THMapAllocatorContext *ctx, void *data);
TH_API int THRefcountedMapAllocator_decref(THMapAllocatorContext *ctx, void *data);

TH_API THAllocator THRefcountedMapAllocator;

#endif
