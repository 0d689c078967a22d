/* Weights that are transformed once (THNNGroups.h) when memory runs out, and what is no operand.  winograd.c
 * has the convolutions with them. */
#include "THNN/THNNGroups.h"
#include "THTemplate.h"

#include "th_faults.h"

enum { PLANES = 16, OUTPUTS = 18 };

typedef struct Operands {
  THTensor *weight, *flat; /* not contiguous */
  THTensor *transformed, *input, *output, *other;
  THNNGroups how, fits, fails;
} Operands;

static void set_up(Operands *o)
{
  o->weight = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(OUTPUTS, PLANES, 3, 3));
  o->flat = THTest_(tensor)(TH_STRIDED, 2, TH_SHAPE(OUTPUTS, PLANES * 9));
  o->transformed = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5));
  o->input = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(PLANES, 12, 13));
  o->output = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2));
  o->other = THTensor_(new)();
  o->how = (THNNGroups){.axes = 2,
                        .groups = 1,
                        .size = {1, 3, 3},
                        .step = {1, 1, 1},
                        .pad = {0, 1, 1},
                        .dilation = {1, 1, 1}};
  THNN_(Groups_transformWeights)(NULL, &o->how, o->weight, o->other);
  o->fits = o->fails = o->how;
  o->fits.transformed = o->other;
  o->fails.transformed = o->transformed;
  WATCH(o->weight);
  WATCH(o->flat);
  WATCH(o->transformed);
  WATCH(o->input);
  WATCH(o->output);
  WATCH(o->other);
}

static void tear_down(Operands *o)
{
  THTensor *const all[] = {o->weight, o->flat, o->transformed, o->input, o->output, o->other};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

FAULT(transform, THNN_(Groups_transformWeights)(NULL, &o->how, o->weight, o->transformed))
FAULT(convolve, THNN_(Groups_updateOutput)(NULL, &o->fits, o->input, o->output, o->weight, NULL))
RAISES(flat, THNN_(Groups_transformWeights)(NULL, &o->how, o->flat, o->transformed))
RAISES(size, THNN_(Groups_updateOutput)(NULL, &o->fails, o->input, o->output, o->weight, NULL))

TH_FAULT_TABLE

static void THTest_(transformedFaults)(void)
{
  th_faults_run(&th_faults);
}

TH_TESTS(THTest_(transformedFaults))
