/* All that makes Short what it is.  Undone by undefine.h. */
#define Real    Short
#define real    int16_t
#define accreal int64_t
#define TH_REAL_IS_SHORT
#define THInf                             INT16_MAX
#define ureal                             uint16_t
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
