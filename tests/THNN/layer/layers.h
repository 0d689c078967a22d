/* Layers as data, so that one driver can try each in every way.
 *
 *     CALL(tanhForward, THNN_(Tanh_updateOutput)(NULL, o->input, o->output))
 *     CALL(tanhBackward, THNN_(Tanh_updateGradInput)(NULL, o->gradOutput, o->gradInput, o->output))
 *
 *     static void tanhRandom(Operands *o)
 *     {
 *       o->input = any_shape(o);
 *     }
 *     static const Layer tanhLayer = {"Tanh", tanhForward, tanhBackward, .random = tanhRandom};
 *
 *     static void THTest_(Tanh)(void) { check_layer(&tanhLayer); }
 *
 * compares the layer with PyTorch's values in golden/layers.txt (tests/oracle/layers.py writes it)
 * for operands and results in all layouts, and its gradients with central differences, for those
 * operands and for random ones, makes each of its allocations fail, and puts its results in the
 * memory of its operands.  Included by templates, after src/THNN/layer/THNN2018.h and THTemplate.h; this
 * file says what layers are, the others how each of the four is done. */
#ifndef LAYERS_H
#define LAYERS_H

#include "th_faults.h"
#include "th_golden.h"

#ifdef TH_COMPAT_TORCH7 /* torch7.c tests the other form */
#include "THNN/torch7/THNNRename.h"
#endif

/* --- operands -------------------------------------------------------------------------------- */

/* The tensors that layers have.  A layer that needs another one adds a row here; nothing else names
 * them all.  Those that a layer has no use for are NULL.
 *
 *   GIVEN       read; part of the golden values, or made by the layer's function for random ones
 *   RESULT      takes its shape and its values, whatever it was before
 *   GRADIENT    a result: the gradient of the operand in the same row
 *   SUM         added to: scale times the gradient of the operand in the same row
 *   BUFFER      scratch: may be anything before and after, or NULL */
#define OPERANDS(X)               \
  X(GIVEN, input, input)          \
  X(GIVEN, weight, weight)        \
  X(GIVEN, bias, bias)            \
  X(GIVEN, target, target)        \
  X(GIVEN, grid, grid)            \
  X(GIVEN, samples, samples)      \
  X(GIVEN, table, table)          \
  X(GIVEN, mean, mean)            \
  X(GIVEN, variance, variance)    \
  X(GIVEN, hidden, hidden)        \
  X(GIVEN, recurrent, recurrent)  \
  X(GIVEN, hiddenBias, bias)      \
  X(GIVEN, cell, cell)            \
  X(GIVEN, gradNewCell, cell)     \
  X(GIVEN, gradOutput, output)    \
  X(RESULT, output, output)       \
  X(RESULT, total, total)         \
  X(RESULT, saveMean, saveMean)   \
  X(RESULT, saveStd, saveStd)     \
  X(RESULT, storage, storage)     \
  X(RESULT, newCell, newCell)     \
  X(GRADIENT, gradInput, input)   \
  X(GRADIENT, gradGrid, grid)     \
  X(GRADIENT, gradHidden, hidden) \
  X(GRADIENT, gradCell, cell)     \
  X(SUM, gradWeight, weight)      \
  X(SUM, gradBias, bias)          \
  X(BUFFER, buffer1, buffer1)     \
  X(BUFFER, buffer2, buffer2)

typedef enum Role { GIVEN, RESULT, GRADIENT, SUM, BUFFER } Role;

typedef struct Operands {
#define FIELD(ROLE, NAME, OF) THTensor *NAME;
  OPERANDS(FIELD)
#undef FIELD
  THIndexTensor *index; /* given, or a result */
  double args[16];
  double scale;
  th_random *random;
} Operands;

typedef struct Slot {
  Role role;
  const char *name;
  size_t at, of; /* offsets in Operands */
} Slot;

static const Slot slots[] = {
#define SLOT(ROLE, NAME, OF) {ROLE, #NAME, offsetof(Operands, NAME), offsetof(Operands, OF)},
    OPERANDS(SLOT)
#undef SLOT
};
enum { SLOTS = sizeof slots / sizeof *slots };

static THTensor **slot_tensor(Operands *o, int slot)
{
  return (THTensor **)((char *)o + slots[slot].at);
}

/* The operand that a gradient belongs to. */
static THTensor *slot_of(Operands *o, int slot)
{
  return *(THTensor **)((char *)o + slots[slot].of);
}

static void layer_close(Operands *o)
{
  for (int i = 0; i < SLOTS; i++)
    THTensor_(free)(*slot_tensor(o, i));
  THIndexTensor_(free)(o->index);
}

/* --- layers ---------------------------------------------------------------------------------- */

typedef struct Layer {
  const char *name;
  void (*forward)(Operands *o);
  void (*backward)(Operands *o);   /* gradients */
  void (*accumulate)(Operands *o); /* sums; may be NULL */
  int givesIndex;                  /* index is a result of forward */
  void (*random)(Operands *o);     /* makes args, index, and all that is given but gradOutput */
  const char *file;                /* the file of its golden values; NULL: layers.txt */
} Layer;

/* A function of a layer: its name, and the statement, which may use o.  tools/faults/check learns
 * from it which function of the library it is. */
#define CALL(NAME, ...)                                                          \
  static void NAME(Operands *o)                                                  \
  {                                                                              \
    __VA_ARGS__;                                                                 \
  }                                                                              \
  __attribute__((constructor)) static void add_##NAME(void)                      \
  {                                                                              \
    static THFault call = {.name = #NAME, .statement = FAULT_TEXT(__VA_ARGS__)}; \
    th_faults_add(&th_faults, &call);                                            \
  }

__attribute__((constructor)) static void register_calls(void)
{
  th_faults_register(&th_faults);
}

/* Arguments that are not tensors. */
#define INT(I)  ((int)o->args[I])
#define BOOL(I) (o->args[I] != 0)

#include "layers_failing.h"
#include "layers_golden.h"
#include "layers_gradients.h"
#ifdef TH_TEMPLATE_DEVICE /* copies of two storages do not share memory */
static void layer_overlap(const Layer *layer)
{
}
#else
#include "layers_overlap.h"
#endif

static void check_layer(const Layer *layer)
{
  layer_golden(layer);
  layer_gradients(layer);
  layer_failures(layer);
  layer_overlap(layer);
  th_golden_close(layer_file);
  layer_file = NULL;
}

#endif
