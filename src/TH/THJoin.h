/* Rows put together from the rows of others. */
#ifndef TH_JOIN_H
#define TH_JOIN_H

#include <stddef.h>

/* Parts of more bytes are better copied by themselves. */
enum { TH_JOIN_MOST = 4096 };

/* What one of the others gives to each row: elements that lie step bytes apart, and jump further on
 * for the next row. */
typedef struct THJoinPart {
  const char *from;
  ptrdiff_t jump, step;
  size_t bytes; /* TH_JOIN_MOST at most */
} THJoinPart;

/* Writes rows that lie one after the other from to on, each of them count parts.  Elements have
 * itemSize bytes; those of a part lie side by side, or else they do with those of the next rows. */
void THJoin_rows(char *to, const THJoinPart *parts, int count, ptrdiff_t rows, size_t itemSize);

#endif
