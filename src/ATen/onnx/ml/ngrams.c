/* Counts of sequences of numbers: TfIdfVectorizer. */
#include "Ml.h"

/* A tree of n-grams: state 0 is none, and each token leads from a state to the one that is longer by it. */
typedef struct Ngrams {
  at_mlKey *steps; /* a state, a token, and the state after it; sorted */
  int64_t stepCount, stateCount;
  int64_t *columns; /* of each state; -1 if it is only the start of longer ones */
  int64_t width;    /* of the result */
  int64_t least, most, skips;
  bool isCounted, isWeighted; /* what is written: a count or 1, times a weight or not */
  /* The columns that n-grams have, each once: an untrusted file may name a column far from all others. */
  int64_t *used;
  int64_t usedCount;
  double *weights; /* of each column in used; NULL if all are 1 */
} Ngrams;

/* --- reading ----------------------------------------------------------------------------------- */

/* The n-grams of one length in the list of tokens. */
typedef struct Pool {
  const int64_t *tokens, *columns;
  int64_t count, length;
} Pool;

/* Adds a step for each start of so many tokens, one for those that are equal; ends become the states
 * behind them. */
static void add_level(Ngrams *m, const Pool *pool, int64_t level, int64_t *ends, at_mlKey *found)
{
  for (int64_t g = 0; g < pool->count; g++)
    found[g] = (at_mlKey){ends[g], pool->tokens[g * pool->length + level], g};
  at_mlSort(found, pool->count);
  for (int64_t k = 0; k < pool->count; k++) {
    const at_mlKey key = found[k];
    const bool isNew =
        k == 0 || key.first != found[k - 1].first || key.second != found[k - 1].second;
    const int64_t old = at_mlFind(m->steps, m->stepCount, key.first, key.second);
    const bool isKnown = old < m->stepCount && m->steps[old].first == key.first &&
                         m->steps[old].second == key.second;
    if (isKnown)
      ends[key.index] = m->steps[old].index;
    else if (isNew)
      ends[key.index] = m->stateCount++;
    else
      ends[key.index] = ends[found[k - 1].index];
  }
}

/* Makes the new states of a level steps, which at_mlFind sees from then on. */
static void keep_level(Ngrams *m, int64_t before, const Pool *pool, const int64_t *ends,
                       const at_mlKey *found)
{
  int64_t next = before;
  for (int64_t k = 0; k < pool->count; k++)
    if (ends[found[k].index] == next) {
      m->steps[m->stepCount++] = (at_mlKey){found[k].first, found[k].second, next};
      next++;
    }
  at_mlSort(m->steps, m->stepCount);
}

static void read_pool(const at_mlSource *s, Ngrams *m, const Pool *pool)
{
  int64_t *const ends = at_mlTake(s, pool->count, sizeof *ends);
  at_mlKey *const found = at_mlTake(s, pool->count, sizeof *found);
  for (int64_t level = 0; level < pool->length; level++) {
    const int64_t before = m->stateCount;
    add_level(m, pool, level, ends, found);
    keep_level(m, before, pool, ends, found);
  }
  for (int64_t g = 0; g < pool->count; g++) {
    if (m->columns[ends[g]] >= 0)
      at_mlFails(s, "an n-gram is twice in its pool");
    m->columns[ends[g]] = pool->columns[g];
  }
}

static void read_pools(const at_mlSource *s, Ngrams *m)
{
  const at_mlInts tokens = at_mlIntsOf(s, "pool_int64s", -1),
                  starts = at_mlIntsOf(s, "ngram_counts", -1),
                  columns = at_mlIntsOf(s, "ngram_indexes", -1);
  int64_t column = 0;
  m->steps = at_mlTake(s, tokens.count, sizeof *m->steps);
  m->columns = at_mlTake(s, tokens.count + 1, sizeof *m->columns);
  memset(m->columns, -1, (size_t)(tokens.count + 1) * sizeof *m->columns);
  m->stateCount = 1;
  for (int64_t n = 1; n <= starts.count; n++) {
    const int64_t start = starts.data[n - 1],
                  end = n < starts.count ? starts.data[n] : tokens.count;
    if (start < 0 || start > end || end > tokens.count || (end - start) % n ||
        (end - start) / n > columns.count - column)
      at_mlFails(s, "its n-grams of %lld tokens are from %lld to %lld of %lld tokens", (long long)n,
                 (long long)start, (long long)end, (long long)tokens.count);
    const Pool pool = {tokens.data + start, columns.data + column, (end - start) / n, n};
    column += pool.count;
    if (n >= m->least && n <= m->most)
      read_pool(s, m, &pool);
  }
  if (column != columns.count || starts.count < m->most)
    at_mlFails(s, "there are %lld n-grams of up to %lld tokens, and %lld columns",
               (long long)column, (long long)starts.count, (long long)columns.count);
}

/* Lists each column once, with the weight of the last n-gram that has it. */
static void use_columns(const at_mlSource *s, Ngrams *m, at_mlInts columns, at_mlFloats weights)
{
  at_mlKey *const keys = at_mlTake(s, columns.count, sizeof *keys);
  for (int64_t i = 0; i < columns.count; i++)
    keys[i] = (at_mlKey){columns.data[i], i, i};
  at_mlSort(keys, columns.count);
  m->used = at_mlTake(s, columns.count, sizeof *m->used);
  m->weights = weights.count > 0 ? at_mlTake(s, columns.count, sizeof *m->weights) : NULL;
  for (int64_t k = 0; k < columns.count; k++) {
    if (k + 1 < columns.count && keys[k + 1].first == keys[k].first)
      continue;
    if (m->weights)
      m->weights[m->usedCount] = weights.data[keys[k].index];
    m->used[m->usedCount++] = keys[k].first;
  }
}

static void read_columns(const at_mlSource *s, Ngrams *m)
{
  const at_mlInts columns = at_mlIntsOf(s, "ngram_indexes", -1);
  const at_mlFloats weights = at_mlFloatsOf(s, "weights", -1);
  for (int64_t i = 0; i < columns.count; i++) {
    if (columns.data[i] < 0 || columns.data[i] >= INT32_MAX)
      at_mlFails(s, "a column is %lld", (long long)columns.data[i]);
    m->width = THMax(m->width, columns.data[i] + 1);
  }
  if (weights.count > 0 && weights.count != columns.count)
    at_mlFails(s, "there are %lld weights for %lld n-grams", (long long)weights.count,
               (long long)columns.count);
  use_columns(s, m, columns, m->isWeighted ? weights : (at_mlFloats){0, NULL});
}

const void *at_prepareTfIdf(at_names *names, const at_onnxItem *item)
{
  static const char *const modes[] = {"TF", "IDF", "TFIDF"};
  const at_mlSource s = {names, item};
  Ngrams *const m = at_mlTake(&s, 1, sizeof *m);
  const int mode = at_mlChoice(&s, "mode", "", modes, 3);
  m->least = at_mlInt(&s, "min_gram_length", 1);
  m->most = at_mlInt(&s, "max_gram_length", 1);
  m->skips = at_mlInt(&s, "max_skip_count", 0);
  m->isCounted = mode != 1;
  m->isWeighted = mode != 0;
  if (at_mlHas(&s, "pool_strings"))
    at_mlFails(&s, "its n-grams are texts, which are no tensors");
  if (m->least < 1 || m->most < m->least || m->skips < 0)
    at_mlFails(&s, "n-grams are of %lld to %lld tokens, with %lld skipped", (long long)m->least,
               (long long)m->most, (long long)m->skips);
  read_columns(&s, m);
  read_pools(&s, m);
  return m;
}

/* --- runs -------------------------------------------------------------------------------------- */

/* Counts the n-grams of tokens that are so far apart, from a number of tokens on. */
static void count_apart(const Ngrams *m, const int64_t *row, int64_t length, int64_t apart,
                        int64_t least, float *counts)
{
  for (int64_t start = 0; start < length; start++) {
    int64_t state = 0, at = start;
    for (int64_t n = 1; n <= m->most && at < length; n++, at += apart) {
      const int64_t k = at_mlFind(m->steps, m->stepCount, state, row[at]);
      if (k == m->stepCount || m->steps[k].first != state || m->steps[k].second != row[at])
        break;
      state = m->steps[k].index;
      if (n >= least && m->columns[state] >= 0)
        counts[m->columns[state]]++;
    }
  }
}

static void weigh(const Ngrams *m, float *counts)
{
  for (int64_t k = 0; k < m->usedCount; k++) {
    float *const count = &counts[m->used[k]];
    if (!m->isCounted)
      *count = (float)(*count > 0);
    if (m->weights)
      *count *= (float)m->weights[k];
  }
}

/* One token is the same whatever is skipped, and counted once. */
void at_runTfIdf(at_onnxCall *c)
{
  const Ngrams *const m = c->state;
  at_tensor *const x = at_onnxPlain(c, at_onnxInput(c, 0), AT_LONG);
  const int dims = at_dim(x);
  if (dims != 1 && dims != 2)
    AT_ONNX_FAILS(c, "the input is of size %s, and has to be rows of integers",
                  at_sizeDesc(at_sizes(x)).str);
  const int64_t rows = dims == 2 ? at_size(x, 0) : 1, length = at_size(x, dims - 1);
  const int64_t sizes[] = {rows, m->width};
  at_tensor *const made = at_zeros(((at_ints){sizes + 2 - dims, dims}));
  for (int64_t r = 0; at_defined(made) && r < rows && m->width > 0; r++) {
    float *const counts = (float *)at_hostData(made) + r * m->width;
    const int64_t *const row = (const int64_t *)at_hostData(x) + r * length;
    for (int64_t skip = 0; skip <= m->skips && skip <= length; skip++)
      count_apart(m, row, length, skip + 1, skip == 0 ? m->least : THMax(m->least, 2), counts);
    weigh(m, counts);
  }
  at_onnxGive(c, 0, made);
}
