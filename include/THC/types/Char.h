/* All that makes CudaChar what it is.  Undone by undefine.h. */
#define CReal   CudaChar
#define Real    Char
#define real    TH_CHAR
#define accreal int64_t
#define THC_REAL_IS_CHAR
