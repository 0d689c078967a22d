/* All that makes CudaHalf what it is.  Undone by undefine.h. */
#define CReal   CudaHalf
#define Real    Half
#define real    half
#define accreal float
#define THC_REAL_IS_HALF
