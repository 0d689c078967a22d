/* A text is cut into words by GPT-2's rules; the bytes of each become characters that can be printed,
 * and neighbours that stand first in the list of merges are joined until none is left.  (Sennrich,
 * Neural machine translation of rare words with subword units, 2016; the rules are those of GPT-2's
 * expression 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+) */
#define _GNU_SOURCE /* iswalpha_l */
#include "tokenizer.h"

#include <jansson.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wctype.h>

enum { MOST_BYTES = 64 << 20, MOST_TOKENS = 1 << 20, MOST_WORD = 4096 };

typedef struct Piece {
  char *bytes;
  size_t length;
} Piece;

struct Tokenizer {
  json_t *ranks; /* of "a b": when the two are joined */
  json_t *ids;   /* of a token, as it is written in the file */
  Piece *pieces;
  int64_t count;
  locale_t locale; /* which knows letters and digits */
};

/* --- bytes as characters ---------------------------------------------------------------------- */

/* Bytes that can be printed stand for themselves, the others for characters from 256 on, in order. */
static bool is_printed(int byte)
{
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

static int character_of(int byte)
{
  int others = 0;
  for (int b = 0; b < byte; b++)
    others += !is_printed(b);
  return is_printed(byte) ? byte : 256 + others;
}

/* The byte that a character stands for; -1 if it stands for none. */
static int byte_of(int character)
{
  for (int b = 0; b < 256; b++)
    if (character_of(b) == character)
      return b;
  return -1;
}

/* Writes a character below 0x800 as UTF-8; returns its length. */
static size_t put_character(char *to, int c)
{
  if (c < 0x80) {
    *to = (char)c;
    return 1;
  }
  to[0] = (char)(0xc0 | c >> 6);
  to[1] = (char)(0x80 | (c & 0x3f));
  return 2;
}

/* The character at the start of a text, which is UTF-8 or bytes that stand for themselves. */
static int32_t take_character(const char *text, size_t left, size_t *length)
{
  const unsigned char *const b = (const unsigned char *)text;
  const size_t size = b[0] < 0xc2 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 1;
  *length = 1;
  if (size == 1 || size > left)
    return b[0];
  int32_t c = b[0] & (0x7f >> size);
  for (size_t i = 1; i < size; i++) {
    if ((b[i] & 0xc0) != 0x80)
      return b[0];
    c = c << 6 | (b[i] & 0x3f);
  }
  *length = size;
  return c;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The bytes of a token of the vocabulary; one that is added stands for itself. */
static bool set_piece(Tokenizer *t, int64_t id, const char *name, bool isAdded)
{
  const size_t length = strlen(name);
  Piece *const piece = &t->pieces[id];
  if (id >= t->count)
    t->count = id + 1;
  free(piece->bytes);
  piece->length = 0;
  piece->bytes = malloc(length + 1);
  if (!piece->bytes)
    return false;
  for (size_t at = 0, size; at < length; at += size) {
    const int byte = byte_of(take_character(name + at, length - at, &size));
    if (isAdded || byte < 0)
      for (size_t i = 0; i < size; i++)
        piece->bytes[piece->length++] = name[at + i];
    else
      piece->bytes[piece->length++] = (char)byte;
  }
  piece->bytes[piece->length] = '\0';
  return true;
}

static bool read_token(Tokenizer *t, const char *name, const json_t *number, bool isAdded)
{
  const json_int_t id = json_integer_value(number);
  return name && json_is_integer(number) && id >= 0 && id < MOST_TOKENS &&
         set_piece(t, id, name, isAdded) && !json_object_set_new(t->ids, name, json_integer(id));
}

static bool read_vocabulary(Tokenizer *t, const json_t *root)
{
  const json_t *const vocabulary = json_object_get(json_object_get(root, "model"), "vocab");
  const json_t *const added = json_object_get(root, "added_tokens");
  if (!json_is_object(vocabulary))
    return false;
  for (void *i = json_object_iter((json_t *)vocabulary); i;
       i = json_object_iter_next((json_t *)vocabulary, i))
    if (!read_token(t, json_object_iter_key(i), json_object_iter_value(i), false))
      return false;
  for (size_t i = 0; i < json_array_size(added); i++) {
    const json_t *const one = json_array_get(added, i);
    if (!read_token(t, json_string_value(json_object_get(one, "content")),
                    json_object_get(one, "id"), true))
      return false;
  }
  return true;
}

/* A merge is a text with a space, or a list of two texts. */
static bool read_merge(Tokenizer *t, const json_t *merge, size_t rank)
{
  char key[2 * MOST_WORD + 2];
  const char *const whole = json_string_value(merge),
                    *const first = json_string_value(json_array_get(merge, 0)),
                    *const second = json_string_value(json_array_get(merge, 1));
  if (!whole && (!first || !second || strlen(first) > MOST_WORD || strlen(second) > MOST_WORD))
    return false;
  if (!whole)
    snprintf(key, sizeof key, "%s %s", first, second);
  return !json_object_set_new(t->ranks, whole ? whole : key, json_integer((json_int_t)rank));
}

static bool read_merges(Tokenizer *t, const json_t *root)
{
  const json_t *const merges = json_object_get(json_object_get(root, "model"), "merges");
  if (!json_is_array(merges))
    return false;
  for (size_t i = 0; i < json_array_size(merges); i++)
    if (!read_merge(t, json_array_get(merges, i), i))
      return false;
  return true;
}

static const char *read_all(Tokenizer *t, const char *path)
{
  struct stat status;
  json_error_t error;
  if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size > MOST_BYTES)
    return "it is no file of at most 64 MB";
  t->ids = json_object();
  t->ranks = json_object();
  t->pieces = calloc(MOST_TOKENS, sizeof *t->pieces);
  t->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!t->ids || !t->ranks || !t->pieces || !t->locale)
    return "there is no memory, or no locale C.UTF-8";
  json_t *const root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    return "it is no JSON";
  const bool good = read_vocabulary(t, root) && read_merges(t, root);
  json_decref(root);
  return good ? NULL : "it has no vocabulary and merges of byte pairs";
}

Tokenizer *tokenizer_open(const char *path, const char **problem)
{
  Tokenizer *const t = calloc(1, sizeof *t);
  *problem = t ? read_all(t, path) : "there is no memory";
  if (!*problem)
    return t;
  tokenizer_close(t);
  return NULL;
}

void tokenizer_close(Tokenizer *t)
{
  if (!t)
    return;
  for (int64_t i = 0; i < t->count; i++)
    free(t->pieces[i].bytes);
  free(t->pieces);
  json_decref(t->ids);
  json_decref(t->ranks);
  if (t->locale)
    freelocale(t->locale);
  free(t);
}

const char *tokenizer_piece(const Tokenizer *t, int64_t id, size_t *length)
{
  if (id < 0 || id >= t->count || !t->pieces[id].bytes)
    return NULL;
  *length = t->pieces[id].length;
  return t->pieces[id].bytes;
}

int64_t tokenizer_find(const Tokenizer *t, const char *name)
{
  const json_t *const id = json_object_get(t->ids, name);
  return id ? json_integer_value(id) : -1;
}

/* --- words ------------------------------------------------------------------------------------ */

typedef enum Class { SPACE, LETTER, DIGIT, OTHER } Class;

static Class class_at(const Tokenizer *t, const char *text, size_t left, size_t *length)
{
  const wint_t c = (wint_t)take_character(text, left, length);
  if (iswspace_l(c, t->locale) || c == 0xa0)
    return SPACE;
  if ((c >= '0' && c <= '9') || (c > 127 && iswdigit_l(c, t->locale)))
    return DIGIT;
  return iswalpha_l(c, t->locale) ? LETTER : OTHER;
}

/* How many bytes from the start are of that class. */
static size_t run_of(const Tokenizer *t, const char *text, size_t left, Class class, size_t *last)
{
  size_t at = 0, length;
  *last = 0;
  while (at < left && class_at(t, text + at, left - at, &length) == class) {
    *last = length;
    at += length;
  }
  return at;
}

static size_t contraction_at(const char *text, size_t left)
{
  static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (left >= strlen(endings[i]) && !memcmp(text, endings[i], strlen(endings[i])))
      return strlen(endings[i]);
  return 0;
}

/* The length of the first word: letters, digits or others, each perhaps after a space; or spaces, of
 * which the last one belongs to what follows. */
static size_t word_at(const Tokenizer *t, const char *text, size_t left)
{
  size_t length, last;
  const size_t ending = contraction_at(text, left), space = *text == ' ' && left > 1;
  if (ending)
    return ending;
  const Class class = class_at(t, text + space, left - space, &length);
  if (class != SPACE)
    return space + run_of(t, text + space, left - space, class, &last);
  const size_t spaces = run_of(t, text, left, SPACE, &last);
  return spaces == left || spaces == last ? spaces : spaces - last;
}

/* --- merging ---------------------------------------------------------------------------------- */

/* A word as characters, cut into parts: where each begins, and where the last one ends. */
typedef struct Word {
  char text[2 * MOST_WORD + 1];
  size_t starts[MOST_WORD + 1];
  size_t count;
} Word;

static json_int_t rank_of(const Tokenizer *t, const Word *w, size_t part)
{
  char key[2 * MOST_WORD + 2];
  const size_t first = w->starts[part], middle = w->starts[part + 1], end = w->starts[part + 2];
  memcpy(key, w->text + first, middle - first);
  key[middle - first] = ' ';
  memcpy(key + middle - first + 1, w->text + middle, end - middle);
  const json_t *const rank = json_object_getn(t->ranks, key, end - first + 1);
  return rank ? json_integer_value(rank) : INT64_MAX;
}

static void merge(const Tokenizer *t, Word *w)
{
  for (;;) {
    json_int_t least = INT64_MAX;
    size_t best = 0;
    for (size_t i = 0; i + 1 < w->count; i++) {
      const json_int_t rank = rank_of(t, w, i);
      best = rank < least ? i : best;
      least = rank < least ? rank : least;
    }
    if (least == INT64_MAX)
      return;
    memmove(&w->starts[best + 1], &w->starts[best + 2], (w->count - best - 1) * sizeof *w->starts);
    w->count--;
  }
}

static bool add_token(Tokens *tokens, int64_t id)
{
  if (tokens->count == tokens->capacity) {
    const size_t capacity = 2 * tokens->capacity + 64;
    int64_t *const ids = realloc(tokens->ids, capacity * sizeof *ids);
    if (!ids)
      return false;
    tokens->ids = ids;
    tokens->capacity = capacity;
  }
  tokens->ids[tokens->count++] = id;
  return true;
}

static bool encode_word(const Tokenizer *t, Word *w, const char *text, size_t length,
                        Tokens *tokens)
{
  size_t end = 0;
  w->count = length;
  for (size_t i = 0; i < length; i++) {
    w->starts[i] = end;
    end += put_character(w->text + end, character_of((unsigned char)text[i]));
  }
  w->starts[length] = end;
  merge(t, w);
  for (size_t i = 0; i < w->count; i++) {
    const json_t *const id =
        json_object_getn(t->ids, w->text + w->starts[i], w->starts[i + 1] - w->starts[i]);
    if (!id || !add_token(tokens, json_integer_value(id)))
      return false;
  }
  return true;
}

bool tokenizer_encode(const Tokenizer *t, const char *text, Tokens *tokens)
{
  Word *const w = malloc(sizeof *w);
  bool good = w != NULL;
  for (size_t left = strlen(text); left > 0 && good;) {
    size_t length = word_at(t, text, left);
    length = length < MOST_WORD ? length : MOST_WORD; /* a longer word is cut */
    good = encode_word(t, w, text, length, tokens);
    text += length;
    left -= length;
  }
  free(w);
  return good;
}
