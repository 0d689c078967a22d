/* See race.h.  For each byte of device and shared memory, a table has the last writer and the last
 * reader: operation, block and thread, and how many barriers its block and warp had met.
 *
 * Two accesses of one kernel are ordered if they are of one thread, or of one block (warp) with a
 * barrier (warp operation) between.  Accesses of two operations are ordered if the operations are
 * in one stream, or one stream waited for the other, or the host waited for the first before it queued
 * the second. */
#define _GNU_SOURCE
#include "race.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

bool cusim_racing;

static bool allowed;

void cusim_allow_races(int allow)
{
  allowed = allow;
}

/* --- operations --------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  unsigned stream; /* its id */
  uint64_t number;
} Operation;

/* The operations that have run, in order; index 0 is not used. */
static Operation *operations;
static uint32_t running, capacity;
static bool active; /* the operation still runs */

/* The operation that runs was queued after these had run. */
static uint32_t queued_after;

/* seen[a][b]: how many operations of stream b were done before stream a went on. */
static uint64_t **seen;
static unsigned nseen;

static void make_room(unsigned streams)
{
  if (streams < nseen)
    return;
  const unsigned more = 2 * streams + 16;
  seen = realloc(seen, more * sizeof *seen);
  for (unsigned i = 0; i < more; i++) {
    uint64_t *row = calloc(more, sizeof *row);
    if (i < nseen) {
      memcpy(row, seen[i], nseen * sizeof *row);
      free(seen[i]);
    }
    seen[i] = row;
  }
  nseen = more;
}

void cusim_race_queue(CusimOp *op)
{
  op->queued_after = running;
}

void cusim_race_wait(struct CUstream_st *stream, CusimPoint point)
{
  if (!cusim_racing)
    return;
  make_room(stream->id > point.stream->id ? stream->id : point.stream->id);
  uint64_t *own = seen[stream->id], *other = seen[point.stream->id];
  for (unsigned i = 0; i < nseen; i++)
    if (own[i] < other[i])
      own[i] = other[i];
  if (own[point.stream->id] < point.number)
    own[point.stream->id] = point.number;
}

void cusim_race_begin(const CusimOp *op, const char *name)
{
  if (!cusim_racing)
    return;
  make_room(op->stream->id);
  if (running + 1 >= capacity) {
    capacity = 2 * capacity + 1024;
    operations = realloc(operations, capacity * sizeof *operations);
  }
  operations[++running] = (Operation){name, op->stream->id, op->number};
  queued_after = op->queued_after;
  active = true;
}

void cusim_race_end(void)
{
  active = false;
}

static bool ordered(uint32_t before)
{
  const Operation *first = &operations[before], *second = &operations[running];
  return before <= queued_after || first->stream == second->stream ||
         seen[second->stream][first->stream] >= first->number;
}

/* --- the table of accesses ---------------------------------------------------------------- */

typedef struct {
  uint32_t operation; /* 0: nobody */
  uint32_t block;
  uint16_t thread;
  uint16_t barriers, warp_barriers; /* how many of each the thread had met */
  uint8_t atomic;
  uint8_t many; /* other readers: 1 in the warp, 2 in the block, 3 in other blocks */
} Access;

typedef struct {
  Access write, read;
} Cell;

/* A page has a cell for each 4 bytes, or for each byte once a smaller access occurred. */
enum { PAGE = 4096, WORD = 4, BUCKETS = 1 << 16 };

typedef struct Page {
  struct Page *next;
  uintptr_t number;
  int unit;
  Cell *cells;
} Page;

static Page *pages[BUCKETS];

static Page **bucket(uintptr_t number)
{
  return &pages[number * UINT64_C(0x9E3779B97F4A7C15) >> 48];
}

static Page *find_page(uintptr_t number)
{
  static Page *last;
  if (last && last->number == number)
    return last;
  for (Page *page = *bucket(number); page; page = page->next)
    if (page->number == number)
      return last = page;
  return NULL;
}

static Page *make_page(uintptr_t number)
{
  Page *page = calloc(1, sizeof *page);
  *page = (Page){*bucket(number), number, WORD, calloc(PAGE / WORD, sizeof(Cell))};
  return *bucket(number) = page;
}

static void refine(Page *page)
{
  Cell *cells = calloc(PAGE, sizeof *cells);
  for (int i = 0; i < PAGE; i++)
    cells[i] = page->cells[i / WORD];
  free(page->cells);
  page->cells = cells;
  page->unit = 1;
}

void cusim_race_forget(const void *address, size_t size)
{
  if (!cusim_racing || !size)
    return;
  const uintptr_t begin = (uintptr_t)address, end = begin + size;
  for (uintptr_t number = begin / PAGE; number <= (end - 1) / PAGE; number++) {
    Page *page = find_page(number);
    for (int i = 0; page && i < PAGE / page->unit; i++) {
      const uintptr_t at = number * PAGE + (uintptr_t)(i * page->unit);
      if (at + (uintptr_t)page->unit > begin && at < end)
        page->cells[i] = (Cell){0};
    }
  }
}

/* --- complaints --------------------------------------------------------------------------- */

static const char *source_of(const void *where)
{
  static char text[512];
  Dl_info info;
  snprintf(text, sizeof text, "%p", where);
  if (!where || !dladdr(where, &info) || !info.dli_fname)
    return where ? text : "its library";
  char command[1024], line[512];
  snprintf(command, sizeof command, "addr2line -e '%s' %#tx 2>/dev/null", info.dli_fname,
           (const char *)where - 1 - (const char *)info.dli_fbase);
  FILE *answer = popen(command, "r");
  if (answer && fgets(line, sizeof line, answer) && line[0] != '?')
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
  if (answer)
    pclose(answer);
  return text;
}

static uint32_t current_block(void)
{
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

static void complain(const Access *other, const char *what_other, const volatile void *address,
                     size_t size, CusimAccess access, const void *where, bool shared)
{
  const Operation *first = &operations[other->operation], *second = &operations[running];
  const char *what = access == CUSIM_WRITE ? "writes" : access == CUSIM_READ ? "reads" : "updates";
  const CusimBlock *block = cusim_find((const void *)address);
  char memory[96];
  if (shared || !block)
    snprintf(memory, sizeof memory, "shared memory at %p", (void *)address);
  else
    snprintf(memory, sizeof memory, "byte %td of a block of %zu bytes",
             (const volatile char *)address - block->base, block->size);
  if (other->operation != running)
    cusim_complain(
        "missing event wait: %s in stream %u %s %zu bytes, %s, in %s; %s in stream %u "
        "%s them, and neither stream waits for the other",
        second->name, second->stream, what, size, memory, source_of(where), first->name,
        first->stream, what_other);
  if (cusim_kernel && other->block != current_block())
    cusim_complain(
        "race between blocks: a thread %s %zu bytes, %s, in %s, which thread %u of block "
        "%u %s",
        what, size, memory, source_of(where), other->thread, other->block, what_other);
  cusim_complain(
      "race: a thread %s %zu bytes, %s, in %s, which thread %u of its block %s, with no "
      "barrier between",
      what, size, memory, source_of(where), other->thread, what_other);
}

/* --- the check ---------------------------------------------------------------------------- */

static bool is_shared(const volatile void *address)
{
  const char *at = (const char *)address;
  return (at >= cusim_kernel->shared && at < cusim_kernel->shared_end) || cusim_is_dynamic(at);
}

/* Whether the address is in a block of the runtime; the last block is looked at first. */
static bool is_known(const volatile void *address)
{
  static const char *base, *end;
  static uint64_t changes;
  const char *at = (const char *)address;
  if (changes == cusim_block_changes && at >= base && at < end)
    return true;
  const CusimBlock *block = cusim_find(at);
  if (block) {
    base = block->base;
    end = base + block->size;
    changes = cusim_block_changes;
  }
  return block;
}

/* Whether the two accesses are not ordered. */
static bool apart(const Access *before, const Access *now, bool shared)
{
  if (allowed || !before->operation || (before->atomic && now->atomic))
    return false;
  if (before->operation != now->operation)
    return !shared && !ordered(before->operation);
  if (before->block != now->block)
    return !shared;
  if (before->many == 3)
    return true;
  if (before->thread == now->thread && !before->many)
    return false;
  if (before->barriers != now->barriers)
    return false;
  return before->many == 2 || before->thread / CUSIM_LANES != now->thread / CUSIM_LANES ||
         before->warp_barriers >= now->warp_barriers;
}

/* One reader is enough for all of them: only how far apart they are matters. */
static void remember_reader(Access *reader, Access now, bool shared)
{
  if (reader->operation == now.operation && (reader->block == now.block || !shared)) {
    if (reader->block != now.block)
      now.many = 3;
    else if (reader->many == 3)
      now.many = 3;
    else if (reader->barriers == now.barriers) {
      if (reader->thread / CUSIM_LANES != now.thread / CUSIM_LANES)
        now.many = 2;
      else if (reader->thread != now.thread)
        now.many = 1;
      if (now.many < reader->many)
        now.many = reader->many;
    }
  }
  *reader = now;
}

static void touch_cell(Cell *cell, Access now, bool shared, const volatile void *address,
                       size_t size, CusimAccess access, const void *where)
{
  if (apart(&cell->write, &now, shared))
    complain(&cell->write, cell->write.atomic ? "updated" : "wrote", address, size, access, where,
             shared);
  if (access == CUSIM_READ) {
    remember_reader(&cell->read, now, shared);
    return;
  }
  if (apart(&cell->read, &now, shared))
    complain(&cell->read, "read", address, size, access, where, shared);
  cell->write = now;
}

void cusim_touch(const volatile void *address, size_t size, CusimAccess access, const void *where)
{
  if (!cusim_racing || !active)
    return;
  Access now = {.operation = running, .atomic = access == CUSIM_ATOMIC};
  bool shared = false;
  if (cusim_kernel) {
    const CusimThread *thread = cusim_threads.current;
    shared = is_shared(address);
    now.block = current_block();
    now.thread = (uint16_t)thread->index;
    now.barriers = (uint16_t)cusim_threads.barriers;
    now.warp_barriers = (uint16_t)thread->warp_barriers;
  }
  if (!shared && !is_known(address))
    return; /* of the host, or a thread's own */
  const uintptr_t begin = (uintptr_t)address, end = begin + size;
  for (uintptr_t at = begin; at < end;) {
    Page *page = find_page(at / PAGE);
    if (!page)
      page = make_page(at / PAGE);
    if (page->unit == WORD && (begin % WORD || end % WORD))
      refine(page);
    touch_cell(&page->cells[at % PAGE / (uintptr_t)page->unit], now, shared, address, size, access,
               where);
    at += (uintptr_t)page->unit;
  }
}
