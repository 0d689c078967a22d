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

/* What a call does, which is made twice, since the first one may allocate: the counts of the second. */
Counts counts_of(void (*call)(void *operands), void *operands);

/* Compares the counts of each row's call with the row, and prints rows that differ.  Returns how many. */
int counts_differ(const CountsRow *rows, int count, void *operands);

#endif
