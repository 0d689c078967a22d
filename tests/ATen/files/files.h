/* Tests of files: samples written by NumPy, PyTorch and others (tests/oracle/files.py), their
 * contents, and files that tests write. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdio.h>
#include <string.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

/* The path of a sample, and of a file in a folder that is removed when the program ends.  Valid for
 * the next three
 * calls. */
const char *sample(const char *name);
const char *scratch(const char *name);

/* The number of files in that folder, including hidden ones. */
int scratch_count(void);
void scratch_each(void (*visit)(const char *path));

/* Reads a file to memory that the caller frees; writes a file. */
uint8_t *read_file(const char *path, size_t *size);
const char *write_file(const char *path, const void *bytes, size_t size);

/* Element i, in row-major order, of the tensors of that type in all samples. */
double value_at(at_scalar_type type, int64_t i);

/* A tensor of these values. */
at_tensor *make_values(at_scalar_type type, at_ints sizes);

/* Check that t is such a tensor, or a part of one that begins at first with these strides. */
void check_values(const char *what, at_tensor *t, at_scalar_type type, at_ints sizes);
void check_view(const char *what, at_tensor *t, at_scalar_type type, at_ints sizes, int64_t first,
                const int64_t *strides);

/* at_load that must succeed. */
at_dict *load(const char *path);

/* The set that most samples have: a 2 x 3 tensor of each type up to most, named after it, but
 * without BFloat16 if skip; one without dimensions, "scalar", and one of size 0 x 3, "empty". */
void check_every(const char *what, const at_dict *d, at_scalar_type most, bool skip);
at_dict *make_every(at_scalar_type most, bool skip);

/* Checks that loading fails with that error and a message that contains part. */
void check_refused(const char *path, at_error_code code, const char *part);

/* Checks that every truncation of the file is refused, and that with any one byte changed, loading
 * gives a set or an error. */
void check_damaged(const char *name);

/* Loads the sample and saves it to a file with that suffix, with every allocation failing in
 * turn. */
void check_faults(const char *name, const char *suffix);

#endif
