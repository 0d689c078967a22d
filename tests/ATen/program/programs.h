/* Tests of programs: samples that PyTorch wrote (tests/oracle/programs.py), and copies of them that
 * tests change. */
#ifndef TEST_PROGRAMS_H
#define TEST_PROGRAMS_H

#include "../files/files.h"

/* The path of the sample NAME.pt2 or NAME.npz; valid for the next three calls. */
const char *program_sample(const char *name, const char *suffix);

/* Copies the sample to the scratch file edited.pt2, with the first text in it that is from replaced
 * by to, which is as long. Checksums of changed members are given up, as a file may do. */
const char *edited(const char *name, const char *from, const char *to);

/* Writes an archive with a program whose graph is that text and which has no weights, to the scratch
 * file edited.pt2. */
const char *with_graph(const char *text, size_t length);

/* at_program_load that must succeed, and one that must fail with that text in the message. */
at_program *load_program(const char *path);
void check_program_refused(const char *path, const char *part);

/* Runs the program on the inputs of the set (input0, ...) and compares what it returns with the
 * outputs of that name (output0, ...); the tolerance is 1e-4 of the norm. */
void check_run(at_program *program, const at_dict *recorded, const char *outputs);

/* All of that for a program in a file and the arrays in another. */
void check_program(const char *program, const char *arrays);

/* Loads the file, and runs the program on what inputs makes if that succeeds: both may fail. */
typedef at_tensors ProgramInputs(at_tensor *buffer[3]);
void try_program(const char *path, ProgramInputs *inputs);

/* try_program with those passes, and each allocation in turn failing: nothing leaks, and there are many allocations. */
void check_program_faults(const char *path, unsigned passes, ProgramInputs *inputs);

/* A test that begins without an error of the test before. */
int without_error(void **state);
#define PROGRAM_TEST(NAME) cmocka_unit_test_setup(NAME, without_error)

#endif
