/* All that makes CudaInt what it is.  Undone by undefine.h. */
#define CReal   CudaInt
#define Real    Int
#define real    int32_t
#define accreal int64_t
#define THC_REAL_IS_INT
