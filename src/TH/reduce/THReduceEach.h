/* Includes TEMPLATE for each row of src/ops/reduce.h (but for the mean, which is a sum until it is
 * finished), since macros made of a table cannot include: a row that is missing here is an error of the
 * compiler.  ROW is the row's name, and WIDENS is defined where its state is accreal. */
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
