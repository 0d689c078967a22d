/* The smallest program that carries ATen: words become vectors, and a question finds its nearest.
 *
 *     cc embed.c $(pkg-config --cflags --libs aten) -o embed && ./embed tensors
 *     tensor     0.93
 *
 * A word's vector counts its letters and its pairs of letters, pressed into 64 numbers by a random
 * matrix: words that are spelled alike lie near each other.  Nothing is read and nothing is kept:
 * the scope frees what it made. */
#include <ATen/ATen.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 26, PAIRS = LETTERS * LETTERS, FEATURES = LETTERS + PAIRS, WIDTH = 64 };

static const char *const words[] = {"tensor", "sensor",   "tenor",  "storage", "forage", "porridge",
                                    "matrix", "mattress", "stride", "bride",   "view",   "review"};
enum { WORDS = sizeof words / sizeof *words };

/* Letters and pairs of letters of the word, counted in a row of FEATURES floats. */
static void count(const char *word, float *row)
{
  for (int before = -1; *word; word++) {
    const int letter = tolower((unsigned char)*word) - 'a';
    if (letter < 0 || letter >= LETTERS)
      continue;
    row[letter] += 1;
    if (before >= 0)
      row[LETTERS + before * LETTERS + letter] += 1;
    before = letter;
  }
}

int main(int argc, char **argv)
{
  at_manualSeed(1);
  AT_SCOPE
  {
    at_tensor *counts = at_zeros(AT_SHAPE(WORDS + 1, FEATURES));
    if (at_defined(counts)) {
      for (int i = 0; i < WORDS; i++)
        count(words[i], (float *)at_data(counts) + i * FEATURES);
      count(argc > 1 ? argv[1] : "tensors", (float *)at_data(counts) + WORDS * FEATURES);
    }
    at_tensor *vectors = at_mm(counts, at_randn(AT_SHAPE(FEATURES, WIDTH)));
    at_tensor *lengths = at_norm_dim(vectors, at_scalar(2), AT_SHAPE(1), .keepdim = true);
    at_tensor *unit = at_div(vectors, at_clamp_min(lengths, at_scalar(1e-6)));
    at_tensor *near = at_mv(at_narrow(unit, 0, 0, WORDS), at_select(unit, 0, WORDS));
    const at_values_indices best = at_topk(near, 3);

    if (at_error() != AT_OK)
      fprintf(stderr, "%s\n", at_error_message());
    for (int64_t i = 0; i < at_numel(best.values); i++)
      printf("%-10s %.2f\n", words[((int64_t *)at_data(best.indices))[i]],
             ((float *)at_data(best.values))[i]);
  }
  return at_error() != AT_OK;
}
