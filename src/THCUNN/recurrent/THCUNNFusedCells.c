/* The CUDA side of THNN's fused cells. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/recurrent/FusedCellsLayers.h"

static THCUNNCells THNN_(cells)(const THNN_(Cell) * c)
{
  return (THCUNNCells){.rows = c->rows,
                       .n = c->n,
                       .input = c->input,
                       .hidden = c->hidden,
                       .bias1 = c->bias1,
                       .bias2 = c->bias2,
                       .h = c->h,
                       .g = c->g,
                       .c = c->c,
                       .yc = c->yc,
                       .gc = c->gc,
                       .kept = c->kept,
                       .gates = c->gates,
                       .y = c->y,
                       .newCell = c->newCell,
                       .keep = c->keep,
                       .dInput = c->dInput,
                       .dHidden = c->dHidden,
                       .dh = c->dh};
}

/* Kernels add both biases. */
real *THNN_(cellBiasScratch)(THNN_(Call) * call, THCTensor *bias1, THCTensor *bias2, int64_t count)
{
  return NULL;
}

#define CELLS(NAME, LAUNCH)                                         \
  void THNN_(NAME)(const THNN_(Cell) * cell)                        \
  {                                                                 \
    const THCUNNCells cells = THNN_(cells)(cell);                   \
    if (cell->rows > 0)                                             \
      TH_CONCAT_4(THCUNN_, LAUNCH, _, Real)(&cells, THCUNN_STREAM); \
    THCudaCheck(cudaGetLastError());                                \
  }
CELLS(gruCells, gru)
CELLS(gruCellsBackward, gruBackward)
CELLS(lstmCells, lstm)
CELLS(lstmCellsBackward, lstmBackward)
