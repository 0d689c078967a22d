/* th convert: the tensors of a file, in another format. */
#include "command.h"
#include "file.h"
#include "progress.h"
#include "text.h"

typedef struct Options {
  const char *from, *to;
  bool skips;
} Options;

static const struct argp_option list[] = {
    {"skip", 's', NULL, 0, "Leave out tensors of types that are not supported", 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
  Options *const options = state->input;
  switch (key) {
    case 's':
      options->skips = true;
      return 0;
    case ARGP_KEY_ARG:
      if (options->to)
        return ARGP_ERR_UNKNOWN;
      *(options->from ? &options->to : &options->from) = text;
      return 0;
    case ARGP_KEY_END:
      if (!options->to)
        argp_error(state, options->from ? "OUT is missing" : "IN and OUT are missing");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
    .options = list,
    .parser = parse,
    .args_doc = "IN OUT",
    .doc =
        "Writes the tensors of IN, or the weights of a program, to OUT. The end of OUT's name "
        "says the format: .pt, .pth, .safetensors, .npz, .npy (one array) or .t7. Values that "
        "are no tensors are left out."};

int convert_command(int count, char **arguments)
{
  Options options = {0};
  File file;
  options_parse(&argp, count, arguments, &options);
  if (!file_open(&file, options.from, options.skips ? FILE_LOAD_SKIPPING : FILE_LOAD))
    return FAILED;
  const at_dict *const dict = file_tensors(&file);
  const int64_t skipped = at_dict_skipped(dict);
  progress_show(options.to, -1);
  const bool good = at_save(options.to, dict);
  progress_end();
  if (good && skipped > 0)
    printf("left out: %lld tensor%s\n", (long long)skipped, skipped == 1 ? "" : "s");
  file_close(&file);
  return good ? DONE : fail_file(options.to);
}
