/* All that makes Char what it is.  Undone by undefine.h. */
#define Real    Char
#define real    TH_CHAR
#define accreal int64_t
#define TH_REAL_IS_CHAR
#define THInf                             INT8_MAX
#define ureal                             uint8_t
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
