/* The functions that float and double compute in the same way, each in its own arithmetic. */
#ifdef TH_REAL_IS_FLOAT
#include "vector/Float.h"
#else
#include "vector/Double.h"
#endif

#include "vector/Bits.h"
#include "vector/Round.h"
#include "vector/Exp.h"
#include "vector/Log.h"
#include "vector/Arc.h"
#include "vector/Erf.h"

#include "vector/undefine.h"
