/* All that makes CudaShort what it is.  Undone by undefine.h. */
#define CReal   CudaShort
#define Real    Short
#define real    int16_t
#define accreal int64_t
#define THC_REAL_IS_SHORT
