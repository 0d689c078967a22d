/* Writing to descriptors. */
#ifndef TH_WRITE_H
#define TH_WRITE_H

#include "THGeneral.h"

/* Writes n bytes, and returns how many were written; fewer on a failure, which errno names.  A
 * reader that is gone and the limit on the lengths of files are failures here (EPIPE, EFBIG), and
 * no signals, which would end the process. */
TH_API size_t THWrite_all(int descriptor, const void *from, size_t n);

#endif
