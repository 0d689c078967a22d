/* Layers against PyTorch's values, for operands and results in all layouts. */
#ifndef LAYERS_GOLDEN_H
#define LAYERS_GOLDEN_H

#include "layers.h"

/* --- the operands of a golden case ----------------------------------------------------------- */

#if defined(LAYER_TOLERANCE) /* a device's of half */
#elif defined(TH_REAL_IS_FLOAT)
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
    layer_file = th_golden_open(layer->file ? layer->file : "layers.txt");
  snprintf(name, sizeof name, "%s/%d/%s", layer->name, number, field);
  return th_golden_find(layer_file, name);
}

/* A tensor of the entry's values in that layout, NULL for no entry.  Tables hold indices, which
 * golden values count from 0. */
static THTensor *layer_tensor(const Layer *layer, int number, const char *field, int layout)
{
  const THGolden *golden = layer_entry(layer, number, field);
  if (!golden)
    return NULL;
  const int64_t one = 1;
  THTensor *t = THTest_(tensor)(layout, 1, golden->nDimension ? golden->nDimension : 1,
                                golden->nDimension ? golden->size : &one);
  const int base = strcmp(field, "table") ? 0 : TH_INDEX_BASE;
  for (ptrdiff_t i = 0; i < golden->count; i++)
    *THTest_(at)(t, i) = (real)(golden->values[i].number + base);
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

/* Returns 0 where there is no case of that number. */
static int layer_open(Operands *o, const Layer *layer, int number, int given, int results)
{
  *o = (Operands){.scale = 0.75};
  if (!layer_entry(layer, number, "input"))
    return 0;
  const THGolden *args = layer_entry(layer, number, "args");
  for (ptrdiff_t i = 0; args && i < args->count; i++)
    o->args[i] = args->values[i].number;
  o->index = layer->givesIndex ? THIndexTensor_(new)() : layer_index(layer, number);
  for (int i = 0; i < SLOTS; i++) {
    THTensor **t = slot_tensor(o, i);
    const Role role = slots[i].role;
    const int empty = role == BUFFER || (role != GIVEN && role != SUM && results == TH_EMPTY);
    const int layout = role == GIVEN ? given : results == TH_EMPTY ? TH_CONTIGUOUS : results;
    if (!empty)
      *t = layer_tensor(layer, number, slots[i].name, layout);
    if (!*t && role != GIVEN && role != SUM)
      *t = THTensor_(new)();
  }
  return 1;
}

/* --- comparing ------------------------------------------------------------------------------- */

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

/* Runs call, which computes the operands of that role, and checks those that there are values of;
 * they stay within their views.  A sum has its golden gradient added to what it was. */
static void layer_run(const Layer *layer, int number, void (*call)(Operands *), Operands *o,
                      Role role)
{
  real *before[SLOTS] = {NULL}, *around[SLOTS] = {NULL};
  for (int i = 0; i < SLOTS; i++) {
    THTensor *t = *slot_tensor(o, i);
    if (slots[i].role == role && t && layer_entry(layer, number, slots[i].name)) {
      before[i] = THTest_(values)(t);
      around[i] = t->nDimension > 0 ? THTest_(storageValues)(t) : NULL;
    }
  }
  call(o);
  for (int i = 0; i < SLOTS; i++)
    if (before[i]) {
      THTensor *t = *slot_tensor(o, i);
      layer_compare(layer, number, slots[i].name, t, role == SUM ? before[i] : NULL);
      if (around[i])
        CHECK_OUTSIDE(t, around[i]);
      free(before[i]);
      free(around[i]);
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
        layer_run(layer, number, layer->forward, &o, RESULT);
        if (layer->givesIndex) {
          THIndexTensor *want = layer_index(layer, number);
          CHECK(THIndexTensor_(nElement)(o.index) == THIndexTensor_(nElement)(want));
          for (ptrdiff_t k = 0; k < THIndexTensor_(nElement)(want); k++)
            CHECK_EQ(o.index->storage->data[k], want->storage->data[k]);
          THIndexTensor_(free)(want);
        }
        layer_run(layer, number, layer->backward, &o, GRADIENT);
        o.scale = 1;
        if (layer->accumulate)
          layer_run(layer, number, layer->accumulate, &o, SUM);
        layer_close(&o);
      }
  }
  CHECK_MSG(layer_entry(layer, 0, "input"), "no golden values of %s", layer->name);
}

#endif
