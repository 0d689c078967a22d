/* All that makes Byte what it is.  Undone by undefine.h. */
#define Real    Byte
#define real    uint8_t
#define accreal int64_t
#define TH_REAL_IS_BYTE
#define THInf                             UINT8_MAX
#define ureal                             uint8_t
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
