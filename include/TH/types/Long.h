/* All that makes Long what it is.  Undone by undefine.h. */
#define Real    Long
#define real    int64_t
#define accreal int64_t
#define TH_REAL_IS_LONG
#define THInf                             INT64_MAX
#define ureal                             uint64_t
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
