/* Barriers and warp operations, and checks of their use. */
#include "block.h"

#include <stdio.h>
#include <string.h>

static const char *location_text(const CusimLocation *location)
{
  static char text[2][512];
  static int which;
  char *result = text[which ^= 1];
  snprintf(result, sizeof text[0], "%s at %s:%d", location->name, location->file, location->line);
  return result;
}

static bool same_location(const CusimLocation *a, const CusimLocation *b)
{
  return a->line == b->line && (a->file == b->file || !strcmp(a->file, b->file));
}

/* --- barriers ----------------------------------------------------------------------------- */

static void open_barrier(CusimBarrier kind)
{
  CusimThreads *all = &cusim_threads;
  all->barrier_result = kind == CUSIM_BARRIER_AND  ? all->sum == (int)all->count
                        : kind == CUSIM_BARRIER_OR ? all->sum != 0
                                                   : all->sum;
  all->waiting = 0;
  all->sum = 0;
  all->barriers++;
}

int cusim_barrier(CusimBarrier kind, int predicate, const CusimLocation *location)
{
  CusimThreads *all = &cusim_threads;
  if (all->left) {
    for (unsigned i = 0; i < all->count; i++)
      if (all->thread[i].state == CUSIM_LEFT)
        cusim_complain(
            "divergent barrier: a thread waits in %s, but thread %u of the block has "
            "left the kernel",
            location_text(location), i);
  }
  all->sum += predicate != 0;
  if (++all->waiting < all->count) {
    cusim_park(CUSIM_AT_BARRIER, location);
    return all->barrier_result;
  }

  for (unsigned i = 0; i < all->count; i++) {
    const CusimThread *thread = &all->thread[i];
    if (thread != all->current && !same_location(&thread->location, location))
      cusim_complain("divergent barrier: a thread waits in %s, thread %u of the block in %s",
                     location_text(location), i, location_text(&thread->location));
  }
  open_barrier(kind);
  const unsigned turn = cusim_random(all->count); /* who goes on first */
  for (unsigned i = turn; i < all->count; i++)
    if (&all->thread[i] != all->current)
      cusim_make_ready(&all->thread[i]);
  for (unsigned i = 0; i < turn; i++)
    if (&all->thread[i] != all->current)
      cusim_make_ready(&all->thread[i]);
  return all->barrier_result;
}

/* --- warps -------------------------------------------------------------------------------- */

static CusimThread *warp_of(const CusimThread *thread)
{
  return &cusim_threads.thread[thread->index & ~(CUSIM_LANES - 1u)];
}

static unsigned lanes_of(const CusimThread *warp)
{
  const unsigned n = cusim_threads.count - warp->index;
  return n >= CUSIM_LANES ? ~0u : (1u << n) - 1;
}

int cusim_lane(void)
{
  return (int)(cusim_threads.current->index % CUSIM_LANES);
}

unsigned cusim_activemask(void)
{
  return 1u << cusim_lane();
}

#define FOR_EACH_LANE(LANE, MASK)                \
  for (int LANE = 0; LANE < CUSIM_LANES; LANE++) \
    if ((MASK) >> LANE & 1)

/* Gives each lane of the mask its result. */
/* What the lanes make of the values so far, r, and one more. */
static uint32_t reduce(CusimWarpOp op, uint32_t r, uint32_t u)
{
  switch (op) {
    case CUSIM_REDUCE_ADD:
      return u + r;
    case CUSIM_REDUCE_MIN_S:
      return (int32_t)u < (int32_t)r ? u : r;
    case CUSIM_REDUCE_MAX_S:
      return (int32_t)u > (int32_t)r ? u : r;
    case CUSIM_REDUCE_MIN_U:
      return u < r ? u : r;
    case CUSIM_REDUCE_MAX_U:
      return u > r ? u : r;
    case CUSIM_REDUCE_AND:
      return u & r;
    case CUSIM_REDUCE_OR:
      return u | r;
    case CUSIM_REDUCE_XOR:
      return u ^ r;
    default:
      return 0;
  }
}

/* The lanes with the same value. */
static unsigned matching(CusimThread *warp, unsigned mask, uint64_t value)
{
  unsigned same = 0;
  FOR_EACH_LANE(lane, mask)
  if (warp[lane].value == value)
    same |= 1u << lane;
  return same;
}

/* Gives each lane of the mask its result. */
static void exchange(CusimThread *warp, CusimWarpOp op, unsigned mask)
{
  unsigned set = 0;
  uint64_t reduced = 0;
  bool first = true;
  unsigned met = 0; /* more than any of them has */
  FOR_EACH_LANE(lane, mask)
  {
    if (met <= warp[lane].warp_barriers)
      met = warp[lane].warp_barriers + 1;
    const uint64_t value = warp[lane].value;
    if (value)
      set |= 1u << lane;
    reduced = first ? (uint32_t)value : reduce(op, (uint32_t)reduced, (uint32_t)value);
    first = false;
  }
  FOR_EACH_LANE(lane, mask)
  {
    CusimThread *thread = &warp[lane];
    thread->warp_barriers = met;
    if (op == CUSIM_SYNC)
      continue;
    if (op == CUSIM_SHFL)
      thread->result = warp[thread->source].value;
    else if (op == CUSIM_BALLOT)
      thread->result = set;
    else if (op == CUSIM_ALL)
      thread->result = set == mask;
    else if (op == CUSIM_ANY)
      thread->result = set != 0;
    else if (op == CUSIM_MATCH_ANY || op == CUSIM_MATCH_ALL) {
      const unsigned same = matching(warp, mask, thread->value);
      thread->result = op == CUSIM_MATCH_ANY || same == mask ? same : 0;
    } else {
      thread->result = reduced;
    }
  }
}

/* Whether all lanes of the mask have arrived. */
static bool complete(const CusimThread *warp, const CusimThread *self, unsigned mask)
{
  FOR_EACH_LANE(lane, mask)
  {
    const CusimThread *other = &warp[lane];
    if (other == self)
      continue;
    if (other->state == CUSIM_LEFT)
      cusim_complain("bad warp mask: 0x%08X of %s names lane %d, which has left the kernel", mask,
                     location_text(&self->location), lane);
    if (other->state != CUSIM_AT_WARP)
      return false;
    if (other->mask == mask && other->op == self->op)
      continue;
    if (other->mask >> cusim_lane() & 1)
      cusim_complain(
          "bad warp mask: 0x%08X of %s; lane %d, which it names, waits with 0x%08X in %s", mask,
          location_text(&self->location), lane, other->mask, location_text(&other->location));
    return false;
  }
  return true;
}

uint64_t cusim_warp(CusimWarpOp op, unsigned mask, uint64_t value, int source,
                    const CusimLocation *location)
{
  CusimThread *self = cusim_threads.current, *warp = warp_of(self);
  const unsigned lanes = lanes_of(warp);
  self->location = *location;
  self->op = op;
  self->value = value;
  self->source = source;
  if (!(mask >> cusim_lane() & 1))
    cusim_complain("bad warp mask: 0x%08X of %s does not name lane %d, which calls it", mask,
                   location_text(location), cusim_lane());
  if (op == CUSIM_SHFL && (source < 0 || source >= CUSIM_LANES || !((mask & lanes) >> source & 1)))
    cusim_complain("bad warp mask: 0x%08X of %s does not name lane %d, whose value lane %d takes",
                   mask & lanes, location_text(location), source, cusim_lane());
  mask &= lanes; /* a block's last warp may have fewer */
  self->mask = mask;
  if (!complete(warp, self, mask)) {
    cusim_park(CUSIM_AT_WARP, location);
    return self->result;
  }
  exchange(warp, op, mask);
  FOR_EACH_LANE(lane, mask)
  {
    if (&warp[lane] != self)
      cusim_make_ready(&warp[lane]);
  }
  return self->result;
}

/* --- leaving ------------------------------------------------------------------------------ */

void cusim_thread_left(CusimThread *thread)
{
  const CusimThreads *all = &cusim_threads;
  if (!all->parked)
    return;
  if (all->waiting)
    for (unsigned i = 0; i < all->count; i++)
      if (all->thread[i].state == CUSIM_AT_BARRIER)
        cusim_complain(
            "divergent barrier: a thread left the kernel, but thread %u of the block "
            "waits in %s",
            i, location_text(&all->thread[i].location));
  const CusimThread *warp = warp_of(thread);
  FOR_EACH_LANE(lane, lanes_of(warp))
  {
    if (warp[lane].state == CUSIM_AT_WARP && warp[lane].mask >> cusim_lane() & 1)
      cusim_complain("bad warp mask: lane %d left the kernel, but 0x%08X of %s in lane %d names it",
                     cusim_lane(), warp[lane].mask, location_text(&warp[lane].location), lane);
  }
}

void cusim_complain_of_deadlock(void)
{
  CusimThread *first = NULL;
  for (unsigned i = 0; i < cusim_threads.count; i++) {
    CusimThread *thread = &cusim_threads.thread[i];
    if (thread->state == CUSIM_LEFT)
      continue;
    if (!first) {
      first = thread;
      continue;
    }
    if (same_location(&thread->location, &first->location))
      continue;
    cusim_become(first);
    cusim_complain("threads wait for one another for ever: this one in %s, thread %u in %s",
                   location_text(&first->location), thread->index,
                   location_text(&thread->location));
  }
  cusim_become(first);
  cusim_complain("threads wait for ever in %s: its mask 0x%08X names lanes that do not come",
                 location_text(&first->location), first->mask);
}
