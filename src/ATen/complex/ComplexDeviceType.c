/* The functions of the complex Types of CUDA. */
#define AT_DEVICE
#include "ComplexType.c"
