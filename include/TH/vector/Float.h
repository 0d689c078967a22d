/* The numbers of the vector functions for float.  Undone by undefine.h. */

/* --- the format --- */
#define THMathBits       uint32_t
#define THMathInt        int32_t
#define TH_FRACTION_BITS 23
#define TH_BIAS          127

/* --- exponentials --- */
#define TH_LOG2_E        0x1.715476p+0f
#define TH_LN2           0x1.62e43p-1f
#define TH_LN2_LOST      -0x1.05c61p-29f
#define TH_LN2_HIGH      0x1.62e4p-1f /* short, so that its product with an exponent is exact */
#define TH_LN2_LOW       0x1.7f7d1cp-20f
#define TH_EXP_LOWEST    -104.f /* exp is 0 from here down, infinite from there up */
#define TH_EXP_HIGHEST   89.f
#define TH_EXP_MODEST    87.f            /* exp of it and of its negative are normal */
#define TH_EXP_SUBNORMAL -0x1.5d589ep+6f /* below, exp is not normal */
#define TH_ONE_LOST      -60.f           /* 2 to this is negligible next to 1 */
#define TH_EXP_POLY                      /* from x^3 on */ \
  0x1.555556p-3f, 0x1.5554acp-5f, 0x1.11108ep-7f, 0x1.6d768ep-10f, 0x1.a1a40cp-13f
#define TH_FINE_EXP_POLY \
  0x1.555556p-5f, 0x1.1110ep-7f, 0x1.6c165ap-10f, 0x1.a13118p-13f, 0x1.a153eep-16f

/* --- logarithms --- */
#define TH_SQRT_HALF       0x1.6a09e6p-1f
#define TH_LOG_SCALE       0x1p25f
#define TH_LOG_SCALE_BITS  25
#define TH_SMALLEST_NORMAL 0x1p-126f
#define TH_LOG_POLY                                                                \
  0x1.555546p-2f, -0x1.ffffeep-3f, 0x1.99a542p-3f, -0x1.5562dp-3f, 0x1.2332e6p-3f, \
      -0x1.fb4572p-4f, 0x1.e650f8p-4f, -0x1.e2debap-4f, 0x1.1b35dp-4f

/* --- inverse trigonometric functions --- */
#define TH_PI_HIGH 0x1.921fb6p+1f
#define TH_PI_LOW  -0x1.777a5cp-24f
#define TH_BIG     0x1p60f
#define TH_ASIN_POLY \
  0x1.55554cp-3f, 0x1.33389p-4f, 0x1.6cabfap-5f, 0x1.04a84cp-5f, 0x1.d7d71cp-7f, 0x1.33c4ap-5f
#define TH_ATAN_POLY \
  -0x1.55554ap-2f, 0x1.9991acp-3f, -0x1.23b69ap-3f, 0x1.b1fffap-4f, -0x1.f24986p-5f

/* --- the error function --- */
#define TH_ERF_ONE        4.f             /* erf is 1 from here on */
#define TH_ERFC_HIGH      -0x1.88672ep+0f /* log(erfc(7/8)) */
#define TH_ERFC_LOW       -0x1.53669b7982f32p-25f
#define TH_ERF_VALUE      -0x1.ef717ep-12f
#define TH_ERF_SLOPE      0x1.33abdp-2f
#define TH_ERF_SLOPE_LOST 0x1.4c0cfap-27f
#define TH_ERF_POLY \
  0x1.60cdfcp-4f, 0x1.4798c2p-6f, 0x1.f572f8p-9f, 0x1.44973cp-11f, 0x1.6c9ec6p-14f, 0x1.66df26p-17f
#define TH_ERFC_POLY                                                              \
  0x1.37117p+1f, 0x1.a73058p-1f, 0x1.803e26p-5f, -0x1.74320ep-7f, 0x1.233b18p-9f, \
      -0x1.3c5462p-12f, 0x1.56c39ap-16f

/* --- builtins --- */
#define TH_ROUND_BUILTIN(NAME) __builtin_##NAME##f
