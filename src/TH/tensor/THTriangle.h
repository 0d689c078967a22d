/* Triangles of matrices whose rows lie in line, whatever the type: every type's 0 is bytes of 0. */
#ifndef TH_TRIANGLE_H
#define TH_TRIANGLE_H

#include "THGeneral.h"

typedef struct THTriangle {
  char *to;
  const char *from;           /* may be to */
  ptrdiff_t toJump, fromJump; /* bytes from a row to the next */
  int64_t rows, columns;      /* of a matrix */
  int64_t diagonal;           /* above the main one where it is more than 0 */
  size_t itemSize;
  int upper; /* whether to keep elements on and above the diagonal, else on and below it */
} THTriangle;

/* Writes count rows of consecutive matrices: the kept elements, 0 elsewhere. */
TH_API void THTriangle_run(const THTriangle *triangle, int64_t count);

#endif
