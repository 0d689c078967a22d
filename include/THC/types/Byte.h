/* All that makes CudaByte what it is.  Undone by undefine.h. */
#define CReal   CudaByte
#define Real    Byte
#define real    uint8_t
#define accreal int64_t
#define THC_REAL_IS_BYTE
