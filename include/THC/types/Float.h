/* All that makes Cuda what it is.  Undone by undefine.h. */
#define CReal   Cuda
#define Real    Float
#define real    float
#define accreal float
#define THC_REAL_IS_FLOAT
