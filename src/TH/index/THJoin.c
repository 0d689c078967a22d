/* Concatenates rows of several sources in the order of the result.  If each source wrote all its
 * rows at once, every cache line of the result would be fetched once per source. */
#include "THJoin.h"
#include "THKernel.h"

#include "TH/loop/THGather.h"
#include "THGeneral.h"
#include "THLoop.h"
#include "THParallel.h"
#include "TH/loop/THPlan.h"
#include "TH/loop/THRow.h"
#include "TH/loop/THStream.h"
#include "TH/core/THScratch.h"

typedef struct {
  char *to;
  const THJoinPart *parts;
  int count;
  size_t bytes; /* of a row */
  size_t itemSize;
  int streams; /* whether to use non-temporal stores */
} Join;

/* --- contiguous parts ------------------------------------------------------------------------ */

/* This file is compiled for any processor; longer copies are worth calling memcpy, which is not. */
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
      copy(to, part->from + i * part->rowStride, part->bytes);
      to += part->bytes;
    }
}

/* join_some with non-temporal stores: parts are gathered at their offsets in cache lines, so that
 * most lines are streamed whole. */
static void stream_some(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { GATHERED = 2 * TH_JOIN_MOST };
  TH_SCRATCH(char, buffer, GATHERED + TH_STREAM_LINE);
  const Join *join = context;
  char *to = join->to + (size_t)begin * join->bytes;
  char *gathered = buffer + (uintptr_t)to % TH_STREAM_LINE;
  size_t held = 0;
  for (ptrdiff_t i = begin; i < end; i++)
    for (int k = 0; k < join->count; k++) {
      const THJoinPart *part = join->parts + k;
      if (held + part->bytes > GATHERED) {
        THStream_copy(to, gathered, held);
        to += held, held = 0;
        gathered = buffer + (uintptr_t)to % TH_STREAM_LINE;
      }
      copy(gathered + held, part->from + i * part->rowStride, part->bytes);
      held += part->bytes;
    }
  THStream_copy(to, gathered, held);
  THStream_finish();
}

/* --- parts that are columns ------------------------------------------------------------------- */

/* Parts of one element, or of noncontiguous elements, are written for some rows at a time, which
 * stay in L1 until they are complete. */
enum {
  ROWS_BYTES = 16384, /* bytes of the rows that are written together */
  MIN_ROWS = 16, /* the least rows, however long they are: one cache line of each column is read */
};

/* Elements gathered from columns, one column after the other. */
typedef struct {
  ptrdiff_t count;
  char *data; /* ROWS_BYTES bytes */
} Columns;

static int is_column(const Join *join, const THJoinPart *part)
{
  return part->bytes == join->itemSize;
}

static int is_contiguous(const Join *join, const THJoinPart *part)
{
  return part->step == (ptrdiff_t)join->itemSize;
}

/* Interleaves n elements of each column to rows. */
static void put_columns(const Join *join, Columns *columns, char *to, ptrdiff_t n)
{
  const ptrdiff_t size = (ptrdiff_t)join->itemSize;
  if (columns->count > 0)
    TH_DISPATCHED(THGather_kernels)
        ->across[THGather_size(join->itemSize)](to - columns->count * size,
                                                (ptrdiff_t)join->bytes / size, columns->data, n,
                                                columns->count, n, 0);
  columns->count = 0;
}

static void take_column(const Join *join, Columns *columns, const THJoinPart *part, ptrdiff_t i,
                        ptrdiff_t n)
{
  const ptrdiff_t size = (ptrdiff_t)join->itemSize;
  const char *from = part->from + i * part->rowStride;
  char *to = columns->data + columns->count++ * n * size;
  if (part->rowStride == size)
    memcpy(to, from, (size_t)(n * size));
  else
    TH_DISPATCHED(THGather_kernels)
        ->stepped[THGather_size(join->itemSize)](to, from, part->rowStride / size, n);
}

/* Writes rows i to i + n to to. */
static void interleave(const Join *join, char *to, ptrdiff_t i, ptrdiff_t n)
{
  const ptrdiff_t size = (ptrdiff_t)join->itemSize, most = ROWS_BYTES / (n * size);
  TH_SCRATCH(char, data, ROWS_BYTES);
  Columns columns = {.data = data};
  for (int k = 0; k < join->count; k++) {
    const THJoinPart *part = join->parts + k;
    if (!is_column(join, part) || columns.count == most)
      put_columns(join, &columns, to, n);
    if (is_column(join, part))
      take_column(join, &columns, part, i, n);
    else if (is_contiguous(join, part))
      for (ptrdiff_t j = 0; j < n; j++)
        copy(to + (size_t)j * join->bytes, part->from + (i + j) * part->rowStride, part->bytes);
    else
      TH_DISPATCHED(THGather_kernels)
          ->across[THGather_size(join->itemSize)](to, (ptrdiff_t)join->bytes / size,
                                                  part->from + i * part->rowStride,
                                                  part->step / size, (ptrdiff_t)part->bytes / size,
                                                  n, n);
    to += part->bytes;
  }
  put_columns(join, &columns, to, n);
}

static ptrdiff_t rows_at_once(const Join *join)
{
  const ptrdiff_t fit = ROWS_BYTES / (ptrdiff_t)join->bytes;
  return THMax(MIN_ROWS, fit / MIN_ROWS * MIN_ROWS);
}

static void weave_some(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  TH_SCRATCH(char, buffer, ROWS_BYTES + TH_STREAM_LINE);
  const Join *join = context;
  const ptrdiff_t rowsAtOnce = rows_at_once(join);
  const int streams = join->streams && (size_t)rowsAtOnce * join->bytes <= ROWS_BYTES;
  for (ptrdiff_t i = begin, n; i < end; i += n) {
    n = THMin(rowsAtOnce, end - i);
    char *const to = join->to + (size_t)i * join->bytes;
    char *const woven = streams ? buffer + (uintptr_t)to % TH_STREAM_LINE : to;
    interleave(join, woven, i, n);
    if (streams)
      THStream_copy(to, woven, (size_t)n * join->bytes);
  }
  if (streams)
    THStream_finish();
}

void THJoin_rows(char *to, const THJoinPart *parts, int count, ptrdiff_t rows, size_t itemSize)
{
  Join join = {.to = to, .parts = parts, .count = count, .itemSize = itemSize};
  int interleaves = 0;
  for (int k = 0; k < count; k++) {
    join.bytes += parts[k].bytes;
    interleaves |= rows > 1 && (is_column(&join, parts + k) || !is_contiguous(&join, parts + k));
  }
  if (join.bytes == 0)
    return;
  const ptrdiff_t all = rows * (ptrdiff_t)join.bytes;
  const ptrdiff_t grain = TH_LOOP_GRAIN * (ptrdiff_t)sizeof(float) / (ptrdiff_t)join.bytes + 1;
  join.streams = all >= THPlan_streamBytes();
  THParallel_for(rows, grain,
                 interleaves    ? weave_some
                 : join.streams ? stream_some
                                : join_some,
                 &join);
}
