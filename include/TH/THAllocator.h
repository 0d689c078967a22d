/* Allocators: where the memory of a storage comes from.
 *
 *     THStorage *s = THFloatStorage_newWithAllocator(
 *         1000, &THMapAllocator, THMapAllocatorContext_new("file", 0));
 *
 * malloc returns memory of size bytes or raises an error; realloc may be NULL, then a storage is
 * resized by allocating anew and copying; free releases.  Each is handed the context that the
 * storage was made with. */
#ifndef TH_ALLOCATOR_H
#define TH_ALLOCATOR_H

#include "THGeneral.h"

/* Bits of a map allocator's flags.  Without SHARED or SHAREDMEM a file is mapped privately: it must
 * be there and as long as the memory asked for, and what is written stays in this process.  With
 * one of them it is created if it is missing, and made longer if it is too short. */
#define TH_ALLOCATOR_MAPPED_SHARED    1  /* changes reach the file and every process that maps it */
#define TH_ALLOCATOR_MAPPED_SHAREDMEM 2  /* shared, and the name, "/...", is one of POSIX memory */
#define TH_ALLOCATOR_MAPPED_EXCLUSIVE 4  /* create it; fail if it is there */
#define TH_ALLOCATOR_MAPPED_NOCREATE  8  /* fail if it is not there */
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

/* Files, shared memory and descriptors, mapped.
 *
 * malloc maps size bytes, or everything there is for size 0 (an error when that is nothing).  free
 * unmaps, frees the context, and removes the name of shared memory (that of a file stays).  realloc
 * always raises an error.  A context serves one mapping; it belongs to the memory as soon as there
 * is any, and to the caller for as long as there is none, also after an error. */
typedef struct THMapAllocatorContext_ THMapAllocatorContext;

/* flags may be any TH_ALLOCATOR_MAPPED_ bits but FROMFD. */
TH_API THMapAllocatorContext *THMapAllocatorContext_new(const char *filename, int flags);

/* flags must have FROMFD.  fd is closed once it is mapped, or with KEEPFD when the memory is freed.
 * filename is what messages say, and what UNLINK and free remove; elsewhere it may be NULL. */
TH_API THMapAllocatorContext *THMapAllocatorContext_newWithFd(const char *filename, int fd,
                                                              int flags);
TH_API char *THMapAllocatorContext_filename(THMapAllocatorContext *ctx);
TH_API int THMapAllocatorContext_fd(THMapAllocatorContext *ctx);         /* -1 if it is not kept */
TH_API ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext *ctx); /* bytes mapped */

/* For a context whose memory was never made; does not close a descriptor. */
TH_API void THMapAllocatorContext_free(THMapAllocatorContext *ctx);

TH_API THAllocator THMapAllocator;

/* As THMapAllocator, on SHAREDMEM or a SHARED file whose first 64 bytes hold a count of its users
 * (the data begins behind them): each mapping counts as one, and the last to be freed removes the
 * name.  FROMFD, KEEPFD and UNLINK are errors; size 0 is a mapping without data. */
TH_API THAllocator THRefcountedMapAllocator;

/* Change that count for data: a process may hold memory for another one that is yet to map it.
 * decref returns nonzero when it reached 0, and removes nothing. */
TH_API void THRefcountedMapAllocator_incref(THMapAllocatorContext *ctx, void *data);
TH_API int THRefcountedMapAllocator_decref(THMapAllocatorContext *ctx, void *data);

#endif
