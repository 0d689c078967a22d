/* th run: runs a program on arrays or pictures. */
#include <string.h>

#include "command.h"
#include "file.h"
#include "inputs.h"
#include "labels.h"
#include "progress.h"
#include "text.h"

enum { MOST_SIDE = 16384, MOST_TOP = 1000000, MOST_THREADS = 1024 };
enum { SIZE = 256, RESIZE, MEAN, STD, TOP, LABELS, THREADS, WEIGHTS };

typedef struct Options {
  const char *output, *labels;
  ModelWords words;
  int64_t top;
  int threads;
  unsigned passes;
  PictureOptions picture;
} Options;

static const struct argp_option list[] = {
    {"output", 'o', "FILE", 0, "Write the outputs to FILE (.npz, .pt, .safetensors ...)", 0},
    {"top", TOP, "N", 0, "Show the N greatest elements of the first output as probabilities", 0},
    {"labels", LABELS, "FILE", 0, "Names of the classes for --top, one a line", 0},
    {"size", SIZE, "N[,N]", 0, "Crop pictures to this height and width in the middle", 1},
    {"resize", RESIZE, "N", 0, "Make the shorter side of pictures N pixels first", 1},
    {"mean", MEAN, "X[,X,X]", 0, "Subtract this from red, green and blue, which are 0 to 1", 1},
    {"std", STD, "X[,X,X]", 0, "Divide by this then", 1},
    {"threads", THREADS, "N", 0, "Compute with N threads", 2},
    {"weights", WEIGHTS, "TYPE", 0, WEIGHTS_HELP, 2},
    {0}};

/* One number for all colours, or three. */
static void read_colors(struct argp_state *state, const char *name, const char *text, double least,
                        double *values)
{
  const int count = option_numbers(state, name, text, least, 1e6, values, 3);
  if (count == 2)
    argp_error(state, "--%s takes one number, or three, not '%s'", name, text);
  if (count == 1)
    values[1] = values[2] = values[0];
}

static void read_size(struct argp_state *state, const char *text, PictureOptions *picture)
{
  int64_t sides[2];
  const int count = option_integers(state, "size", text, 1, MOST_SIDE, sides, 2);
  picture->height = sides[0];
  picture->width = sides[count - 1];
}

static error_t parse_picture(int key, char *text, struct argp_state *state, PictureOptions *picture)
{
  switch (key) {
    case SIZE:
      read_size(state, text, picture);
      return 0;
    case RESIZE:
      picture->resize = option_integer(state, "resize", text, 1, MOST_SIDE);
      return 0;
    case MEAN:
      read_colors(state, "mean", text, -1e6, picture->mean);
      return 0;
    case STD:
      read_colors(state, "std", text, 1e-6, picture->std);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  Options *const options = state->input;
  switch (key) {
    case 'o':
      options->output = text;
      return 0;
    case TOP:
      options->top = option_integer(state, "top", text, 1, MOST_TOP);
      return 0;
    case LABELS:
      options->labels = text;
      return 0;
    case THREADS:
      options->threads = (int)option_integer(state, "threads", text, 1, MOST_THREADS);
      return 0;
    case WEIGHTS:
      options->passes |= option_weights(state, text);
      return 0;
    case ARGP_KEY_END:
      if (options->labels && options->top == 0)
        argp_error(state, "--labels needs --top");
      return model_parse(key, text, state, &options->words);
    case ARGP_KEY_ARG:
    case ARGP_KEY_ARGS:
      return model_parse(key, text, state, &options->words);
    default:
      return parse_picture(key, text, state, &options->picture);
  }
}

static const struct argp argp = {
    .options = list,
    .parser = parse,
    .args_doc = "MODEL [INPUT...]",
    .doc =
        "Runs a program of torch.export (.pt2) or ONNX (.onnx). The inputs are arrays (.npy), sets "
        "of "
        "them (.npz, .pt, .safetensors) or pictures (PNG, JPEG). Without --output and --top the "
        "outputs are printed."};

/* --- outputs ---------------------------------------------------------------------------------- */

/* The name of output i: its own if no output before it has the same, or output0, output1 ... */
static const char *name_of(const at_program *program, int i)
{
  static char numbered[32];
  const char *const name = at_program_output(program, i).name;
  bool isOwn = name && *name;
  for (int before = 0; before < i && isOwn; before++)
    isOwn = strcmp(name, at_program_output(program, before).name) != 0;
  snprintf(numbered, sizeof numbered, "output%d", i);
  return isOwn ? name : numbered;
}

/* The name of tensor k of output i, which lasts until the next call: NAME.k in a list. */
static const char *entry_of(const at_program *program, int i, int k)
{
  static char text[300];
  const char *const name = name_of(program, i);
  if (!at_program_output(program, i).isList)
    return name;
  snprintf(text, sizeof text, "%.256s.%d", name, k);
  return text;
}

static int print_outputs(const at_program *program)
{
  for (int i = 0; i < at_program_outputCount(program); i++) {
    const at_tensors list = at_program_result(program, i);
    for (int k = 0; k < list.count; k++) {
      char *const text = list.data[k] ? at_toString(list.data[k]) : NULL;
      text_write(stdout, entry_of(program, i, k));
      printf(" =\n%s\n", text ? text : "None");
      at_string_free(text);
    }
  }
  return at_error() == AT_OK ? DONE : fail_at();
}

static int save_outputs(const at_program *program, const char *path)
{
  at_dict *const dict = at_dict_new();
  bool good = dict != NULL;
  for (int i = 0; i < at_program_outputCount(program) && good; i++) {
    const at_tensors list = at_program_result(program, i);
    for (int k = 0; k < list.count && good; k++)
      if (list.data[k])
        good = at_dict_set(dict, entry_of(program, i, k), list.data[k]);
  }
  good = good && at_save(path, dict);
  at_dict_free(dict);
  return good ? DONE : fail_file(path);
}

/* The greatest elements of each row of the output. */
static int print_top(const at_tensors *outputs, int64_t top, const Labels *labels)
{
  at_tensor *const output = outputs->count > 0 ? outputs->data[0] : NULL;
  if (!output || at_dim(output) == 0 || at_numel(output) == 0)
    return fail("--top: the first output has no classes");
  AT_SCOPE
  {
    const int64_t classes = at_size(output, -1), shown = top < classes ? top : classes;
    if (labels->count > 0 && labels->count != classes)
      return fail("--labels: there are %lld names, and the output has %lld classes",
                  (long long)labels->count, (long long)classes);
    at_tensor *const rows = at_to(at_reshape(output, AT_SHAPE(-1, classes)), AT_CPU(AT_FLOAT));
    const at_values_indices best = at_topk(at_softmax(rows, 1), shown);
    const float *const values = at_data(best.values);
    const int64_t *const indices = at_data(best.indices);
    for (int64_t i = 0; i < at_numel(best.values); i++) {
      if (i > 0 && i % shown == 0)
        putchar('\n');
      printf("%7.2f %%  %5lld  ", 100 * (double)values[i], (long long)indices[i]);
      text_write(stdout, labels->count > 0 ? labels->names[indices[i]] : "");
      putchar('\n');
    }
  }
  return at_error() == AT_OK ? DONE : fail_at();
}

/* --- the command ------------------------------------------------------------------------------ */

static int run(const Options *options, at_program *program, Inputs *inputs, const Labels *labels)
{
  if (!inputs_read(inputs, program, options->words.inputs, options->words.count, &options->picture))
    return FAILED;
  progress_show("running", -1);
  const at_tensors *const outputs = inputs_run(inputs, program);
  progress_end();
  if (at_error() != AT_OK)
    return fail_at();
  int status = DONE;
  if (options->output)
    status = save_outputs(program, options->output);
  if (options->top > 0 && status == DONE)
    status = print_top(outputs, options->top, labels);
  if (!options->output && options->top == 0)
    status = print_outputs(program);
  return status;
}

int run_command(int count, char **arguments)
{
  Options options = {.passes = AT_ALL_PASSES, .picture = {.std = {1, 1, 1}}};
  Inputs inputs = {0};
  Labels labels = {0};
  int status = FAILED;
  options_parse(&argp, count, arguments, &options);
  if (options.threads > 0)
    at_setNumThreads(options.threads);
  at_program *const program = file_program(options.words.model, options.passes);
  if (program && (!options.labels || labels_read(&labels, options.labels)))
    status = run(&options, program, &inputs, &labels);
  labels_free(&labels);
  inputs_free(&inputs);
  at_program_free(program);
  return status;
}
