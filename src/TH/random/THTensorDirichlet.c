/* The gradient of Dirichlet samples, element by element. */
#include "THTemplate.h"

#include "THDirichlet.h"
#include "TH/tensor/THTensorCore.h"

static void THTensor_(dirichletRun)(const THRun *run, const void *unused)
{
#define AT(K) ((real *)run->at[K] + j * run->rowStride[K] + i * run->stride[K])
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++)
      *AT(0) = (real)TH_dirichletSlope((double)*AT(1), (double)*AT(2), (double)*AT(3));
#undef AT
}

void THTensor_(dirichlet_grad)(THTensor *self, THTensor *x, THTensor *alpha, THTensor *total)
{
  THTensor *in[] = {x, alpha, total};
  static const char *const names[] = {"x", "alpha", "total"};
  for (int k = 1; k < 3; k++)
    THArgCheck(THTensor_(nElement)(in[k]) == THTensor_(nElement)(x), 2 + k,
               "%s has %td elements (%s), x has %td (%s)", names[k], THTensor_(nElement)(in[k]),
               THTensor_(sizeDesc)(in[k]).str, THTensor_(nElement)(x), THTensor_(sizeDesc)(x).str);
  THShape shape;
  THShape_openAs(&shape, x->nDimension, x->size, NULL);
  THShape_setStrides(&shape, NULL);
  THStandIn standIn;
  self = THTensor_(openStandIn)(&standIn, self, &shape, -1, 1);
  const THView result = TH_VIEW(self);
  THGuard guard[3];
  for (int k = 0; k < 3; k++)
    in[k] =
        THTensor_(copiedIf)(&guard[k], in[k],
                            THResult_overlap(result, &shape, TH_VIEW(in[k])) == TH_OVERLAP_MIXED);
  THTensor_(resizeResult)(self, &shape);

  THLoop loop;
  THLoop_init(&loop);
  loop.grain = TH_LOOP_GRAIN / 256;
  THLoop_tensor(&loop, self);
  for (int k = 0; k < 3; k++)
    THLoop_tensor(&loop, in[k]);
  THLoop_run(&loop, THTensor_(dirichletRun), NULL);
  for (int k = 2; k >= 0; k--)
    THGuard_leave(&guard[k]);
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
}
