/* Continues a text, by a language model that PyTorch exported.
 *
 *     generate MODEL.pt2 TOKENIZER.json [--tokens=N] [--top-k=K] [--temperature=T] [--seed=S] TEXT
 *
 * The model takes tokens (1 x n) and, for each layer, the keys and values of the tokens before them
 * (1 x heads x m x width), of which the first run has none.  It returns scores for the next token
 * (1 x n x vocabulary), and the keys and values of all n + m.  train.py makes one; docs/programs.md
 * has a few lines of Python that do so with any decoder of the package transformers.
 *
 * Or it takes tokens and the index of each (n), returns scores, and keeps keys and values in buffers of
 * its own.  If its sizes are fixed, n is 1.
 *
 *     $ generate story.pt2 tokenizer.json --tokens=40 --temperature=0.7 "The tensor" */
#include <ATen/ATen.h>
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizer.h"

enum { MOST_PORTS = 1024 };

typedef struct Options {
  const char *model, *tokenizer, *text;
  int64_t tokens, topK, seed;
  double temperature;
  bool seeded, onlyIds;
} Options;

/* --- options ---------------------------------------------------------------------------------- */

static int64_t whole(const char *text, struct argp_state *state)
{
  char *end;
  const long long number = strtoll(text, &end, 10);
  if (*end || end == text || number < 0)
    argp_error(state, "'%s' is no number from 0 on", text);
  return number;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  Options *const o = state->input;
  char *end = NULL;
  switch (key) {
    case 'n':
      o->tokens = whole(text, state);
      return 0;
    case 'k':
      o->topK = whole(text, state);
      return 0;
    case 't':
      o->temperature = strtod(text, &end);
      if (*end || end == text || !(o->temperature >= 0 && o->temperature < 1e6))
        argp_error(state, "'%s' is no temperature", text);
      return 0;
    case 's':
      o->seed = whole(text, state);
      o->seeded = true;
      return 0;
    case 'i':
      o->onlyIds = true;
      return 0;
    case ARGP_KEY_ARG:
      *(state->arg_num == 0 ? &o->model : state->arg_num == 1 ? &o->tokenizer : &o->text) = text;
      return state->arg_num < 3 ? 0 : ARGP_ERR_UNKNOWN;
    case ARGP_KEY_END:
      if (!o->text)
        argp_usage(state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option list[] = {
    {"tokens", 'n', "N", 0, "Make so many tokens (100)", 0},
    {"top-k", 'k', "K", 0, "Draw from the K most probable ones (40; 0: from all)", 0},
    {"temperature", 't', "T", 0, "Divide scores by T (1); with 0 the most probable one is taken",
     0},
    {"seed", 's', "S", 0, "Draw the same again", 0},
    {"ids", 'i', NULL, 0, "Only show the tokens of TEXT, as numbers", 0},
    {0}};
static const struct argp argp = {
    .options = list,
    .parser = parse,
    .args_doc = "MODEL.pt2 TOKENIZER.json TEXT",
    .doc = "Continues TEXT, by a language model that PyTorch exported."};

/* --- the model -------------------------------------------------------------------------------- */

typedef struct Generator {
  at_program *model;
  const Options *options;
  const Tokenizer *tokenizer;
  at_tensor *state[MOST_PORTS]; /* tokens, and keys and values: the inputs of the next run */
  int count;
  bool keeps;          /* keys and values itself */
  int64_t most, index; /* tokens of a run then, and the index of the next one */
} Generator;

static bool failed(const char *path, const char *problem)
{
  fprintf(stderr, "%s: %s\n", path, problem);
  return false;
}

/* Whether the model takes tokens and the index of each. */
static bool keeps_state(Generator *g)
{
  if (at_program_inputCount(g->model) != 2 || at_program_outputCount(g->model) < 1)
    return false;
  const at_program_info tokens = at_program_input(g->model, 0),
                        index = at_program_input(g->model, 1);
  if (tokens.type != AT_CPU(AT_LONG) || index.type != AT_CPU(AT_LONG) || tokens.least.count != 2 ||
      index.least.count != 1 || tokens.least.data[1] > 1)
    return false;
  g->most = tokens.most.data[1];
  return true;
}

/* No keys and values: of the sizes that the model says, and 0 tokens. */
static bool begin(Generator *g)
{
  g->keeps = keeps_state(g);
  if (g->keeps)
    return true;
  g->count = at_program_inputCount(g->model);
  if (g->count < 3 || g->count > MOST_PORTS || g->count != at_program_outputCount(g->model))
    return failed(g->options->model,
                  "it does not take tokens, keys and values, and return scores, "
                  "keys and values; nor tokens and their indices");
  for (int i = 1; i < g->count; i++) {
    const at_program_info info = at_program_input(g->model, i);
    int64_t sizes[4];
    if (info.least.count != 4 || !info.type)
      return failed(g->options->model, "its keys and values have not four dimensions");
    for (int d = 0; d < 4; d++)
      sizes[d] = d == 2 ? 0 : d == 0 ? 1 : info.least.data[d];
    g->state[i] = at_keep(at_zeros(((at_ints){sizes, 4}), .type = info.type));
  }
  return at_error() == AT_OK;
}

/* The tokens as a tensor. */
static at_tensor *tokens_of(const int64_t *ids, size_t count)
{
  at_tensor *const tokens = at_empty(AT_SHAPE(1, (int64_t)count), .type = AT_CPU(AT_LONG));
  if (at_defined(tokens))
    memcpy(at_data(tokens), ids, count * sizeof *ids);
  return tokens;
}

/* The scores of a model that keeps keys and values: it gets as many tokens as it takes at a time. */
static at_tensor *kept_scores(Generator *g, const int64_t *ids, size_t count)
{
  const at_tensors *made = NULL;
  while (count > 0 && at_error() == AT_OK) {
    const size_t some = g->most < (int64_t)count ? (size_t)g->most : count;
    at_tensor *const tokens = tokens_of(ids, some);
    at_tensor *const index =
        at_arange_start(g->index, g->index + (int64_t)some, .type = AT_CPU(AT_LONG));
    made = at_program_run(g->model, AT_TENSORS(tokens, index));
    g->index += (int64_t)some;
    ids += some;
    count -= some;
  }
  return at_select(at_select(made && made->count > 0 ? made->data[0] : at_undefined(), 0, 0), 0,
                   -1);
}

/* The scores of the token after those that are given, as a vector; undefined after an error. */
static at_tensor *next_scores(Generator *g, const int64_t *ids, size_t count)
{
  if (g->keeps)
    return kept_scores(g, ids, count);
  g->state[0] = tokens_of(ids, count);
  const at_tensors *const made = at_program_run(g->model, (at_tensors){g->state, g->count});
  g->state[0] = NULL;
  for (int i = 1; i < made->count; i++) {
    at_tensor *const old = g->state[i];
    g->state[i] = at_retain(made->data[i]);
    at_release(old);
  }
  return at_select(at_select(made->count > 0 ? made->data[0] : at_undefined(), 0, 0), 0, -1);
}

/* --- the next token --------------------------------------------------------------------------- */

static int64_t choose(const Options *o, at_tensor *scores)
{
  const int64_t count = at_size(scores, 0);
  if (o->temperature == 0)
    return at_item_long(at_argmax(scores));
  const int64_t most = o->topK > 0 && o->topK < count ? o->topK : count;
  const at_values_indices best = at_topk(scores, most);
  at_tensor *const chances = at_softmax(at_div(best.values, o->temperature), 0);
  return at_item_long(at_index_select(best.indices, 0, at_multinomial(chances, 1)));
}

/* How many of the bytes are whole characters of UTF-8. */
static size_t whole_characters(const char *bytes, size_t length)
{
  for (size_t back = 1; back <= 3 && back <= length; back++) {
    const unsigned char b = (unsigned char)bytes[length - back];
    const size_t wanted = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
    if (b >= 0xc0)
      return wanted > back ? length - back : length;
    if (b < 0x80)
      return length;
  }
  return length;
}

/* Writes a token as soon as its characters are whole. */
static void show(const char *piece, size_t length, char *held, size_t *heldCount)
{
  enum { HELD = 4 };
  char bytes[HELD];
  memcpy(bytes, held, *heldCount);
  for (size_t i = 0; i < length; i++) {
    bytes[(*heldCount)++] = piece[i];
    const size_t done = whole_characters(bytes, *heldCount);
    if (done == *heldCount || *heldCount == HELD) {
      fwrite(bytes, 1, *heldCount, stdout);
      *heldCount = 0;
    }
  }
  memcpy(held, bytes, *heldCount);
  fflush(stdout);
}

static bool generate(Generator *g, const Tokens *prompt)
{
  const int64_t end = tokenizer_find(g->tokenizer, "<|endoftext|>");
  const int64_t *next = prompt->ids;
  size_t count = prompt->count, heldCount = 0;
  char held[4];
  int64_t token;
  fputs(g->options->text, stdout);
  for (int64_t i = 0; i < g->options->tokens && at_error() == AT_OK; i++) {
    size_t length = 0;
    const char *piece = NULL;
    AT_SCOPE
    {
      token = choose(g->options, next_scores(g, next, count));
    }
    if (at_error() != AT_OK || token == end)
      break;
    piece = tokenizer_piece(g->tokenizer, token, &length);
    if (!piece)
      return failed(g->options->tokenizer, "the model makes tokens that the file has not");
    show(piece, length, held, &heldCount);
    next = &token;
    count = 1;
  }
  putchar('\n');
  return at_error() == AT_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool run(Generator *g, const Tokens *prompt)
{
  if (g->options->onlyIds) {
    for (size_t i = 0; i < prompt->count; i++)
      printf("%lld%c", (long long)prompt->ids[i], i + 1 < prompt->count ? ' ' : '\n');
    return true;
  }
  if (prompt->count == 0)
    return failed("TEXT", "it has no tokens");
  if (g->options->seeded)
    at_manualSeed((uint64_t)g->options->seed);
  g->model = at_program_load(g->options->model);
  const bool good = g->model && begin(g) && generate(g, prompt);
  if (at_error() != AT_OK)
    fprintf(stderr, "%s\n", at_error_message());
  for (int i = 1; i < MOST_PORTS; i++)
    at_release(g->state[i]);
  at_program_free(g->model);
  return good;
}

int main(int argc, char **argv)
{
  Options options = {.tokens = 100, .topK = 40, .temperature = 1};
  Tokens prompt = {NULL, 0, 0};
  const char *problem;
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  Tokenizer *const tokenizer = tokenizer_open(options.tokenizer, &problem);
  bool good = tokenizer ? tokenizer_encode(tokenizer, options.text, &prompt)
                        : failed(options.tokenizer, problem);
  if (tokenizer && !good)
    failed(options.tokenizer, "it has no tokens for all bytes of the text");
  if (good) {
    Generator generator = {.options = &options, .tokenizer = tokenizer};
    good = run(&generator, &prompt);
  }
  free(prompt.ids);
  tokenizer_close(tokenizer);
  return good ? 0 : 1;
}
