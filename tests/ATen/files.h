/* Tests of files: samples that NumPy, PyTorch and others wrote (tests/oracle/files.py), what is in
 * them, and files of a test's own. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdio.h>
#include <string.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

/* Paths, valid until the next call but three: of a sample, and in a folder that is removed when the
 * program ends. */
const char *sample(const char *name);
const char *scratch(const char *name);

/* How many files are in that folder, those with a dot in front too; and a visit to each. */
int scratch_count(void);
void scratch_each(void (*visit)(const char *path));

/* The contents of a file, to be freed; and a file with such contents. */
uint8_t *read_file(const char *path, size_t *size);
const char *write_file(const char *path, const void *bytes, size_t size);

/* Element i, in row-major order, of the tensors of that type in all samples. */
double value_at(at_scalar_type type, int64_t i);

/* A tensor of these values. */
at_tensor *make_values(at_scalar_type type, at_ints sizes);

/* That t is one; or those of its elements which begin at first and have these strides in it. */
void check_values(const char *what, at_tensor *t, at_scalar_type type, at_ints sizes);
void check_view(const char *what, at_tensor *t, at_scalar_type type, at_ints sizes, int64_t first,
                const int64_t *strides);

/* As at_load, which has to succeed. */
at_dict *load(const char *path);

/* The set that most samples have: a 2 x 3 tensor of each type up to most, named after it, but
 * without BFloat16 if skip; one without dimensions, "scalar", and one of size 0 x 3, "empty". */
void check_every(const char *what, const at_dict *d, at_scalar_type most, bool skip);
at_dict *make_every(at_scalar_type most, bool skip);

/* That the file is refused with such an error, whose message has part in it. */
void check_refused(const char *path, at_error_code code, const char *part);

/* That the file is refused when it ends anywhere before its end, and that loading it with any one
 * byte changed gives a set or an error. */
void check_damaged(const char *name);

/* Loading the sample, and saving what is in it to a file with that suffix, with every acquisition
 * failing. */
void check_faults(const char *name, const char *suffix);

#endif
