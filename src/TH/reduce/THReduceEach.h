/* Includes TEMPLATE once for each reduction of src/ops/reduce.h, with ROW as its name; WIDENS is
 * defined where its state is accreal.  The names are listed once more here, since a macro cannot
 * include a file; the compiler reports a reduction that is missing.  mean is left out: its kernels
 * are those of sum.
 *
 * THReduceKernels.c includes it for one template after the other, and a template uses what those
 * before it have made.  Of max, for example, they make
 *
 *     THReduceStates.h  max_start, max_join, max_finish, max_total
 *     THReduceTakes.h   max_few, max_sweep, max_rest, max_some: how lanes take in elements; max_fold
 *     THReduceLines.h   max_line, a long line; max_lines, many short ones
 *     THReduceRows.h    max_columns (THReduceColumns.h) and max_rows, any block
 *
 * and REDUCTION puts max_start, max_rows, max_line, max_join, max_finish and max_total into the table.
 * A macro like max_sweep or sum_line between two of them replaces one function of one reduction. */
#define WIDENS
#define ROW sum
#include TEMPLATE
#undef ROW
#define ROW prod
#include TEMPLATE
#undef ROW
#if defined(TH_REAL_IS_FLOATING)
#define ROW norm0
#include TEMPLATE
#undef ROW
#define ROW norm1
#include TEMPLATE
#undef ROW
#define ROW norm2
#include TEMPLATE
#undef ROW
#define ROW normP
#include TEMPLATE
#undef ROW
#endif
#undef WIDENS

#define ROW max
#include TEMPLATE
#undef ROW
#define ROW min
#include TEMPLATE
#undef ROW
#if defined(TH_REAL_IS_FLOATING)
#define ROW normMax
#include TEMPLATE
#undef ROW
#define ROW normMin
#include TEMPLATE
#undef ROW
#elif defined(TH_REAL_IS_BYTE)
#define ROW all
#include TEMPLATE
#undef ROW
#define ROW any
#include TEMPLATE
#undef ROW
#endif
#undef TEMPLATE
