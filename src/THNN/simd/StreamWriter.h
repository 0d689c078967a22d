/* Writes rows of a result with non-temporal stores.  The rows are computed in a buffer, from buffer +
 * held on, and written from there in whole cache lines. */
#include "TH/loop/THStream.h"

typedef struct {
  real *to;       /* where the buffer is written to */
  real *buffer;   /* memory of THNN_STREAM_BYTES bytes and a row */
  ptrdiff_t held; /* elements that the buffer holds */
} StreamWriter;

static inline __attribute__((always_inline)) void stream_rows(StreamWriter *s, ptrdiff_t n)
{
  s->held += n;
  if (s->held < THNN_STREAM_BYTES / (ptrdiff_t)sizeof(real))
    return;
  const ptrdiff_t rest = (ptrdiff_t)((uintptr_t)(s->to + s->held) % TH_STREAM_LINE / sizeof(real));
  const ptrdiff_t whole = s->held - rest;
  THStream_copy(s->to, s->buffer, (size_t)whole * sizeof *s->to);
  memcpy(s->buffer, s->buffer + whole, (size_t)rest * sizeof *s->to);
  s->to += whole;
  s->held = rest;
}

static inline void stream_rest(const StreamWriter *s)
{
  THStream_copy(s->to, s->buffer, (size_t)s->held * sizeof *s->to);
}
