/* Forgets the current element type, so that the next one can be defined. */
#undef Real
#undef real
#undef accreal
#undef ureal
#undef THInf
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_REAL_IS_BYTE
#undef TH_REAL_IS_CHAR
#undef TH_REAL_IS_SHORT
#undef TH_REAL_IS_INT
#undef TH_REAL_IS_LONG
#undef TH_REAL_IS_FLOAT
#undef TH_REAL_IS_DOUBLE
#undef TH_REAL_IS_HALF
