/* The memory that a call takes besides its operands. */
#ifndef MEMORY_H
#define MEMORY_H

#include "THNN.h"
#include "th_test.h"

/* The most bytes in large blocks that call has at a time.  The peak is raised to what is in use
 * first, by a block as large as the difference. */
static ptrdiff_t temporaries(void (*call)(const void *), const void *layer)
{
  call(layer); /* results get their memory */
  const THMemoryStats before = THMemory_stats();
  void *block = THAlloc(THMax(before.peak - before.inUse, TH_MEMORY_LARGE));
  const ptrdiff_t peak = THMemory_stats().peak;
  CHECK(THMemory_stats().inUse >= before.peak);
  call(layer);
  const ptrdiff_t bytes = THMemory_stats().peak - THMax(peak, THMemory_stats().inUse);
  THFree(block);
  return bytes;
}

#endif
