/* Freed blocks that are kept for reuse, oldest first.  bytes is always what malloc_usable_size
 * says.  Only those of TH_MEMORY_LARGE bytes and more are counted. */
#ifndef TH_BLOCK_CACHE_H
#define TH_BLOCK_CACHE_H

#include <stddef.h>

#include "THMemory.h"

/* With a sanitizer every block comes from malloc and goes back to it, so that the sanitizer sees
 * all of them. */
#ifdef TH_SANITIZED
enum { TH_KEEPS_BLOCKS = 0 };
#else
enum { TH_KEEPS_BLOCKS = 1 };
#endif

/* The least bytes of a block that is kept here; smaller ones are kept by their threads.  malloc
 * gives the end of its heap back whenever 128 KB of it are free: without this, four results of 40
 * KB, made and freed again and again, would cost a page fault for each of their pages. */
enum { TH_BLOCK_KEPT = 33 << 10 };

enum { TH_BLOCK_ALIGNMENT = 64 };

static inline int THBlock_isAligned(const void *block)
{
  return (uintptr_t)block % TH_BLOCK_ALIGNMENT == 0;
}

/* A block of at least size bytes and little more, or NULL. */
void *THBlockCache_take(size_t size);

/* Takes over a block: keeps it, or frees it. */
void THBlockCache_give(void *block, size_t bytes);

/* THAlloc that returns NULL where that would raise; and for no bytes.  Exported for libTHC. */
TH_API void *THMemory_try(ptrdiff_t size);

/* Counts a block made by malloc. */
void THBlockCache_countMade(size_t bytes);

/* Counts a block in use that changed its size. */
void THBlockCache_countResized(size_t before, size_t after);

void THBlockCache_empty(void);

extern ptrdiff_t THBlockCache_limit; /* written under the cache's lock, read by everybody */

/* Whether freed blocks are to be kept at all. */
static inline int THBlockCache_isOn(void)
{
  return TH_KEEPS_BLOCKS && __atomic_load_n(&THBlockCache_limit, __ATOMIC_RELAXED) > 0;
}

#endif
