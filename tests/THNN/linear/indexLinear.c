/* The linear layer of keys and values against loops over a dense matrix, and its steps against
 * differences of its output. */
#include "THNN.h"
#include "THTemplate.h"

#include "../../TH/index/index_tensors.h"
#include "th_faults.h"

enum { EXTRA = 4 };

typedef struct Operands {
  int64_t batch, rows, outputs, count, offset;
  int extra; /* 0 or EXTRA */
  THIndexTensor *keys, *sizes;
  THTensor *values, *weight, *bias, *gradOutput;
  THTensor *output, *normalized, *gradWeight, *gradBias, *rowGradient;
} Operands;

static void open_operands(Operands *o, th_random *random, int layout)
{
  o->sizes = new_indices(layout, random, 0, 5, TH_SHAPE(o->batch));
  o->count = 0;
  for (int64_t j = 0; j < o->batch; j++)
    o->count += *index_at(o->sizes, j);
  if (!o->count)
    o->count = *index_at(o->sizes, 0) = 1;
  o->keys = new_indices(layout, random, -o->offset, o->rows, TH_SHAPE(o->count));
  o->values = THTest_(tensor)(layout, 1, TH_SHAPE(o->count));
  o->weight = THTest_(tensor)(layout, 2, TH_SHAPE(o->rows, o->outputs + o->extra));
  for (int64_t r = 0; r < o->rows && o->extra; r++) {
    const real most = (real)(1 + th_random_below(random, 40)) / 4;
    *THTest_(at)(o->weight, r * (o->outputs + EXTRA)) = most;
    *THTest_(at)(o->weight, r * (o->outputs + EXTRA) + 1) = 1 / most;
    *THTest_(at)(o->weight, r * (o->outputs + EXTRA) + 2) = (real)0.75;
  }
  o->bias = THTest_(tensor)(layout, 3, TH_SHAPE(o->outputs));
  o->gradOutput = THTest_(tensor)(layout, 4, TH_SHAPE(o->batch, o->outputs));
  o->gradBias = THTest_(tensor)(layout, 5, TH_SHAPE(o->outputs));
  o->rowGradient = THTest_(tensor)(layout, 6, TH_SHAPE(o->count, o->outputs * (o->extra ? 2 : 1)));
  o->output = THTensor_(new)();
  o->normalized = THTensor_(new)();
  o->gradWeight = THTensor_(new)();
}

static void tear_down(Operands *o)
{
  THTensor *all[] = {o->values, o->weight,     o->bias,       o->gradOutput, o->gradBias,
                     o->output, o->normalized, o->gradWeight, o->rowGradient};
  for (int k = 0; k < 9; k++)
    THTensor_(free)(all[k]);
  THIndexTensor_(free)(o->keys);
  THIndexTensor_(free)(o->sizes);
}

static void watch(Operands *o)
{
  WATCH(o->keys);
  WATCH(o->sizes);
  WATCH(o->values);
  WATCH(o->weight);
  WATCH(o->bias);
  WATCH(o->gradOutput);
  WATCH(o->gradBias);
  WATCH(o->output);
  WATCH(o->normalized);
  WATCH(o->gradWeight);
  WATCH(o->rowGradient);
}

static void set_up(Operands *o)
{
  th_random random = {th_seed()};
  *o = (Operands){.batch = 4, .rows = 6, .outputs = 3, .offset = -1, .extra = EXTRA};
  open_operands(o, &random, TH_STRIDED);
  watch(o);
}

#define ROW(NAME, SUFFIX, ...)                                \
  FAULT(NAME##SUFFIX, THNN_(IndexLinear_##NAME)(__VA_ARGS__)) \
  static void NAME##SUFFIX(Operands *o)                       \
  {                                                           \
    THNN_(IndexLinear_##NAME)(__VA_ARGS__);                   \
  }
#define LISTS NULL, o->keys, o->offset, o->values, o->sizes, NULL
ROW(updateOutput, , LISTS, o->output, o->weight, o->bias, o->normalized, 0)
ROW(updateOutput, Train, LISTS, o->output, o->weight, o->bias, o->normalized, 1)
ROW(accGradParameters, , LISTS, o->gradOutput, o->gradWeight, o->gradBias, o->weight, o->bias, NULL,
    0.125, 2)
ROW(accUpdateGradParameters, , LISTS, o->gradOutput, o->weight, o->bias, 0.125, 0.5)
ROW(updateParameters, , NULL, o->rowGradient, o->gradBias, o->weight, o->bias, o->keys, NULL,
    o->offset, 0.125, 0.5)

/* --- against loops --------------------------------------------------------------------------- */

static double *doubles(THTensor *t)
{
  double *values = calloc((size_t)THTest_(count)(t) + 1, sizeof *values);
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++)
    values[i] = (double)*THTest_(at)(t, i);
  return values;
}

static void check_all(const char *name, THTensor *t, const double *want)
{
  for (ptrdiff_t i = 0; i < THTest_(count)(t); i++) {
    const double got = (double)*THTest_(at)(t, i);
    CHECK_MSG(fabs(got - want[i]) <= (sizeof(real) == 4 ? 2e-4 : 1e-11) * (1 + fabs(want[i])),
              "%s[%td] is %.17g, not %.17g", name, i, got, want[i]);
  }
}

/* The step of one entry: g and d are the gradients of shift and weights. */
static void step(const Operands *o, double *row, const double *g, double gFactor, const double *d,
                 double dFactor)
{
  const double rate = o->extra ? row[2] : 1;
  double shift = 0;
  for (int64_t k = 0; k < o->outputs && o->extra; k++)
    shift += gFactor * g[k] * row[EXTRA + k];
  if (o->extra)
    row[3] -= rate * shift;
  for (int64_t k = 0; k < o->outputs; k++)
    row[o->extra + k] -= rate * (dFactor * d[k] + 0.125 * row[o->extra + k]);
}

/* The operands of a round, and the results that the obvious loops compute. */
typedef struct {
  double *w, *b, *x, *g, *db, *d, *y, *dw;
  int64_t *owner; /* the example of each index */
} Round;

static double *row_of(const Operands *o, const Round *r, int64_t i)
{
  return r->w + (*index_at(o->keys, i) + o->offset) * (o->outputs + o->extra);
}

static void naive_output(const Operands *o, const Round *r, int train)
{
  const int64_t n = o->outputs;
  for (int64_t i = 0; i < o->batch * n; i++)
    r->y[i] = r->b[i % n];
  for (int64_t i = 0; i < o->count; i++) {
    double *row = row_of(o, r, i);
    if (o->extra && train) {
      if (fabs(r->x[i]) > row[0]) {
        row[0] = fabs(r->x[i]);
        row[1] = 1 / row[0];
      }
      row[2] = 1;
    }
    if (o->extra)
      r->x[i] = fmax(-1, fmin(1, r->x[i] / row[0])) + row[3];
    for (int64_t k = 0; k < n; k++)
      r->y[r->owner[i] * n + k] += r->x[i] * row[o->extra + k];
  }
}

static void check_output(Operands *o, const Round *r, int train)
{
  const int64_t n = o->outputs;
  if (train)
    updateOutputTrain(o);
  else
    updateOutput(o);
  check_all("output", o->output, r->y);
  check_all("weight", o->weight, r->w);
  CHECK(o->output->nDimension == 2 && o->output->size[0] == o->batch && o->output->size[1] == n);
  if (o->extra) {
    CHECK(THTest_(count)(o->normalized) == o->count);
    check_all("normalizedValues", o->normalized, r->x);
    THTensor *values = o->values;
    o->values = o->normalized;
    o->normalized = values;
  } else {
    CHECK(o->normalized->nDimension == 0);
  }
}

static void check_gradients(Operands *o, const Round *r)
{
  const int64_t n = o->outputs, part = o->extra ? 2 * n : n;
  for (int64_t i = 0; i < o->count; i++)
    for (int64_t k = 0; k < n; k++) {
      r->dw[i * part + k] = 2 * r->g[r->owner[i] * n + k];
      r->dw[i * part + part - n + k] = 2 * r->x[i] * r->g[r->owner[i] * n + k];
    }
  for (int64_t i = 0; i < o->batch * n; i++)
    r->db[i % n] += 2 * r->g[i];
  accGradParameters(o);
  CHECK(o->gradWeight->nDimension == 2 && o->gradWeight->size[0] == o->count &&
        o->gradWeight->size[1] == part);
  check_all("gradWeight", o->gradWeight, r->dw);
  check_all("gradBias", o->gradBias, r->db);
}

static void check_updates(Operands *o, const Round *r)
{
  const int64_t n = o->outputs, part = o->extra ? 2 * n : n;
  for (int64_t i = 0; i < o->count; i++)
    step(o, row_of(o, r, i), r->d + i * part, 0.5, r->d + i * part + part - n, 0.5);
  for (int64_t k = 0; k < n; k++)
    r->b[k] -= 0.5 * r->db[k];
  updateParameters(o);
  check_all("weight after updateParameters", o->weight, r->w);
  check_all("bias after updateParameters", o->bias, r->b);

  for (int64_t i = 0; i < o->count; i++)
    step(o, row_of(o, r, i), r->g + r->owner[i] * n, 0.5, r->g + r->owner[i] * n, 0.5 * r->x[i]);
  for (int64_t i = 0; i < o->batch * n; i++)
    r->b[i % n] -= 0.5 * r->g[i];
  accUpdateGradParameters(o);
  check_all("weight after accUpdateGradParameters", o->weight, r->w);
  check_all("bias after accUpdateGradParameters", o->bias, r->b);
}

static void check_round(Operands *o, int train)
{
  const int64_t n = o->outputs, part = o->extra ? 2 * n : n;
  Round r = {.w = doubles(o->weight),
             .b = doubles(o->bias),
             .x = doubles(o->values),
             .g = doubles(o->gradOutput),
             .db = doubles(o->gradBias),
             .d = doubles(o->rowGradient),
             .y = calloc((size_t)(o->batch * n), sizeof(double)),
             .dw = calloc((size_t)(o->count * part), sizeof(double)),
             .owner = calloc((size_t)o->count, sizeof(int64_t))};
  real *around = THTest_(storageValues)(o->weight);
  for (int64_t j = 0, i = 0; j < o->batch; j++)
    for (int64_t k = 0; k < *index_at(o->sizes, j); k++)
      r.owner[i++] = j;
  naive_output(o, &r, train);
  check_output(o, &r, train);
  check_gradients(o, &r);
  check_updates(o, &r);
  CHECK_OUTSIDE(o->weight, around);
  void *all[] = {r.w, r.b, r.x, r.g, r.db, r.d, r.y, r.dw, r.owner, around};
  for (int k = 0; k < 10; k++)
    free(all[k]);
}

static void THTest_(IndexLinear)(void)
{
  static const int layouts[] = {TH_CONTIGUOUS, TH_TRANSPOSED, TH_STRIDED, TH_NARROWED, TH_OFFSET};
  th_random random = {th_seed()};
  for (int round = 0; round < 60; round++) {
    const int layout = layouts[round % 5], train = round % 3 == 0;
    Operands o = {.batch = 1 + th_random_below(&random, 5),
                  .rows = 1 + th_random_below(&random, 9),
                  .outputs = round % 4 ? 1 + th_random_below(&random, round % 8 == 5 ? 300 : 6) : 1,
                  .offset = th_random_below(&random, 5) - 3,
                  .extra = round % 2 ? EXTRA : 0};
    open_operands(&o, &random, layout);
    th_note("%lld entries, batch %lld, %lld rows, %lld outputs, %d more, train %d, %s, seed %llu",
            (long long)o.count, (long long)o.batch, (long long)o.rows, (long long)o.outputs,
            o.extra, train, th_layout_names[layout], (unsigned long long)th_seed());
    check_round(&o, train);
    tear_down(&o);
  }
}

static double loss(Operands *o)
{
  double sum = 0;
  updateOutput(o);
  for (ptrdiff_t i = 0; i < o->batch * o->outputs; i++)
    sum += (double)*THTest_(at)(o->output, i) * (double)*THTest_(at)(o->gradOutput, i);
  return sum;
}

/* The derivative of the loss by *at, as a difference of any size: the loss is linear in each
 * weight, shift and bias by itself. */
static double derivative(Operands *o, real *at)
{
  const real before = *at;
  const double from = loss(o);
  *at = before + 1;
  const double growth = loss(o) - from;
  *at = before;
  return growth;
}

/* Without decay, a step is the derivative times the rate, where no key comes twice. */
static void THTest_(indexDerivative)(void)
{
  th_random random = {th_seed()};
  for (int round = 0; round < 20; round++) {
    th_note("round %d, seed %llu", round, (unsigned long long)th_seed());
    Operands o = {.batch = 1 + th_random_below(&random, 5),
                  .rows = 25,
                  .outputs = 1 + th_random_below(&random, 40),
                  .offset = -2,
                  .extra = round % 2 ? EXTRA : 0};
    open_operands(&o, &random, TH_CONTIGUOUS);
    for (int64_t i = 0; i < o.count; i++)
      *index_at(o.keys, i) = (7 * i + 3) % o.rows - o.offset;
    const int64_t width = o.outputs + o.extra;
    double *want = doubles(o.weight), *bias = doubles(o.bias);
    for (int64_t i = 0; i < o.count; i++) {
      const int64_t row = *index_at(o.keys, i) + o.offset;
      for (int64_t k = o.extra ? EXTRA - 1 : 0; k < width; k++) {
        const double rate = o.extra ? 0.75 : 1;
        want[row * width + k] -=
            0.25 * rate * derivative(&o, THTest_(at)(o.weight, row * width + k));
      }
    }
    for (int64_t k = 0; k < o.outputs; k++)
      bias[k] -= 0.25 * derivative(&o, THTest_(at)(o.bias, k));
    updateOutput(&o);
    THTensor_(zero)(o.gradBias);
    THNN_(IndexLinear_accGradParameters)(NULL, o.keys, o.offset, o.extra ? o.normalized : o.values,
                                         o.sizes, NULL, o.gradOutput, o.gradWeight, o.gradBias,
                                         o.weight, o.bias, NULL, 0, 1);
    THNN_(IndexLinear_updateParameters)(NULL, o.gradWeight, o.gradBias, o.weight, o.bias, o.keys,
                                        NULL, o.offset, 0, 0.25);
    check_all("weight", o.weight, want);
    check_all("bias", o.bias, bias);
    free(want);
    free(bias);
    tear_down(&o);
  }
}

/* Results have the same bits for any number of threads. */
static void THTest_(indexThreads)(void)
{
  const int threads = THGetNumThreads();
  real *first[2] = {NULL};
  for (int n = 1; n <= 4; n++) {
    THSetNumThreads(n);
    th_random random = {th_seed()};
    Operands o = {.batch = 3000, .rows = 300, .outputs = 20, .extra = EXTRA};
    open_operands(&o, &random, TH_CONTIGUOUS);
    updateOutput(&o);
    accUpdateGradParameters(&o);
    updateParameters(&o);
    THTensor *results[] = {o.output, o.weight};
    for (int k = 0; k < 2; k++) {
      if (first[k])
        CHECK(!memcmp(first[k], THTensor_(data)(results[k]),
                      (size_t)THTest_(count)(results[k]) * sizeof(real)));
      else
        first[k] = THTest_(values)(results[k]);
    }
    tear_down(&o);
  }
  THSetNumThreads(threads);
  free(first[0]);
  free(first[1]);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Keys and sizes out of range. */
static void THTest_(wrongKeys)(Operands *o)
{
  int64_t *key = index_at(o->keys, o->count - 1), *size = index_at(o->sizes, 1);
  const int64_t keyBefore = *key, sizeBefore = *size;
  static const int64_t keys[] = {0, 7, INT64_MIN, INT64_MAX}, sizes[] = {-1, 100, INT64_MAX};
  for (int i = 0; i < 7; i++) {
    *key = i < 4 ? keys[i] : keyBefore;
    *size = i < 4 ? sizeBefore : sizes[i - 4];
    th_note("wrong index %d", i);
    watch(o);
    const int argument = i < 4 ? 2 : 5;
    CHECK_RAISES(argument, i < 4 ? "out of range" : "size 1", updateOutputTrain(o));
    CHECK_RAISES(argument, i < 4 ? "out of range" : "size 1", accGradParameters(o));
    CHECK_RAISES(argument, i < 4 ? "out of range" : "size 1", accUpdateGradParameters(o));
    if (i < 4)
      CHECK_RAISES(6, "out of range", updateParameters(o));
    th_watch_check(1);
    th_watch_forget();
  }
  *size = 0;
  *index_at(o->sizes, 0) = *index_at(o->sizes, 2) = *index_at(o->sizes, 3) = 0;
  CHECK_RAISES(5, "sum up to 0", updateOutput(o));
}

static void THTest_(indexErrors)(void)
{
  Operands operands, *o = &operands;
  set_up(o);
  THTensor *odd = THTest_(tensor)(0, 1, TH_SHAPE(4, 2)), *two = THTest_(tensor)(0, 1, TH_SHAPE(2));
  const struct Case {
    THTensor **operand, *wrong;
    void (*call)(Operands *o);
    int argument;
    const char *text;
  } cases[] = {
      {&o->values, two, updateOutput, 4, "[2]"},
      {&o->weight, odd, updateOutput, 8, "[4 x 2]"},
      {&o->bias, odd, updateOutput, 9, "[4 x 2]"},
      {&o->bias, two, updateOutput, 8, "[2]"},
      {&o->normalized, NULL, updateOutput, 10, "NULL"},
      {&o->values, two, accGradParameters, 4, "[2]"},
      {&o->gradOutput, two, accGradParameters, 7, "[2]"},
      {&o->gradBias, two, accGradParameters, 9, "[2]"},
      {&o->weight, odd, accGradParameters, 10, "[4 x 2]"},
      {&o->values, two, accUpdateGradParameters, 4, "[2]"},
      {&o->gradOutput, two, accUpdateGradParameters, 7, "[2]"},
      {&o->weight, odd, accUpdateGradParameters, 8, "[4 x 2]"},
      {&o->rowGradient, two, updateParameters, 2, "[2]"},
      {&o->gradBias, two, updateParameters, 3, "[2]"},
      {&o->weight, odd, updateParameters, 4, "[4 x 2]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    th_note("case %zu", i);
    THTensor *const right = *cases[i].operand;
    *cases[i].operand = cases[i].wrong;
    CHECK_RAISES(cases[i].argument, cases[i].text, cases[i].call(o));
    *cases[i].operand = right;
  }
  th_watch_check(1);
  th_watch_forget();
  THTest_(wrongKeys)(o);
  THTensor_(free)(odd);
  THTensor_(free)(two);
  tear_down(o);
}

TH_FAULT_TABLE

static void THTest_(indexLinearFaults)(void)
{
  th_faults_run(&th_faults);
}

TH_TESTS(THTest_(IndexLinear), THTest_(indexDerivative), THTest_(indexThreads),
         THTest_(indexErrors), THTest_(indexLinearFaults))
