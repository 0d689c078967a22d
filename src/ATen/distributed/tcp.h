/* Sockets between all ranks. */
#ifndef AT_TCP_H
#define AT_TCP_H

#include "Transport.h"

enum { AT_TCP_RANKS = 4096 };

/* Connects all ranks as the environment says: sockets that do not block, one for each other rank, to be
 * closed by the caller, and -1 for the own one.  NULL and a fault if that fails within so many
 * seconds. */
int *at_tcp_join(int *rank, int *count, double timeout, at_fault *fault);

/* Seconds, of a clock that is never set. */
double at_tcp_now(void);

void at_fault_set(at_fault *fault, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
