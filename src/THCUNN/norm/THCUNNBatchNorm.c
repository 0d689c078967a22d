/* The CUDA side of THNN's batch normalization. */
#include "THCUNN/layer/THCUNNDevice.h"
#include "THNN/norm/BatchNormLayers.h"

void THNN_(batchNormRun)(THNN_(BatchNorm) * b)
{
  const THCUNNBatchNorm norm = {.batch = b->batch,
                                .channels = b->channels,
                                .inner = b->inner,
                                .train = b->train,
                                .momentum = b->momentum,
                                .eps = b->eps,
                                .scale = b->scale,
                                .x = b->x,
                                .g = b->g,
                                .weight = b->weight,
                                .bias = b->bias,
                                .mean = b->givenMean,
                                .variance = b->givenVar,
                                .std = b->givenStd,
                                .y = b->y,
                                .runningMean = b->runningMean,
                                .runningVar = b->runningVar,
                                .saveMean = b->saveMean,
                                .saveStd = b->saveStd,
                                .gradWeight = b->gradWeight,
                                .gradBias = b->gradBias,
                                .sums = b->sums};
  if (b->batch == 0 || b->inner == 0 || b->channels == 0)
    return;
  if (b->g)
    TH_CONCAT_2(THCUNN_batchNormBackward_, Real)(&norm, THCUNN_STREAM);
  else
    TH_CONCAT_2(THCUNN_batchNorm_, Real)(&norm, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
}
