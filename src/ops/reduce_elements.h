/* What the expressions of reduce.h use, for the current element type, on every device; ADD, and of
 * floating types FABS, NONZERO, ABSOLUTE and POWER, are the including file's.
 *
 * That file has defined TO_ACCREAL(x): x as an accreal, or x itself where it may be a vector. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define TH_REAL_IS_FLOATING
#define MUL(a, b) (TO_ACCREAL(a) * TO_ACCREAL(b))
#define IS_NAN(x) ((x) != (x))
#define HIGHEST   ((real)INFINITY)
#define LOWEST    (-HIGHEST)

#else
#define MUL(a, b) ((accreal)((uint64_t)(a) * (uint64_t)(b)))
#define IS_NAN(x) 0
#define HIGHEST   THInf
#ifdef TH_REAL_IS_BYTE
#define LOWEST 0
#else
#define LOWEST (-THInf - 1)
#endif
#endif
