/* Tensors in files, and sets of tensors with names.
 *
 *     at_dict *d = at_load("net.safetensors");
 *     at_tensor *y = at_mm(x, at_dict_get(d, "fc.weight"));
 *     at_dict_set(d, "y", y);
 *     if (!at_save("net.pt", d))
 *       fprintf(stderr, "%s\n", at_error_message());
 *     at_dict_free(d);
 *
 * These are the formats; to save what a format cannot hold is an error.
 *
 *     .npy          NumPy: one array, without a name; no BFloat16
 *     .npz          NumPy: a zip archive of .npy members, also deflated ones; no BFloat16
 *     .safetensors  any element type but ComplexDouble
 *     .pt, .pth     PyTorch: a zip archive, or (read only) the older layout; no UInt16, UInt32 or
 *                   UInt64
 *     .t7           Torch, binary or (read only) text; types up to Half; no dimensions are read
 *                   back as one, and a size of 0 is only possible alone
 *
 * Files are data: pickles in files of PyTorch and classes in files of Torch are read, and never
 * executed.  Nested dictionaries, lists and objects become names with dots, as in
 * "layers.0.weight"; a file that is a single tensor has the name "".  Keys that are not strings are
 * shown as in Python (True, 2.5, (conv, 1)), or else by their index (?3).  Tensors that share
 * memory in a .pt or .t7 file share memory here, and are saved so. Numbers, strings and everything
 * else that is not a tensor are values (see below).
 *
 * Unsupported element types (complex numbers, unsigned integers of more than 8 bits, 8-bit floats,
 * quantized types, sparse tensors) are errors that name the tensor and its type, or are skipped.
 * Files of other formats (GGUF, ONNX, HDF5, TorchScript, whole modules ...) are errors that say
 * what the file is and what to do.
 *
 * Files may come from untrusted sources.  A file that is damaged, or truncated while it is read, is
 * an error; all sizes are checked before memory is allocated.  In addition to the elements of
 * tensors, loading takes at most 64 times the length of the file plus 2 MB for names, values and
 * everything else, also if the file is deflated; files that would need more are refused.  Elements
 * take as many bytes as in the file (in a .t7 text file, at most 8 times as many).  Deflated
 * elements can become up to 1,032 times as long, since zeros compress so well; a limit in at_load
 * bounds them, and at_file_list tells how large they are. */
#ifndef ATEN_FILE_H
#define ATEN_FILE_H

#include "ATenTensor.h"

/* A set of tensors with names, in the order of insertion.  Any number of threads may read a set and
 * its tensors at the same time; a thread that changes a set must have exclusive access to it. */
typedef struct at_dict at_dict;

/* --- sets ------------------------------------------------------------------------------------ */

/* An empty one, to be given to at_dict_free; NULL after an error. */
AT_API at_dict *at_dict_new(void) AT_MUST_USE;

/* Frees the set and its references to the tensors.  NULL is accepted. */
AT_API void at_dict_free(at_dict *dict);

AT_API int64_t at_dict_count(const at_dict *dict); /* of NULL: 0 */

/* The name at index, counted from 0; valid until the set changes.  NULL and an error if there is
 * none. */
AT_API const char *at_dict_name(const at_dict *dict, int64_t index);

/* The tensor at that index, or of that name.  The reference is borrowed: it needs no at_release,
 * and at_retain keeps the tensor longer than the set.  The undefined tensor and an error if there
 * is none. */
AT_API at_tensor *at_dict_at(const at_dict *dict, int64_t index);
AT_API at_tensor *at_dict_get(const at_dict *dict, const char *name);

AT_API bool at_dict_has(const at_dict *dict, const char *name);

/* Stores t under name; the set keeps a reference.  A new name is appended.  False and an error on
 * failure. */
AT_API bool at_dict_set(at_dict *dict, const char *name, at_tensor *t);

/* --- files ----------------------------------------------------------------------------------- */

typedef struct at_load_options {
  bool skip;     /* false: whether unsupported tensors are skipped instead of being errors, and
                  * objects of unknown classes are read as data */
  int64_t limit; /* 0: if positive, it is an error if all tensors together take more bytes */
  bool cuda;     /* false: whether the tensors are on the current CUDA device */
} at_load_options;
AT_API const at_load_options at_load_defaults;

/* Loads all tensors of a file, whose format is recognized by its contents; NULL after an error.
 *
 *     at_load(const char *path, *, bool skip=false, int64_t limit=0, bool cuda=false) -> at_dict
 *
 * The tensors of a safetensors file, except for Bools and elements that are not aligned, are views
 * of the mapped file: memory is read when it is first used, so that the file may be larger than
 * memory, and writes to the tensors stay in this process.  Such a file must not be truncated
 * meanwhile, which would end the process with SIGBUS; to replace the file, as at_save does, is
 * safe.  Other files are read completely, and may change afterwards.
 *
 * With cuda the elements of each storage go to the device, from the mapped file without a copy between, and those that
 * were read are freed; tensors that share memory share it there.  Tensors of a device can be saved, too; files do not
 * say where tensors were. */
AT_API at_dict *at_load(const char *path, const at_load_options *options) AT_MUST_USE;

/* Lists a file: returns a set with the names, types and shapes of the tensors, and with the values,
 * but without elements, which are not read.  Tensors that could not be loaded are listed as
 * skipped.  To get a tensor of the set, or to save it, is an error. */
AT_API at_dict *at_file_list(const char *path) AT_MUST_USE;

/* The description of a tensor; its strings and sizes are borrowed from the set. */
typedef struct at_info {
  const char *name;    /* NULL after an error */
  const at_type *type; /* NULL if the element type is not supported */
  const char *dtype;   /* the name of the element type; if it is not supported, the name in the
                        * file, such as "torch.complex64", or "" */
  at_ints sizes;       /* empty if the tensor is not dense */
  const char
      *problem; /* why the tensor was skipped, as in "is of a type that is not here"; else NULL */
} at_info;

/* The description of the tensor at index. */
AT_API at_info at_dict_info(const at_dict *dict, int64_t index);

/* The number and the descriptions of the tensors that at_load skipped, or in a set from
 * at_file_list, that at_load would skip. */
AT_API int64_t at_dict_skipped(const at_dict *dict); /* of NULL: 0 */
AT_API at_info at_dict_skippedInfo(const at_dict *dict, int64_t index);

/* Writes the tensors to a file, whose format is determined by the extension of path; false and an
 * error on failure. The file appears complete or not at all: where the file system supports it
 * (O_TMPFILE), the file is written and synced without a name, so that a killed process leaves
 * nothing behind.  If it replaces an existing file, it has a temporary name in the same folder only
 * until it is renamed.  On other file systems the file is written under such a name,
 * ".aten-PROCESS-NUMBER.tmp".  After an error an existing file is unchanged.  To exceed the limit
 * on file sizes is an error too, and sends no signal.
 *
 * If path is a symbolic link, the link remains and its target is replaced, with the same
 * permissions; other hard links to the target keep the old contents.  It is an error if the link is
 * broken, or if the file is read-only (for root too). */
AT_API bool at_save(const char *path, const at_dict *dict);

/* Load and save one array in a .npy file.  Column-major arrays stay column-major. */
AT_API at_tensor *at_load_npy(const char *path) AT_MUST_USE;
AT_API bool at_save_npy(const char *path, at_tensor *t);

/* --- values ---------------------------------------------------------------------------------- */

/* The values of a .pt or .t7 file, nested as in the file, and the metadata of a safetensors file:
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
 * Values are borrowed from the set, and valid as long as it is.  Lists may contain themselves.  To
 * ask for a value that does not exist is an error and gives AT_DATUM_NOTHING, so that chains of
 * calls are checked at their end. */
typedef enum at_datum_kind {
  AT_DATUM_NOTHING, /* None, nil, or no value */
  AT_DATUM_BOOL,
  AT_DATUM_INTEGER,
  AT_DATUM_NUMBER, /* also all numbers of Torch */
  AT_DATUM_STRING,
  AT_DATUM_BYTES,
  AT_DATUM_NAME,   /* a function, class or constant of Python, such as torch.float32 */
  AT_DATUM_LIST,   /* also tuples and sets */
  AT_DATUM_DICT,   /* also tables and objects of Torch */
  AT_DATUM_OBJECT, /* three values: the arguments of its class, its items (if it is also a list or
                    * dictionary) and its fields */
  AT_DATUM_TENSOR
} at_datum_kind;

typedef struct at_datum {
  const at_dict *dict;
  int64_t id;
} at_datum;

/* All values of the file; AT_DATUM_NOTHING for formats that have only tensors, and for NULL. */
AT_API at_datum at_dict_values(const at_dict *dict);

/* The metadata of a safetensors file: a dictionary of strings, or AT_DATUM_NOTHING, also for
 * NULL. */
AT_API at_datum at_dict_metadata(const at_dict *dict);

AT_API at_datum_kind at_datum_kindOf(at_datum value);

/* The number of items of a list, dictionary or object; 0 for other values. */
AT_API int64_t at_datum_count(at_datum value);

/* The item at index, counted from 0; and the key of an item of a dictionary. */
AT_API at_datum at_datum_at(at_datum value, int64_t index);
AT_API at_datum at_datum_key(at_datum value, int64_t index);

/* The value below value with that path, which is formed like the names of tensors; "" is value
 * itself. */
AT_API at_datum at_datum_get(at_datum value, const char *path);
AT_API bool at_datum_has(at_datum value, const char *path);

/* The value of a boolean, integer or number; at_datum_integer requires a whole number.  NaN or 0
 * and an error for other values. */
AT_API double at_datum_number(at_datum value);
AT_API int64_t at_datum_integer(at_datum value);

/* A string, bytes, a name, or the class of an object; NULL and an error for other values.  A 0
 * follows the last byte; *length is the number of bytes, if length is not NULL. */
AT_API const char *at_datum_string(at_datum value, size_t *length);

/* The tensor of the set, borrowed: the same that at_dict_get returns. */
AT_API at_tensor *at_datum_tensor(at_datum value);

/* --- values that a program makes ---------------------------------------------------------------
 *
 * A checkpoint in one file, which torch.load reads as a dictionary of dictionaries:
 *
 *     at_dict *all = at_dict_new(), *net = at_module_state_dict(model), *adam = at_optimizer_state_dict(o);
 *     at_dict_nest(all, "model", net);
 *     at_dict_nest(all, "optimizer", adam);
 *     at_dict_set_integer(all, "epoch", 3);
 *     at_save("checkpoint.pt", all);
 *
 * and later
 *
 *     at_dict *d = at_load("checkpoint.pt");
 *     at_module_load_state_dict(model, d, .prefix = "model.");
 *     at_optimizer_load(o, at_datum_get(at_dict_values(d), "optimizer"));
 *     int64_t epoch = at_datum_integer(at_datum_get(at_dict_values(d), "epoch"));
 *
 * Only .pt files hold such values; in the other formats the tensors are saved, under their names. */

/* Adds what part holds as one value: its tensors, which are shared and have the names
 * "NAME.THEIRS" in dict, and if a program made it (at_optimizer_state_dict) its other values.  Of a set
 * that a file was read to, only the tensors are added.  name has no dot and is new in dict, and dict was
 * not read from a file.  False after an error; then nothing has changed. */
AT_API bool at_dict_nest(at_dict *dict, const char *name, const at_dict *part);

/* Adds a number, under a name as for at_dict_nest. */
AT_API bool at_dict_set_integer(at_dict *dict, const char *name, int64_t value);
AT_API bool at_dict_set_number(at_dict *dict, const char *name, double value);

#endif
