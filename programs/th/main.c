/* th: looks at files of tensors, and at programs that PyTorch exported, and runs these.
 *
 *     th COMMAND ...
 *
 * Each command is a file of its own; here the first word is looked up. */
#include <ATen/ATen.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

static const struct {
  const char *name;
  CommandFunction *function;
} commands[] = {
    {"info", info_command},       {"run", run_command},     {"bench", bench_command},
    {"convert", convert_command}, {"print", print_command}, {"tune", tune_command},
    {"help", help_command},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* argp looks for this symbol. */
__attribute__((visibility("default"))) const char *argp_program_version = "th " TH_PROGRAM_VERSION;

static const char doc[] =
    "Looks at files of tensors and at programs that PyTorch exported, and runs these.\v"
    "Commands:\n"
    "  info FILE              what is in a file: names, types, sizes, operations\n"
    "  run MODEL INPUT...     run a program on arrays or pictures\n"
    "  bench MODEL            how long a program takes\n"
    "  convert IN OUT         write the tensors of a file in another format\n"
    "  print FILE [NAME]      show tensors, values, or a program\n"
    "  tune                   measure what this machine is fast at, for all programs\n"
    "  help NAME              what an operation computes, and how it is called\n"
    "\n"
    "`th COMMAND --help' lists the options of a command, and th(1) tells more.\n"
    "The exit status is 0; 1 if something failed; 2 if the command line is wrong.";

static error_t parse(int key, char *text, struct argp_state *state)
{
  if (key == ARGP_KEY_NO_ARGS)
    argp_error(state, "a command is missing");
  if (key != ARGP_KEY_ARG)
    return ARGP_ERR_UNKNOWN;
  *(const char **)state->input = text;
  state->next = state->argc; /* the rest is the command's */
  return 0;
}

static const struct argp argp = {.parser = parse, .args_doc = "COMMAND [ARGUMENT...]", .doc = doc};

/* Ends the process as failed if not everything that was printed has arrived. */
static void close_output(void)
{
  if (!fflush(stdout) && !ferror(stdout))
    return;
  fail("standard output: cannot write it: %s", strerror(errno));
  _exit(FAILED);
}

int main(int count, char **arguments)
{
  static char name[32] = "th";
  const char *word = NULL;
  argp_err_exit_status = USAGE;
  atexit(close_output);
  arguments[0] = name;
  argp_parse(&argp, count, arguments, ARGP_IN_ORDER, NULL, &word);
  int at = 1; /* only options that end the program may stand before the command */
  while (arguments[at] != word)
    at++;
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(commands[i].name, word)) {
      snprintf(name, sizeof name, "th %s", word);
      fail_name(name);
      arguments[at] = name;
      return commands[i].function(count - at, arguments + at);
    }
  fail("there is no command '%s' (th --help lists them)", word);
  return USAGE;
}
