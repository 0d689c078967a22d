/* Loading and saving of files: recognizes the format, and turns raised errors into the thread's
 * error. */
#include "Files.h"

/* The formats, in the order in which they are tried. */
static const struct {
  const char *suffix;
  bool (*is)(const at_file *file);
  void (*read)(at_file *file, at_dict *dict);
  void (*write)(at_out *out, const at_dict *dict);
} formats[] = {
    {".npz", at_isZip, at_readZip, at_writeNpz},
    {".npy", at_isNpy, at_readNpy, at_writeNpy},
    {".pt", at_isLegacyPt, at_readLegacyPt, at_writePt},
    {".pth", at_isLegacyPt, at_readLegacyPt, at_writePt},
    {".safetensors", at_isSafetensors, at_readSafetensors, at_writeSafetensors},
    {".t7", at_isT7, at_readT7, at_writeT7},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Reads the file into a new set; NULL after an error. */
static at_dict *load(const char *operation, const char *path, const at_load_options *options,
                     bool lists)
{
  at_dict *volatile dict = at_dict_new();
  if (!dict)
    return NULL;
  at_call call = {.operation = operation};
  TH_TRY(call.attempt)
  {
    at_file file;
    THGuard open;
    at_file_open(&file, path, &open);
    file.skips = options->skip;
    file.lists = lists;
    if (options->limit < 0)
      at_raise(AT_ERROR_ARGUMENT, "limit is %lld", (long long)options->limit);
    if (options->limit > 0)
      file.limit = file.elementCapacity = (uint64_t)options->limit;
    int i = 0;
    while (!formats[i].is(&file))
      i++;
    formats[i].read(&file, dict);
    at_dict_settle(dict);
    if (options->cuda)
      at_dict_toCUDA(dict);
    THGuard_leave(&open);
  }
  if (!at_failed(&call))
    return dict;
  at_dict_free(dict);
  return NULL;
}

const at_load_options at_load_defaults = {.skip = false};

at_dict *at_load(const char *path, const at_load_options *options)
{
  return load("load", path, options ? options : &at_load_defaults, false);
}

at_dict *at_file_list(const char *path)
{
  return load("file_list", path, &at_load_defaults, true);
}

static int format_of(const char *path)
{
  const size_t length = strlen(path);
  for (int i = 0; i < FORMATS; i++) {
    const size_t suffix = strlen(formats[i].suffix);
    if (length > suffix && !strcmp(path + length - suffix, formats[i].suffix))
      return i;
  }
  at_raise(AT_ERROR_ARGUMENT,
           "%s: the name has to end in .npy, .npz, .safetensors, .pt, .pth or .t7", path);
}

bool at_save(const char *path, const at_dict *dict)
{
  if (!path || !dict) {
    at_fail(AT_ERROR_NULL, "save", "save: %s is NULL", path ? "dict" : "path");
    return false;
  }
  at_call call = {.operation = "save"};
  TH_TRY(call.attempt)
  {
    at_dict_checkLoaded(dict);
    const int format = format_of(path);
    THGuard memory, open;
    THGuard_enter(&memory, THFree);
    at_out *const out = memory.what =
        THAlloc(sizeof *out); /* its buffer is no matter of the stack */
    at_out_begin(out, path, &open);
    formats[format].write(out, dict);
    at_out_commit(out, &open);
    THGuard_leave(&memory);
  }
  return !at_failed(&call);
}

/* --- one array -------------------------------------------------------------------------------- */

static void free_dict(void *what)
{
  at_dict_free(what);
}

at_tensor *at_load_npy(const char *path)
{
  at_call call = {.operation = "load_npy"};
  at_tensor *volatile t = NULL;
  TH_TRY(call.attempt)
  {
    at_file file;
    THGuard open, set;
    at_file_open(&file, path, &open);
    if (!at_isNpy(&file))
      at_damaged(&file, "this is no .npy file");
    at_dict *dict = at_dict_new();
    THGuard_enter(&set, free_dict);
    set.what = dict;
    if (!dict)
      THError("there is no memory");
    at_readNpy(&file, dict);
    t = at_retain(at_dict_at(dict, 0));
    THGuard_leave(&set);
    THGuard_leave(&open);
  }
  return at_return(&call, t, true);
}

bool at_save_npy(const char *path, at_tensor *t)
{
  if (!at_accept("save_npy", "t", t, false))
    return false;
  at_call call = {.operation = "save_npy"};
  TH_TRY(call.attempt)
  {
    THGuard memory, open;
    THGuard_enter(&memory, THFree);
    at_out *const out = memory.what =
        THAlloc(sizeof *out); /* its buffer is no matter of the stack */
    at_out_begin(out, path, &open);
    at_writeArray(out, t);
    at_out_commit(out, &open);
    THGuard_leave(&memory);
  }
  return !at_failed(&call);
}
