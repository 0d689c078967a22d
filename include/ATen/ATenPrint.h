/* Tensors as text, byte for byte as Python prints the same tensor in PyTorch: four digits after the
 * point, lines of 80 characters, and if there are more than 1,000 elements, only the first and last
 * three along each dimension.
 *
 *     at_print(x);
 *
 *     tensor([[ 1.5000, -2.0000],
 *             [ 0.0000,     inf]], dtype=torch.float64) */
#ifndef ATEN_PRINT_H
#define ATEN_PRINT_H

#include "ATenTensor.h"

/* The text of t, without a newline at its end; it must be freed by at_string_free.
 * "tensor(undefined)" for the undefined tensor and NULL.  NULL and an error if there is no memory.
 * Elements that are not shown are not read.  The text does not depend on the locale. */
AT_API char *at_toString(const at_tensor *t) AT_MUST_USE;

/* Frees a string from at_toString; NULL is accepted. */
AT_API void at_string_free(char *string);

/* Writes the text of t and a newline to stdout; an error if that fails. */
AT_API void at_print(const at_tensor *t);

#endif
