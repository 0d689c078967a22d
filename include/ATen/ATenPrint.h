/* Tensors as text, byte for byte what Python's print shows of the same tensor in PyTorch: four
 * digits behind the point, lines of 80 characters, and of more than 1,000 elements the first and
 * last three along each dimension.
 *
 *     at_print(x);
 *
 *     tensor([[ 1.5000, -2.0000],
 *             [ 0.0000,     inf]], dtype=torch.float64) */
#ifndef ATEN_PRINT_H
#define ATEN_PRINT_H

#include "ATenTensor.h"

/* The text of t, without a newline at its end, to be given to at_string_free; "tensor(undefined)"
 * for the undefined tensor and NULL.  NULL and an error if there is no memory for it.  Elements
 * that are not shown are not read.  The locale has no influence. */
AT_API char *at_toString(const at_tensor *t) AT_MUST_USE;

/* Frees what at_toString returned; NULL is fine. */
AT_API void at_string_free(char *string);

/* Writes the text of t and a newline to stdout; what cannot be written is an error. */
AT_API void at_print(const at_tensor *t);

#endif
