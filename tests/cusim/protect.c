/* Memory of devices that the program cannot reach (CUSIM_PROTECT=1), as on a GPU: it lies in regions that are
 * accessible only while the simulator itself works. */
#define _GNU_SOURCE
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Blocks follow each other; the last one is followed anew when it is freed, and so is the beginning of a region
 * without blocks. */
typedef struct Region {
  char *base;
  size_t size, used, blocks;
} Region;

#define REGION ((size_t)64 << 20) /* bytes; a larger block has a region of its own */

static Region *regions;
static size_t nregions;
static int shown; /* calls of cusim_show without cusim_hide */
static struct sigaction before;

bool cusim_protects(void)
{
  static int known = -1;
  if (known < 0)
    known = cusim_setting("CUSIM_PROTECT", 0) != 0;
  return known;
}

static void fault(int number, siginfo_t *info, void *context)
{
  (void)number;
  (void)context;
  const char *address = info->si_addr;
  for (size_t i = 0; i < nregions; i++)
    if (address >= regions[i].base && address < regions[i].base + regions[i].size)
      cusim_complain("the program used memory of a device, at %p", info->si_addr);
  sigaction(SIGSEGV, &before, NULL); /* happens again when this returns */
}

static Region *new_region(size_t size)
{
  if (!nregions) {
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
  }
  Region *more = realloc(regions, (nregions + 1) * sizeof *regions);
  if (!more)
    return NULL;
  regions = more;
  void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return NULL;
  regions[nregions] = (Region){.base = base, .size = size};
  return &regions[nregions++];
}

static size_t pages(size_t bytes)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

void *cusim_obtain_protected(size_t bytes)
{
  const size_t size = pages(bytes);
  Region *region = NULL;
  for (size_t i = 0; i < nregions && !region; i++)
    if (regions[i].size - regions[i].used >= size)
      region = &regions[i];
  if (!region)
    region = new_region(size > REGION ? size : REGION);
  if (!region)
    return NULL;
  void *memory = region->base + region->used;
  region->used += size;
  region->blocks++;
  if (shown)
    mprotect(memory, size, PROT_READ | PROT_WRITE);
  return memory;
}

void cusim_release_protected(void *memory, size_t bytes)
{
  for (size_t i = 0; i < nregions; i++) {
    Region *region = &regions[i];
    if ((char *)memory < region->base || (char *)memory >= region->base + region->size)
      continue;
    const size_t size = pages(bytes), first = (size_t)((char *)memory - region->base);
    madvise(memory, size, MADV_DONTNEED);
    const size_t used = --region->blocks == 0          ? 0
                        : first + size == region->used ? first
                                                       : region->used;
    if (used < region->used)
      mprotect(region->base + used, region->used - used, PROT_NONE);
    region->used = used;
  }
}

static void protect(int how)
{
  for (size_t i = 0; i < nregions; i++)
    if (regions[i].used && mprotect(regions[i].base, regions[i].used, how))
      cusim_complain("memory of devices cannot be protected");
}

void cusim_show(void)
{
  if (shown++ == 0)
    protect(PROT_READ | PROT_WRITE);
}

void cusim_hide(void)
{
  if (--shown == 0)
    protect(PROT_NONE);
}

int cusim_hide_all(void)
{
  const int depth = shown;
  if (depth)
    protect(PROT_NONE);
  shown = 0;
  return depth;
}

void cusim_show_again(int depth)
{
  if (depth && !shown)
    protect(PROT_READ | PROT_WRITE);
  shown += depth;
}
