/* Layers as data, so that one driver can try each in every way.
 *
 *     static void tanhForward(Operands *o) { THNN_(Tanh_updateOutput)(NULL, o->input, o->output); }
 *     ...
 *     static const Layer tanhLayer = {"Tanh", tanhForward, tanhBackward};
 *
 *     static void THTest_(Tanh)(void) { check_layer(&tanhLayer); }
 *
 * compares the layer with PyTorch's values in golden/layers.txt (tests/oracle/layers.py writes it)
 * for operands and results in all layouts, its gradients with central differences, and makes each
 * of its allocations fail.  Included by templates, after THTemplate.h. */
#include "th_fail.h"
#include "th_golden.h"
#include "th_layouts.h"

typedef struct Operands {
  THTensor *input, *weight, *bias, *target, *gradOutput; /* given; NULL where there is none */
  THTensor *output, *gradInput, *total;                  /* results */
  THTensor *gradWeight, *gradBias;                       /* added to */
  THIndexTensor *index;                                  /* given or a result */
  double args[16];
  double scale;
} Operands;

typedef struct Layer {
  const char *name;
  void (*forward)(Operands *o);
  void (*backward)(Operands *o);   /* gradInput */
  void (*accumulate)(Operands *o); /* gradWeight, gradBias; may be NULL */
  int givesIndex;                  /* index is a result of forward */
} Layer;

/* Arguments from the golden file. */
#define INT(I)  ((int)o->args[I])
#define BOOL(I) (o->args[I] != 0)

/* --- operands -------------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT)
#define LAYER_TOLERANCE 2e-5
#else
#define LAYER_TOLERANCE 1e-12
#endif

static THGoldenFile *layer_file;

/* NULL where there is no such entry. */
static const THGolden *layer_entry(const Layer *layer, int number, const char *field)
{
  char name[64];
  if (!layer_file)
    layer_file = th_golden_open("layers.txt");
  snprintf(name, sizeof name, "%s/%d/%s", layer->name, number, field);
  for (ptrdiff_t i = 0; i < layer_file->count; i++)
    if (!strcmp(layer_file->entries[i].name, name))
      return &layer_file->entries[i];
  return NULL;
}

/* A tensor of the entry's values in that layout, NULL for no entry. */
static THTensor *layer_tensor(const Layer *layer, int number, const char *field, int layout)
{
  const THGolden *golden = layer_entry(layer, number, field);
  if (!golden)
    return NULL;
  const int64_t one = 1;
  THTensor *t = THTest_(tensor)(layout, 1, golden->nDimension ? golden->nDimension : 1,
                                golden->nDimension ? golden->size : &one);
  for (ptrdiff_t i = 0; i < golden->count; i++)
    *THTest_(at)(t, i) = (real)golden->values[i].number;
  return t;
}

static THIndexTensor *layer_index(const Layer *layer, int number)
{
  const THGolden *golden = layer_entry(layer, number, "index");
  if (!golden)
    return NULL;
  THIndexTensor *t = th_golden_newLong(golden);
  for (ptrdiff_t i = 0; i < golden->count; i++)
    t->storage->data[i] += TH_INDEX_BASE;
  return t;
}

/* A result that has its shape already, in that layout, or none yet. */
static THTensor *layer_result(const Layer *layer, int number, const char *field, int layout)
{
  return layout == TH_EMPTY ? THTensor_(new)() : layer_tensor(layer, number, field, layout);
}

/* Returns 0 where there is no case of that number. */
static int layer_open(Operands *o, const Layer *layer, int number, int given, int results)
{
  *o = (Operands){.scale = 0.75};
  if (!layer_entry(layer, number, "input"))
    return 0;
  const THGolden *args = layer_entry(layer, number, "args");
  for (ptrdiff_t i = 0; args && i < args->count; i++)
    o->args[i] = args->values[i].number;
  o->input = layer_tensor(layer, number, "input", given);
  o->weight = layer_tensor(layer, number, "weight", given);
  o->bias = layer_tensor(layer, number, "bias", given);
  o->target = layer_tensor(layer, number, "target", given);
  o->gradOutput = layer_tensor(layer, number, "gradOutput", given);
  o->index = layer->givesIndex ? THIndexTensor_(new)() : layer_index(layer, number);
  o->output = layer_result(layer, number, "output", results);
  o->gradInput = layer_result(layer, number, "gradInput", results);
  o->total = THTensor_(new)();
  const int sums = results == TH_EMPTY ? TH_CONTIGUOUS : results;
  o->gradWeight = layer_tensor(layer, number, "gradWeight", sums);
  o->gradBias = layer_tensor(layer, number, "gradBias", sums);
  return 1;
}

static void layer_close(Operands *o)
{
  THTensor *tensors[] = {o->input,  o->weight,    o->bias,  o->target,     o->gradOutput,
                         o->output, o->gradInput, o->total, o->gradWeight, o->gradBias};
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
    THTensor_(free)(tensors[i]);
  THIndexTensor_(free)(o->index);
}

/* --- golden values --------------------------------------------------------------------------- */

static void layer_compare(const Layer *layer, int number, const char *field, const THTensor *t,
                          const real *before)
{
  const THGolden *golden = layer_entry(layer, number, field);
  const int64_t one = 1;
  if (!THSize_isSameSizeAs(t->size, t->nDimension, golden->nDimension ? golden->size : &one,
                           golden->nDimension ? golden->nDimension : 1))
    th_fail_at(__FILE__, __LINE__, "%s/%d: %s has size %s, not %s", layer->name, number, field,
               THTensor_(sizeDesc)(t).str, _THSizeDesc(golden->size, golden->nDimension).str);
  double most = 1;
  for (ptrdiff_t i = 0; i < golden->count; i++)
    if (isfinite(golden->values[i].number))
      most = fmax(most, fabs(golden->values[i].number));
  for (ptrdiff_t i = 0; i < golden->count; i++) {
    const double want = golden->values[i].number + (before ? (double)before[i] : 0);
    const double got = (double)*THTest_(at)(t, i);
    if (!(fabs(got - want) <= LAYER_TOLERANCE * most) && got != want &&
        !(got != got && want != want))
      th_fail_at(__FILE__, __LINE__, "%s/%d: %s[%td] is %.17g, not %.17g", layer->name, number,
                 field, i, got, want);
  }
}

/* Runs call and checks the one result, which stays within its view. */
static void layer_run(const Layer *layer, int number, void (*call)(Operands *), Operands *o,
                      THTensor *result, const char *field)
{
  const int shaped = result->nDimension > 0;
  real *before = THTest_(storageValues)(result);
  call(o);
  layer_compare(layer, number, field, result, NULL);
  if (shaped)
    CHECK_OUTSIDE(result, before);
  free(before);
}

/* What accumulate adds is scale times the golden gradient; where there is none it adds nothing. */
static void layer_accumulate(const Layer *layer, int number, Operands *o)
{
  THTensor *sums[] = {o->gradWeight, o->gradBias};
  const char *fields[] = {"gradWeight", "gradBias"};
  real *before[2], *around[2];
  for (int k = 0; k < 2; k++)
    if (sums[k]) {
      before[k] = THTest_(values)(sums[k]); /* the golden gradient itself */
      around[k] = THTest_(storageValues)(sums[k]);
    }
  o->scale = 1;
  layer->accumulate(o);
  o->scale = -0.5;
  layer->accumulate(o);
  o->scale = 0.5;
  layer->accumulate(o);
  for (int k = 0; k < 2; k++)
    if (sums[k]) {
      layer_compare(layer, number, fields[k], sums[k], before[k]);
      CHECK_OUTSIDE(sums[k], around[k]);
      free(before[k]);
      free(around[k]);
    }
}

static void layer_golden(const Layer *layer)
{
  static const int layouts[] = {TH_CONTIGUOUS, TH_OFFSET,  TH_TRANSPOSED, TH_PERMUTED,
                                TH_NARROWED,   TH_STRIDED, TH_EMPTY};
  enum { LAYOUTS = sizeof layouts / sizeof *layouts };
  Operands o;
  for (int number = 0; layer_open(&o, layer, number, 0, 0); number++) {
    layer_close(&o);
    for (int i = 0; i < LAYOUTS - 1; i++)
      for (int j = 0; j < LAYOUTS; j++) {
        /* All pairs for the first two cases, then each layout once. */
        if (number > 1 && (i + number) % LAYOUTS != j)
          continue;
        th_note("%s/%d, given %s, results %s", layer->name, number, th_layout_names[layouts[i]],
                th_layout_names[layouts[j]]);
        layer_open(&o, layer, number, layouts[i], layouts[j]);
        layer_run(layer, number, layer->forward, &o, o.output, "output");
        if (layer->givesIndex) {
          THIndexTensor *want = layer_index(layer, number);
          CHECK(THIndexTensor_(nElement)(o.index) == THIndexTensor_(nElement)(want));
          for (ptrdiff_t k = 0; k < THIndexTensor_(nElement)(want); k++)
            CHECK_EQ(o.index->storage->data[k], want->storage->data[k]);
          THIndexTensor_(free)(want);
        }
        layer_run(layer, number, layer->backward, &o, o.gradInput, "gradInput");
        if (layer->accumulate)
          layer_accumulate(layer, number, &o);
        layer_close(&o);
      }
  }
  CHECK_MSG(layer_entry(layer, 0, "input"), "no golden values of %s", layer->name);
}

/* --- central differences --------------------------------------------------------------------- */

#if defined(TH_REAL_IS_DOUBLE)

static double layer_loss(const Layer *layer, Operands *o)
{
  layer->forward(o);
  double loss = 0;
  for (ptrdiff_t i = 0; i < THTest_(count)(o->output); i++)
    loss += *THTest_(at)(o->output, i) * *THTest_(at)(o->gradOutput, i);
  return loss;
}

/* gradient is that of the loss with respect to x, up to 1e-6 of its norm. */
static void layer_difference(const Layer *layer, Operands *o, THTensor *x, const THTensor *gradient,
                             const char *field)
{
  const double step = 1e-5;
  double error = 0, norm = 0;
  for (ptrdiff_t i = 0; i < THTest_(count)(x); i++) {
    real *at = THTest_(at)(x, i);
    const real value = *at;
    *at = value + step;
    const double above = layer_loss(layer, o);
    *at = value - step;
    const double below = layer_loss(layer, o);
    *at = value;
    const double slope = (above - below) / (2 * step), miss = slope - *THTest_(at)(gradient, i);
    error += miss * miss;
    norm += slope * slope;
  }
  CHECK_MSG(sqrt(error) <= 1e-6 * sqrt(norm) + 1e-9,
            "%s of %s is off by %g of its norm %g; seed %llu", field, layer->name, sqrt(error),
            sqrt(norm), (unsigned long long)th_seed());
}

static void layer_zero(THTensor *t)
{
  for (ptrdiff_t i = 0; t && i < THTest_(count)(t); i++)
    *THTest_(at)(t, i) = 0;
}

static void layer_differences(const Layer *layer, Operands *o)
{
  layer->forward(o);
  layer->backward(o);
  THTensor *gradInput = THTensor_(newClone)(o->gradInput);
  layer_difference(layer, o, o->input, gradInput, "gradInput");
  THTensor_(free)(gradInput);
  if (!layer->accumulate)
    return;
  layer_zero(o->gradWeight);
  layer_zero(o->gradBias);
  o->scale = 1;
  layer->accumulate(o);
  if (o->gradWeight)
    layer_difference(layer, o, o->weight, o->gradWeight, "gradWeight");
  if (o->gradBias)
    layer_difference(layer, o, o->bias, o->gradBias, "gradBias");
}

#endif

/* --- failing allocations --------------------------------------------------------------------- */

/* One result, and what it was before. */
typedef struct Before {
  int dims;
  int64_t size[8], stride[8];
  ptrdiff_t length;
  real *values;
} Before;

static void layer_remember(Before *before, const THTensor *t)
{
  before->dims = t ? t->nDimension : 0;
  for (int d = 0; d < before->dims; d++) {
    before->size[d] = t->size[d];
    before->stride[d] = t->stride[d];
  }
  before->length = t && t->storage ? t->storage->size : 0;
  before->values = t ? THTest_(storageValues)(t) : NULL;
}

static int layer_unchanged(const Before *before, const THTensor *t)
{
  return !t || (THSize_isSameSizeAs(t->size, t->nDimension, before->size, before->dims) &&
                THSize_isSameSizeAs(t->stride, t->nDimension, before->stride, before->dims) &&
                (t->storage ? t->storage->size : 0) >= before->length &&
                (before->length == 0 ||
                 !memcmp(t->storage->data, before->values, (size_t)before->length * sizeof(real))));
}

typedef struct Failing {
  const Layer *layer;
  int number, given, results;
  void (*call)(Operands *o);
  Operands operands;
  Before output, gradInput, gradWeight, gradBias;
} Failing;

static void layer_fail_setup(void *context)
{
  Failing *f = context;
  layer_open(&f->operands, f->layer, f->number, f->given, f->results);
  if (f->call != f->layer->forward)
    f->layer->forward(&f->operands);
  layer_remember(&f->output, f->operands.output);
  layer_remember(&f->gradInput, f->operands.gradInput);
  layer_remember(&f->gradWeight, f->operands.gradWeight);
  layer_remember(&f->gradBias, f->operands.gradBias);
}

static void layer_fail_body(void *context)
{
  Failing *f = context;
  f->call(&f->operands);
}

static void layer_fail_check(void *context, int raised)
{
  Failing *f = context;
  if (!raised)
    return;
  CHECK(layer_unchanged(&f->output, f->operands.output));
  CHECK(layer_unchanged(&f->gradInput, f->operands.gradInput));
  CHECK(layer_unchanged(&f->gradWeight, f->operands.gradWeight));
  CHECK(layer_unchanged(&f->gradBias, f->operands.gradBias));
}

static void layer_fail_teardown(void *context)
{
  Failing *f = context;
  free(f->output.values);
  free(f->gradInput.values);
  free(f->gradWeight.values);
  free(f->gradBias.values);
  layer_close(&f->operands);
}

static void layer_failures(const Layer *layer)
{
  const THFailCase stages = {layer_fail_setup, layer_fail_body, layer_fail_check,
                             layer_fail_teardown};
  void (*calls[])(Operands *) = {layer->forward, layer->backward, layer->accumulate};
  for (int k = 0; k < 3; k++)
    for (int strided = 0; strided < 2 && calls[k]; strided++) {
      Failing f = {.layer = layer,
                   .given = strided ? TH_TRANSPOSED : TH_CONTIGUOUS,
                   .results = strided ? TH_STRIDED : TH_EMPTY,
                   .call = calls[k]};
      th_note("%s, allocations of call %d fail, %s", layer->name, k,
              strided ? "strided" : "contiguous");
      th_fail(&stages, &f);
    }
}

/* --- all of it ------------------------------------------------------------------------------- */

static void check_layer(const Layer *layer)
{
  layer_golden(layer);
#if defined(TH_REAL_IS_DOUBLE)
  Operands o;
  for (int number = 0; layer_open(&o, layer, number, TH_CONTIGUOUS, TH_EMPTY); number++) {
    int finite = 1;
    for (ptrdiff_t i = 0; i < THTest_(count)(o.input); i++)
      finite &= isfinite(*THTest_(at)(o.input, i));
    th_note("%s/%d, differences", layer->name, number);
    if (finite)
      layer_differences(layer, &o);
    layer_close(&o);
  }
  layer_close(&o);
#endif
  layer_failures(layer);
  th_golden_close(layer_file);
  layer_file = NULL;
}
