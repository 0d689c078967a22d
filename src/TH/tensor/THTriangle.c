/* What is kept is copied and the rest is cleared in one pass: of the source nothing else is read.
 */
#include "THTriangle.h"

#include "THLoop.h"
#include "THParallel.h"
#include "TH/loop/THPlan.h"
#include "TH/loop/THStream.h"

/* Which bytes of a row are kept. */
typedef struct {
  ptrdiff_t begin, end;
} Kept;

typedef struct {
  const THTriangle *triangle;
  ptrdiff_t bytes; /* of a row */
} Work;

static Kept kept_of(const Work *work, ptrdiff_t row)
{
  const THTriangle *t = work->triangle;
  const int64_t diagonal = THMax(-t->rows, THMin(t->diagonal, t->columns));
  const int64_t at = row % t->rows + diagonal; /* the column of the diagonal */
  const int64_t edge = THMax(0, THMin(t->columns, at + !t->upper));
  const ptrdiff_t bytes = edge * (ptrdiff_t)t->itemSize;
  return t->upper ? (Kept){bytes, work->bytes} : (Kept){0, bytes};
}

/* Bytes of a row, of which those from begin to end are kept. */
static void write(char *to, const char *from, ptrdiff_t bytes, ptrdiff_t begin, ptrdiff_t end)
{
  begin = THMax(0, THMin(bytes, begin));
  end = THMax(begin, THMin(bytes, end));
  if (begin > 0)
    memset(to, 0, (size_t)begin);
  if (to != from && begin < end)
    memcpy(to + begin, from + begin, (size_t)(end - begin));
  if (end < bytes)
    memset(to + end, 0, (size_t)(bytes - end));
}

static void write_rows(void *context, ptrdiff_t first, ptrdiff_t last)
{
  const Work *work = context;
  const THTriangle *t = work->triangle;
  for (ptrdiff_t i = first; i < last; i++) {
    const Kept kept = kept_of(work, i);
    write(t->to + i * t->toJump, t->from + i * t->fromJump, work->bytes, kept.begin, kept.end);
  }
}

/* write_rows with non-temporal stores, for contiguous rows: blocks are composed in a buffer, aligned
 * to cache lines like the result. */
static void stream_rows(void *context, ptrdiff_t first, ptrdiff_t last)
{
  enum { BLOCK = 4096 };
  _Alignas(TH_STREAM_LINE) char block[BLOCK + TH_STREAM_LINE];
  const Work *work = context;
  const THTriangle *t = work->triangle;
  char *to = t->to + first * t->toJump;
  ptrdiff_t held = (uintptr_t)to % TH_STREAM_LINE, skipped = held;
  for (ptrdiff_t i = first; i < last; i++) {
    const Kept kept = kept_of(work, i);
    const char *from = t->from + i * t->fromJump;
    for (ptrdiff_t at = 0, n; at < work->bytes; at += n) {
      n = THMin(work->bytes - at, BLOCK - held);
      write(block + held, from + at, n, kept.begin - at, kept.end - at);
      held += n;
      if (held < BLOCK)
        continue;
      THStream_copy(to, block + skipped, (size_t)(held - skipped));
      to += held - skipped, held = 0, skipped = 0;
    }
  }
  THStream_copy(to, block + skipped, (size_t)(held - skipped));
  THStream_finish();
}

void THTriangle_run(const THTriangle *triangle, int64_t count)
{
  Work work = {triangle, triangle->columns * (ptrdiff_t)triangle->itemSize};
  const int streams = triangle->from != triangle->to && triangle->toJump == work.bytes &&
                      count * work.bytes >= THPlan_streamBytes();
  THParallel_for(count, TH_LOOP_GRAIN / triangle->columns + 1, streams ? stream_rows : write_rows,
                 &work);
}
