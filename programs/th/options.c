/* Command lines. */
#include "command.h"

#include <ATen/ATen.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void options_parse(const struct argp *argp, int count, char **arguments, void *options)
{
  if (argp_parse(argp, count, arguments, 0, NULL, options) != 0)
    exit(USAGE);
}

/* --- words ------------------------------------------------------------------------------------ */

error_t words_parse(int key, char *text, struct argp_state *state, const char **words,
                    const char *const *names, int least, int most)
{
  const int at = (int)state->arg_num;
  if (key == ARGP_KEY_END && at < least)
    argp_error(state, "%s is missing", names[at]);
  if (key == ARGP_KEY_END)
    return 0;
  if (key != ARGP_KEY_ARG || at >= most)
    return ARGP_ERR_UNKNOWN;
  words[at] = text;
  return 0;
}

error_t model_parse(int key, char *text, struct argp_state *state, ModelWords *words)
{
  static const char *const names[] = {"MODEL"};
  if (key != ARGP_KEY_ARGS)
    return words_parse(key, text, state, &words->model, names, 1, 1);
  words->inputs = state->argv + state->next;
  words->count = state->argc - state->next;
  return 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Reads the number that a list begins with, and moves text behind it and the comma; false if there
 * is none in the range. */
static bool read_integer(const char **text, int64_t least, int64_t most, int64_t *value)
{
  char *end;
  errno = 0;
  *value = strtoll(*text, &end, 10);
  const bool isDigit = **text >= '0' && **text <= '9';
  const bool good = isDigit && !errno && *value >= least && *value <= most;
  *text = *end == ',' && end[1] ? end + 1 : end;
  return good && (!**text || end < *text);
}

static bool read_number(const char **text, double least, double most, double *value)
{
  char *end;
  *value = strtod(*text, &end);
  const bool isDigit = **text && strchr("+-.0123456789", **text);
  const bool good = isDigit && end > *text && *value >= least && *value <= most;
  *text = *end == ',' && end[1] ? end + 1 : end;
  return good && (!**text || end < *text);
}

static void too_many(struct argp_state *state, const char *name, const char *text, int capacity)
{
  if (capacity == 1)
    argp_error(state, "--%s takes one number, not '%s'", name, text);
  argp_error(state, "--%s takes at most %d numbers, not '%s'", name, capacity, text);
}

int option_integers(struct argp_state *state, const char *name, const char *text, int64_t least,
                    int64_t most, int64_t *values, int capacity)
{
  int count = 0;
  const char *at = text;
  do {
    if (count == capacity)
      too_many(state, name, text, capacity);
    if (!read_integer(&at, least, most, &values[count++]))
      argp_error(state, "--%s takes whole numbers from %lld to %lld, not '%s'", name,
                 (long long)least, (long long)most, text);
  } while (*at);
  return count;
}

int option_numbers(struct argp_state *state, const char *name, const char *text, double least,
                   double most, double *values, int capacity)
{
  int count = 0;
  const char *at = text;
  do {
    if (count == capacity)
      too_many(state, name, text, capacity);
    if (!read_number(&at, least, most, &values[count++]))
      argp_error(state, "--%s takes numbers from %g to %g, not '%s'", name, least, most, text);
  } while (*at);
  return count;
}

int64_t option_integer(struct argp_state *state, const char *name, const char *text, int64_t least,
                       int64_t most)
{
  int64_t value;
  option_integers(state, name, text, least, most, &value, 1);
  return value;
}

double option_number(struct argp_state *state, const char *name, const char *text, double least,
                     double most)
{
  double value;
  option_numbers(state, name, text, least, most, &value, 1);
  return value;
}

/* --- weights ---------------------------------------------------------------------------------- */

unsigned option_weights(struct argp_state *state, const char *text)
{
  const bool isInt8 = !strcmp(text, "int8");
  if (!isInt8 && strcmp(text, "bfloat16") != 0)
    argp_error(state, "--weights takes int8 or bfloat16, not '%s'", text);
  return 1u << (isInt8 ? AT_PASS_INT8_WEIGHTS : AT_PASS_BFLOAT16_WEIGHTS);
}
