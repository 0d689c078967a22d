/* Rows put together from the rows of others, in the order of the result: others that wrote all
 * their rows at once would each fetch every line of it. */
#include "THJoin.h"

#include "THGather.h"
#include "THGeneral.h"
#include "THLoop.h"
#include "THParallel.h"
#include "THPlan.h"
#include "simd/THRow.h"
#include "simd/THStream.h"

typedef struct {
  char *to;
  const THJoinPart *parts;
  int count;
  size_t bytes; /* of a row */
  size_t itemSize;
  int sends; /* around the caches */
} Join;

/* --- parts that lie side by side ------------------------------------------------------------ */

/* This file is compiled for any processor; what is longer is worth the call of a function that is
 * not. */
static inline void copy(char *to, const char *from, size_t bytes)
{
  enum { SHORT = 64 };
  if (bytes <= SHORT)
    THRow_copy(to, from, bytes);
  else
    memcpy(to, from, bytes);
}

static void join_some(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Join *join = context;
  char *to = join->to + (size_t)begin * join->bytes;
  for (ptrdiff_t i = begin; i < end; i++)
    for (int k = 0; k < join->count; k++) {
      const THJoinPart *part = join->parts + k;
      copy(to, part->from + i * part->jump, part->bytes);
      to += part->bytes;
    }
}

/* The same around the caches: parts are gathered before they are sent, each at its place in a line
 * of memory, so that most lines are sent whole. */
static void send_some(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { GATHERED = 2 * TH_JOIN_MOST };
  _Alignas(TH_STREAM_LINE) char room[GATHERED + TH_STREAM_LINE];
  const Join *join = context;
  char *to = join->to + (size_t)begin * join->bytes;
  char *gathered = room + (uintptr_t)to % TH_STREAM_LINE;
  size_t held = 0;
  for (ptrdiff_t i = begin; i < end; i++)
    for (int k = 0; k < join->count; k++) {
      const THJoinPart *part = join->parts + k;
      if (held + part->bytes > GATHERED) {
        THStream_copy(to, gathered, held);
        to += held, held = 0;
        gathered = room + (uintptr_t)to % TH_STREAM_LINE;
      }
      copy(gathered + held, part->from + i * part->jump, part->bytes);
      held += part->bytes;
    }
  THStream_copy(to, gathered, held);
  THStream_finish();
}

/* --- parts that are columns ------------------------------------------------------------------- */

/* Parts of one element, or of elements that do not lie side by side, are written for some rows at a
 * time, which stay in the first cache until they are complete. */
enum {
  WOVEN = 16384,    /* bytes of such rows */
  FEWEST_ROWS = 16, /* however long they are: what is read of a column is then a line of memory */
};

/* Elements of columns, one column after the other. */
typedef struct {
  ptrdiff_t count;
  _Alignas(TH_STREAM_LINE) char data[WOVEN];
} Columns;

static int is_column(const Join *join, const THJoinPart *part)
{
  return part->bytes == join->itemSize;
}

static int lies_beside(const Join *join, const THJoinPart *part)
{
  return part->step == (ptrdiff_t)join->itemSize;
}

/* The columns' elements, n of each, become neighbours in the rows. */
static void put_columns(const Join *join, Columns *columns, char *to, ptrdiff_t n)
{
  const ptrdiff_t size = (ptrdiff_t)join->itemSize;
  if (columns->count > 0)
    THGather_kernels->across[THGather_size(join->itemSize)](to - columns->count * size,
                                                            (ptrdiff_t)join->bytes / size,
                                                            columns->data, n, columns->count, n, 0);
  columns->count = 0;
}

static void take_column(const Join *join, Columns *columns, const THJoinPart *part, ptrdiff_t i,
                        ptrdiff_t n)
{
  const ptrdiff_t size = (ptrdiff_t)join->itemSize;
  const char *from = part->from + i * part->jump;
  char *to = columns->data + columns->count++ * n * size;
  if (part->jump == size)
    memcpy(to, from, (size_t)(n * size));
  else
    THGather_kernels->stepped[THGather_size(join->itemSize)](to, from, part->jump / size, n);
}

/* Rows i to i + n, from to on. */
static void weave(const Join *join, char *to, ptrdiff_t i, ptrdiff_t n)
{
  const ptrdiff_t size = (ptrdiff_t)join->itemSize, most = WOVEN / (n * size);
  Columns columns;
  columns.count = 0;
  for (int k = 0; k < join->count; k++) {
    const THJoinPart *part = join->parts + k;
    if (!is_column(join, part) || columns.count == most)
      put_columns(join, &columns, to, n);
    if (is_column(join, part))
      take_column(join, &columns, part, i, n);
    else if (lies_beside(join, part))
      for (ptrdiff_t j = 0; j < n; j++)
        copy(to + (size_t)j * join->bytes, part->from + (i + j) * part->jump, part->bytes);
    else
      THGather_kernels->across[THGather_size(join->itemSize)](to, (ptrdiff_t)join->bytes / size,
                                                              part->from + i * part->jump,
                                                              part->step / size,
                                                              (ptrdiff_t)part->bytes / size, n, n);
    to += part->bytes;
  }
  put_columns(join, &columns, to, n);
}

static ptrdiff_t rows_together(const Join *join)
{
  const ptrdiff_t fit = WOVEN / (ptrdiff_t)join->bytes;
  return THMax(FEWEST_ROWS, fit / FEWEST_ROWS * FEWEST_ROWS);
}

static void weave_some(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  _Alignas(TH_STREAM_LINE) char room[WOVEN + TH_STREAM_LINE];
  const Join *join = context;
  const ptrdiff_t together = rows_together(join);
  const int sends = join->sends && (size_t)together * join->bytes <= WOVEN;
  for (ptrdiff_t i = begin, n; i < end; i += n) {
    n = THMin(together, end - i);
    char *const to = join->to + (size_t)i * join->bytes;
    char *const woven = sends ? room + (uintptr_t)to % TH_STREAM_LINE : to;
    weave(join, woven, i, n);
    if (sends)
      THStream_copy(to, woven, (size_t)n * join->bytes);
  }
  if (sends)
    THStream_finish();
}

void THJoin_rows(char *to, const THJoinPart *parts, int count, ptrdiff_t rows, size_t itemSize)
{
  Join join = {.to = to, .parts = parts, .count = count, .itemSize = itemSize};
  int weaves = 0;
  for (int k = 0; k < count; k++) {
    join.bytes += parts[k].bytes;
    weaves |= rows > 1 && (is_column(&join, parts + k) || !lies_beside(&join, parts + k));
  }
  if (join.bytes == 0)
    return;
  const ptrdiff_t all = rows * (ptrdiff_t)join.bytes;
  const ptrdiff_t grain = TH_LOOP_GRAIN * (ptrdiff_t)sizeof(float) / (ptrdiff_t)join.bytes + 1;
  join.sends = all >= THPlan_streamBytes();
  THParallel_for(rows, grain, weaves ? weave_some : join.sends ? send_some : join_some, &join);
}
