/* Rows whose expression depends on attributes, or on what is known of the inputs (lower.c). */
#ifndef ATEN_ONNX_LOWER_H
#define ATEN_ONNX_LOWER_H

#include "Onnx.h"

at_lower at_lowerAveragePool, at_lowerBatchNorm, at_lowerCast, at_lowerCastLike, at_lowerQuantize,
    at_lowerClip, at_lowerCommuting, at_lowerConv, at_lowerDiv, at_lowerDropout, at_lowerFilled,
    at_lowerGather, at_lowerGatherBlocks, at_lowerGemm, at_lowerHardSigmoid, at_lowerIdentity,
    at_lowerLayerNorm, at_lowerMany, at_lowerMaxPool, at_lowerPow, at_lowerReduceMean,
    at_lowerReshape, at_lowerTranspose;

/* Rewrites a node of an operator before version 7 as that version has it (older.c). */
void at_renewItem(at_names *names, at_onnxItem *item);

/* Calls lower with each node among the fields of that number, after those that make what it takes (order.c). */
typedef void at_lowerItem(at_names *names, at_onnxItem *item);
void at_lowerInOrder(at_names *names, at_wire message, int64_t number, at_lowerItem *lower);

/* What the elements of an input are in the file, if they are known to be narrower than here. */
const at_packing *at_knownPacking(at_names *names, const at_onnxItem *item, int index);

/* Whether the first input is known to be of unsigned integers of 16 bits or more. */
bool at_isKnownUnsigned(at_names *names, const at_onnxItem *item);

#endif
