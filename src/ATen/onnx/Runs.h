/* The functions that compute nodes during a run, by the operators that they are for; they are in runs/. */
#ifndef ATEN_ONNX_RUNS_H
#define ATEN_ONNX_RUNS_H

#include "ATenOps.h"
#include "Onnx.h"

at_onnxRun at_runAffineGrid, at_runArgMax, at_runAttention, at_runAveragePool, at_runBatchNorm,
    at_runBernoulli, at_runBitCast, at_runBitShift, at_runCast, at_runCausalConv,
    at_runCenterCropPad, at_runCol2Im, at_runCompress, at_runConcatFromSequence, at_runConstant,
    at_runConv, at_runConvInteger, at_runConvTranspose, at_runCrossEntropy, at_runCumSum,
    at_runTopK, at_runDeformConv, at_runDepthToSpace, at_runDequantize, at_runDft, at_runDiv,
    at_runDropout, at_runDynamicQuantize, at_runExpand, at_runEyeLike, at_runFilled,
    at_runFlatSoftmax, at_runFlatten, at_runGather, at_runGatherElements, at_runGatherNd,
    at_runGetElement, at_runGemm, at_runGlobal, at_runGridSample, at_runGroupNorm, at_runGru,
    at_runHasElement, at_runHardmax, at_runIsInf, at_runLayerNorm, at_runLinearAttention,
    at_runLpNormalization, at_runLpPool, at_runLrn, at_runLstm, at_runMany, at_runMatMulInteger,
    at_runMaxPool, at_runMaxRoiPool, at_runMaxUnpool, at_runMeanVariance, at_runMelWeights,
    at_runMod, at_runMultinomial, at_runNll, at_runNonMaxSuppression, at_runOneHot, at_runOptional,
    at_runPRelu, at_runPad, at_runPow, at_runQLinearConv, at_runQLinearMatMul, at_runQuantize,
    at_runRandom, at_runRandomLike, at_runRange, at_runReduce, at_runReshape, at_runResize,
    at_runReverseSequence, at_runRmsNorm, at_runRnn, at_runRoiAlign, at_runRotary,
    at_runScatterElements, at_runScatterNd, at_runSequenceAt, at_runSequenceConstruct,
    at_runSequenceEmpty, at_runSequenceErase, at_runSequenceInsert, at_runSequenceLength,
    at_runShape, at_runShrink, at_runSize, at_runSlice, at_runSpaceToDepth, at_runSplit,
    at_runSplitToSequence, at_runStft, at_runSqueeze, at_runTensorScatter, at_runTfIdf,
    at_runTranspose, at_runTrilu, at_runUnique, at_runUnsigned, at_runUnsqueeze, at_runWindow;

/* Operators of ONNX Runtime's own domain. */
at_onnxRun at_runDynamicLstm, at_runDynamicQuantizeMatMul, at_runMatMulIntegerToFloat,
    at_runGatherBlocks, at_runMatMulBnb4, at_runQuantizedAverage, at_runEmbedLayerNorm,
    at_runFastGelu, at_runFusedConv, at_runFusedGemm, at_runFusedMatMul, at_runGroupQuery,
    at_runRotaryCache, at_runHeads, at_runMatMulBits, at_runQuantizedAdd, at_runQuantizedConcat,
    at_runQuantizedGemm, at_runQuantizedGlobal, at_runQuantizedLeakyRelu, at_runQuantizedMul,
    at_runQuantizedSigmoid, at_runQuantizedSoftmax, at_runSelfAttention, at_runSkipLayerNorm,
    at_runSkipRootNorm;

/* Operators of ai.onnx.ml, in ml/. */
at_onnxRun at_runBinarizer, at_runFeatureExtractor, at_runFeatureVectorizer, at_runImputer,
    at_runLabelEncoder, at_runLinearClassifier, at_runLinearRegressor, at_runNormalizer,
    at_runOneHotEncoder, at_runScaler, at_runSvmClassifier, at_runSvmRegressor,
    at_runTreeClassifier, at_runTreeRegressor;
at_onnxPrepare at_prepareImputer, at_prepareLabelEncoder, at_prepareLinearClassifier,
    at_prepareLinearRegressor, at_prepareOneHotEncoder, at_prepareScaler, at_prepareSvmClassifier,
    at_prepareSvmRegressor, at_prepareTreeClassifier, at_prepareTreeEnsemble, at_prepareTfIdf,
    at_prepareTreeRegressor;

/* The convolution that the node's attributes describe; bias may be NULL. */
at_tensor *at_onnxConvolved(const at_onnxCall *call, at_tensor *x, at_tensor *filters,
                            at_tensor *bias);

/* round(x / scale) + zero in the type, at most what that holds; zero is of any type. */
at_tensor *at_onnxQuantized(at_tensor *x, at_tensor *scale, at_tensor *zero, const at_type *type);

/* Codes of x as bytes, from the least element, or 0, to the largest; where all are 0, the scale is 1. */
typedef struct at_onnxBytes {
  at_tensor *codes, *scale, *zero;
} at_onnxBytes;
at_onnxBytes at_onnxInBytes(at_tensor *x);

/* Elements of x rounded to those of a narrower type of the file, of the type that is here instead. */
at_tensor *at_onnxNarrowed(const at_onnxCall *call, at_tensor *x, const at_packing *packing);

/* The codes of packed, bits each, the first in the lowest bits: count along the last dimension. */
at_tensor *at_onnxUnpacked(const at_onnxCall *call, at_tensor *packed, int64_t bits, int64_t count);

/* The means of the windows that the node's attributes describe. */
at_tensor *at_onnxAveraged(const at_onnxCall *call, at_tensor *x);

/* x, batch x length x (heads width), as batch x heads x length x width. */
at_tensor *at_onnxHeads(const at_onnxCall *call, at_tensor *x, int64_t heads);

/* t as a contiguous tensor of the type; raises if that fails. */
at_tensor *at_onnxPlain(const at_onnxCall *call, at_tensor *t, at_scalar_type type);

/* Whether the first input is of an unsigned type of 16 bits or more, which at_runUnsigned is for. */
bool at_onnxIsUnsigned(const at_onnxCall *call);

#endif
