/* The numbers of the vector functions for double.  Undone by undefine.h. */

/* --- the format --- */
#define THMathBits       uint64_t
#define THMathInt        int64_t
#define TH_FRACTION_BITS 52
#define TH_BIAS          1023

/* --- exponentials --- */
#define TH_LOG2_E        0x1.71547652b82fep+0
#define TH_LN2           0x1.62e42fefa39efp-1
#define TH_LN2_LOST      0x1.abc9e3b39803fp-56
#define TH_LN2_HIGH      0x1.62e42fefa3p-1
#define TH_LN2_LOW       0x1.3de6af278ece6p-42
#define TH_EXP_LOWEST    -746.
#define TH_EXP_HIGHEST   710.
#define TH_EXP_MODEST    708.
#define TH_EXP_SUBNORMAL -0x1.6232bdd7abcd2p+9
#define TH_ONE_LOST      -120.
#define TH_EXP_POLY      /* from x^3 on */                                                        \
  0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f60ap-7, 0x1.6c16c16c14391p-10,        \
      0x1.a01a01b02ea62p-13, 0x1.a01a01b10487ap-16, 0x1.71ddf787d42c6p-19, 0x1.27e4c4e769d1bp-22, \
      0x1.af603fcf3e39cp-26, 0x1.1f9691cbf3309p-29

/* --- logarithms --- */
#define TH_SQRT_HALF       0x1.6a09e667f3bcdp-1
#define TH_LOG_SCALE       0x1p54
#define TH_LOG_SCALE_BITS  54
#define TH_SMALLEST_NORMAL 0x1p-1022
#define TH_LOG_POLY                                                                             \
  0x1.555555555556ep-2, -0x1.ffffffffffeefp-3, 0x1.99999999944fap-3, -0x1.55555555638cep-3,     \
      0x1.2492492796fa5p-3, -0x1.fffffff99977cp-4, 0x1.c71c701925f44p-4, -0x1.9999996ea75dap-4, \
      0x1.745d5a7458b38p-4, -0x1.555599d83f619p-4, 0x1.3b0d78af78384p-4, -0x1.2486eaf8922cdp-4, \
      0x1.1167a9370a37bp-4, -0x1.00e73d2f8ada6p-4, 0x1.dced8ee5506e3p-5, -0x1.b377fac88a022p-5, \
      0x1.b91db83fe49d4p-5, -0x1.017740d8c3a31p-4, 0x1.da18971e9e14cp-5, -0x1.9926d43a0b57ep-6

/* --- inverse trigonometric functions --- */
#define TH_PI_HIGH 0x1.921fb54442d18p+1
#define TH_PI_LOW  0x1.1a62633145c07p-53
#define TH_BIG     0x1p120
#define TH_ASIN_POLY                                                                           \
  0x1.5555555555578p-3, 0x1.333333332df53p-4, 0x1.6db6db7227b8fp-5, 0x1.f1c71a8d3bf06p-6,      \
      0x1.6e8bdfb3411e5p-6, 0x1.1c49e1effea7cp-6, 0x1.ca20df4d5f0eap-7, 0x1.757af796c6d3ep-7,  \
      0x1.6176a46b6367dp-7, 0x1.e297aeef0f8f1p-9, 0x1.649e21a833b5ap-6, -0x1.59645ae9c1aadp-6, \
      0x1.0bb5456c2131dp-5
#define TH_ATAN_POLY                                                                            \
  -0x1.555555555553dp-2, 0x1.99999999958c6p-3, -0x1.24924922b01a9p-3, 0x1.c71c70e72fc06p-4,     \
      -0x1.745cf8fcee961p-4, 0x1.3b111b534d3f1p-4, -0x1.10ebd0a5c1c5bp-4, 0x1.df109fe4e0507p-5, \
      -0x1.9cd878181eddcp-5, 0x1.37e382c88536fp-5, -0x1.25873397a5d63p-6

/* --- the error function --- */
#define TH_ERF_ONE        6.
#define TH_ERFC_HIGH      -0x1.88672ea9b34dcp+0 /* log(erfc(7/8)) */
#define TH_ERFC_LOW       0x1.9f433934410c7p-55
#define TH_ERF_VALUE      -0x1.ef717d5d1bf5ep-12
#define TH_ERF_SLOPE      0x1.33abd0a6067cep-2
#define TH_ERF_SLOPE_LOST -0x1.dc890f4f8adddp-56
#define TH_ERF_POLY                                                                               \
  0x1.60cdfaf1b617dp-4, 0x1.4798c13c05252p-6, 0x1.f573e6a3bf8cep-9, 0x1.4497ccdc47504p-11,        \
      0x1.6b3d8a75c7c54p-14, 0x1.658e2c672de77p-17, 0x1.39f3aa76b3b82p-20, 0x1.f16a76095ad71p-24, \
      0x1.66dd305406277p-27, 0x1.dc7a06647823bp-31, 0x1.23921780e78f6p-34
#define TH_ERFC_POLY                                                                               \
  0x1.3711709c17b5p+1, 0x1.a730790b4c7ddp-1, 0x1.802c2794af101p-5, -0x1.730b0ecead0abp-7,          \
      0x1.1904a0932e48dp-9, -0x1.a5155bc68c3b3p-13, -0x1.f13eec2da11fep-15, 0x1.4a14fe80d9abdp-15, \
      -0x1.96a20c7942d1ep-17, 0x1.09d56f94b0057p-19, 0x1.a08dfe6bc8964p-23, -0x1.2bad7d702e2dp-22, \
      0x1.ff6cb1379a0edp-24, -0x1.285c02cf1f7b2p-25, 0x1.01e2083c0271bp-27,                        \
      -0x1.54a93353556fep-30, 0x1.4d127608e08a3p-33, -0x1.c706787d6f3aap-37,                       \
      0x1.834a5427cf46dp-41, -0x1.349cd8013a42p-46

/* --- builtins --- */
#define TH_ROUND_BUILTIN(NAME) __builtin_##NAME
