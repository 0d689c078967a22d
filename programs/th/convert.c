/* th convert: the tensors of a file, in another format. */
#include "command.h"
#include "file.h"
#include "progress.h"
#include "text.h"

enum { IN, OUT, WORDS };

typedef struct Options {
  const char *words[WORDS];
  bool skips;
} Options;

static const struct argp_option list[] = {
    {"skip", 's', NULL, 0, "Leave out tensors of types that are not supported", 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
  static const char *const names[] = {"IN", "OUT"};
  Options *const options = state->input;
  if (key != 's')
    return words_parse(key, text, state, options->words, names, WORDS, WORDS);
  options->skips = true;
  return 0;
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
  if (!file_open(&file, options.words[IN], options.skips ? FILE_LOAD_SKIPPING : FILE_LOAD))
    return FAILED;
  const at_dict *const dict = file_tensors(&file);
  const int64_t skipped = at_dict_skipped(dict);
  progress_show(options.words[OUT], -1);
  const bool good = at_save(options.words[OUT], dict);
  progress_end();
  if (good && skipped > 0)
    printf("left out: %lld tensor%s\n", (long long)skipped, skipped == 1 ? "" : "s");
  file_close(&file);
  return good ? DONE : fail_file(options.words[OUT]);
}
