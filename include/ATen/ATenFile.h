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
 * Files are data: of the pickles in PyTorch's and the classes in Torch's, nothing is run, and what
 * is neither a tensor nor leads to one is left out.  Nested dictionaries, lists and objects become
 * names with dots, as in "layers.0.weight"; a tensor that is all there is has the name "".  Tensors
 * that share memory in a .pt or .t7 file share it here, and are saved so.  Element types that are
 * not here (complex numbers, unsigned integers of more than 8 bits, 8-bit floats, quantized ones)
 * are errors, and so is every file that is damaged: all sizes are checked before memory is taken,
 * and it is never much more than the file is long (1,032 times what is deflated). */
#ifndef ATEN_FILE_H
#define ATEN_FILE_H

#include "ATenTensor.h"

/* Tensors by name, in the order in which they came.  Belongs to one thread at a time. */
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

/* All tensors of a file, whose format is told by what is in it; NULL after an error.
 *
 * The tensors of a safetensors file are views of the file, mapped: memory is read when it is first
 * used, and what is written to them stays in this process.  Such a file must not be made shorter
 * meanwhile; replacing it, as at_save does, is fine.  Other files are read at once. */
AT_API at_dict *at_load(const char *path) AT_MUST_USE;

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

#endif
