/* Layers when memory runs out: each of their allocations fails in turn. */
#ifndef LAYERS_FAILING_H
#define LAYERS_FAILING_H

#include "layers_golden.h"

typedef struct Failing {
  const Layer *layer;
  int given, results;
  void (*call)(Operands *o);
  Operands operands;
} Failing;

static void layer_fail_setup(void *context)
{
  Failing *f = context;
  Operands *o = &f->operands;
  layer_open(o, f->layer, 0, f->given, f->results);
  if (f->call != f->layer->forward)
    f->layer->forward(o);
  for (int i = 0; i < SLOTS; i++) {
    THTensor *t = *slot_tensor(o, i);
    if (t && slots[i].role != BUFFER)
      th_watch_tensor(slots[i].name, t, sizeof(real));
  }
  if (o->index)
    WATCH(o->index);
}

static void layer_fail_body(void *context)
{
  Failing *f = context;
  f->call(&f->operands);
}

static void layer_fail_check(void *context, int raised)
{
  th_watch_check(raised);
}

static void layer_fail_teardown(void *context)
{
  Failing *f = context;
  th_watch_forget();
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

#endif
