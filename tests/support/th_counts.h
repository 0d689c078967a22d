/* Tables of what calls do on the simulator: kernels launched and the blocks of the largest launch, waits of
 * the host, products of cuBLAS, copies. */
#ifndef TH_COUNTS_H
#define TH_COUNTS_H

typedef struct Counts {
  int launches, blocks, waits, products, copies;
} Counts;

typedef struct CountsRow {
  const char *name;
  Counts want; /* blocks are compared unless they are 0 */
  void (*call)(void *operands);
} CountsRow;

/* The function of a row of a table X(NAME, LAUNCHES, BLOCKS, WAITS, PRODUCTS, COPIES, STATEMENT), whose
 * statement uses o, a pointer to the Operands of the file; and the row. */
#define COUNTS_FUNCTION(NAME, LAUNCHES, BLOCKS, WAITS, PRODUCTS, COPIES, STATEMENT) \
  static void call_##NAME(void *operands)                                           \
  {                                                                                 \
    const Operands *o = operands;                                                   \
    STATEMENT;                                                                      \
  }
#define COUNTS_ENTRY(NAME, LAUNCHES, BLOCKS, WAITS, PRODUCTS, COPIES, STATEMENT) \
  {#NAME, {LAUNCHES, BLOCKS, WAITS, PRODUCTS, COPIES}, call_##NAME},

/* Makes each call twice, since the first one may make room, and compares the counts of the second; prints
 * rows that differ.  Returns how many. */
int counts_differ(const CountsRow *rows, int count, void *operands);

#endif
