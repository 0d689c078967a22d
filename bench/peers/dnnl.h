/* What the parts of th_dnnl share. */
#ifndef BENCH_DNNL_H
#define BENCH_DNNL_H

#include <oneapi/dnnl/dnnl.h>

enum { MOST_ROUNDS = 99 };

extern dnnl_engine_t engine;
extern dnnl_stream_t stream;

/* Ends the program unless status is that of success. */
void check_status(dnnl_status_t status, const char *what);
#define CHECK(CALL) check_status(CALL, #CALL)

/* Whether a row of a family of th_torch is wanted: a filter is the family, or as the row begins. */
int is_wanted(const char *filter, const char *family, const char *row);

/* The rows of products of matrices, in lines of th_torch. */
void compare_products(const char *filter, int threads, int rounds, double budget);

#endif
