/* All that makes Half what it is.  Undone by undefine.h. */
#define Real    Half
#define real    THHalf
#define accreal float
#define TH_REAL_IS_HALF
#define THInf                             TH_HALF_BITS_TO_LITERAL(TH_HALF_INF)
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) TH_half2float(VALUE)
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) TH_float2half(VALUE)
