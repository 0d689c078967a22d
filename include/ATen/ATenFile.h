/* Tensors in files, and sets of tensors with names.
 *
 *     at_dict *d = at_load("net.safetensors");
 *     at_tensor *y = at_mm(x, at_dict_get(d, "fc.weight"));
 *     at_dict_set(d, "y", y);
 *     if (!at_save("net.pt", d))
 *       fprintf(stderr, "%s\n", at_error_message());
 *     at_dict_free(d);
 *
 * Files are of these formats; what a format cannot hold is an error when it is saved.
 *
 *     .npy          NumPy: one array, without a name; no BFloat16
 *     .npz          NumPy: a zip archive of .npy members, also deflated ones; no BFloat16
 *     .safetensors  any element type
 *     .pt, .pth     PyTorch: a zip archive, or (read only) the older layout; any element type
 *     .t7           Torch, binary or (read only) text; no Bool, no BFloat16; no dimensions are read
 *                   back as one, and a size of 0 is only possible alone
 *
 * Files are data: of the pickles in PyTorch's and the classes in Torch's, nothing is run.  Nested
 * dictionaries, lists and objects become names with dots, as in "layers.0.weight"; a tensor that is
 * all there is has the name "".  Keys that are no text are shown as Python shows them (True, 2.5,
 * (conv, 1)), or else by their place (?3).  Tensors that share memory in a .pt or .t7 file share it
 * here, and are saved so.  Numbers, strings and whatever else is not a tensor are values (see
 * below).
 *
 * Element types that are not here (complex numbers, unsigned integers of more than 8 bits, 8-bit
 * floats, quantized ones, sparse tensors) are errors that name the tensor and its type, or are
 * skipped.  Files of other formats (GGUF, ONNX, HDF5, TorchScript, whole modules ...) are errors
 * that say what the file is and what to do.
 *
 * Files may come from anybody.  One that is damaged, or is cut short while it is read, is an error;
 * all sizes are checked before memory is taken.  Beside the elements of tensors, loading takes at
 * most 64 times the length of the file and 2 MB, for names, values and all else together, also
 * where that is deflated; what would take more is refused.  The elements are as long as they are in
 * the file (8 times at most in a .t7 file of text), and what is deflated cannot become more than
 * 1,032 times as long: zeros compress so well, and a file cannot be told from one that wants to
 * fill the memory.  at_load's limit bounds them, and at_file_list says how large they are. */
#ifndef ATEN_FILE_H
#define ATEN_FILE_H

#include "ATenTensor.h"

/* Tensors by name, in the order in which they came.  Any number of threads may read one at a time
 * (its tensors too); a thread that changes one has it alone. */
typedef struct at_dict at_dict;

/* --- sets ------------------------------------------------------------------------------------ */

/* An empty one, to be given to at_dict_free; NULL after an error. */
AT_API at_dict *at_dict_new(void) AT_MUST_USE;

/* Its references to the tensors go with it.  NULL is nothing to free. */
AT_API void at_dict_free(at_dict *dict);

AT_API int64_t at_dict_count(const at_dict *dict); /* of NULL: 0 */

/* The name at place index, from 0 on, valid until the set changes; NULL and an error if there is
 * none. */
AT_API const char *at_dict_name(const at_dict *dict, int64_t index);

/* The tensor at that place, or of that name.  It is borrowed: it needs no at_release, and at_retain
 * keeps it longer than the set.  The undefined tensor and an error if there is none. */
AT_API at_tensor *at_dict_at(const at_dict *dict, int64_t index);
AT_API at_tensor *at_dict_get(const at_dict *dict, const char *name);

AT_API bool at_dict_has(const at_dict *dict, const char *name);

/* name now names t, of which the set keeps a reference.  A new name comes last.  Returns whether
 * that worked. */
AT_API bool at_dict_set(at_dict *dict, const char *name, at_tensor *t);

/* --- files ----------------------------------------------------------------------------------- */

typedef struct at_load_options {
  bool skip;     /* false: tensors that are of a kind that is not here are skipped, and not errors;
                  * objects of unknown classes are read as data */
  int64_t limit; /* 0: if positive, an error once the tensors take more bytes together */
} at_load_options;
AT_API const at_load_options at_load_defaults;

/* All tensors of a file, whose format is told by what is in it; NULL after an error.
 *
 *     at_load(const char *path, *, bool skip=false, int64_t limit=0) -> at_dict
 *
 * The tensors of a safetensors file are views of the file, mapped (but for Bools and what is not
 * aligned): memory is read when it is first used, so that the file may be larger than memory, and
 * what is written to them stays in this process.  Such a file must not be made shorter meanwhile,
 * which would end the process with SIGBUS; replacing it, as at_save does, is fine.  Other files are
 * read at once, and what happens to them afterwards does not matter. */
AT_API at_dict *at_load(const char *path, const at_load_options *options) AT_MUST_USE;

/* What is in a file: a set whose tensors have names, types and shapes, and whose values can be
 * read, but no elements, which are not read.  What could not be loaded is among what is skipped.
 * Asking for a tensor, and saving, is an error. */
AT_API at_dict *at_file_list(const char *path) AT_MUST_USE;

/* What is known of a tensor without its elements; borrowed from the set. */
typedef struct at_info {
  const char *name;    /* NULL after an error */
  const at_type *type; /* NULL if it is not here */
  const char *dtype;   /* its name; if it is not here, that in the file, such as "torch.complex64",
                        * or "" */
  at_ints sizes;       /* none of what is no dense tensor */
  const char *problem; /* why it was skipped, as in "is of a type that is not here"; else NULL */
} at_info;

/* The tensor at place index of the set. */
AT_API at_info at_dict_info(const at_dict *dict, int64_t index);

/* How many tensors at_load skipped, and what is known of them; at_file_list: those that at_load
 * would skip. */
AT_API int64_t at_dict_skipped(const at_dict *dict); /* of NULL: 0 */
AT_API at_info at_dict_skippedInfo(const at_dict *dict, int64_t index);

/* Writes the tensors to a file whose format the end of path tells, and returns whether that worked.
 * The file is there as a whole or not at all: it is written and synced without a name, where the
 * file system has such files (O_TMPFILE), so that a process that is killed leaves nothing of it.
 * Only one that replaces an older file has a temporary name beside it, from when it is complete
 * until it is renamed.  Elsewhere a file is written under such a name, ".aten-PROCESS-NUMBER.tmp".
 * After an error an older file is as it was; beyond the limit on file sizes that is an error too,
 * and no signal.
 *
 * A symbolic link stays, and the file that it leads to is replaced, with its permissions; other
 * hard links to that keep what it was.  It is an error if the link leads nowhere, or if the file is
 * read-only (for root too). */
AT_API bool at_save(const char *path, const at_dict *dict);

/* The same for one array in a .npy file.  One in column-major order stays so. */
AT_API at_tensor *at_load_npy(const char *path) AT_MUST_USE;
AT_API bool at_save_npy(const char *path, at_tensor *t);

/* --- values ---------------------------------------------------------------------------------- */

/* What a .pt or .t7 file holds, as it is nested there, and the metadata of a safetensors file:
 *
 *     at_dict *d = at_load("checkpoint.pt");
 *     at_datum all = at_dict_values(d);
 *     double lr = at_datum_number(at_datum_get(all, "optimizer.param_groups.0.lr"));
 *     at_datum state = at_datum_get(all, "optimizer.state");
 *     for (int64_t i = 0; i < at_datum_count(state); i++) {
 *       int64_t parameter = at_datum_integer(at_datum_key(state, i));
 *       at_tensor *mean = at_datum_tensor(at_datum_get(at_datum_at(state, i), "exp_avg"));
 *     }
 *
 * Values are borrowed from the set, and go with it.  Lists may hold themselves.  A value that is
 * not there is AT_DATUM_NOTHING, and asking for it an error, so that chains are checked at their
 * end. */
typedef enum at_datum_kind {
  AT_DATUM_NOTHING, /* None, nil, or no value */
  AT_DATUM_BOOL,
  AT_DATUM_INTEGER,
  AT_DATUM_NUMBER, /* Torch's numbers all are */
  AT_DATUM_STRING,
  AT_DATUM_BYTES,
  AT_DATUM_NAME,   /* a function, class or constant of Python, such as torch.float32 */
  AT_DATUM_LIST,   /* tuples and sets too */
  AT_DATUM_DICT,   /* Torch's tables and objects too */
  AT_DATUM_OBJECT, /* three values: what its class was called with, its items (if it is a list or
                    * dictionary besides) and its fields */
  AT_DATUM_TENSOR
} at_datum_kind;

typedef struct at_datum {
  const at_dict *dict;
  int64_t id;
} at_datum;

/* All that is in the file; nothing for formats that have tensors alone, and of NULL. */
AT_API at_datum at_dict_values(const at_dict *dict);

/* The metadata of a safetensors file: a dictionary of strings, or nothing; so of NULL. */
AT_API at_datum at_dict_metadata(const at_dict *dict);

AT_API at_datum_kind at_datum_kindOf(at_datum value);

/* How many items a list, dictionary or object has; 0 for others. */
AT_API int64_t at_datum_count(at_datum value);

/* The item at place index, from 0 on; and its key in a dictionary. */
AT_API at_datum at_datum_at(at_datum value, int64_t index);
AT_API at_datum at_datum_key(at_datum value, int64_t index);

/* The value of that name in value, made as those of tensors are; "" is value itself. */
AT_API at_datum at_datum_get(at_datum value, const char *path);
AT_API bool at_datum_has(at_datum value, const char *path);

/* A boolean, integer or number; as an integer, if it is a whole one.  NaN or 0 and an error for
 * others. */
AT_API double at_datum_number(at_datum value);
AT_API int64_t at_datum_integer(at_datum value);

/* A string, bytes, a name, or the class of an object; NULL and an error for others.  A 0 follows
 * the last byte; *length is how many there are, if length is not NULL. */
AT_API const char *at_datum_string(at_datum value, size_t *length);

/* The tensor of the set that this is, borrowed: the same that at_dict_get returns. */
AT_API at_tensor *at_datum_tensor(at_datum value);

#endif
