/* The heap: aligned blocks of malloc, with freed ones kept for the next request of their size.
 *
 * Every block is one that malloc made, so that programs may free() it, and one that they got from
 * malloc may come here; its size is what malloc_usable_size says.  Blocks of up to 32 KB are kept
 * in lists that belong to a thread, because making an aligned block takes malloc five to fifteen
 * times as long as making one that is not; large ones in THBlockCache. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "THAllocator.h"
#include "THBlockCache.h"
#include "THCollector.h"
#include "THGeneral.h"

/* --- small blocks: lists of a thread ------------------------------------------------------ */

/* Sizes are rounded up to a class: multiples of 64 up to 1 KB, then four classes to each doubling.
 */
enum {
  STEP = TH_BLOCK_ALIGNMENT,
  EVEN = 1024,
  EVEN_CLASSES = EVEN / STEP,
  SMALL = 32768,
  CLASSES = EVEN_CLASSES + 5 * 4,
  KEPT_BYTES = 16384 /* of one class, or else two blocks */
};

typedef struct Block {
  struct Block *next;
} Block;

typedef struct {
  Block *first[CLASSES];
  int left[CLASSES]; /* how many blocks more are kept */
} SmallBlocks;

/* One pointer, which even a library loaded late has space for; so reading it takes one
 * instruction instead of a call. */
static _Thread_local SmallBlocks *small_blocks __attribute__((tls_model("initial-exec")));
static pthread_key_t at_thread_exit;
static int has_key;

/* The smallest class that holds size bytes, 1 <= size <= SMALL. */
static inline int class_of(size_t size)
{
  if (TH_LIKELY(size <= EVEN))
    return (int)((size - 1) / STEP);
  const int top = 63 - __builtin_clzll(size - 1);     /* 10 .. 14: the highest bit of size - 1 */
  const int quarter = (int)((size - 1) >> (top - 2)); /* 4 .. 7 */
  return EVEN_CLASSES + (top - 10) * 4 + quarter - 4;
}

static inline size_t class_bytes(int class)
{
  if (class < EVEN_CLASSES)
    return (size_t)(class + 1) * STEP;
  const int above = class - EVEN_CLASSES;
  return (size_t)(above % 4 + 5) << (above / 4 + 8);
}

static inline void *take_small(size_t size)
{
  SmallBlocks *mine = small_blocks;
  if (TH_UNLIKELY(!mine))
    return NULL;
  const int class = class_of(size);
  Block *block = mine->first[class];
  if (TH_LIKELY(block != NULL)) {
    mine->first[class] = block->next;
    mine->left[class]++;
  }
  return block;
}

static void release_lists(void *lists)
{
  SmallBlocks *mine = lists;
  for (int class = 0; class < CLASSES; class ++)
    for (Block *block = mine->first[class], *next; block; block = next) {
      next = block->next;
      free(block);
    }
  free(mine);
}

static void thread_ends(void *lists)
{
  small_blocks = NULL; /* a later destructor of the thread may still free tensors */
  release_lists(lists);
}

static SmallBlocks *begin_lists(void)
{
  SmallBlocks *mine = has_key ? calloc(1, sizeof *mine) : NULL;
  if (!mine)
    return NULL;
  if (pthread_setspecific(at_thread_exit, mine)) {
    free(mine);
    return NULL;
  }
  for (int class = 0; class < CLASSES; class ++)
    mine->left[class] = THMax(2, (int)(KEPT_BYTES / class_bytes(class)));
  return small_blocks = mine;
}

/* Whether block, of bytes < TH_BLOCK_KEPT, is now in a list. */
static inline int keep_small(void *ptr, size_t bytes)
{
  if (bytes < STEP || !THBlock_isAligned(ptr))
    return 0;
  SmallBlocks *mine = small_blocks;
  if (TH_UNLIKELY(!mine) && !(mine = begin_lists()))
    return 0;
  const int class = bytes >= SMALL ? CLASSES - 1 : class_of(bytes + 1) - 1; /* rounded down */
  if (mine->left[class] == 0)
    return 0;
  mine->left[class]--;
  Block *block = ptr;
  block->next = mine->first[class];
  mine->first[class] = block;
  return 1;
}

void THMemory_emptyCache(void)
{
  SmallBlocks *mine = small_blocks;
  if (mine) {
    pthread_setspecific(at_thread_exit, NULL);
    thread_ends(mine);
  }
  THBlockCache_empty();
}

__attribute__((constructor)) static void begin(void)
{
  has_key = pthread_key_create(&at_thread_exit, thread_ends) == 0;
}

__attribute__((destructor)) static void end(void)
{
  if (has_key)
    pthread_key_delete(at_thread_exit);
  has_key = 0;
  if (small_blocks)
    thread_ends(small_blocks);
}

/* --- blocks from malloc ------------------------------------------------------------------- */

enum { PAGE = 4096 };
static const size_t huge_page = (size_t)2 << 20;

/* Smaller blocks are not aligned to huge pages: in malloc's heap, up to 2 MB before each would be
 * wasted. */
static const size_t worth_aligning = (size_t)8 << 20;

/* One fault for 2 MB instead of 512.  A system that has no huge pages refuses, which is no error.
 */
static void advise_huge(void *block, size_t size)
{
  const int saved = errno;
  const uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
  const uintptr_t end = ((uintptr_t)block + size) / PAGE * PAGE;
  if (end > begin)
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
  errno = saved;
}

/* A new block, or NULL. */
static void *make(size_t size)
{
  size_t alignment = TH_BLOCK_ALIGNMENT, bytes = size;
  if (THBlockCache_isOn() && size <= SMALL) { /* otherwise the exact size, for memory checkers */
    bytes = class_bytes(class_of(size));
  } else if (TH_KEEPS_BLOCKS && size >= worth_aligning) {
    alignment = huge_page;
    const size_t whole = (size + huge_page - 1) / huge_page * huge_page;
    if (whole - size <= size / 8)
      bytes = whole;
  }
  void *block;
  if (posix_memalign(&block, alignment, bytes))
    return NULL;
  if (alignment == huge_page) {
    /* malloc maps up to 2 MB more for the alignment and leaves the end of them to the block, which
     * would then be too large for the next request of this size.  realloc shrinks it in place. */
    void *exact = realloc(block, bytes);
    block = exact ? exact : block;
  }
  if (TH_KEEPS_BLOCKS && size >= huge_page)
    advise_huge(block, bytes);
  if (size > SMALL) {
    const size_t got = malloc_usable_size(block);
    if (got >= TH_MEMORY_LARGE)
      THBlockCache_countMade(got);
  }
  return block;
}

/* A kept block or a new one, or NULL. */
static void *find(size_t size)
{
  void *block = size <= SMALL           ? take_small(size)
                : size >= TH_BLOCK_KEPT ? THBlockCache_take(size)
                                        : NULL;
  return block ? block : make(size);
}

/* As find, but frees kept blocks and runs the collector if there is no memory. */
static void *find_or_reclaim(size_t size)
{
  void *block = find(size);
  if (!block) {
    THCollector_run();
    THMemory_emptyCache();
    block = make(size);
  }
  return block;
}

/* --- THAlloc, THRealloc, THFree ----------------------------------------------------------- */

/* The uncommon cases. */
__attribute__((noinline)) static void *alloc(ptrdiff_t size)
{
  if (size == 0)
    return NULL;
  if (size < 0)
    THError("cannot allocate %td bytes", size);
  if (THCollector_isOn())
    THCollector_runIfDue();
  void *block = find_or_reclaim((size_t)size);
  if (!block)
    THError("out of memory: cannot allocate %td bytes", size);
  if (THCollector_isOn())
    THCollector_count((ptrdiff_t)malloc_usable_size(block));
  return block;
}

void *THAlloc(ptrdiff_t size)
{
  if (TH_LIKELY((size_t)size - 1 < SMALL && !THCollector_isOn())) {
    void *block = take_small((size_t)size);
    if (TH_LIKELY(block != NULL))
      return block;
  }
  return alloc(size);
}

void *THMemory_try(ptrdiff_t size)
{
  void *block = size > 0 ? find((size_t)size) : NULL;
  if (block && THCollector_isOn())
    THCollector_count((ptrdiff_t)malloc_usable_size(block));
  return block;
}

void THFree(void *ptr)
{
  if (!ptr)
    return;
  const size_t bytes = malloc_usable_size(ptr);
  if (THCollector_isOn())
    THCollector_count(-(ptrdiff_t)bytes);
  if (bytes >= TH_BLOCK_KEPT)
    THBlockCache_give(ptr, bytes);
  else if (!THBlockCache_isOn() || !keep_small(ptr, bytes))
    free(ptr);
}

/* Whether block is a mapping of its own, which realloc resizes by moving pages, not bytes, and
 * keeps aligned: such a block of glibc ends where a page does, and no other of its blocks can. */
static int is_mapping(const void *block, size_t bytes)
{
  return bytes >= TH_MEMORY_LARGE && ((uintptr_t)block + bytes) % PAGE == 0;
}

/* The block with its contents moved to one for size bytes, or NULL and the block as it was. */
static void *move(void *ptr, size_t before, size_t size, size_t roomy)
{
  void *block = roomy > size ? find(roomy) : NULL;
  if (!block)
    block = find_or_reclaim(size);
  if (!block)
    return NULL;
  memcpy(block, ptr, THMin(before, size));
  if (THCollector_isOn())
    THCollector_count((ptrdiff_t)malloc_usable_size(block));
  THFree(ptr);
  return block;
}

/* move for a block that is a mapping of its own. */
static void *remap(void *ptr, size_t before, size_t size, size_t roomy)
{
  void *block = realloc(ptr, roomy);
  if (!block) {
    THCollector_run();
    THMemory_emptyCache();
    if (!(block = realloc(ptr, size)))
      return NULL;
  }
  const size_t after = malloc_usable_size(block);
  THBlockCache_countResized(before, after);
  if (THCollector_isOn())
    THCollector_count((ptrdiff_t)after - (ptrdiff_t)before);
  if (after >= huge_page)
    advise_huge(block, after);
  if (!THBlock_isAligned(block)) { /* the system refused to move pages, and malloc moved bytes */
    void *better = move(block, after, size, size);
    block = better ? better : block;
  }
  return block;
}

void *THRealloc(void *ptr, ptrdiff_t size)
{
  if (!ptr)
    return THAlloc(size);
  if (size < 0)
    THError("cannot allocate %td bytes", size);
  if (size == 0) {
    THFree(ptr);
    return NULL;
  }
  if (THCollector_isOn())
    THCollector_runIfDue();

  const size_t before = malloc_usable_size(ptr), wanted = (size_t)size;
  const int aligned = THBlock_isAligned(ptr);
  size_t roomy = wanted;
  if (TH_KEEPS_BLOCKS) {
    if (aligned && wanted <= before && (before <= PAGE || wanted >= before / 2))
      return ptr;
    /* A tensor that grows again and again by a little is not moved each time. */
    if (wanted > before && wanted < before + before / 8)
      roomy = before + before / 8;
  } else if (aligned && wanted == before) {
    return ptr;
  }
  void *block = TH_KEEPS_BLOCKS && aligned && is_mapping(ptr, before)
                    ? remap(ptr, before, wanted, roomy)
                    : move(ptr, before, wanted, roomy);
  if (!block) {
    if (wanted > before)
      THError("out of memory: cannot allocate %td bytes", size);
    block = ptr; /* the old block is large enough */
  }
  return block;
}

/* --- as an allocator ---------------------------------------------------------------------- */

static void *default_malloc(void *ctx, ptrdiff_t size)
{
  return THAlloc(size);
}

static void *default_realloc(void *ctx, void *ptr, ptrdiff_t size)
{
  return THRealloc(ptr, size);
}

static void default_free(void *ctx, void *ptr)
{
  THFree(ptr);
}

THAllocator THDefaultAllocator = {default_malloc, default_realloc, default_free};
