/* th info: what is in a file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "file.h"
#include "text.h"

/* --- tensors ---------------------------------------------------------------------------------- */

/* The bytes of all elements; UINT64_MAX stands for more than fit. */
static uint64_t count_bytes(const at_dict *dict)
{
  uint64_t all = 0;
  for (int64_t i = 0; i < at_dict_count(dict); i++) {
    const at_info info = at_dict_info(dict, i);
    uint64_t bytes = at_type_elementSize(info.type);
    for (int d = 0; d < info.sizes.count; d++)
      if (__builtin_mul_overflow(bytes, (uint64_t)info.sizes.data[d], &bytes))
        bytes = UINT64_MAX;
    if (__builtin_add_overflow(all, bytes, &all))
      all = UINT64_MAX;
  }
  return all;
}

static void write_tensor(const at_info *info, int width)
{
  int length = printf("  ");
  text_write(stdout, info->name);
  length += (int)strlen(info->name);
  printf("%*s  %-8s  ", length < width ? width - length : 0, "",
         info->type ? type_name(info->type) : "");
  if (!info->type || info->problem) {
    text_write(stdout, info->dtype);
    fputs(*info->dtype ? ", " : "", stdout);
    text_write(stdout, info->problem ? info->problem : "is not supported");
  } else {
    sizes_write(stdout, info->sizes, info->sizes);
  }
  putchar('\n');
}

/* The column that types begin in. */
static int names_width(const at_dict *dict)
{
  enum { MOST = 60 };
  size_t width = 0;
  for (int64_t i = 0; i < at_dict_count(dict); i++) {
    const size_t length = strlen(at_dict_info(dict, i).name);
    width = length > width && length <= MOST ? length : width;
  }
  return (int)width + 2;
}

static void write_tensors(const at_dict *dict)
{
  const int width = names_width(dict);
  for (int64_t i = 0; i < at_dict_count(dict); i++) {
    const at_info info = at_dict_info(dict, i);
    write_tensor(&info, width);
  }
  if (at_dict_skipped(dict) > 0)
    printf("not supported\n");
  for (int64_t i = 0; i < at_dict_skipped(dict); i++) {
    const at_info info = at_dict_skippedInfo(dict, i);
    write_tensor(&info, width);
  }
}

static void write_count(const at_dict *dict)
{
  const int64_t count = at_dict_count(dict);
  printf("%" PRId64 " tensor%s, ", count, count == 1 ? "" : "s");
  bytes_write(stdout, count_bytes(dict));
  putchar('\n');
}

/* --- programs --------------------------------------------------------------------------------- */

static void write_ports(const at_program *program, const char *title, int count,
                        at_program_info (*port)(const at_program *, int))
{
  printf("%s\n", title);
  for (int i = 0; i < count; i++) {
    const at_program_info info = port(program, i);
    fputs("  ", stdout);
    text_write(stdout, info.name);
    printf("%s%s%s", *info.name ? "  " : "", info.isList ? "list of " : "",
           info.type ? type_name(info.type) : "a number or None");
    if (info.type) {
      putchar(' ');
      if (info.least.count < 0)
        fputs("[...]", stdout);
      else
        sizes_write(stdout, info.least, info.most);
    }
    fputs(info.mayMiss ? " or None" : "", stdout);
    putchar('\n');
  }
}

static void write_targets(const at_program *program)
{
  printf("operations\n");
  for (int i = 0; i < at_program_targetCount(program); i++) {
    const at_program_target target = at_program_targetAt(program, i);
    printf("%6" PRId64 "  ", target.nodes);
    text_write(stdout, target.name);
    printf("%s\n", target.missing ? "  missing" : "");
  }
}

static void write_passes(const at_program *program)
{
  printf("passes\n");
  for (int i = 0; i < AT_PASSES; i++) {
    const at_program_pass pass = (at_program_pass)i;
    printf("%6" PRId64 "  %s\n", at_program_passChanges(program, pass), at_program_passName(pass));
  }
}

static void write_program(const at_program *program)
{
  const at_dict *const weights = at_program_parameters(program);
  write_ports(program, "inputs", at_program_inputCount(program), at_program_input);
  write_ports(program, "outputs", at_program_outputCount(program), at_program_output);
  printf("weights: ");
  write_count(weights);
  write_tensors(weights);
  write_passes(program);
  write_targets(program);
}

/* --- the command ------------------------------------------------------------------------------ */

static error_t parse(int key, char *text, struct argp_state *state)
{
  static const char *const names[] = {"FILE"};
  return words_parse(key, text, state, state->input, names, 1, 1);
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "FILE",
    .doc =
        "Tells what is in a file of tensors (.pt, .pth, .safetensors, .npz, .npy, .t7) or in a "
        "program of torch.export (.pt2) or ONNX (.onnx): names, types and sizes of tensors; "
        "inputs, "
        "outputs, weights and operations of a program, also missing ones; how many nodes each pass "
        "changes. "
        "Elements are not read."};

int info_command(int count, char **arguments)
{
  const char *path = NULL;
  File file;
  options_parse(&argp, count, arguments, &path);
  if (!file_open(&file, path, FILE_LIST))
    return FAILED;
  text_write(stdout, path);
  if (file.program) {
    printf(": a program\n");
    write_program(file.program);
  } else {
    printf(": ");
    write_count(file.dict);
    write_tensors(file.dict);
  }
  file_close(&file);
  return at_error() == AT_OK ? DONE : fail_at();
}
