/* Tensors whose element type is chosen at run time.
 *
 *     AT_SCOPE {                                 tensors made inside are freed at its end
 *       at_tensor *x = at_ones(AT_SHAPE(2, 3));
 *       at_tensor *y = at_add(x, at_mul(x, x), .alpha = 2);
 *       if (!at_defined(y))
 *         fprintf(stderr, "%s\n", at_error_message());
 *     }
 *
 * Every function returns a new reference, or after an error the undefined tensor.  The result of an
 * undefined operand is undefined, so that a chain of calls is checked once, at its end.  The first
 * error of each thread is kept until at_error_clear.  No function aborts, exits, jumps or prints.
 * ATenCall.h explains how operations take their arguments. */
#ifndef ATEN_H
#define ATEN_H

#include "ATenCall.h"
#include "ATenContext.h"
#include "ATenCUDA.h"
#include "ATenDLPack.h"
#include "ATenError.h"
#include "ATenFile.h"
#include "ATenGrad.h"
#include "ATenPrint.h"
#include "ATenProgram.h"
#include "ATenTable.h"
#include "ATenScalar.h"
#include "ATenScope.h"
#include "ATenStorage.h"
#include "ATenTensor.h"
#include "ATenType.h"

#include "ATenOps.h"
#ifndef ATEN_IMPLEMENTATION /* what calls operations, and not the other way around */
#include "ATenData.h"
#include "ATenOptim.h"
#include "ATenProgress.h"
#include "ATenSchedule.h"
#include "ATenSummary.h"
#include "ATenPlaces.h"
#endif

#endif
