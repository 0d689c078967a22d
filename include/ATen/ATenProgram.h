/* Programs that torch.export wrote, or another writer of ONNX, which run without Python.
 *
 *     at_program *p = at_program_load("resnet18.pt2");
 *     const at_tensors *y = at_program_run(p, AT_TENSORS(image));
 *     at_print(y->data[0]);
 *     at_program_free(p);
 *
 * The file is what torch.export.save of PyTorch 2.5 to 2.15 writes: an archive with a graph of
 * operations, and the weights.  A node of the graph calls the operation of that name in ATen's
 * table (ATenTable.h), or one that was registered by at_op_register.  Or it is a model of ONNX, whose
 * operators (version 7 to 28) become such nodes; weights may be in files beside it, below its folder.
 * Everything is checked when the program is loaded: a program with operations that are not here is an error
 * that lists all of them.
 *
 * Files may come from untrusted sources.  A file that is damaged is an error.  Apart from the
 * weights, which are mapped and not read, loading takes at most 64 times the length of the file
 * plus 2 MB.  What a run takes depends on the program: its sizes are up to who wrote it. */
#ifndef ATEN_PROGRAM_H
#define ATEN_PROGRAM_H

#include "ATenFile.h"
#include "ATenTable.h"

/* One thread uses a program at a time; different programs run at the same time. */
typedef struct at_program at_program;

/* --- loading and running ---------------------------------------------------------------------- */

/* Loads the program in a file, to be given to at_program_free; NULL after an error.
 *
 * Weights are views of the mapped file: memory is read when it is first used, and writes stay in
 * this process.  The file must not be truncated meanwhile, which would end the process with SIGBUS;
 * to replace the file is safe. */
AT_API at_program *at_program_load(const char *path) AT_MUST_USE;

/* Loads a program to look at what is in it, although operations may be missing here; to run it is an
 * error. */
AT_API at_program *at_program_list(const char *path) AT_MUST_USE;

/* What loading makes of the nodes of the file, so that a run takes less time and memory.  Results stay
 * within rounding of those of the nodes themselves, but for those of fewer bits, which are made on
 * request. */
typedef enum at_program_pass {
  AT_PASS_FUNCTIONAL, /* what changes a tensor in place makes a new one, for the passes after it */
  AT_PASS_NO_OPS, /* what changes nothing is left out: dropout, detach, conversions to the same */
  AT_PASS_BATCH_NORM, /* batch normalization becomes part of the convolution before it */
  AT_PASS_CONSTANTS,  /* what depends on weights alone is computed once, in the first run */
  AT_PASS_DEAD,       /* nodes that nothing comes of are left out */
  AT_PASS_ATTENTION, /* products around a softmax are computed as attention, block by block; elsewhere
                       * weights that a softmax gives a product are 0 if they are below 2^-126 */
  AT_PASS_CHAINS,    /* pointwise operations in a row are computed together, in place if possible */
  AT_PASS_INT8_WEIGHTS,     /* products with weights keep them in 8 bits */
  AT_PASS_BFLOAT16_WEIGHTS, /* products with weights keep them in BFloat16 */
  AT_PASS_PACKED_WEIGHTS, /* products with weights keep them in the order in which products read them */
  AT_PASS_SLICES, /* convolutions and what is between them run for a few images after the others, and
                   * each thread has images of its own */
  AT_PASS_ACTIVATIONS, /* relu, hardswish and their like become part of the convolution before them */
  AT_PASSES
} at_program_pass;

/* All that keep results within rounding. */
#define AT_ALL_PASSES                                                                         \
  (((1u << AT_PASS_INT8_WEIGHTS) - 1) | 1u << AT_PASS_PACKED_WEIGHTS | 1u << AT_PASS_SLICES | \
   1u << AT_PASS_ACTIVATIONS)

/* at_program_load with the given passes only: passes is a sum of 1u << at_program_pass, or AT_ALL_PASSES less
 * some.  AT_ALL_PASSES | 1u << AT_PASS_INT8_WEIGHTS makes a program with weights of 8 bits.
 *
 * Three passes are of weights: those of linear, addmm, mm and matmul that are a matrix of Float, outputs x
 * terms or transposed, of at least 64 outputs.  They are packed in the first run; of these passes, the
 * first one is taken.
 *
 * AT_PASS_PACKED_WEIGHTS keeps a second copy of them, in the order in which products read them; products
 * of up to four rows read the weights themselves.  Of convolutions with windows of 3 x 3 and steps of 1
 * over batches of 100 to 4096 positions it keeps what Winograd's algorithm makes of the weights, four
 * times their memory.  It does nothing without AT_PASS_CONSTANTS.
 *
 * The two of fewer bits are for networks whose products have few rows, and so take as long as the weights
 * take to read: a decoder that makes one token at a time.  Weights become int8 (each output has a scale
 * s = max |w| / 127, and a weight becomes s round(w / s), ties to even) or bfloat16 (rounded to nearest).
 * Everything else stays Float: other weights, inputs, sums.  Without AT_PASS_CONSTANTS they are converted
 * in each run.
 *
 * Constants follow the weights: a run computes them again after an operation has changed a weight.
 * What is written to a weight through its data pointer is not noticed; without AT_PASS_CONSTANTS and
 * AT_PASS_BATCH_NORM nothing needs to be.  A run that is recorded for gradients computes the nodes of
 * the file. */
AT_API at_program *at_program_loadWith(const char *path, unsigned passes) AT_MUST_USE;

/* Frees the program and the results of its last run.  NULL is accepted. */
AT_API void at_program_free(at_program *program);

/* Computes the outputs from the inputs, which are tensors of the CPU; an empty list after an error.
 *
 * The inputs are those of the exported function that are tensors, in its order; lists, tuples and
 * dictionaries of them are flattened.  Its other arguments are constants, as they were at the
 * export, but for numbers that were exported as dynamic: each is given as a tensor of one element.
 * It is an error if the number of inputs, an element type or a size is not that of the program.
 *
 * An input of an ONNX model that is a sequence takes all tensors that the others leave; with several
 * such inputs at_program_runLists says which are whose.  An input that may be missing may be NULL.  An output
 * that is a sequence is as many entries as it has tensors: at_program_result has those of one output.
 *
 * The list belongs to the program until its next run; at_retain keeps a tensor longer.  Outputs
 * that are numbers are tensors of Long, Double or Bool without dimensions, and None is NULL.  An
 * output may share memory with an input, or with a weight. Inputs and buffers that the function
 * changes are changed; after an error some may have changed. */
AT_API const at_tensors *at_program_run(at_program *program, at_tensors inputs);

/* at_program_run with a list for each of the count inputs: of one tensor, or of those of a sequence.  A list with
 * NULL alone is an input that is missing.
 *
 *     at_program_runLists(Program program, TensorLists inputs) -> TensorList */
AT_API const at_tensors *at_program_runLists(at_program *program, const at_tensors *inputs,
                                             int count);

/* The tensors of an output of the last run, among the list that it returned: one, or those of a sequence,
 * which may be none.  None, and an error, if there are no results or not so many outputs.
 *
 *     at_program_result(Program program, int index) -> TensorList */
AT_API at_tensors at_program_result(const at_program *program, int index);

/* --- own operations --------------------------------------------------------------------------- */

/* Lets programs that are loaded from now on call op where they call the operation of that name, as
 * in "mylib::scale"; an overload of "" is PyTorch's "default".  The inputs of a node go to the
 * arguments of op with the same names.  op may also replace an operation of the table,
 * such as "aten::gelu"; of several of one name the last is called.
 *
 * op, and what it points to, has to stay as it is until the process ends.  False and an error on
 * failure. */
AT_API bool at_op_register(const at_op *op);

/* --- what is in it ---------------------------------------------------------------------------- */

/* An input or output; the name and the lists are borrowed from the program. */
typedef struct at_program_info {
  const char *name;    /* NULL after an error */
  const at_type *type; /* NULL if it is a number or None, or of a type that is not here */
  at_ints least, most; /* the least and the greatest size of each dimension: equal if the size is
                        * fixed, and INT64_MAX if it has no limit; the lists' count is -1 if there may be
                        * any number of dimensions */
  bool isList;         /* a sequence of tensors that are such */
  bool mayMiss;        /* NULL, or an output None, is accepted */
} at_program_info;

AT_API int at_program_inputCount(const at_program *program); /* of NULL: 0 */
AT_API int at_program_outputCount(const at_program *program);
AT_API at_program_info at_program_input(const at_program *program, int index);
AT_API at_program_info at_program_output(const at_program *program, int index);

/* What some nodes call, such as "aten.conv2d.default"; the name is borrowed from the program. */
typedef struct at_program_target {
  const char *name; /* NULL after an error */
  int64_t nodes;    /* how many nodes call it, of nested graphs too */
  bool missing;     /* whether it is not here, or not in the way that some of them call it */
} at_program_target;

/* What the nodes call, the most frequent first. */
AT_API int at_program_targetCount(const at_program *program); /* of NULL: 0 */
AT_API at_program_target at_program_targetAt(const at_program *program, int index);

/* The name of a pass, such as "batch_norm"; NULL and an error if there is none. */
AT_API const char *at_program_passName(at_program_pass pass);

/* How many nodes the pass has changed or left out; -1 and an error for NULL. */
AT_API int64_t at_program_passChanges(const at_program *program, at_program_pass pass);

/* The parameters, buffers and constants by name ("layer1.0.conv1.weight"), borrowed; NULL for NULL.
 * To change a weight, copy to its tensor: at_copy_(at_dict_get(weights, name), t). */
AT_API const at_dict *at_program_parameters(const at_program *program);

/* Writes the program with its weights as they are now, in the archive that torch.export.load of
 * PyTorch reads; the graph and everything else is copied from the file that it was loaded from, which
 * has to be there still.  path may be that file; a file appears complete or not at all.  False and an
 * error on failure, as for the files of PyTorch before 2.9, whose weights are in other archives. */
AT_API bool at_program_save(const at_program *program, const char *path);

/* The inputs, weights, nodes and outputs as text, to be freed by at_string_free; NULL and an error
 * if there is no memory, or for NULL.  at_program_print writes the text to stdout. */
AT_API char *at_program_toString(const at_program *program) AT_MUST_USE;
AT_API void at_program_print(const at_program *program);

/* --- times ------------------------------------------------------------------------------------ */

/* Sets whether runs take the time of each node; false and an error for NULL.  Off at first. */
AT_API bool at_program_setTiming(at_program *program, bool on);

/* A table of the time of all runs so far, a line for each target, to be freed by at_string_free.  A
 * node with a graph inside has the time of what is inside, too.  NULL and an error as for
 * at_program_toString. */
AT_API char *at_program_timings(const at_program *program) AT_MUST_USE;

/* Writes the nodes of the last run (the first 1,048,576 of them) to a file for chrome://tracing or
 * ui.perfetto.dev; false and an error on failure. */
AT_API bool at_program_saveTrace(const at_program *program, const char *path);

#endif
