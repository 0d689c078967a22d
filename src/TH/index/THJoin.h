/* Rows concatenated from the rows of several sources. */
#ifndef TH_JOIN_H
#define TH_JOIN_H

#include <stddef.h>

/* Longer parts are better copied source by source; in bytes. */
enum { TH_JOIN_MOST = 4096 };

/* A source's part of each row: its elements are step bytes apart, its rows rowStride bytes. */
typedef struct THJoinPart {
  const char *from;
  ptrdiff_t rowStride, step;
  size_t bytes; /* TH_JOIN_MOST at most */
} THJoinPart;

/* Writes contiguous rows of count parts each to to.  Elements have itemSize bytes; those of a part
 * are contiguous along rows, or else along columns. */
void THJoin_rows(char *to, const THJoinPart *parts, int count, ptrdiff_t rows, size_t itemSize);

#endif
