/* Memory of devices that the program cannot reach (CUSIM_PROTECT=1), as on a GPU: all of it lies in one arena, which
 * is accessible only while the simulator itself works.  Opening and closing the arena is one call of the kernel, whose
 * time grows with the pages in use: blocks lie close together, on huge pages where there are some. */
#define _GNU_SOURCE
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A block's part of the arena, in bytes from its beginning. */
typedef struct Span {
  size_t begin, end;
} Span;

#define ALIGNMENT ((size_t)512)
/* A block of this size or more has its pages to itself, and gives them back. */
#define HUGE_PAGE ((size_t)2 << 20)
#define STEP      (8 * HUGE_PAGE) /* by which the opened part of the arena grows */

static char *arena;
static size_t arena_size;
static size_t reach; /* of the part that blocks have been in, which alone is opened */
static Span *spans;  /* in the order of addresses */
static size_t nspans, capacity;
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
  if (address >= arena && address < arena + arena_size)
    cusim_complain("the program used memory of a device, at %p", info->si_addr);
  sigaction(SIGSEGV, &before, NULL); /* happens again when this returns */
}

/* Addresses for twice what the devices have, so that gaps between blocks do not matter. */
static bool reserve(void)
{
  if (arena)
    return true;
  const size_t size = 2 * cusim_device_memory() * CUSIM_MOST_DEVICES / STEP * STEP + STEP;
  char *base =
      mmap(NULL, size + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  arena = base + (HUGE_PAGE - (uintptr_t)base % HUGE_PAGE) % HUGE_PAGE;
  arena_size = size;
  struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
  return true;
}

static size_t round_up(size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

static void protect(int how)
{
  if (reach && mprotect(arena, reach, how))
    cusim_complain("memory of devices cannot be protected");
}

/* A part with advice of its own is opened without being split from the rest each time. */
static void extend(size_t end)
{
  if (end <= reach)
    return;
  reach = round_up(end, STEP);
  madvise(arena, reach, MADV_HUGEPAGE); /* may be refused */
  protect(shown ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void *cusim_obtain_protected(size_t bytes)
{
  const size_t unit = bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE, size = round_up(bytes, unit);
  if (nspans == capacity) {
    const size_t more = capacity ? 2 * capacity : 256;
    Span *larger = realloc(spans, more * sizeof *spans);
    if (!larger)
      return NULL;
    spans = larger;
    capacity = more;
  }
  if (!reserve())
    return NULL;
  size_t at = 0, begin = 0; /* the first gap that is large enough */
  while (at < nspans && spans[at].begin < begin + size)
    begin = round_up(spans[at++].end, unit);
  if (begin + size > arena_size)
    return NULL;
  extend(begin + size);
  memmove(spans + at + 1, spans + at, (nspans++ - at) * sizeof *spans);
  spans[at] = (Span){begin, begin + size};
  if (unit == HUGE_PAGE)
    madvise(arena + begin, size, MADV_DONTNEED); /* reads as 0, as new memory */
  return arena + begin;
}

void cusim_release_protected(void *memory)
{
  const size_t begin = (size_t)((char *)memory - arena);
  size_t low = 0, high = nspans;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    *(spans[middle].begin <= begin ? &low : &high) = middle;
  }
  if (spans[low].end - begin >= HUGE_PAGE)
    madvise(memory, spans[low].end - begin, MADV_DONTNEED);
  memmove(spans + low, spans + low + 1, (--nspans - low) * sizeof *spans);
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
