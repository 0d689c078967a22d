/* Freed memory that THAlloc keeps for reuse, and how much memory there is in large blocks, those of
 * TH_MEMORY_LARGE bytes and more.
 *
 *     THMemory_setCacheLimit(64 << 20);       keep at most 64 MB of freed blocks
 *     THMemory_emptyCache();                  and now none
 *
 * Fresh memory costs a page fault per page, which for a large tensor is more than computing it.
 * Therefore blocks of more than 32 KB are not returned to the system when they are freed, but kept
 * until the limit is reached, or there are 256; then the oldest go.  A kept block serves a request
 * that needs at least eight ninths of it.  From 2 MB upward blocks lie in huge pages where the
 * system has them.  Blocks of up to 32 KB are kept by the thread that frees them: less than 1 MB
 * for each thread, given back when the thread ends. */
#ifndef TH_MEMORY_H
#define TH_MEMORY_H

#include "THGeneral.h"

#define TH_MEMORY_LARGE ((ptrdiff_t)256 << 10)

/* The most bytes of such freed blocks that are kept.  At start it is the number in the environment
 * variable TH_CACHE_BYTES (with K, M or G behind it if you like), else 2 GB or a sixteenth of the
 * machine's memory, whichever is less.  0 keeps nothing, small blocks included: valgrind and other
 * checkers of memory then see every allocation.  Raises an error if bytes is negative.  Builds with
 * a sanitizer keep nothing, whatever the limit is. */
TH_API void THMemory_setCacheLimit(ptrdiff_t bytes);
TH_API ptrdiff_t THMemory_cacheLimit(void);

/* Returns to malloc all blocks that are kept, but for the small ones that threads other than the
 * calling one keep. */
TH_API void THMemory_emptyCache(void);

/* Only large blocks are counted: counting small ones would cost as much as allocating them.  A
 * block that leaves TH to be released by free() still counts as in use, and one from malloc that is
 * released by TH is subtracted without having been added. */
typedef struct THMemoryStats {
  ptrdiff_t inUse;  /* bytes allocated and not freed */
  ptrdiff_t peak;   /* the most that inUse ever was */
  ptrdiff_t cached; /* bytes kept for reuse */
  int64_t made;     /* blocks that malloc had to make */
  int64_t reused;   /* blocks that were there from before */
} THMemoryStats;

TH_API THMemoryStats THMemory_stats(void);

#endif
