/* All that makes CudaLong what it is.  Undone by undefine.h. */
#define CReal   CudaLong
#define Real    Long
#define real    int64_t
#define accreal int64_t
#define THC_REAL_IS_LONG
