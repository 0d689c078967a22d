/* Byte-pair encoding as GPT-2 and its followers have it, read from the file tokenizer.json of the
 * package tokenizers.
 *
 *     Tokenizer *t = tokenizer_open("tokenizer.json", &problem);
 *     Tokens tokens = {0};
 *     if (tokenizer_encode(t, "Once upon", &tokens)) ...
 *     text = tokenizer_piece(t, tokens.ids[0], &length); */
#ifndef GENERATE_TOKENIZER_H
#define GENERATE_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Tokenizer Tokenizer;

typedef struct Tokens {
  int64_t *ids; /* to be freed */
  size_t count, capacity;
} Tokens;

/* Reads the file; NULL, and what is wrong, if it is no such file or takes too much memory. */
Tokenizer *tokenizer_open(const char *path, const char **problem);
void tokenizer_close(Tokenizer *t); /* NULL is accepted */

/* Appends the tokens of a text, which is UTF-8; false if there is no memory, or a byte of the text has no token. */
bool tokenizer_encode(const Tokenizer *t, const char *text, Tokens *tokens);

/* The bytes of a token, which need not be whole characters; NULL if there is no such token. */
const char *tokenizer_piece(const Tokenizer *t, int64_t id, size_t *length);

/* The token of that name, such as "<|endoftext|>"; -1 if there is none. */
int64_t tokenizer_find(const Tokenizer *t, const char *name);

#endif
