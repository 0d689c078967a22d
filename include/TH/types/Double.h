/* All that makes Double what it is.  Undone by undefine.h. */
#define Real    Double
#define real    double
#define accreal double
#define TH_REAL_IS_DOUBLE
#define THInf                             DBL_MAX
#define TH_CONVERT_REAL_TO_ACCREAL(VALUE) ((accreal)(VALUE))
#define TH_CONVERT_ACCREAL_TO_REAL(VALUE) ((real)(VALUE))
