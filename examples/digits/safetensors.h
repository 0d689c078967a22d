/* Named tensors in a file, in the safetensors format: eight bytes that say how long the header is,
 * the header (JSON: names, types, shapes and offsets), then the numbers one behind the other.
 *
 *     safetensors_save("net.safetensors", 2, names, tensors);
 *     safetensors_load("net.safetensors", 2, names, tensors);
 */
#ifndef DIGITS_SAFETENSORS_H
#define DIGITS_SAFETENSORS_H

#include <TH/TH.h>

/* Writes count contiguous tensors.  The file is there as a whole or not at all.  Names are of
 * letters, digits, dots and underscores. */
void safetensors_save(const char *path, int count, const char *const names[],
                      THFloatTensor *const tensors[]);

/* Reads such a file into contiguous tensors of the same names and shapes.  Raises an error, and
 * leaves all tensors as they were, unless the file holds exactly these tensors, all of them finite
 * numbers, and nothing else. */
void safetensors_load(const char *path, int count, const char *const names[],
                      THFloatTensor *const tensors[]);

#endif
