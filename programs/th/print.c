/* th print: tensors, values and programs as text. */
#include "command.h"
#include "file.h"
#include "text.h"
#include "values.h"

enum { PATH, NAME, WORDS };

static error_t parse(int key, char *text, struct argp_state *state)
{
  static const char *const names[] = {"FILE", "NAME"};
  return words_parse(key, text, state, state->input, names, 1, WORDS);
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "FILE [NAME]",
    .doc =
        "Shows the tensors and values of a file, or the nodes of a program; with NAME, only "
        "the tensor, weight or value of that name."};

static int print_tensor(const char *name, const at_tensor *t)
{
  char *const text = at_toString(t);
  if (!text)
    return fail_at();
  if (name && *name) {
    text_write(stdout, name);
    puts(" =");
  }
  puts(text);
  at_string_free(text);
  return DONE;
}

static int print_program(const at_program *program)
{
  char *const text = at_program_toString(program);
  if (!text)
    return fail_at();
  text_writeLines(stdout, text);
  putchar('\n');
  at_string_free(text);
  return DONE;
}

static int print_all(const at_dict *dict)
{
  int status = DONE;
  for (int64_t i = 0; i < at_dict_count(dict) && status == DONE; i++)
    status = print_tensor(at_dict_name(dict, i), at_dict_at(dict, i));
  values_write(at_dict_metadata(dict));
  values_write(at_dict_values(dict));
  return status;
}

/* A tensor of that name, or else a value. */
static int print_named(const char *path, const at_dict *dict, const char *name)
{
  if (at_dict_has(dict, name))
    return print_tensor(NULL, at_dict_get(dict, name));
  const at_datum all[] = {at_dict_values(dict), at_dict_metadata(dict)};
  for (int i = 0; i < 2; i++)
    if (at_datum_kindOf(all[i]) != AT_DATUM_NOTHING && at_datum_has(all[i], name)) {
      values_write(at_datum_get(all[i], name));
      return DONE;
    }
  return fail("%s: there is nothing called '%s' (th info lists the tensors)", path, name);
}

int print_command(int count, char **arguments)
{
  const char *words[WORDS] = {NULL};
  File file;
  options_parse(&argp, count, arguments, words);
  if (!file_open(&file, words[PATH], FILE_LOAD_SKIPPING))
    return FAILED;
  int status;
  if (words[NAME])
    status = print_named(words[PATH], file_tensors(&file), words[NAME]);
  else if (file.program)
    status = print_program(file.program);
  else
    status = print_all(file.dict);
  file_close(&file);
  return status != DONE || at_error() == AT_OK ? status : fail_at();
}
