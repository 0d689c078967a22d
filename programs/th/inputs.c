/* Reads inputs, or draws them. */
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "text.h"

void inputs_free(Inputs *inputs)
{
  for (int i = 0; i < inputs->count; i++)
    at_release(inputs->data[i]);
  free(inputs->data);
  free(inputs->lists);
}

const at_tensors *inputs_run(const Inputs *inputs, at_program *program)
{
  return inputs->lists ? at_program_runLists(program, inputs->lists, inputs->listCount)
                       : at_program_run(program, (at_tensors){inputs->data, inputs->count});
}

/* Appends t, whose reference is taken over; NULL without an error is an input that is missing. */
static bool append(Inputs *inputs, at_tensor *t)
{
  const bool isGood = at_defined(t) || (!t && at_error() == AT_OK);
  at_tensor **const data =
      isGood ? realloc(inputs->data, (size_t)(inputs->count + 1) * sizeof *data) : NULL;
  if (!data) {
    at_release(t);
    at_error() != AT_OK ? fail_at() : fail("there is no memory");
    return false;
  }
  inputs->data = data;
  inputs->data[inputs->count++] = t;
  return true;
}

static bool is_floating(const at_type *type)
{
  const at_scalar_type scalar = at_type_scalarType(type);
  return scalar == AT_FLOAT || scalar == AT_DOUBLE || scalar == AT_HALF || scalar == AT_BFLOAT16;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The size that the program wants, where the command line does not say. */
static PictureOptions fitted(const PictureOptions *options, const at_program_info *wanted)
{
  PictureOptions fit = *options;
  if (fit.height > 0 || wanted->least.count != 4)
    return fit;
  const int64_t *const least = wanted->least.data, *const most = wanted->most.data;
  if (least[2] == most[2] && least[3] == most[3]) {
    fit.height = least[2];
    fit.width = least[3];
  }
  return fit;
}

/* A picture for the input of that number. */
static bool append_picture(Inputs *inputs, const at_program *program, int input, const char *path,
                           const PictureOptions *options)
{
  if (input >= at_program_inputCount(program))
    return append(inputs, at_empty(AT_SHAPE(0))); /* one too many: the run says so */
  const at_program_info wanted = at_program_input(program, input);
  const PictureOptions fit = fitted(options, &wanted);
  at_tensor *pixels = NULL, *x = NULL;
  const char *problem = NULL;
  AT_SCOPE
  {
    problem = picture_read(path, &pixels);
    x = problem ? NULL : picture_prepare(pixels, &fit);
    if (x && is_floating(wanted.type))
      x = at_to(x, wanted.type);
    x = at_keep(x);
  }
  if (at_defined(x))
    return append(inputs, x);
  problem ? fail("%s: %s", path, problem) : fail_file(path);
  return false;
}

/* --- sets of tensors -------------------------------------------------------------------------- */

/* The name in the set of input i, or NULL. */
static const char *name_of(const at_dict *dict, const at_program *program, int i)
{
  static char numbered[32];
  const char *const name = at_program_input(program, i).name;
  if (name && at_dict_has(dict, name))
    return name;
  snprintf(numbered, sizeof numbered, "input%d", i);
  return at_dict_has(dict, numbered) ? numbered : NULL;
}

static bool append_named(Inputs *inputs, const at_program *program, const at_dict *dict)
{
  const int count = at_program_inputCount(program);
  bool good = true;
  for (int i = 0; i < count && good; i++)
    good = append(inputs, at_retain(at_dict_get(dict, name_of(dict, program, i))));
  return good;
}

static bool has_all(const at_dict *dict, const at_program *program)
{
  const int count = at_program_inputCount(program);
  for (int i = 0; i < count; i++)
    if (!name_of(dict, program, i))
      return false;
  return count > 0;
}

static bool append_set(Inputs *inputs, const at_program *program, const char *path, bool isOnly)
{
  bool good = true;
  progress_show(path, -1);
  at_dict *const dict = (at_load)(path, NULL);
  progress_end();
  if (!dict) {
    fail_file(path);
    return false;
  }
  if (isOnly && has_all(dict, program)) {
    good = append_named(inputs, program, dict);
  } else {
    for (int64_t i = 0; i < at_dict_count(dict) && good; i++)
      good = append(inputs, at_retain(at_dict_at(dict, i)));
  }
  at_dict_free(dict);
  return good;
}

/* --- files ------------------------------------------------------------------------------------ */

static bool append_file(Inputs *inputs, const at_program *program, int input, const char *path,
                        bool isOnly, const PictureOptions *options)
{
  return picture_is(path) ? append_picture(inputs, program, input, path, options)
                          : append_set(inputs, program, path, isOnly);
}

static bool has_lists(const at_program *program)
{
  for (int i = 0; i < at_program_inputCount(program); i++)
    if (at_program_input(program, i).isList || at_program_input(program, i).mayMiss)
      return true;
  return false;
}

static bool read_lists(Inputs *inputs, const at_program *program, char **paths, int count,
                       const PictureOptions *options)
{
  inputs->lists = calloc((size_t)count + 1, sizeof *inputs->lists);
  if (!inputs->lists) {
    fail("there is no memory");
    return false;
  }
  for (int i = 0; i < count; i++) {
    const int before = inputs->count;
    const bool good = strcmp(paths[i], "-")
                          ? append_file(inputs, program, i, paths[i], false, options)
                          : append(inputs, NULL);
    if (!good)
      return false;
    inputs->lists[i].count = inputs->count - before;
  }
  inputs->listCount = count;
  for (int i = 0, at = 0; i < count; at += inputs->lists[i++].count)
    inputs->lists[i].data = inputs->data + at;
  return true;
}

bool inputs_read(Inputs *inputs, const at_program *program, char **paths, int count,
                 const PictureOptions *options)
{
  if (has_lists(program))
    return read_lists(inputs, program, paths, count, options);
  for (int i = 0; i < count; i++)
    if (!append_file(inputs, program, inputs->count, paths[i], count == 1, options))
      return false;
  return true;
}

/* --- random inputs ---------------------------------------------------------------------------- */

bool inputs_draw(Inputs *inputs, const at_program *program)
{
  bool good = true;
  for (int i = 0; i < at_program_inputCount(program) && good; i++) {
    const at_program_info wanted = at_program_input(program, i);
    at_tensor *t = NULL;
    if (!wanted.type || wanted.isList) {
      fail("input %d, %s, is a %s: give the inputs in a file", i, wanted.name,
           wanted.isList ? "list" : "number");
      return false;
    }
    AT_SCOPE
    {
      at_tensor *const x = at_rand(wanted.least);
      t = at_keep(at_to(is_floating(wanted.type) ? x : at_round(x), wanted.type));
    }
    good = append(inputs, t);
  }
  return good;
}
