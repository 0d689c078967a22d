/* Opens files of either kind. */
#include "file.h"

#include <string.h>

#include "progress.h"
#include "text.h"

static bool ends_in(const char *path, const char *suffix)
{
  const size_t length = strlen(path), end = strlen(suffix);
  return length >= end && !strcmp(path + length - end, suffix);
}

static at_program *load_program(const char *path, FileUse use, unsigned passes)
{
  progress_show(path, -1);
  at_program *const program =
      use == FILE_LIST ? at_program_list(path) : at_program_loadWith(path, passes);
  progress_end();
  return program;
}

static at_dict *load_dict(const char *path, FileUse use)
{
  const at_load_options options = {.skip = use == FILE_LOAD_SKIPPING};
  progress_show(path, -1);
  at_dict *const dict = use == FILE_LIST ? at_file_list(path) : (at_load)(path, &options);
  progress_end();
  return dict;
}

bool file_open(File *file, const char *path, FileUse use)
{
  *file = (File){NULL, NULL};
  if (!ends_in(path, ".pt2") && !ends_in(path, ".onnx"))
    file->dict = load_dict(path, use);
  if (!file->dict)
    file->program =
        load_program(path, use, AT_ALL_PASSES); /* of both errors, the first one is kept */
  if (file->program || file->dict) {
    at_error_clear();
    return true;
  }
  fail_file(path);
  return false;
}

void file_close(File *file)
{
  at_program_free(file->program);
  at_dict_free(file->dict);
}

const at_dict *file_tensors(const File *file)
{
  return file->program ? at_program_parameters(file->program) : file->dict;
}

at_program *file_program(const char *path, unsigned passes)
{
  at_program *const program = load_program(path, FILE_LOAD, passes);
  if (!program)
    fail_file(path);
  return program;
}
