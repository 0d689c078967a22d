/* The operators of ONNX (github.com/onnx/onnx: docs/Operators.md): what each becomes, in the language of
 * expressions that Onnx.h describes. */
#include "Lower.h"
#include "Runs.h"

/* clang-format off */
static const at_lowering rows[] = {
    /* Elementwise. */
    {"Abs", 1, "abs($0)"}, {"Acos", 1, "acos($0)"}, {"Acosh", 1, "acosh($0)"},
    {"Asin", 1, "asin($0)"}, {"Asinh", 1, "asinh($0)"}, {"Atan", 1, "atan($0)"},
    {"Atanh", 1, "atanh($0)"}, {"Ceil", 1, "ceil($0)"}, {"Cos", 1, "cos($0)"},
    {"Cosh", 1, "cosh($0)"}, {"Erf", 1, "erf($0)"}, {"Exp", 1, "exp($0)"},
    {"Floor", 1, "floor($0)"}, {"IsNaN", 1, "isnan($0)"}, {"Log", 1, "log($0)"},
    {"Neg", 1, "neg($0)"}, {"Reciprocal", 1, "reciprocal($0)"}, {"Round", 1, "round($0)"},
    {"Sigmoid", 1, "sigmoid($0)"}, {"Sign", 1, "sign($0)"}, {"Sin", 1, "sin($0)"},
    {"Sinh", 1, "sinh($0)"}, {"Sqrt", 1, "sqrt($0)"}, {"Tan", 1, "tan($0)"},
    {"Tanh", 1, "tanh($0)"}, {"Relu", 1, "relu($0)"}, {"Mish", 1, "mish($0)"},
    {"HardSwish", 1, "hardswish($0)"}, {"Softplus", 1, "softplus($0)"},
    {"Softsign", 1, "div($0, add(abs($0), 1))"},
    {"Elu", 1, "elu($0, alpha=@alpha=1.0)"},
    {"Celu", 1, "celu($0, alpha=@alpha=1.0)"},
    {"Selu", 1, "elu($0, alpha=@alpha=1.67326319217681884765625, scale=@gamma=1.05070102214813232421875)"},
    {"LeakyRelu", 1, "leaky_relu($0, negative_slope=@alpha=0.01)"},
    {"ThresholdedRelu", 1, "threshold($0, @alpha=1.0, 0.0)"},
    {"HardSigmoid", 1, "clamp(add(mul($0, @alpha=0.2), @beta=0.5), min=0.0, max=1.0)", at_lowerHardSigmoid},
    {"Gelu", 1, "gelu($0, approximate=@approximate='none')"},
    {"Swish", 1, "mul($0, sigmoid(mul($0, @alpha=1.0)))"},
    {"SwiGLU", 28, "mul(mul($0, sigmoid(mul($0, @alpha=1.0))), $1)"},
    {"Shrink", 1, .run = at_runShrink},
    {"PRelu", 1, .run = at_runPRelu},
    {"Clip", 1, "clamp($0, min=@min=-3.4028234663852886e38, max=@max=3.4028234663852886e38)"},
    {"Clip", 11, "clamp($0, min=~1, max=~2)", at_lowerClip},
    {"IsInf", 1, .run = at_runIsInf},
    {"Not", 1, "logical_not($0)"}, {"BitwiseNot", 1, "bitwise_not($0)", .run = at_runUnsigned},
    {"And", 1, "logical_and($0, $1)"}, {"Or", 1, "logical_or($0, $1)"},
    {"Xor", 1, "logical_xor($0, $1)"}, {"BitwiseAnd", 1, "bitwise_and($0, $1)"},
    {"BitwiseOr", 1, "bitwise_or($0, $1)"}, {"BitwiseXor", 1, "bitwise_xor($0, $1)"},
    {"BitShift", 1, .run = at_runBitShift}, {"BitCast", 26, .run = at_runBitCast},
    {"Equal", 1, "eq($0, $1)"},
    {"Greater", 1, "gt($0, $1)", .run = at_runUnsigned}, {"Less", 1, "lt($0, $1)", .run = at_runUnsigned},
    {"GreaterOrEqual", 1, "ge($0, $1)", .run = at_runUnsigned}, {"LessOrEqual", 1, "le($0, $1)", .run = at_runUnsigned},
    {"Add", 1, "add($0, ~1)", at_lowerCommuting, at_runUnsigned},
    {"Mul", 1, "mul($0, ~1)", at_lowerCommuting, at_runUnsigned},
    {"Sub", 1, "sub($0, ~1)", .run = at_runUnsigned},
    {"Div", 1, .lower = at_lowerDiv, .run = at_runDiv},
    {"Pow", 1, .lower = at_lowerPow, .run = at_runPow},
    {"Mod", 1, .run = at_runMod},
    {"Max", 1, .lower = at_lowerMany, .run = at_runMany}, {"Min", 1, .lower = at_lowerMany, .run = at_runMany},
    {"Sum", 1, .lower = at_lowerMany, .run = at_runMany}, {"Mean", 1, .run = at_runMany},
    {"Where", 1, "where($0, $1, $2)"},
    {"Cast", 1, "to($0, type=%to)", at_lowerCast, at_runCast},
    {"CastLike", 1, "type_as($0, $1)", at_lowerCastLike, at_runCast},
    {"Identity", 1, "alias($0)", at_lowerIdentity},
    {"Dropout", 1, .lower = at_lowerDropout, .run = at_runDropout, .draws = true},
    /* Random numbers. */
    {"Bernoulli", 1, .run = at_runBernoulli, .draws = true},
    {"RandomNormal", 1, .run = at_runRandom, .draws = true}, {"RandomUniform", 1, .run = at_runRandom, .draws = true},
    {"RandomNormalLike", 1, .run = at_runRandomLike, .draws = true},
    {"RandomUniformLike", 1, .run = at_runRandomLike, .draws = true},
    {"Multinomial", 7, .run = at_runMultinomial, .draws = true},
    /* Products. */
    {"MatMul", 1, "matmul($0, $1)"},
    {"Gemm", 1, .lower = at_lowerGemm, .run = at_runGemm},
    {"Einsum", 1, "einsum(@equation, $*)"},
    {"Det", 1, "det($0)"},
    {"MatMulInteger", 1, .run = at_runMatMulInteger},
    {"QLinearMatMul", 1, .run = at_runQLinearMatMul},
    /* Convolutions, pooling, normalization. */
    {"Conv", 1, .lower = at_lowerConv, .run = at_runConv},
    {"ConvTranspose", 1, .run = at_runConvTranspose},
    {"DeformConv", 19, .run = at_runDeformConv},
    {"ConvInteger", 1, .run = at_runConvInteger},
    {"QLinearConv", 1, .run = at_runQLinearConv},
    {"MaxPool", 1, .lower = at_lowerMaxPool, .run = at_runMaxPool},
    {"AveragePool", 1, .lower = at_lowerAveragePool, .run = at_runAveragePool},
    {"LpPool", 1, .run = at_runLpPool},
    {"MaxUnpool", 1, .run = at_runMaxUnpool},
    {"GlobalAveragePool", 1, .run = at_runGlobal}, {"GlobalMaxPool", 1, .run = at_runGlobal},
    {"GlobalLpPool", 1, .run = at_runGlobal},
    {"BatchNormalization", 1, "batch_norm($0, $1, $2, $3, $4, false, 0.1, @epsilon=0.00001, false)", at_lowerBatchNorm,
     at_runBatchNorm},
    {"InstanceNormalization", 1, "instance_norm($0, $1, $2, None, None, true, 0.0, @epsilon=0.00001, false)"},
    {"LayerNormalization", 1, .lower = at_lowerLayerNorm, .run = at_runLayerNorm},
    {"GroupNormalization", 1, .run = at_runGroupNorm},
    {"RMSNormalization", 1, .run = at_runRmsNorm}, {"SimplifiedLayerNormalization", 1, .run = at_runRmsNorm},
    {"LRN", 1, .run = at_runLrn},
    {"LpNormalization", 1, .run = at_runLpNormalization},
    {"MeanVarianceNormalization", 1, .run = at_runMeanVariance},
    {"Softmax", 13, "softmax($0, @axis=-1)"}, {"LogSoftmax", 13, "log_softmax($0, @axis=-1)"},
    {"Softmax", 1, .run = at_runFlatSoftmax}, {"LogSoftmax", 1, .run = at_runFlatSoftmax},
    {"Hardmax", 13, .run = at_runHardmax}, {"Hardmax", 1, .run = at_runFlatSoftmax},
    {"Attention", 23, .run = at_runAttention},
    {"LinearAttention", 27, .run = at_runLinearAttention},
    {"CausalConvWithState", 27, .run = at_runCausalConv},
    {"RotaryEmbedding", 23, .run = at_runRotary},
    {"LSTM", 1, .run = at_runLstm}, {"GRU", 1, .run = at_runGru}, {"RNN", 1, .run = at_runRnn},
    {"NegativeLogLikelihoodLoss", 1, .run = at_runNll},
    {"SoftmaxCrossEntropyLoss", 1, .run = at_runCrossEntropy},
    /* Shapes. */
    {"Shape", 1, .run = at_runShape}, {"Size", 1, .run = at_runSize},
    {"Reshape", 1, .lower = at_lowerReshape, .run = at_runReshape},
    {"Flatten", 1, .run = at_runFlatten},
    {"Squeeze", 1, .run = at_runSqueeze}, {"Unsqueeze", 1, .run = at_runUnsqueeze},
    {"Expand", 8, .run = at_runExpand},
    {"Tile", 6, "repeat($0, #1)"},
    {"Transpose", 1, .lower = at_lowerTranspose, .run = at_runTranspose},
    {"Concat", 1, "cat($*, dim=@axis)"},
    {"Split", 1, .run = at_runSplit},
    {"Slice", 1, .run = at_runSlice},
    {"Pad", 1, .run = at_runPad},
    {"DepthToSpace", 1, .run = at_runDepthToSpace}, {"SpaceToDepth", 1, .run = at_runSpaceToDepth},
    {"Trilu", 1, .run = at_runTrilu},
    {"CenterCropPad", 1, .run = at_runCenterCropPad},
    {"Col2Im", 1, .run = at_runCol2Im},
    {"ReverseSequence", 1, .run = at_runReverseSequence},
    /* New tensors. */
    {"Constant", 1, .run = at_runConstant},
    {"ConstantOfShape", 1, .lower = at_lowerFilled, .run = at_runFilled},
    {"Range", 1, .run = at_runRange},
    {"EyeLike", 1, .run = at_runEyeLike},
    {"OneHot", 9, .run = at_runOneHot},
    {"HannWindow", 1, .run = at_runWindow}, {"HammingWindow", 1, .run = at_runWindow},
    {"BlackmanWindow", 1, .run = at_runWindow},
    /* Indices. */
    {"Gather", 1, .lower = at_lowerGather, .run = at_runGather},
    {"GatherElements", 1, .run = at_runGatherElements}, {"GatherND", 1, .run = at_runGatherNd},
    {"Scatter", 9, .run = at_runScatterElements}, {"ScatterElements", 11, .run = at_runScatterElements},
    {"ScatterND", 1, .run = at_runScatterNd},
    {"Compress", 1, .run = at_runCompress},
    {"NonZero", 1, "t(nonzero($0))"},
    {"TopK", 1, .run = at_runTopK},
    {"ArgMax", 1, .run = at_runArgMax}, {"ArgMin", 1, .run = at_runArgMax},
    {"Unique", 1, .run = at_runUnique},
    {"CumSum", 11, .run = at_runCumSum}, {"CumProd", 1, .run = at_runCumSum},
    {"NonMaxSuppression", 1, .run = at_runNonMaxSuppression},
    {"TensorScatter", 24, .run = at_runTensorScatter},
    /* Reductions. */
    {"ReduceSum", 1, .run = at_runReduce}, {"ReduceMean", 1, .lower = at_lowerReduceMean, .run = at_runReduce},
    {"ReduceMax", 1, .run = at_runReduce}, {"ReduceMin", 1, .run = at_runReduce},
    {"ReduceProd", 1, .run = at_runReduce}, {"ReduceL1", 1, .run = at_runReduce},
    {"ReduceL2", 1, .run = at_runReduce}, {"ReduceLogSum", 1, .run = at_runReduce},
    {"ReduceLogSumExp", 1, .run = at_runReduce}, {"ReduceSumSquare", 1, .run = at_runReduce},
    /* Images. */
    {"Resize", 10, .run = at_runResize},
    {"Upsample", 1, .run = at_runResize},
    {"MaxRoiPool", 1, .run = at_runMaxRoiPool},
    {"RoiAlign", 10, .run = at_runRoiAlign}, {"RoiAlign", 16, .run = at_runRoiAlign},
    {"GridSample", 1, .run = at_runGridSample},
    {"AffineGrid", 1, .run = at_runAffineGrid},
    /* Quantized numbers. */
    {"QuantizeLinear", 1, .lower = at_lowerQuantize, .run = at_runQuantize},
    {"DequantizeLinear", 1, .run = at_runDequantize},
    {"DynamicQuantizeLinear", 1, .run = at_runDynamicQuantize},
    /* Graphs. */
    {"If", 1, .lower = at_lowerIf}, {"Loop", 1, .lower = at_lowerLoop}, {"Scan", 9, .lower = at_lowerScan},
    {"SequenceMap", 17, .lower = at_lowerSequenceMap},
    /* Optional values. */
    {"Optional", 15, .run = at_runOptional}, {"OptionalGetElement", 15, .run = at_runGetElement},
    {"OptionalHasElement", 15, .run = at_runHasElement},
    /* Sequences. */
    {"SequenceConstruct", 11, .run = at_runSequenceConstruct}, {"SequenceEmpty", 11, .run = at_runSequenceEmpty},
    {"SequenceInsert", 11, .run = at_runSequenceInsert}, {"SequenceErase", 11, .run = at_runSequenceErase},
    {"SequenceAt", 11, .run = at_runSequenceAt}, {"SequenceLength", 11, .run = at_runSequenceLength},
    {"SplitToSequence", 11, .run = at_runSplitToSequence}, {"ConcatFromSequence", 11, .run = at_runConcatFromSequence},
    /* Fourier transforms. */
    {"DFT", 17, .run = at_runDft}, {"DFT", 20, .run = at_runDft}, {"STFT", 17, .run = at_runStft},
    {"MelWeightMatrix", 17, .run = at_runMelWeights},
    /* Texts, as the numbers of their words. */
    {"TfIdfVectorizer", 9, .run = at_runTfIdf, .prepare = at_prepareTfIdf},
};

/* Operators of ONNX Runtime's own domain. */
static const at_lowering own[] = {
    {"Gelu", 1, "gelu($0)"}, {"BiasGelu", 1, "gelu(add($0, $1))"}, {"FastGelu", 1, .run = at_runFastGelu},
    {"QuickGelu", 1, "mul($0, sigmoid(mul($0, @alpha=1.702)))"},
    {"FusedConv", 1, .run = at_runFusedConv}, {"FusedGemm", 1, .run = at_runFusedGemm},
    {"FusedMatMul", 1, .run = at_runFusedMatMul},
    {"DynamicQuantizeMatMul", 1, .run = at_runDynamicQuantizeMatMul},
    {"MatMulIntegerToFloat", 1, .run = at_runMatMulIntegerToFloat},
    {"DynamicQuantizeLSTM", 1, .run = at_runDynamicLstm}, {"QLinearAveragePool", 1, .run = at_runQuantizedAverage},
    {"QuantizeLinear", 1, .run = at_runQuantize}, {"DequantizeLinear", 1, .run = at_runDequantize},
    {"GatherBlockQuantized", 1, .lower = at_lowerGatherBlocks, .run = at_runGatherBlocks},
    {"MatMulBnb4", 1, .run = at_runMatMulBnb4},
    {"MatMulNBits", 1, .run = at_runMatMulBits},
    {"SkipLayerNormalization", 1, .run = at_runSkipLayerNorm},
    {"SkipSimplifiedLayerNormalization", 1, .run = at_runSkipRootNorm},
    {"SimplifiedLayerNormalization", 1, .run = at_runRmsNorm},
    {"EmbedLayerNormalization", 1, .run = at_runEmbedLayerNorm},
    {"MultiHeadAttention", 1, .run = at_runHeads}, {"Attention", 1, .run = at_runSelfAttention},
    {"GroupQueryAttention", 1, .run = at_runGroupQuery}, {"RotaryEmbedding", 1, .run = at_runRotaryCache},
    {"QLinearAdd", 1, .run = at_runQuantizedAdd}, {"QLinearMul", 1, .run = at_runQuantizedMul},
    {"QLinearSigmoid", 1, .run = at_runQuantizedSigmoid}, {"QLinearLeakyRelu", 1, .run = at_runQuantizedLeakyRelu},
    {"QLinearSoftmax", 1, .run = at_runQuantizedSoftmax}, {"QLinearGlobalAveragePool", 1, .run = at_runQuantizedGlobal},
    {"QLinearConcat", 1, .run = at_runQuantizedConcat}, {"QGemm", 1, .run = at_runQuantizedGemm},
};

/* Operators of ai.onnx.ml, in which a row with the names of classes is that of their scores. */
static const at_lowering learned[] = {
    {"ArrayFeatureExtractor", 1, .run = at_runFeatureExtractor},
    {"Binarizer", 1, .run = at_runBinarizer},
    {"FeatureVectorizer", 1, .run = at_runFeatureVectorizer},
    {"Imputer", 1, .run = at_runImputer, .prepare = at_prepareImputer},
    {"LabelEncoder", 1, .run = at_runLabelEncoder, .prepare = at_prepareLabelEncoder},
    {"LinearClassifier", 1, .run = at_runLinearClassifier, .prepare = at_prepareLinearClassifier},
    {"LinearRegressor", 1, .run = at_runLinearRegressor, .prepare = at_prepareLinearRegressor},
    {"Normalizer", 1, .run = at_runNormalizer},
    {"OneHotEncoder", 1, .run = at_runOneHotEncoder, .prepare = at_prepareOneHotEncoder},
    {"Scaler", 1, .run = at_runScaler, .prepare = at_prepareScaler},
    {"SVMClassifier", 1, .run = at_runSvmClassifier, .prepare = at_prepareSvmClassifier},
    {"SVMRegressor", 1, .run = at_runSvmRegressor, .prepare = at_prepareSvmRegressor},
    {"TreeEnsembleClassifier", 1, .run = at_runTreeClassifier, .prepare = at_prepareTreeClassifier},
    {"TreeEnsembleRegressor", 1, .run = at_runTreeRegressor, .prepare = at_prepareTreeRegressor},
    {"TreeEnsemble", 5, .run = at_runTreeRegressor, .prepare = at_prepareTreeEnsemble},
    {"ZipMap", 1, "alias($0)"},
};
/* clang-format on */

static const at_lowering *row_of(const at_lowering *table, size_t count, const at_onnxItem *item,
                                 int64_t version)
{
  const at_lowering *found = NULL;
  for (size_t i = 0; i < count; i++)
    if (!strcmp(table[i].type, item->type) && table[i].since <= version &&
        (!found || found->since < table[i].since))
      found = &table[i];
  return found;
}

const at_lowering *at_loweringOf(const at_onnxItem *item, int64_t version)
{
  if (!*item->domain)
    return row_of(rows, sizeof rows / sizeof *rows, item, version);
  if (!strcmp(item->domain, "com.microsoft"))
    return row_of(own, sizeof own / sizeof *own, item, version);
  if (!strcmp(item->domain, "ai.onnx.ml"))
    return row_of(learned, sizeof learned / sizeof *learned, item, version);
  return NULL;
}
