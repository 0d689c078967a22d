/* ATen's small calls, for th_bench's rows. */
#ifndef BENCH_ATEN_H
#define BENCH_ATEN_H

void aten_start(void);
void aten_add(void *unused);  /* one element to another, into a third */
void aten_sum(void *unused);  /* the same into a new tensor, which is released */
void aten_view(void *unused); /* a view made and released */

#endif
