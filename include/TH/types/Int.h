/* All that makes Int what it is.  Undone by undefine.h. */
#define Real    Int
#define real    int32_t
#define accreal int64_t
#define TH_REAL_IS_INT
#define THInf                             INT32_MAX
#define ureal                             uint32_t
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
