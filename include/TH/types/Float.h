/* All that makes Float what it is.  Undone by undefine.h. */
#define Real    Float
#define real    float
#define accreal double
#define TH_REAL_IS_FLOAT
#define THInf                             FLT_MAX
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
