/* All that makes CudaDouble what it is.  Undone by undefine.h. */
#define CReal   CudaDouble
#define Real    Double
#define real    double
#define accreal double
#define THC_REAL_IS_DOUBLE
