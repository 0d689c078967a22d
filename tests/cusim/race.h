/* Races: unordered accesses of the same memory, at least one of which writes. */
#ifndef CUSIM_RACE_H
#define CUSIM_RACE_H

#include "internal.h"

/* Set if a program has code with race hooks; otherwise the functions below do nothing. */
extern bool cusim_racing;

/* The operation that runs from now on; name is what complaints call it. */
void cusim_race_begin(const CusimOp *op, const char *name);
void cusim_race_end(void);

/* The stream goes on only after a point of another one. */
void cusim_race_wait(struct CUstream_st *stream, CusimPoint point);

/* When an operation is queued. */
void cusim_race_queue(CusimOp *op);

typedef enum CusimAccess { CUSIM_READ = 0, CUSIM_WRITE = 1, CUSIM_ATOMIC = 2 } CusimAccess;

/* Called before the operation, or the current thread of its kernel, accesses memory; where is the
 * address of the code. */
void cusim_touch(const volatile void *address, size_t size, CusimAccess access, const void *where);

/* Forgets earlier accesses to this memory. */
void cusim_race_forget(const void *address, size_t size);

#endif
