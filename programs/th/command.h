/* What the commands of th share: each is a function that gets its part of the command line. */
#ifndef TH_COMMAND_H
#define TH_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* Exit codes. */
enum { DONE = 0, FAILED = 1, USAGE = 2 };

/* The arguments are those behind the command's name; arguments[0] is "th NAME". */
typedef int CommandFunction(int count, char **arguments);
CommandFunction bench_command, convert_command, help_command, info_command, print_command,
    run_command, tune_command;

/* --- options ---------------------------------------------------------------------------------- */

/* Reads the command line, or prints what is wrong with it and exits with USAGE. */
void options_parse(const struct argp *argp, int count, char **arguments, void *options);

/* Takes the words that are no options, for the parser of a command: at most that many, of which the
 * names stand in its usage; from least on they may be left out. */
error_t words_parse(int key, char *text, struct argp_state *state, const char **words,
                    const char *const *names, int least, int most);

/* MODEL [INPUT...]: the first word, and the others as they stand on the command line. */
typedef struct ModelWords {
  const char *model;
  char **inputs;
  int count;
} ModelWords;

error_t model_parse(int key, char *text, struct argp_state *state, ModelWords *words);

/* Numbers in the values of options, from least to most; another text is a usage error that names
 * the option. */
int64_t option_integer(struct argp_state *state, const char *name, const char *text, int64_t least,
                       int64_t most);
double option_number(struct argp_state *state, const char *name, const char *text, double least,
                     double most);

/* The numbers of a list "1,2,4", at most that many; returns how many there are. */
int option_integers(struct argp_state *state, const char *name, const char *text, int64_t least,
                    int64_t most, int64_t *values, int capacity);
int option_numbers(struct argp_state *state, const char *name, const char *text, double least,
                   double most, double *values, int capacity);

/* The pass that keeps weights in "int8" or "bfloat16", as a sum of 1u << at_program_pass. */
unsigned option_weights(struct argp_state *state, const char *text);
#define WEIGHTS_HELP "Keep the weights of products in int8 or bfloat16: less exact"

#endif
