/* Forgets the current element type, so that the next one can be defined. */
#undef CReal
#undef Real
#undef real
#undef accreal
#undef THC_REAL_IS_BYTE
#undef THC_REAL_IS_CHAR
#undef THC_REAL_IS_SHORT
#undef THC_REAL_IS_INT
#undef THC_REAL_IS_LONG
#undef THC_REAL_IS_HALF
#undef THC_REAL_IS_FLOAT
#undef THC_REAL_IS_DOUBLE
