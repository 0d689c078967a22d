/* The linear layer of sparse inputs, in both forms, against the dense one.  As in Torch's manual,
 * columns count from 1, and only the form of the input differs from the linear layer. */
#include "THNN.h"
#include "THTemplate.h"

#include "th_faults.h"

/* An input in both forms: row i of the batch has the entries i * each to (i + 1) * each. */
typedef struct Operands {
  int64_t batch, inputs, outputs, each;
  double *dense; /* the dense input: batch x inputs */
  int *has;      /* whether an input has an entry */
  THTensor *input, *legacy;
  THTensor *output, *weight, *bias, *gradOutput, *gradWeight, *gradBias;
} Operands;

/* Some entries are 0 with invalid columns, and are ignored; some have the same column. */
static void open_operands(Operands *o, th_random *random, int layout)
{
  o->dense = calloc((size_t)(o->batch * o->inputs), sizeof *o->dense);
  o->has = calloc((size_t)o->inputs, sizeof *o->has);
  o->input = THTest_(tensor)(layout, 1, TH_SHAPE(o->batch * o->each, 3));
  o->legacy = THTest_(tensor)(layout, 1, TH_SHAPE(o->batch, o->each, 2));
  for (ptrdiff_t i = 0; i < o->each * o->batch; i++) {
    const int64_t row = i / o->each, column = th_random_below(random, o->inputs);
    const double value = (double)(1 + th_random_below(random, 15)) / 8 - 1;
    *THTest_(at)(o->input, i * 3) = value == 0 ? 0 : (real)(row + 1);
    *THTest_(at)(o->input, i * 3 + 1) = value == 0 ? -3 : (real)(column + 1);
    *THTest_(at)(o->input, i * 3 + 2) = (real)value;
    *THTest_(at)(o->legacy, i * 2) = value == 0 ? 0 : (real)(column + 1);
    *THTest_(at)(o->legacy, i * 2 + 1) = (real)value;
    o->dense[row * o->inputs + column] += value;
    o->has[column] |= value != 0;
  }
  o->weight = THTest_(tensor)(layout, 2, TH_SHAPE(o->outputs, o->inputs));
  o->bias = THTest_(tensor)(layout, 3, TH_SHAPE(o->outputs));
  o->output = THTest_(tensor)(layout, 4, TH_SHAPE(o->batch, o->outputs));
  o->gradOutput = THTest_(tensor)(layout, 5, TH_SHAPE(o->batch, o->outputs));
  o->gradWeight = THTest_(tensor)(layout, 6, TH_SHAPE(o->outputs, o->inputs));
  o->gradBias = THTest_(tensor)(layout, 7, TH_SHAPE(o->outputs));
}

static void tear_down(Operands *o)
{
  THTensor *all[] = {o->input, o->legacy,     o->output,     o->weight,
                     o->bias,  o->gradOutput, o->gradWeight, o->gradBias};
  for (int k = 0; k < 8; k++)
    THTensor_(free)(all[k]);
  free(o->dense);
  free(o->has);
}

static void watch(Operands *o)
{
  WATCH(o->input);
  WATCH(o->legacy);
  WATCH(o->output);
  WATCH(o->weight);
  WATCH(o->bias);
  WATCH(o->gradOutput);
  WATCH(o->gradWeight);
  WATCH(o->gradBias);
}

static void set_up(Operands *o)
{
  th_random random = {th_seed()};
  *o = (Operands){.batch = 3, .inputs = 7, .outputs = 4, .each = 5};
  open_operands(o, &random, TH_STRIDED);
  watch(o);
}

/* --- every function -------------------------------------------------------------------------- */

#define ROW(NAME, ...)                                 \
  FAULT(NAME, THNN_(SparseLinear_##NAME)(__VA_ARGS__)) \
  static void NAME(Operands *o)                        \
  {                                                    \
    THNN_(SparseLinear_##NAME)(__VA_ARGS__);           \
  }
#define UPDATE(INPUT) NULL, INPUT, o->output, o->weight, o->bias
#define ACCUMULATE(INPUT) \
  NULL, INPUT, o->gradOutput, o->gradWeight, o->gradBias, o->weight, o->bias, 0.25, 2
#define STEP(INPUT) NULL, o->weight, o->bias, o->gradWeight, o->gradBias, INPUT, 0.5
#define ZERO(INPUT) NULL, o->gradWeight, o->gradBias, INPUT

ROW(updateOutput, UPDATE(o->input))
ROW(accGradParameters, ACCUMULATE(o->input))
ROW(updateParameters, STEP(o->input))
ROW(zeroGradParameters, ZERO(o->input))
ROW(legacyUpdateOutput, UPDATE(o->legacy))
ROW(legacyAccGradParameters, ACCUMULATE(o->legacy))
ROW(legacyUpdateParameters, STEP(o->legacy))
ROW(legacyZeroGradParameters, ZERO(o->legacy))

typedef struct Form {
  void (*output)(Operands *o), (*gradients)(Operands *o), (*step)(Operands *o),
      (*zero)(Operands *o);
} Form;
static const Form forms[] = {
    {updateOutput, accGradParameters, updateParameters, zeroGradParameters},
    {legacyUpdateOutput, legacyAccGradParameters, legacyUpdateParameters, legacyZeroGradParameters},
};

/* --- against the dense layer ----------------------------------------------------------------- */

static const double tolerance = sizeof(real) == 4 ? 1e-4 : 1e-12;

static void check_form(Operands *o, const Form *form)
{
  const int64_t in = o->inputs, out = o->outputs;
  real *w = THTest_(values)(o->weight), *b = THTest_(values)(o->bias);
  real *dw = THTest_(values)(o->gradWeight), *db = THTest_(values)(o->gradBias);
  real *aroundW = THTest_(storageValues)(o->weight),
       *aroundDw = THTest_(storageValues)(o->gradWeight);
  form->output(o);
  CHECK(o->output->nDimension == 2 && o->output->size[0] == o->batch && o->output->size[1] == out);
  for (int64_t r = 0; r < o->batch; r++)
    for (int64_t k = 0; k < out; k++) {
      double sum = (double)b[k];
      for (int64_t c = 0; c < in; c++)
        sum += o->dense[r * in + c] * (double)w[k * in + c];
      CHECK_NEAR(*THTest_(at)(o->output, r * out + k), sum, tolerance * (1 + fabs(sum)));
    }
  form->gradients(o);
  for (int64_t k = 0; k < out; k++) {
    double bias = (double)db[k];
    for (int64_t r = 0; r < o->batch; r++)
      bias += 2 * (double)*THTest_(at)(o->gradOutput, r * out + k);
    CHECK_NEAR(*THTest_(at)(o->gradBias, k), bias, tolerance * (1 + fabs(bias)));
    for (int64_t c = 0; c < in; c++) {
      double sum = (double)dw[k * in + c] + 0.25 * (double)w[k * in + c];
      for (int64_t r = 0; r < o->batch; r++)
        sum += 2 * o->dense[r * in + c] * (double)*THTest_(at)(o->gradOutput, r * out + k);
      CHECK_NEAR(*THTest_(at)(o->gradWeight, k * in + c), sum, tolerance * (1 + fabs(sum)));
    }
  }
  free(dw);
  free(db);
  dw = THTest_(values)(o->gradWeight);
  db = THTest_(values)(o->gradBias);
  form->step(o);
  form->zero(o);
  for (int64_t k = 0; k < out; k++) {
    CHECK_NEAR(*THTest_(at)(o->bias, k), (double)b[k] - 0.5 * (double)db[k],
               tolerance * (1 + fabs((double)b[k]) + fabs((double)db[k])));
    CHECK_EQ(*THTest_(at)(o->gradBias, k), 0);
    for (int64_t c = 0; c < in; c++) {
      const ptrdiff_t i = k * in + c;
      CHECK_NEAR(*THTest_(at)(o->weight, i), (double)w[i] - (o->has[c] ? 0.5 * (double)dw[i] : 0),
                 tolerance * (1 + fabs((double)w[i]) + fabs((double)dw[i])));
      CHECK_EQ(*THTest_(at)(o->gradWeight, i), o->has[c] ? 0 : dw[i]);
    }
  }
  CHECK_OUTSIDE(o->weight, aroundW);
  CHECK_OUTSIDE(o->gradWeight, aroundDw);
  real *all[] = {w, b, dw, db, aroundW, aroundDw};
  for (int k = 0; k < 6; k++)
    free(all[k]);
}

static void THTest_(SparseLinear)(void)
{
  static const int layouts[] = {TH_CONTIGUOUS, TH_TRANSPOSED, TH_STRIDED, TH_NARROWED, TH_OFFSET};
  th_random random = {th_seed()};
  for (int round = 0; round < 40; round++)
    for (int form = 0; form < 2; form++) {
      Operands o = {.batch = 1 + th_random_below(&random, 5),
                    .inputs = 1 + th_random_below(&random, round % 5 ? 9 : 60),
                    .outputs = 1 + th_random_below(&random, 20),
                    .each = 1 + th_random_below(&random, 7)};
      th_note("form %d, %lld of %lld x %lld to %lld, %s, seed %llu", form, (long long)o.each,
              (long long)o.batch, (long long)o.inputs, (long long)o.outputs,
              th_layout_names[layouts[round % 5]], (unsigned long long)th_seed());
      open_operands(&o, &random, layouts[round % 5]);
      if (form)
        THTensor_(resize1d)(o.output, 1);
      check_form(&o, &forms[form]);
      tear_down(&o);
    }
}

/* Results have the same bits for any number of threads. */
static void THTest_(sparseThreads)(void)
{
  const int threads = THGetNumThreads();
  real *first[3] = {NULL};
  for (int n = 1; n <= 4; n++) {
    THSetNumThreads(n);
    th_random random = {th_seed()};
    Operands o = {.batch = 20, .inputs = 500, .outputs = 60, .each = 90};
    open_operands(&o, &random, TH_CONTIGUOUS);
    updateOutput(&o);
    accGradParameters(&o);
    legacyUpdateParameters(&o);
    THTensor *results[] = {o.output, o.gradWeight, o.weight};
    for (int k = 0; k < 3; k++) {
      if (first[k])
        CHECK(!memcmp(first[k], THTensor_(data)(results[k]),
                      (size_t)THTest_(count)(results[k]) * sizeof(real)));
      else
        first[k] = THTest_(values)(results[k]);
    }
    tear_down(&o);
  }
  THSetNumThreads(threads);
  for (int k = 0; k < 3; k++)
    free(first[k]);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Rows and columns out of range. */
static void THTest_(wrongEntries)(Operands *o)
{
  static const double wrong[] = {0, -1, 8, 1e30, NAN};
  for (int i = 0; i < 5; i++)
    for (int form = 0; form < 2; form++) {
      const ptrdiff_t at = form ? 4 * 2 : 4 * 3;
      THTensor *input = form ? o->legacy : o->input;
      *THTest_(at)(input, at + 2 - form) = 1;
      *THTest_(at)(input, at + 1 - form) = (real)wrong[i];
      watch(o);
      th_note("form %d, column %g", form, wrong[i]);
      CHECK_RAISES(2, "column", forms[form].output(o));
      CHECK_RAISES(2, "column", forms[form].gradients(o));
      CHECK_RAISES(6, "column", forms[form].step(o));
      CHECK_RAISES(4, "column", forms[form].zero(o));
      th_watch_check(1);
      th_watch_forget();
      *THTest_(at)(input, at + 1 - form) = 1;
      if (form)
        continue;
      *THTest_(at)(input, at) = (real)wrong[i];
      th_note("row %g", wrong[i]);
      CHECK_RAISES(2, "row", updateOutput(o));
      CHECK_RAISES(2, "row", accGradParameters(o));
      *THTest_(at)(input, at) = 1;
    }
}

static void THTest_(sparseErrors)(void)
{
  Operands operands, *o = &operands;
  set_up(o);
  THTensor *five = THTest_(tensor)(0, 1, TH_SHAPE(5)), *odd = THTest_(tensor)(0, 2, TH_SHAPE(4, 2));
  for (int form = 0; form < 2; form++) {
    THTensor **const input = form ? &o->legacy : &o->input;
    const char *const shape = form ? "entries x 2" : "entries x 3";
    const struct Case {
      THTensor **operand, *wrong;
      void (*call)(Operands *o);
      int argument;
      const char *text;
    } cases[] = {
        {input, odd, forms[form].output, 2, shape},
        {input, odd, forms[form].gradients, 2, shape},
        {input, odd, forms[form].step, 6, shape},
        {input, odd, forms[form].zero, 4, shape},
        {&o->weight, five, forms[form].output, 4, "[5]"},
        {&o->bias, five, forms[form].output, 5, "[5]"},
        {&o->weight, odd, forms[form].gradients, 6, "[4 x 2]"},
        {&o->gradWeight, five, forms[form].gradients, 4, "[5]"},
        {&o->gradBias, five, forms[form].gradients, 5, "[5]"},
        {&o->gradOutput, five, forms[form].gradients, 3, "[5]"},
        {&o->gradWeight, odd, forms[form].step, 4, "[4 x 2]"},
        {&o->gradBias, five, forms[form].step, 5, "[5]"},
        {&o->bias, five, forms[form].step, 3, "[5]"},
        {&o->weight, five, forms[form].step, 2, "[5]"},
        {&o->gradBias, five, forms[form].zero, 3, "[5]"},
        {&o->gradWeight, five, forms[form].zero, 2, "[5]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      th_note("form %d, case %zu", form, i);
      THTensor *const right = *cases[i].operand;
      *cases[i].operand = cases[i].wrong;
      CHECK_RAISES(cases[i].argument, cases[i].text, cases[i].call(o));
      *cases[i].operand = right;
    }
  }
  THTensor *const output = o->output;
  o->output = odd;
  CHECK_RAISES(3, "[4 x 2]", updateOutput(o));
  o->output = output;
  th_watch_check(1);
  th_watch_forget();
  THTest_(wrongEntries)(o);
  THTensor_(free)(five);
  THTensor_(free)(odd);
  tear_down(o);
}

TH_FAULT_TABLE

static void THTest_(sparseFaults)(void)
{
  th_faults_run(&th_faults);
}

TH_TESTS(THTest_(SparseLinear), THTest_(sparseThreads), THTest_(sparseErrors),
         THTest_(sparseFaults))
