"""Small ONNX files, with inputs and what PyTorch or ONNX Runtime computes from them.

usage: onnx_programs.py make [NAME...]   writes the files in tests/golden/programs/onnx, or of the models without networks those
       onnx_programs.py nodes TH [NAME]  runs the node tests of the package onnx with TH, the program th of a build, and
                                         prints how many agree, differ and are refused, and which

Each NAME.onnx has NAME.npz next to it: input0, ..., output0, ..., but for draws, whose outputs are random, and ngrams_far, which does
not run; in listed.npz tensor k of an input or output has a name such as input0.k. `make` was run with PyTorch 2.15 and ONNX Runtime.
"""

import collections
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../golden/programs/onnx")
warnings.filterwarnings("ignore")


# --- networks that PyTorch exports ------------------------------------------------------------------

def save(name, inputs, outputs):
    arrays = {f"input{i}": x for i, x in enumerate(inputs)}
    arrays.update({f"output{i}": y for i, y in enumerate(outputs)})
    np.savez(os.path.join(FOLDER, name + ".npz"), **arrays)


def networks():
    import torch
    from torch import nn
    from programs import Encoder, Mobile, Residual

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)
            self.gru = nn.GRU(8, 5)

        def forward(self, x):
            return self.gru(self.lstm(x)[0])

    class Sizes(nn.Module):
        """Arithmetic with sizes that are known at run time alone."""

        def forward(self, x, mask):
            n, length, width = x.shape
            y = x.reshape(n, length // 2, 2 * width).transpose(0, 1)
            y = torch.cat([y, y.new_zeros(1, n, 2 * width)]).flatten(1)
            positions = torch.arange(length).expand(n, length)
            return y, torch.where(mask, positions, -1), x[:, -3:, 1::2], x.max(1).indices

    dim = torch.export.Dim
    tokens = torch.randint(0, 11, (2, 6))
    yield "residual", Residual(), (torch.randn(2, 3, 17, 17),), ({0: dim("batch", min=1, max=64)},)
    yield "mobile", Mobile(), (torch.randn(1, 3, 12, 12),), None
    yield "encoder", Encoder(), (tokens, torch.rand(2, 6) < 0.8), None
    yield "recurrent", Recurrent(), (torch.randn(2, 5, 3),), None
    yield "sizes", Sizes(), (torch.randn(2, 8, 6), torch.rand(2, 8) < 0.5), (
        {0: dim("n", min=1, max=9), 1: 2 * dim("half", min=2, max=9)}, {0: dim("n", min=1, max=9), 1: 2 * dim("half", min=2, max=9)})


def make_networks():
    import torch
    sys.path.insert(0, HERE)
    torch.manual_seed(0)
    for name, module, inputs, dynamic in networks():
        module.eval()
        with torch.no_grad():
            program = torch.onnx.export(module, inputs, dynamo=True, dynamic_shapes=dynamic, verbose=False)
            outputs = module(*inputs)
        model = program.model_proto
        model.doc_string = ""
        for node in model.graph.node:
            node.doc_string = ""
            del node.metadata_props[:]
        for value in model.graph.value_info:
            del value.metadata_props[:]
        del model.graph.metadata_props[:], model.metadata_props[:]
        with open(os.path.join(FOLDER, name + ".onnx"), "wb") as file:
            file.write(model.SerializeToString())
        if isinstance(outputs, dict):
            outputs = list(outputs.values())
        flat = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        save(name, [x.numpy() for x in inputs], [y.numpy() for y in flat])


# --- what no network has ----------------------------------------------------------------------------

def value(name, kind, sizes):
    return helper.make_tensor_value_info(name, kind, sizes)


def model_of(nodes, inputs, outputs, constants=(), functions=(), version=20):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(constants))
    opsets = [helper.make_opsetid("", version)] + ([helper.make_opsetid("own", 1)] if functions else [])
    return helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=9)


def graphs():
    """If, Loop, a function, and a graph that uses values around it; the last node comes first in the file."""
    node, floats, longs = helper.make_node, TensorProto.FLOAT, TensorProto.INT64
    body = helper.make_graph(
        [node("Add", ["sum", "x"], ["next"]), node("Identity", ["goes"], ["on"]), node("Mul", ["next", "two"], ["seen"])],
        "body", [value("i", longs, []), value("goes", TensorProto.BOOL, []), value("sum", floats, None)],
        [value("on", TensorProto.BOOL, []), value("next", floats, None), value("seen", floats, [3])],
        [numpy_helper.from_array(np.float32(2), "two")])
    yes = helper.make_graph([node("Sub", ["last", "x"], ["a"])], "yes", [], [value("a", floats, None)])
    no = helper.make_graph([node("Add", ["last", "bias"], ["b"])], "no", [], [value("b", floats, None)])
    square = helper.make_function(
        "own", "Scaled", ["v"], ["w"], [node("Mul", ["v", "v"], ["s"]), node("LeakyRelu", ["s"], ["w"])],
        [helper.make_opsetid("", 20)])
    for attribute in square.node[1].attribute:
        square.node[1].attribute.remove(attribute)
    alpha = square.node[1].attribute.add()
    alpha.name, alpha.type, alpha.ref_attr_name = "alpha", onnx.AttributeProto.FLOAT, "slope"
    square.attribute_proto.append(helper.make_attribute("slope", 0.125))
    nodes = [node("Loop", ["times", "", "x"], ["last", "all"], body=body),
             node("ReduceSum", ["last"], ["total"], keepdims=0), node("Constant", [], ["limit"], value_float=5.0),
             node("Greater", ["total", "limit"], ["large"]),
             node("If", ["large"], ["z"], then_branch=yes, else_branch=no),
             node("Scaled", ["z"], ["half"], domain="own", slope=0.5), node("Neg", ["half"], ["less"]), node("Scaled", ["less"], ["out"], domain="own")]
    return model_of(
        nodes[::-1], [value("x", floats, ["n"]), value("times", longs, [])],
        [value("out", floats, ["n"]), value("all", floats, [None, "n"])],
        [numpy_helper.from_array(np.arange(3, dtype=np.float32), "bias")], [square])


def windows():
    """Pooling, convolutions, padding and interpolation with attributes that PyTorch does not write."""
    node, floats = helper.make_node, TensorProto.FLOAT
    weight = np.random.default_rng(0).standard_normal((4, 2, 3, 3)).astype(np.float32)
    return model_of(
        [node("Conv", ["x", "w"], ["a"], auto_pad="SAME_UPPER", strides=[2, 2]),
         node("MaxPool", ["x"], ["b", "c"], kernel_shape=[3, 2], pads=[0, 1, 2, 0], strides=[2, 1]),
         node("AveragePool", ["x"], ["d"], kernel_shape=[3, 3], auto_pad="SAME_LOWER", strides=[2, 2]),
         node("ConvTranspose", ["a", "w"], ["e"], strides=[2, 2], pads=[0, 1, 1, 0]),
         node("Pad", ["x", "pads"], ["f"], mode="reflect"),
         node("Resize", ["x", "", "scales"], ["g"], mode="cubic", coordinate_transformation_mode="align_corners"),
         node("Slice", ["x", "from", "to", "axes", "steps"], ["h"])],
        [value("x", floats, [1, 2, 7, 6])], [value(n, TensorProto.INT64 if n == "c" else floats, None) for n in "abcdefgh"],
        [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(np.array([0, 0, 1, 2, 0, 0, 2, 1]), "pads"),
         numpy_helper.from_array(np.array([1, 1, 1.5, 0.5], np.float32), "scales"),
         numpy_helper.from_array(np.array([5, -1]), "from"), numpy_helper.from_array(np.array([0, -7]), "to"),
         numpy_helper.from_array(np.array([2, -1]), "axes"), numpy_helper.from_array(np.array([-2, -1]), "steps")])


def lists():
    """Sequences, also as what goes from run to run of a Loop, and Scan along other axes and from the end."""
    node, floats, longs = helper.make_node, TensorProto.FLOAT, TensorProto.INT64
    grown = helper.make_tensor_sequence_value_info
    body = helper.make_graph(
        [node("Identity", ["goes"], ["on"]), node("SequenceAt", ["parts", "i"], ["part"]),
         node("Mul", ["part", "x"], ["product"]), node("SequenceInsert", ["sofar", "product"], ["next"])],
        "body", [value("i", longs, []), value("goes", TensorProto.BOOL, []), grown("sofar", floats, None)],
        [value("on", TensorProto.BOOL, []), grown("next", floats, None)])
    step = helper.make_graph(
        [node("Add", ["sum", "column"], ["next"]), node("Mul", ["next", "row"], ["seen"]), node("Sub", ["seen", "two"], ["also"])],
        "step", [value("sum", floats, [2]), value("column", floats, [2]), value("row", floats, [2])],
        [value("next", floats, None), value("seen", floats, None), value("also", floats, None)])
    return model_of(
        [node("SplitToSequence", ["x", "sizes"], ["parts"], axis=1), node("SequenceEmpty", [], ["none"]),
         node("SequenceLength", ["parts"], ["count"]), node("Loop", ["count", "", "none"], ["all"], body=body),
         node("ConcatFromSequence", ["all"], ["a"], axis=0), node("SequenceErase", ["all", "one"], ["some"]),
         node("ConcatFromSequence", ["some"], ["b"], axis=-1, new_axis=1),
         node("SplitToSequence", ["x"], ["rows"], keepdims=0), node("SequenceAt", ["rows", "last"], ["c"]),
         node("SequenceConstruct", ["c", "a"], ["two_of_them"]), node("SequenceInsert", ["two_of_them", "x", "one"], ["three"]),
         node("SequenceAt", ["three", "one"], ["d"]), node("Transpose", ["x"], ["turned"]),
         node("Scan", ["start", "x", "turned"], ["e", "f", "g"], body=step, num_scan_inputs=2, scan_input_axes=[1, 0],
              scan_input_directions=[0, 1], scan_output_axes=[1, 0], scan_output_directions=[0, 1])],
        [value("x", floats, [2, 3])], [value(n, floats, None) for n in "abcdefg"],
        [numpy_helper.from_array(np.array([1, 1, 1]), "sizes"), numpy_helper.from_array(np.array(1), "one"),
         numpy_helper.from_array(np.array(-1), "last"), numpy_helper.from_array(np.float32(2), "two"),
         numpy_helper.from_array(np.array([0.5, -1], np.float32), "start")])


def waves():
    """Fourier transforms of reals and of complex numbers, forward and inverse, and mels."""
    node, floats = helper.make_node, TensorProto.FLOAT
    return model_of(
        [node("DFT", ["x", "", "axis"], ["a"], onesided=1), node("DFT", ["a", "", "axis"], ["b"]),
         node("DFT", ["b", "five", "axis"], ["c"], inverse=1),
         node("STFT", ["x", "two", "window"], ["d"]), node("STFT", ["x", "two", "", "five"], ["e"], onesided=0),
         node("MelWeightMatrix", ["eight", "sixteen", "rate", "low", "high"], ["f"])],
        [value("x", floats, [2, 9, 1])], [value(n, floats, None) for n in "abcdef"],
        [numpy_helper.from_array(np.array(v), n) for n, v in
         (("axis", 1), ("two", 2), ("five", 5), ("eight", 8), ("sixteen", 16), ("rate", 8192))] +
        [numpy_helper.from_array(np.hanning(6).astype(np.float32), "window"),
         numpy_helper.from_array(np.float32(0), "low"), numpy_helper.from_array(np.float32(4096), "high")])


def rois():
    """Regions of interest: inside, outside and across the border of two images."""
    node, floats = helper.make_node, TensorProto.FLOAT
    corners = np.array([[1, 2, 9.5, 11], [-6, -2, 4, 3], [5, 5, 5.2, 5.1], [10, 9, 30, 25], [40, 40, 44, 44]], np.float32)
    return model_of(
        [node("RoiAlign", ["x", "corners", "which"], ["a"], output_height=3, output_width=2, spatial_scale=0.5, sampling_ratio=2),
         node("RoiAlign", ["x", "corners", "which"], ["b"], output_height=2, output_width=2, spatial_scale=0.75,
              coordinate_transformation_mode="output_half_pixel"),
         node("RoiAlign", ["x", "corners", "which"], ["c"], output_width=3, mode="max", sampling_ratio=1)],
        [value("x", floats, [2, 3, 8, 9])], [value(n, floats, None) for n in "abc"],
        [numpy_helper.from_array(corners, "corners"), numpy_helper.from_array(np.array([0, 1, 1, 0, 1]), "which")])


def draws():
    """Random numbers that depend on constants alone."""
    node, floats = helper.make_node, TensorProto.FLOAT
    return model_of(
        [node("Bernoulli", ["chances"], ["a"]), node("RandomNormal", [], ["b"], shape=[64], mean=100.0, scale=0.5),
         node("RandomUniformLike", ["chances"], ["c"], low=2.0, high=3.0),
         node("Dropout", ["chances", "half", "yes"], ["d"]), node("Multinomial", ["logs"], ["e"], sample_size=64)],
        [], [value(n, TensorProto.INT32 if n == "e" else floats, [1, 64] if n == "e" else [64]) for n in "abcde"],
        [numpy_helper.from_array(np.full(64, 0.5, np.float32), "chances"), numpy_helper.from_array(np.float32(0.5), "half"),
         numpy_helper.from_array(np.array(True), "yes"), numpy_helper.from_array(np.zeros((1, 4), np.float32), "logs")])


def greatest():
    """The largest and the smallest elements, of a number that the file has or the run computes."""
    node, floats, longs = helper.make_node, TensorProto.FLOAT, TensorProto.INT64
    return model_of(
        [node("TopK", ["x", "two"], ["a", "b"]), node("TopK", ["x", "k"], ["c", "d"], axis=0, largest=0),
         node("Cast", ["x"], ["whole"], to=longs), node("TopK", ["whole", "two"], ["e", "f"], axis=1)],
        [value("x", floats, [4, 3]), value("k", longs, [1])],
        [value(n, longs if n in "bdef" else floats, None) for n in "abcdef"], [numpy_helper.from_array(np.array([2]), "two")])


def quantized():
    """Numbers in 8 and 16 bits: with one scale, for each entry of an axis, in blocks; and their products."""
    node, floats, rng = helper.make_node, TensorProto.FLOAT, np.random.default_rng(3)
    types = {"a": TensorProto.UINT8, "c": TensorProto.INT8, "d": TensorProto.UINT16, "e": TensorProto.UINT8, "g": TensorProto.UINT8,
             "h": TensorProto.UINT8, "j": TensorProto.UINT8, "k": TensorProto.INT32, "l": TensorProto.UINT8, "m": TensorProto.INT32,
             "n": TensorProto.UINT8}

    def drawn(kind, *sizes):
        return rng.integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, sizes).astype(kind)

    def scales(*sizes):
        return (0.01 + 0.1 * rng.random(sizes)).astype(np.float32)

    constants = {"s": scales(6), "z": drawn(np.uint8, 6), "half": np.float16(0.03), "minus": np.int8(-7), "blocks": scales(3, 3, 5),
                 "zeros": drawn(np.uint16, 3, 3, 5), "nothing": np.zeros((2, 3), np.float32), "one": scales(), "nine": np.uint8(9),
                 "b": drawn(np.int8, 5, 4), "bz": drawn(np.int8, 4), "bs": scales(4), "coarse": np.float32(40),
                 "w": drawn(np.int8, 4, 3, 3, 3), "ws": scales(4), "wz": np.zeros(4, np.int8), "bias": rng.integers(-900, 900, 4).astype(np.int32)}
    return model_of(
        [node("QuantizeLinear", ["x", "s", "z"], ["a"]), node("DequantizeLinear", ["a", "s", "z"], ["f"], axis=-2),
         node("Cast", ["x"], ["narrow"], to=TensorProto.FLOAT16), node("QuantizeLinear", ["narrow", "half", "minus"], ["c"]),
         node("QuantizeLinear", ["x", "blocks", "zeros"], ["d"], axis=1, block_size=2),
         node("DynamicQuantizeLinear", ["x"], ["e", "i", "g"]), node("DynamicQuantizeLinear", ["nothing"], ["h", "o", "j"]),
         node("MatMulInteger", ["a", "b", "nine", "bz"], ["k"]),
         node("QLinearMatMul", ["a", "one", "nine", "b", "bs", "bz", "coarse", "nine"], ["l"]),
         node("ConvInteger", ["y", "w", "nine"], ["m"], strides=[2, 1], pads=[1, 0, 1, 2]),
         node("QLinearConv", ["y", "one", "nine", "w", "ws", "wz", "coarse", "nine", "bias"], ["n"], pads=[1, 1, 1, 1])],
        [value("x", floats, [3, 6, 5]), value("y", TensorProto.UINT8, [2, 3, 6, 7])],
        [value(n, types.get(n, floats), None) for n in "acdefghijklmno"],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()], version=21)


def deformed():
    """Convolutions with moved taps, in groups, and the largest pixels of regions."""
    node, floats, rng = helper.make_node, TensorProto.FLOAT, np.random.default_rng(4)
    weight, half = rng.standard_normal((4, 4, 3, 2)).astype(np.float32), rng.standard_normal((6, 2, 2, 2)).astype(np.float32)
    offset, far = 1.5 * rng.standard_normal((2, 12, 3, 5)), 2 * rng.standard_normal((2, 16, 6, 5))
    regions = [[0, 1, 2, 9.5, 11], [1, -6, -2, 4, 3], [1, 5, 5, 5.2, 5.1], [0, 10, 9, 30, 25], [1, 40, 40, 44, 44], [0, 3, 3, 1, 1]]
    return model_of(
        [node("DeformConv", ["x", "w", "offset", "bias", "mask"], ["a"], strides=[2, 1], pads=[1, 0, 0, 1], dilations=[1, 2]),
         node("DeformConv", ["x", "half", "far"], ["b"], group=2, offset_group=2),
         node("MaxRoiPool", ["x", "regions"], ["c"], pooled_shape=[3, 2], spatial_scale=0.5),
         node("MaxRoiPool", ["x", "regions"], ["d"], pooled_shape=[1, 4])],
        [value("x", floats, [2, 4, 7, 6])], [value(n, floats, None) for n in "abcd"],
        [numpy_helper.from_array(np.asarray(v, np.float32), n) for n, v in
         (("w", weight), ("half", half), ("offset", offset), ("far", far), ("bias", rng.standard_normal(4)),
          ("mask", rng.random((2, 6, 3, 5))), ("regions", regions))])


def optional():
    """Optional values that are tensors, sequences and nothing."""
    node, floats, truth = helper.make_node, TensorProto.FLOAT, TensorProto.BOOL
    return model_of(
        [node("Optional", ["x"], ["some"]), node("OptionalHasElement", ["some"], ["a"]), node("OptionalGetElement", ["some"], ["b"]),
         node("SplitToSequence", ["x"], ["rows"], keepdims=0), node("Optional", ["rows"], ["many"]),
         node("OptionalHasElement", ["many"], ["c"]), node("OptionalGetElement", ["many"], ["again"]),
         node("SequenceAt", ["again", "one"], ["d"]), node("OptionalHasElement", [""], ["e"])],
        [value("x", floats, [2, 3])], [value(n, floats if n in "bd" else truth, None) for n in "abcde"],
        [numpy_helper.from_array(np.array(1), "one")])


def listed():
    """Sequences and optional values as inputs and outputs, and what is mapped."""
    node, floats, sequence = helper.make_node, TensorProto.FLOAT, helper.make_tensor_sequence_value_info

    def maybe(name, of):
        return helper.make_value_info(name, helper.make_optional_type_proto(of))
    tensor = helper.make_tensor_type_proto(floats, ["n", 3])
    tensors = helper.make_sequence_type_proto(helper.make_tensor_type_proto(floats, None))
    body = helper.make_graph(
        [node("Add", ["p", "q"], ["sum"]), node("Mul", ["sum", "factor"], ["product"]), node("Shape", ["p"], ["shape"])], "body",
        [value("p", floats, None), value("q", floats, None)], [value("product", floats, None), value("shape", TensorProto.INT64, None)])
    some = helper.make_graph([node("OptionalGetElement", ["rest"], ["got"])], "some", [], [sequence("got", floats, None)])
    none = helper.make_graph([node("SequenceEmpty", [], ["nothing"])], "none", [], [sequence("nothing", floats, None)])
    return model_of(
        [node("SequenceMap", ["parts", "others"], ["mapped", "shapes"], body=body), node("Identity", ["parts"], ["same"]),
         node("Identity", ["x"], ["kept"]), node("OptionalHasElement", ["rest"], ["has"]),
         node("If", ["has"], ["chosen"], then_branch=some, else_branch=none), node("SequenceLength", ["chosen"], ["count"])],
        [sequence("parts", floats, ["n"]), sequence("others", floats, None), maybe("x", tensor), maybe("rest", tensors)],
        [sequence("mapped", floats, None), sequence("shapes", TensorProto.INT64, None), sequence("same", floats, None),
         maybe("kept", tensor), sequence("chosen", floats, None), value("count", TensorProto.INT64, [])],
        [numpy_helper.from_array(np.float32(1.5), "factor")])


def dealt():
    """A sequence between two tensors, which go to its end."""
    node, floats, sequence = helper.make_node, TensorProto.FLOAT, helper.make_tensor_sequence_value_info
    return model_of([node("SequenceInsert", ["parts", "x"], ["more"], ), node("SequenceErase", ["more", "first"], ["list"]),
                     node("Identity", ["y"], ["z"])],
                    [value("y", floats, None), sequence("parts", floats, None), value("x", floats, None)],
                    [value("z", floats, None), sequence("list", floats, None)], [numpy_helper.from_array(np.array(0), "first")])


def make_listed():
    import onnxruntime
    onnx.save(dealt(), os.path.join(FOLDER, "dealt.onnx"))
    rng, model = np.random.default_rng(11), listed()
    onnx.save(model, os.path.join(FOLDER, "listed.onnx"))

    def arrays(*sizes):
        return [rng.standard_normal(size).astype(np.float32) for size in sizes]
    inputs = [arrays(2, 3, 0), arrays(1, (2, 3), 1), arrays((2, 3))[0], arrays((), (4, 1))]
    outputs = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {i.name: x for i, x in zip(model.graph.input, inputs)})
    named = {}
    for what, values in ("input", inputs), ("output", outputs):
        for i, x in enumerate(values):
            named |= {f"{what}{i}.{k}": y for k, y in enumerate(x if isinstance(x, list) else [x])}
    np.savez(os.path.join(FOLDER, "listed.npz"), **named)


def ngrams():
    """Counts of n-grams in all modes, of rows and of one row, with gaps, and of lengths that are not counted."""
    node, floats, longs = helper.make_node, TensorProto.FLOAT, TensorProto.INT64
    pool = {"ngram_counts": [0, 3, 9], "pool_int64s": [2, 3, 7, 2, 3, 3, 2, 7, 7, 2, 7, 2, 5, 5, 7],
            "ngram_indexes": [0, 5, 2, 1, 3, 4, 7, 6]}
    weights = [0.5, 1.5, -2.0, 4.0, 0.25, 3.0, 1.0, 8.0]
    return model_of(
        [node("TfIdfVectorizer", ["x"], ["a"], mode="TF", min_gram_length=1, max_gram_length=3, max_skip_count=2, **pool),
         node("TfIdfVectorizer", ["row"], ["b"], mode="TFIDF", min_gram_length=2, max_gram_length=3, max_skip_count=0, weights=weights, **pool),
         node("TfIdfVectorizer", ["x"], ["c"], mode="IDF", min_gram_length=1, max_gram_length=2, max_skip_count=1, weights=weights, **pool),
         node("TfIdfVectorizer", ["x"], ["d"], mode="IDF", min_gram_length=1, max_gram_length=1, max_skip_count=7, **pool)],
        [value("x", longs, ["n", 9]), value("row", TensorProto.INT32, ["m"])], [value(n, floats, None) for n in "abcd"])


def ngrams_far():
    """A column with a weight, far from all others: a file of bytes that declares a result of gigabytes.  It is loaded, not run."""
    return model_of([helper.make_node("TfIdfVectorizer", ["x"], ["y"], mode="TFIDF", min_gram_length=1, max_gram_length=1,
                                      max_skip_count=0, ngram_counts=[0], pool_int64s=[1, 2], ngram_indexes=[0, 2**31 - 2],
                                      weights=[2.0, 3.0])],
                    [value("x", TensorProto.INT64, ["n"])], [value("y", TensorProto.FLOAT, None)])


def sparse():
    """Sparse weights of each kind of index, in the graph and as a value of a node, and one of no values."""
    node, floats, longs = helper.make_node, TensorProto.FLOAT, TensorProto.INT64

    def tensor(name, values, indices, sizes, kind=floats):
        return helper.make_sparse_tensor(
            helper.make_tensor(name, kind, [len(values)], values),
            helper.make_tensor(name + "_at", longs, list(np.shape(indices)), np.ravel(indices).tolist()), sizes)
    nodes = [node("MatMul", ["x", "w"], ["h"]), node("Constant", [], ["b"], sparse_value=tensor("", [2.5, -1], [1, 3], [4])),
             node("Add", ["h", "b"], ["y"]), node("Gather", ["y", "at"], ["z"], axis=1), node("Mul", ["x", "none"], ["u"])]
    graph = helper.make_graph(
        nodes, "graph", [value("x", floats, ["n", 3])], [value(n, floats, None) for n in "yzu"],
        sparse_initializer=[tensor("w", [1.5, -2, 4, 8], [[0, 1], [1, 0], [1, 3], [2, 2]], [3, 4]),
                            tensor("at", [2, 3], [0, 2], [4], longs), tensor("none", [], [], [3])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def wraps():
    """Arithmetic of unsigned integers, which wraps around."""
    node, kinds = helper.make_node, {"a": TensorProto.UINT16, "b": TensorProto.UINT32, "c": TensorProto.UINT64}
    nodes, outputs = [], []
    for name, kind in kinds.items():
        for k, op in enumerate(("Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Greater", "LessOrEqual", "Less", "GreaterOrEqual")):
            nodes.append(node(op, [name, name + "2"], [f"{name}_{k}"]))
            outputs.append(value(f"{name}_{k}", TensorProto.BOOL if op[0] in "GL" else kind, None))
        nodes += [node("BitwiseNot", [name], [name + "_n"]), node("BitShift", [name, name + "2"], [name + "_r"], direction="RIGHT"),
                  node("ReduceMax", ["none", "axes"], [name + "_e"]) if name == "a" else node("Identity", [name + "2"], [name + "_e"])]
        outputs += [value(name + "_n", kind, None), value(name + "_r", kind, None), value(name + "_e", TensorProto.INT32 if name == "a" else kind, None)]
    inputs = [value(n + two, k, size) for n, k in kinds.items() for two, size in (("", [2, 3]), ("2", [3]))]
    none = [numpy_helper.from_array(np.zeros((2, 0), np.int32), "none"), numpy_helper.from_array(np.array([1]), "axes")]
    return model_of(nodes, inputs, outputs, none)


def wrapping_inputs():
    rng = np.random.default_rng(3)
    return [x for kind in (np.uint16, np.uint32, np.uint64) for x in
            (rng.integers(0, np.iinfo(kind).max, (2, 3), kind, True), np.array([1, 7, np.iinfo(kind).max // 2 + 3], kind))]


def recent():
    """Operators of sequences that versions 25 to 27 brought."""
    node, floats = helper.make_node, TensorProto.FLOAT
    nodes = [node("CausalConvWithState", ["x", "w", "bias", ""], ["y0", "s0"], activation="silu"), node("CausalConvWithState", ["x", "w", "", "s0"], ["y1", "s1"]),
             node("LinearAttention", ["q", "k", "v", "", "g", "beta"], ["y2", "s2"], q_num_heads=4, kv_num_heads=2),
             node("LinearAttention", ["q", "k", "v", "s2"], ["y3", "s3"], q_num_heads=4, kv_num_heads=2, update_rule="linear", scale=0.5),
             node("Attention", ["q", "k", "v"], ["y4"], q_num_heads=4, kv_num_heads=2, left_window_size=1, right_window_size=0)]
    sizes = dict(x=[2, 4, 5], w=[4, 1, 3], bias=[4], q=[2, 5, 12], k=[2, 5, 6], v=[2, 5, 6], g=[2, 5, 2], beta=[2, 5, 2])
    return model_of(nodes, [value(n, floats, s) for n, s in sizes.items()], [value(n, floats, None) for n in "y0 s0 y1 s1 y2 s2 y3 s3 y4".split()], version=27), sizes


def own_model(nodes, inputs, outputs, constants):
    """A model of operators of ONNX Runtime's own domain."""
    rng = np.random.default_rng(11)
    drawn = {n: c if isinstance(c, np.ndarray) else rng.standard_normal(c).astype(np.float32) for n, c in constants.items()}
    graph = helper.make_graph(nodes, "graph", inputs, outputs, [numpy_helper.from_array(v, n) for n, v in drawn.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


def runtime():
    """What ONNX Runtime's optimizer makes of layers."""
    floats = TensorProto.FLOAT

    def node(*a, **k):
        return helper.make_node(*a, domain="com.microsoft", **k)

    rng = np.random.default_rng(12)
    mask = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)
    nodes = [node("Gelu", ["x"], ["a"]), node("BiasGelu", ["x", "bias"], ["b"]), node("FastGelu", ["x", "bias"], ["c"]), node("FastGelu", ["x"], ["d"]),
             node("QuickGelu", ["x"], ["e"], alpha=1.5), node("FusedMatMul", ["x", "x"], ["f"], transB=1, alpha=0.5),
             node("SkipLayerNormalization", ["x", "skip", "gamma", "beta", "bias"], ["g", "", "", "h"], epsilon=1e-3),
             node("SkipSimplifiedLayerNormalization", ["x", "skip", "gamma"], ["i"], epsilon=1e-6),
             node("FusedConv", ["image", "filters", "four"], ["j"], activation="Relu", pads=[1, 1, 1, 1]),
             node("FusedConv", ["image", "filters"], ["k"], activation="LeakyRelu", activation_params=[0.3], strides=[2, 1]),
             node("FusedGemm", ["row", "w", "four"], ["l"], activation="LeakyRelu", activation_alpha=0.2, transB=1, alpha=0.5),
             node("MultiHeadAttention", ["x", "x", "x", "three"], ["m"], num_heads=2),
             node("MultiHeadAttention", ["x", "x", "x", "three", "mask", "", "pastk", "pastv"], ["n", "o", "p"], num_heads=2, scale=0.3),
             node("Attention", ["x", "qkv", "three", "mask"], ["q"], num_heads=4), node("Attention", ["x", "qkv", "three"], ["r"], num_heads=2, unidirectional=1),
             node("EmbedLayerNormalization", ["words", "segments", "t1", "t2", "t3", "gamma", "beta", "mask"], ["s", "t"], epsilon=1e-6),
             node("MatMulNBits", ["wide", "bits", "scales"], ["u"], K=40, N=6, bits=4, block_size=16),
             node("MatMulNBits", ["wide", "bits", "scales", "zeros"], ["v"], K=40, N=6, bits=4, block_size=16)]
    nodes[12].input[4] = "longer"
    nodes += [node("RotaryEmbedding", ["x", "positions", "cos", "sin"], ["w1"], num_heads=2), node("RotaryEmbedding", ["x", "first", "cos", "sin"], ["w2"], num_heads=2, interleaved=1),
              node("GroupQueryAttention", ["wide_q", "kv", "kv", "", "", "totals", "whole", "cos8", "sin8"], ["w3", "w4", "w5"], num_heads=4, kv_num_heads=2, do_rotary=1),
              node("GroupQueryAttention", ["one", "kv1", "kv1", "w4", "w5", "later", "more", "cos8", "sin8"], ["w6", "w7", "w8"], num_heads=4, kv_num_heads=2, do_rotary=1,
                   rotary_interleaved=1, local_window_size=3, scale=0.4),
              node("GroupQueryAttention", ["packed", "", "", "", "", "totals", "whole"], ["w9", "", ""], num_heads=4, kv_num_heads=2, softcap=2.0),
              node("FusedMatMul", ["image", "far"], ["w10"], transBatchA=1, transA=1), node("FusedMatMul", ["image", "near"], ["w11"], transBatchB=1, transB=1, alpha=2.0),
              node("DynamicQuantizeMatMul", ["x", "codes", "some", "", "four"], ["w12"]), node("DynamicQuantizeMatMul", ["x", "codes", "eighth", "zero"], ["w13"])]
    constants = {"bias": [8], "skip": [2, 5, 8], "gamma": [8], "beta": [8], "filters": [4, 3, 3, 3], "four": [4], "row": [2, 8], "w": [4, 8], "three": [24],
                 "mask": mask, "longer": np.concatenate([np.ones((2, 3), np.int32), mask], 1), "pastk": [2, 2, 3, 4], "pastv": [2, 2, 3, 4], "qkv": [8, 24],
                 "words": rng.integers(0, 9, (2, 5)).astype(np.int32), "segments": rng.integers(0, 2, (2, 5)).astype(np.int32), "t1": [9, 8], "t2": [7, 8],
                 "t3": [2, 8], "wide": [3, 40], "bits": rng.integers(0, 256, (6, 3, 8)).astype(np.uint8), "scales": [6, 3],
                 "zeros": rng.integers(0, 256, (6, 2)).astype(np.uint8), "cos": [16, 2], "sin": [16, 2], "positions": rng.integers(0, 16, (2, 5)),
                 "first": np.array([3]), "kv": [2, 5, 32], "cos8": [16, 8], "sin8": [16, 8], "totals": np.array([4, 4], np.int32), "whole": np.array(5, np.int32), "one": [2, 1, 64], "kv1": [2, 1, 32],
                 "later": np.array([5, 5], np.int32), "more": np.array(6, np.int32), "packed": [2, 5, 64], "wide_q": [2, 5, 64], "far": [3, 6, 2, 5], "near": [4, 2, 3, 5], "codes": rng.integers(-128, 128, (8, 4)).astype(np.int8), "some": np.array([0.1, 0.2, 0.01, 0.03], np.float32),
                 "eighth": np.array(0.125, np.float32), "zero": np.array(-3, np.int8)}
    return own_model(nodes, [value("x", floats, [2, 5, 8]), value("image", floats, [2, 3, 6, 5])],
                     [value(n, TensorProto.INT32 if n == "t" else floats, None) for n in [*"abcdefghijklmnopqrstuv", *(f"w{i}" for i in range(1, 14))]], constants)


def runtime_codes():
    """Quantized layers of ONNX Runtime."""
    kinds = dict.fromkeys("abcdefg", TensorProto.UINT8) | {"h": TensorProto.INT8} | dict.fromkeys("ijk", TensorProto.FLOAT)

    def node(*a, **k):
        return helper.make_node(*a, domain="com.microsoft", **k)

    def scale(x):
        return np.array(x, np.float32)

    nodes = [node("QLinearAdd", ["x", "s1", "z1", "y", "s2", "z2", "s3", "z3"], ["a"]), node("QLinearMul", ["x", "s1", "z1", "y", "s2", "z2", "s4", "z3"], ["b"]),
             node("QLinearSigmoid", ["x", "s1", "z1", "s5", "z0"], ["c"]), node("QLinearLeakyRelu", ["x", "s1", "z1", "s3", "z3"], ["d"], alpha=0.2),
             node("QLinearSoftmax", ["x", "s1", "z1", "s5", "z0"], ["e"], axis=-1, opset=13),
             node("QLinearGlobalAveragePool", ["image", "s1", "z1", "s2", "z2"], ["f"]), node("QLinearConcat", ["s3", "z3", "x", "s1", "z1", "y", "s2", "z2"], ["g"], axis=1),
             node("QGemm", ["signed", "s1", "zw", "w", "s2", "zw", "bias", "s4", "zw"], ["h"], transB=1),
             node("QGemm", ["x", "s1", "z1", "w", "s2", "zw", "bias"], ["i"], transB=1),
             node("MatMulIntegerToFloat", ["x", "tall", "s1", "columns", "z1", "zeros", "more"], ["j"]), node("MatMulIntegerToFloat", ["x", "tall", "s1", "s2"], ["k"])]
    rng = np.random.default_rng(13)
    constants = {"s1": scale(0.0213), "s2": scale(0.0517), "s3": scale(0.0831), "s4": scale(0.2), "s5": scale(1 / 256), "z0": np.uint8(0), "z1": np.uint8(120), "z2": np.uint8(131),
                 "z3": np.uint8(7), "zw": np.int8(0), "w": rng.integers(-128, 128, (4, 6)).astype(np.int8), "bias": rng.integers(-900, 900, 4).astype(np.int32),
                 "signed": rng.integers(-128, 128, (5, 6)).astype(np.int8), "tall": rng.integers(-128, 128, (6, 3)).astype(np.int8),
                 "columns": scale([0.1, 0.3, 0.02]), "zeros": np.array([1, -3, 0], np.int8), "more": scale([5, -2, 1])}
    return own_model(nodes, [value("x", TensorProto.UINT8, [5, 6]), value("y", TensorProto.UINT8, [5, 6]), value("image", TensorProto.UINT8, [2, 3, 5, 4])],
                     [value(n, k, None) for n, k in kinds.items()], {n: np.asarray(v) for n, v in constants.items()})


def older(version):
    """Operators as they were before version 7, and what PyTorch makes of them."""
    import torch
    import torch.nn.functional as F
    node, floats = helper.make_node, TensorProto.FLOAT
    nodes = [node("Add", ["x", "channels"], ["a"], broadcast=1, axis=1), node("Sub", ["x", "rows"], ["b"], broadcast=1, axis=-2),
             node("Mul", ["x", "both"], ["c"], broadcast=1), node("Greater", ["x", "channels"], ["d"], broadcast=1, axis=1),
             node("PRelu", ["x", "channels"], ["e"]), node("PRelu", ["x", "slope"], ["f"]),
             node("BatchNormalization", ["x", *["channels"] * 3, "spread"], ["g"], is_test=1, epsilon=0.01),
             node("Gemm", ["flat", "square", "row"], ["h"], broadcast=1, alpha=0.5)]
    rng = np.random.default_rng(12)
    sizes = dict(x=(2, 3, 4, 5), flat=(2, 4))
    given = [rng.standard_normal(s).astype(np.float32) for s in sizes.values()]
    held = {n: rng.standard_normal(s).astype(np.float32) for n, s in
            dict(channels=3, rows=4, both=(4, 5), slope=1, square=(4, 4), row=4).items()}
    held["spread"] = np.array([0.5, 1, 2], np.float32)
    x, flat = map(torch.from_numpy, given)
    t = {n: torch.from_numpy(v) for n, v in held.items()}
    spread = t["channels"][:, None, None]
    results = [x + spread, x - t["rows"][:, None], x * t["both"], x > spread, F.prelu(x, t["channels"]), F.prelu(x, t["slope"]),
               F.batch_norm(x, t["channels"], t["spread"], t["channels"], t["channels"], eps=0.01),
               0.5 * flat @ t["square"] + t["row"]]
    if version == 1:
        nodes[-1:] = [node("Concat", ["x", "x"], ["h"]), node("Cast", ["x"], ["i"], to="INT64"),
                      node("Reshape", ["x"], ["j"], shape=[0, -1, 10]), node("Pad", ["x"], ["k"], paddings=[0, 0, 1, 2, 0, 0, 0, 1], value=0.5),
                      node("Upsample", ["x"], ["l"], height_scale=2.0, width_scale=3.0)]
        results[-1:] = [torch.cat([x, x], 1), x.long(), x.reshape(2, -1, 10), F.pad(x, (2, 1, 1, 0), value=0.5),
                        F.interpolate(x, scale_factor=(2, 3))]
    kinds = {"d": TensorProto.BOOL, "i": TensorProto.INT64}
    model = model_of(nodes, [value(n, floats, s) for n, s in sizes.items()],
                     [value(n, kinds.get(n, floats), None) for n in "abcdefghijkl"[:len(results)]],
                     [numpy_helper.from_array(v, n) for n, v in held.items()], version=version)
    return model, given, [y.numpy() for y in results]


def packed():
    """Weights of 2, 4 and 8 bits, all codes of each, raw and as numbers, that become floats; and what ml_dtypes says they are."""
    import ml_dtypes
    node, floats, kinds = helper.make_node, TensorProto.FLOAT, {}
    for number, name in ((17, "float8_e4m3fn"), (18, "float8_e4m3fnuz"), (19, "float8_e5m2"), (20, "float8_e5m2fnuz"), (21, "uint4"), (22, "int4"),
                         (23, "float4_e2m1fn"), (25, "uint2"), (26, "int2")):
        kinds[number] = np.dtype(getattr(ml_dtypes, name))
    nodes, constants, results = [], [numpy_helper.from_array(np.float32(0.5), "half")], []
    for k, (number, kind) in enumerate(kinds.items()):
        bits = 8 if "8" in kind.name else 4 if "4" in kind.name else 2
        codes = np.arange(2 ** bits, dtype=np.uint8) if bits == 8 else np.arange(2 ** bits - 1, dtype=np.uint8)
        values = codes.view(kind).astype(np.float32) if bits == 8 else np.array([np.uint8(c).view(kind) for c in codes]).astype(np.float32) \
            if kind.name[0] == "f" else codes.astype(np.float32) - (2 ** bits) * (codes >= 2 ** (bits - 1)) * (kind.name[0] == "i")
        codes[~np.isfinite(values)] = 0
        values[~np.isfinite(values)] = 0
        each = 8 // bits
        bytes_ = np.zeros(-(-len(codes) // each), np.uint8)
        for i, c in enumerate(codes):
            bytes_[i // each] |= c << (bits * (i % each))
        tensor = TensorProto(name=f"w{k}", data_type=number, dims=[len(codes)])
        if k % 2:
            tensor.int32_data.extend(bytes_.tolist())
        else:
            tensor.raw_data = bytes_.tobytes()
        constants.append(tensor)
        if number in (TensorProto.INT4, TensorProto.FLOAT8E4M3FN):
            nodes.append(node("DequantizeLinear", [f"w{k}", "half"], [f"v{k}"]))
            values = values / 2
        else:
            nodes.append(node("Cast", [f"w{k}"], [f"v{k}"], to=floats))
        nodes.append(node("Mul", [f"v{k}", "x"], [f"y{k}"]))
        results.append(values.astype(np.float32) * 3)
    return model_of(nodes, [value("x", floats, [1])], [value(f"y{k}", floats, None) for k in range(len(kinds))], constants,
                    version=25), [np.array([3], np.float32)], results


def forest(rng, trees, features, targets, word, positive=False, modes=("BRANCH_LEQ",)):
    """Attributes of small trees, whose nodes have numbers in any order; each leaf has one weight or two."""
    nodes, weights = [], []
    for tree in range(trees):
        free = iter(rng.permutation(15).tolist())

        def grow(node, depth):
            if depth == 0:
                nodes.append((tree, node, 0, 0, 0, 0.0, "LEAF", 0))
                for target in rng.choice(targets, min(targets, 1 + int(rng.random() < 0.3)), replace=False).tolist():
                    weights.append((tree, node, target, abs(rng.standard_normal()) if positive else rng.standard_normal()))
                return
            yes, no = next(free), next(free)
            nodes.append((tree, node, int(rng.integers(features)), yes, no, float(np.float32(rng.standard_normal())), str(rng.choice(modes)),
                          int(rng.random() < 0.5)))
            grow(no, depth - 1)
            grow(yes, depth - 1)
        grow(next(free), 3)
    columns = list(zip(*nodes))
    names = ["treeids", "nodeids", "featureids", "truenodeids", "falsenodeids", "values", "modes", "missing_value_tracks_true"]
    made = {"nodes_" + n: list(c) for n, c in zip(names, columns)}
    return made | {f"{word}_{n}": list(c) for n, c in zip(("treeids", "nodeids", "ids", "weights"), zip(*weights))}


def learned():
    """Models of ai.onnx.ml."""
    rng = np.random.default_rng(20)
    floats, longs = TensorProto.FLOAT, TensorProto.INT64
    nodes, kinds = [], {}

    def node(kind, inputs=("x",), outputs=1, **attributes):
        names = [f"y{len(kinds) + i}" for i in range(outputs)]
        nodes.append(helper.make_node(kind, list(inputs), names, domain="ai.onnx.ml", **attributes))
        kinds.update({n: longs if outputs == 2 and i == 0 or kind in ("LabelEncoder",) else floats for i, n in enumerate(names)})

    def numbers(n):
        return rng.standard_normal(n).astype(np.float32).tolist()

    node("Scaler", offset=numbers(4), scale=numbers(4))
    node("Scaler", offset=[0.5], scale=[2.0])
    node("Binarizer", threshold=0.25)
    for norm in "MAX", "L1", "L2":
        node("Normalizer", ["positive"], norm=norm)
    node("Imputer", ["gaps"], imputed_value_floats=numbers(4), replaced_value_float=float("nan"))
    node("OneHotEncoder", ["codes"], cats_int64s=[3, 1, 7], zeros=1)
    node("LabelEncoder", ["codes"], keys_int64s=[1, 3], values_int64s=[10, 30], default_int64=-5)
    node("ArrayFeatureExtractor", ["x", "columns"])
    node("FeatureVectorizer", ["x", "positive"], inputdimensions=[4, 4])
    node("LinearRegressor", coefficients=numbers(8), intercepts=numbers(2), targets=2)
    for transform in "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO":
        node("LinearClassifier", outputs=2, coefficients=numbers(12), intercepts=numbers(3), classlabels_ints=[5, 2, 9], post_transform=transform)
    for kernel in "LINEAR", "POLY", "RBF", "SIGMOID":
        node("SVMRegressor", kernel_type=kernel, kernel_params=[0.3, 0.5, 2.0], n_supports=5, support_vectors=numbers(20), coefficients=numbers(5),
             rho=numbers(1))
    vectors = dict(vectors_per_class=[2, 1, 3], support_vectors=numbers(24), coefficients=numbers(12), rho=numbers(3), classlabels_ints=[4, 0, 2],
                   kernel_type="RBF", kernel_params=[0.3, 0.0, 0.0])
    node("SVMClassifier", outputs=2, **vectors)
    node("SVMClassifier", outputs=2, **vectors, prob_a=[-1.5, -0.7, -2.0], prob_b=numbers(3))
    all_modes = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_NEQ")
    for how in "SUM", "AVERAGE", "MIN", "MAX":
        node("TreeEnsembleRegressor", ["gaps"], aggregate_function=how, n_targets=1, base_values=numbers(1), **forest(rng, 4, 4, 1, "target", modes=all_modes))
    node("TreeEnsembleRegressor", n_targets=2, **forest(rng, 6, 4, 2, "target"))
    node("TreeEnsembleClassifier", outputs=2, classlabels_int64s=[7, 1, 3], post_transform="SOFTMAX", base_values=numbers(3), **forest(rng, 6, 4, 3, "class"))
    for positive, transform in (False, "LOGISTIC"), (False, "NONE"), (True, "NONE"):
        node("TreeEnsembleClassifier", outputs=2, classlabels_int64s=[0, 1], post_transform=transform, **forest(rng, 3, 4, 1, "class", positive))
    model = model_of(nodes, [value("x", floats, ["n", 4]), value("positive", floats, ["n", 4]), value("gaps", floats, ["n", 4]),
                             value("codes", longs, ["n"])], [value(n, k, None) for n, k in kinds.items()],
                     [numpy_helper.from_array(np.array([2, 0]), "columns")], version=20)
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    gaps = rng.standard_normal((9, 4)).astype(np.float32)
    gaps[rng.random((9, 4)) < 0.3] = np.nan
    x = rng.standard_normal((9, 4)).astype(np.float32)
    return model, [x, np.abs(x) + 0.1, gaps, rng.integers(0, 8, 9)]


def blocks():
    """Weights of a few bits in blocks, and LSTMs with weights of 8 bits, of ONNX Runtime; what the latter give is that of
    LSTMs with the numbers that the weights stand for, since ONNX Runtime rounds inputs and states too."""
    import onnxruntime
    rng = np.random.default_rng(21)
    floats, node = TensorProto.FLOAT, helper.make_node
    w = rng.integers(-128, 128, (1, 3, 16)).astype(np.int8)
    r = rng.integers(-128, 128, (1, 4, 16)).astype(np.int8)
    scales = [np.array([0.01], np.float32), (rng.random((1, 16)) / 50).astype(np.float32)]
    zeros = [np.array([3], np.int8), np.zeros((1, 16), np.int8)]
    constants = {"w": w, "r": r, "ws": scales[0], "wz": zeros[0], "rs": scales[1], "rz": zeros[1], "bias": rng.standard_normal((1, 32)).astype(np.float32),
                 "table": rng.integers(0, 256, (6, 20)).astype(np.uint8), "table_scale": rng.random((6, 3)).astype(np.float32),
                 "table_zero": rng.integers(0, 256, (6, 2)).astype(np.uint8), "bnb": rng.integers(0, 256, 60).astype(np.uint8),
                 "most": rng.random(8).astype(np.float32), "scale": np.array(0.1, np.float32), "other_scale": np.array(0.1301, np.float32), "zero": np.array(120, np.uint8), "short": np.array(-7, np.int16)}
    packed_table = TensorProto(name="small", data_type=TensorProto.INT4, dims=[5, 16], raw_data=rng.integers(0, 256, 40).astype(np.uint8).tobytes())
    constants["small_scale"] = rng.random((5, 1)).astype(np.float32)
    gather = dict(gather_axis=0, quantize_axis=1, block_size=16)
    run = [node("GatherBlockQuantized", ["table", "index", "table_scale"], ["y1"], domain="com.microsoft", bits=4, **gather),
           node("GatherBlockQuantized", ["table", "index", "table_scale", "table_zero"], ["y2"], domain="com.microsoft", bits=4, **gather),
           node("GatherBlockQuantized", ["small", "index", "small_scale"], ["y3"], domain="com.microsoft", **gather),
           node("MatMulBnb4", ["flat", "bnb", "most"], ["y4"], domain="com.microsoft", K=20, N=6, block_size=16, quant_type=0),
           node("MatMulBnb4", ["flat", "bnb", "most"], ["y5"], domain="com.microsoft", K=20, N=6, block_size=16, quant_type=1),
           node("QuantizeLinear", ["flat", "scale", "short"], ["q"], domain="com.microsoft"),
           node("DequantizeLinear", ["q", "scale", "short"], ["y6"], domain="com.microsoft"),
           node("QLinearAveragePool", ["pixels", "scale", "zero", "other_scale", "zero"], ["y7"], domain="com.microsoft", kernel_shape=[2, 2], strides=[2, 1],
                pads=[0, 1, 0, 0])]
    lstm = node("DynamicQuantizeLSTM", ["x", "w", "r", "bias", "", "", "", "", "ws", "wz", "rs", "rz"], ["y0"], domain="com.microsoft", hidden_size=4)
    inputs = {"x": rng.standard_normal((5, 2, 3)).astype(np.float32), "index": np.array([[4, 0], [2, -1]]), "flat": rng.standard_normal((3, 20)).astype(np.float32),
              "pixels": rng.integers(0, 256, (1, 2, 4, 5)).astype(np.uint8)}

    def model(nodes, names, outputs):
        kinds = {"index": TensorProto.INT64, "pixels": TensorProto.UINT8, "y7": TensorProto.UINT8}
        made = own_model(nodes, [value(n, kinds.get(n, floats), inputs[n].shape) for n in names], [value(n, kinds.get(n, floats), None) for n in outputs],
                         constants)
        made.graph.initializer.append(packed_table)
        return made
    results = onnxruntime.InferenceSession(model(run, list(inputs)[1:], [f"y{i}" for i in range(1, 8)]).SerializeToString()).run(
        None, {n: inputs[n] for n in list(inputs)[1:]})
    plain = {"w": (w - np.float32(3)).transpose(0, 2, 1) * scales[0], "r": r.astype(np.float32).transpose(0, 2, 1) * scales[1].T, "bias": constants["bias"]}
    session = onnxruntime.InferenceSession(model_of([node("LSTM", ["x", "w", "r", "bias"], ["y0"], hidden_size=4)], [value("x", floats, [5, 2, 3])],
                                                    [value("y0", floats, None)], [numpy_helper.from_array(v.astype(np.float32), n) for n, v in plain.items()]).SerializeToString())
    return model([lstm, *run], list(inputs), [f"y{i}" for i in range(8)]), list(inputs.values()), session.run(None, {"x": inputs["x"]}) + results


def ensembles():
    """Trees with numbered leaves and sets, and tables of labels: a file that is small enough to begin fuzzing with."""
    rng = np.random.default_rng(22)
    floats, longs, node = TensorProto.FLOAT, TensorProto.INT64, helper.make_node

    def tensor(numbers, kind=np.float32):
        return numpy_helper.from_array(np.array(numbers, kind))

    def trees(count, targets, modes, members=()):
        """Complete trees of 7 branches; each set of members is that of one branch."""
        branches, leaves = 7 * count, 8 * count
        inner = [i % 7 < 3 for i in range(branches)]
        mode = rng.choice(modes, branches)
        first = [7 * (i // 7) + 2 * (i % 7) + 1 if inner[i] else 8 * (i // 7) + 2 * (i % 7 - 3) for i in range(branches)]
        sets = [list(rng.choice(members, 3)) + [np.nan] for m in mode if m == 6] if len(members) else [[np.nan]]
        splits = np.where(rng.random(branches) < 0.1, np.nan, rng.choice(members, branches) if len(members) else rng.standard_normal(branches))
        return dict(n_targets=targets, tree_roots=[7 * i for i in range(count)], nodes_featureids=rng.integers(0, 4, branches).tolist(),
                    nodes_modes=tensor(mode, np.uint8), nodes_splits=tensor(splits), nodes_truenodeids=first, nodes_falsenodeids=[i + 1 for i in first],
                    nodes_trueleafs=[int(not i) for i in inner], nodes_falseleafs=[int(not i) for i in inner], nodes_missing_value_tracks_true=rng.integers(0, 2, branches).tolist(),
                    leaf_targetids=rng.integers(0, targets, leaves).tolist(), leaf_weights=tensor(rng.standard_normal(leaves)),
                    membership_values=tensor(sum(sets, [])))

    nodes = [node("TreeEnsemble", ["gaps"], ["y0"], domain="ai.onnx.ml", aggregate_function=1, **trees(2, 2, range(6))),
             node("TreeEnsemble", ["digits"], ["y1"], domain="ai.onnx.ml", aggregate_function=0, **trees(2, 1, [0, 6, 6], np.arange(5))),
             node("TreeEnsemble", ["gaps"], ["y2"], domain="ai.onnx.ml", aggregate_function=3, **trees(2, 1, range(4))),
             node("LabelEncoder", ["codes"], ["y3"], domain="ai.onnx.ml", keys_tensor=tensor([3, 1, 6], np.int64), values_tensor=tensor([1.5, -2, 9]),
                  default_tensor=tensor([0.25])),
             node("LabelEncoder", ["digits"], ["y4"], domain="ai.onnx.ml", keys_floats=[0.0, 2.0, 2.0, 4.0], values_int64s=[7, 2**53 + 1, 5, -3], default_int64=11),
             node("LabelEncoder", ["codes"], ["y5"], domain="ai.onnx.ml", keys_int64s=[5, 2, 7], values_floats=[0.5, 1.5, 2.5], default_float=-0.5),
             node("SVMRegressor", ["digits"], ["y6"], domain="ai.onnx.ml", kernel_type="RBF", kernel_params=[0.1, 0.0, 0.0], n_supports=2,
                  support_vectors=rng.integers(0, 4, 8).astype(float).tolist(), coefficients=[1.5, -2.0], rho=[0.25]),
             node("LinearRegressor", ["digits"], ["y7"], domain="ai.onnx.ml", coefficients=[1.0, 2.0, -1.0, 0.5], intercepts=[0.5])]
    gaps = rng.standard_normal((9, 4)).astype(np.float32)
    gaps[rng.random((9, 4)) < 0.2] = np.nan
    model = model_of(nodes, [value("gaps", floats, ["n", 4]), value("digits", floats, ["n", 4]), value("codes", longs, ["n"])],
                     [value(f"y{i}", longs if i == 4 else floats, None) for i in range(8)], version=20)
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 5))
    return model, [gaps, rng.integers(0, 5, (9, 4)).astype(np.float32), rng.integers(0, 8, 9)]


NARROW = {"FLOAT8E4M3FN": 17, "FLOAT8E4M3FNUZ": 18, "FLOAT8E5M2": 19, "FLOAT8E5M2FNUZ": 20, "UINT4": 21, "INT4": 22, "FLOAT4E2M1": 23, "UINT2": 25, "INT2": 26}


def narrow():
    """Casts and quantization to types of 2, 4 and 8 bits, with numbers halfway between two of theirs, and Col2Im. What the types hold is compared
    as wider numbers: the model casts it back."""
    node, floats = helper.make_node, TensorProto.FLOAT
    nodes, constants, outputs = [], [], []

    def give(name, inputs, **attributes):
        nodes.append(node(name, inputs, [f"n{len(outputs)}"], **attributes))
        nodes.append(node("Cast", [f"n{len(outputs)}"], [f"y{len(outputs)}"], to=floats))
        outputs.append(f"y{len(outputs)}")
    for name, kind in NARROW.items():
        isFloat = name[0] == "F"
        give("Cast", ["x" if isFloat else "whole"], to=kind)
        if kind < 21:
            give("Cast", ["x"], to=kind, saturate=0)
        constants.append(helper.make_tensor("zero" + name, kind, [3], [0, 0, 0] if isFloat else [1, 0, 1]))
        if kind < 25:
            give("QuantizeLinear", ["rows", "scales", "zero" + name], axis=0)
        nodes.append(node("DequantizeLinear", [f"n{len(outputs) - 1}", "scale"], [f"y{len(outputs)}"]))
        outputs.append(f"y{len(outputs)}")
    give("QuantizeLinear", ["rows", "scale"], output_dtype=17)
    give("CastLike", ["x", "zeroFLOAT8E5M2"])
    for mode in "up", "down", "nearest":
        give("Cast", ["powers"], to=24, round_mode=mode)
    for sizes, blocks, more in (([3, 4, 5], [2, 1, 3], dict(strides=[1, 2, 2], pads=[0, 1, 0, 1, 1, 0], dilations=[2, 1, 1])), ([7], [3], dict(strides=[2]))):
        constants += [numpy_helper.from_array(np.array(sizes), f"sizes{len(sizes)}"), numpy_helper.from_array(np.array(blocks), f"blocks{len(sizes)}")]
        nodes.append(node("Col2Im", [f"columns{len(sizes)}", f"sizes{len(sizes)}", f"blocks{len(sizes)}"], [f"y{len(outputs)}"], **more))
        outputs.append(f"y{len(outputs)}")
    constants += [numpy_helper.from_array(np.array([0.5, 2, 3], np.float32), "scales"), numpy_helper.from_array(np.float32(0.75), "scale")]
    rng = np.random.default_rng(23)
    steps = np.ldexp(rng.integers(1, 512, (6, 12)) / 256, rng.integers(-20, 18, (6, 12))) * rng.choice([-1, 1], (6, 12))
    steps[0] = [0, -0.0, np.inf, -np.inf, np.nan, 463, 465, 448, 61440, 61441, -1e6, 5]
    rows = rng.integers(-80, 80, (3, 5)) / 4
    inputs = [steps, rng.integers(-9, 16, (4, 5)), rows, np.ldexp(rng.random((3, 5)) + 0.5, rng.integers(-125, 120, (3, 5))), rng.standard_normal((2, 12, 12)),
              rng.standard_normal((1, 6, 3))]
    model = model_of(nodes, [value(n, floats, list(x.shape)) for n, x in zip(("x", "whole", "rows", "powers", "columns3", "columns1"), inputs)],
                     [value(n, floats, None) for n in outputs], constants, version=25)
    return model, [x.astype(np.float32) for x in inputs]


def make_older():
    model, inputs, outputs = blocks()
    onnx.save(model, os.path.join(FOLDER, "blocks.onnx"))
    save("blocks", inputs, outputs)
    model, inputs, outputs = packed()
    onnx.save(model, os.path.join(FOLDER, "packed.onnx"))
    save("packed", inputs, outputs)
    for name, version in ("older", 6), ("oldest", 1):
        model, inputs, outputs = older(version)
        onnx.save(model, os.path.join(FOLDER, name + ".onnx"))
        save(name, inputs, outputs)


def make_others(names=()):
    import onnxruntime
    onnx.save(draws(), os.path.join(FOLDER, "draws.onnx"))
    rng = np.random.default_rng(1)
    others = {"graphs": (graphs(), [rng.standard_normal(3).astype(np.float32), np.array(4)]),
              "windows": (windows(), [rng.standard_normal((1, 2, 7, 6)).astype(np.float32)])}
    others |= {"lists": (lists(), [rng.standard_normal((2, 3)).astype(np.float32)]),
               "rois": (rois(), [rng.random((2, 3, 8, 9)).astype(np.float32)]),
               "greatest": (greatest(), [10 * np.random.default_rng(7).standard_normal((4, 3)).astype(np.float32), np.array([3])]),
               "quantized": (quantized(), [5 * np.random.default_rng(5).standard_normal((3, 6, 5)).astype(np.float32),
                                           np.random.default_rng(6).integers(0, 256, (2, 3, 6, 7)).astype(np.uint8)]),
               "deformed": (deformed(), [np.random.default_rng(8).standard_normal((2, 4, 7, 6)).astype(np.float32)]),
               "optional": (optional(), [np.random.default_rng(9).standard_normal((2, 3)).astype(np.float32)]),
               "waves": (waves(), [rng.standard_normal((2, 9, 1)).astype(np.float32)]),
               "sparse": (sparse(), [np.random.default_rng(13).standard_normal((2, 3)).astype(np.float32)]),
               "wraps": (wraps(), wrapping_inputs()),
               "ngrams": (ngrams(), [np.random.default_rng(12).choice([2, 3, 5, 7], (3, 9)), np.array([2, 3, 2, 7, 2, 5, 5, 7, 2, 3, 7, 2, 5, 3, 2], np.int32)]),
               "recent": (recent()[0], [np.random.default_rng(4).standard_normal(s).astype(np.float32) / 2 for s in recent()[1].values()])}
    rng = np.random.default_rng(10)
    others |= {"ensembles": ensembles(), "narrow": narrow()}
    others |= {"learned": learned(), "runtime": (runtime(), [rng.standard_normal(n).astype(np.float32) for n in ((2, 5, 8), (2, 3, 6, 5))]),
               "runtime_codes": (runtime_codes(), [rng.integers(0, 256, n).astype(np.uint8) for n in ((5, 6), (5, 6), (2, 3, 5, 4))])}
    for name, (model, inputs) in others.items():
        if names and name not in names:
            continue
        onnx.save(model, os.path.join(FOLDER, name + ".onnx"))
        named = {i.name: x for i, x in zip(model.graph.input, inputs)}
        if name in ("waves", "wraps", "recent", "narrow"):  # ONNX Runtime has not all of these
            outputs = onnx.reference.ReferenceEvaluator(model).run(None, named)
        else:
            outputs = onnxruntime.InferenceSession(model.SerializeToString()).run(None, named)
        save(name, [np.asarray(x) for x in inputs], outputs)
    if not names or "listed" in names:
        make_listed()
    if not names or "ngrams_far" in names:
        onnx.save(ngrams_far(), os.path.join(FOLDER, "ngrams_far.onnx"))
    if not names:
        make_older()
        make_external()


def make_external():
    """Weights in a file of their own."""
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = numpy_helper.from_array(weight, "w")
    onnx.external_data_helper.set_external_data(tensor, "external.bin", 16, weight.nbytes)
    tensor.ClearField("raw_data")
    model = model_of([helper.make_node("MatMul", ["x", "w"], ["y"])], [value("x", TensorProto.FLOAT, ["n", 2])],
                     [value("y", TensorProto.FLOAT, ["n", 3])], [tensor])
    with open(os.path.join(FOLDER, "external.onnx"), "wb") as file:
        file.write(model.SerializeToString())
    with open(os.path.join(FOLDER, "external.bin"), "wb") as file:
        file.write(bytes(16) + weight.tobytes())
    x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    save("external", [x], [x @ weight])


# --- the node tests of onnx -------------------------------------------------------------------------

def array_of(x):
    """An array of numbers, those of 2, 4 and 8 bits as wider ones, as TH has them; a list of arrays; "-" for an optional
    value that is missing. None if it is none of these."""
    if isinstance(x, onnx.OptionalProto):
        x = numpy_helper.to_optional(x)
    if x is None:
        return "-"
    if isinstance(x, onnx.SequenceProto):
        x = numpy_helper.to_list(x)
    if isinstance(x, list):
        x = [array_of(y) for y in x]
        return None if any(y is None for y in x) else x
    if isinstance(x, TensorProto):
        x = numpy_helper.to_array(x)
    if not isinstance(x, (np.ndarray, np.generic)):
        return None
    x = np.asarray(x)
    if x.dtype.name.startswith(("float8", "float4")):
        return x.astype(np.float32)
    if x.dtype.name in ("int2", "int4", "uint2", "uint4"):
        return x.astype(np.int8 if x.dtype.name[0] == "i" else np.uint8)
    return x if x.dtype.kind in "fiub" or x.dtype.name == "bfloat16" else None


def write_input(path, x):
    if isinstance(x, str):
        return x
    if isinstance(x, list):
        np.savez(path + ".npz", *x)
        return path + ".npz"
    if x.dtype.name != "bfloat16":
        np.save(path + ".npy", x)
        return path + ".npy"
    import json
    header = json.dumps({"x": {"dtype": "BF16", "shape": list(x.shape), "data_offsets": [0, 2 * x.size]}}).encode()
    with open(path + ".safetensors", "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header + x.tobytes())
    return path + ".safetensors"


def read_outputs(path):
    """The outputs in a file of safetensors, by number."""
    import json
    import ml_dtypes
    kinds = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16, "I64": np.int64, "I32": np.int32, "I16": np.int16,
             "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.bool_}
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    found = {k: v for k, v in json.loads(data[8:8 + size]).items() if k != "__metadata__"}
    at = {k: data[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]] for k, v in found.items()}
    return {k: np.frombuffer(at[k], kinds[v["dtype"]]).reshape(v["shape"]) for k, v in found.items()}


def named_outputs(graph, wanted):
    """The names that `th run` gives outputs, and the arrays: those of a sequence NAME.0, NAME.1 ..."""
    for port, y in zip(graph.output, wanted):
        if isinstance(y, list):
            yield from ((f"{port.name}.{k}", part) for k, part in enumerate(y))
        else:
            yield port.name, y


def judged(th, folder, case):
    """What comes of a case: agrees, differs, or why it is refused."""
    path = os.path.join(folder, "case.onnx")
    onnx.save(case.model, path)
    for inputs, outputs in case.data_sets:
        arrays = [array_of(x) for x in inputs]
        if any(x is None for x in arrays):
            return "other inputs", ""
        wanted = [array_of(x) for x in outputs]
        if any(x is None for x in wanted):
            return "other outputs", ""
        files = [write_input(os.path.join(folder, str(i)), x) for i, x in enumerate(arrays)]
        result = os.path.join(folder, "out.safetensors")
        run = subprocess.run([th, "run", path, *files, "-o", result], capture_output=True, text=True)
        if run.returncode:
            return ("crashes" if run.returncode < 0 else "refused"), run.stderr.strip()[-160:]
        got = read_outputs(result)
        for name, y in named_outputs(case.model.graph, wanted):
            x = got.pop(name, None)
            if isinstance(y, str) and x is None:
                continue
            if x is None or isinstance(y, str):
                return "differs", f"{'an' if x is not None else 'no'} output {name}"
            if x.shape != y.shape or x.dtype != y.dtype:
                return "differs", f"{x.dtype} {x.shape}, not {y.dtype} {y.shape}"
            # What is computed in narrow floats may be rounded at other steps: twice the last bit.
            within = max(case.rtol or 1e-3, {"float16": 2**-9, "bfloat16": 2**-6}.get(y.dtype.name, 0))
            if not np.allclose(x.astype(np.float64), y.astype(np.float64), within, case.atol or 1e-5, equal_nan=True):
                return "differs", f"by {np.abs(x.astype(float) - y.astype(float)).max():.3g}"
        if got:
            return "differs", f"outputs more: {', '.join(got)}"
    return "agrees", ""


def run_nodes(th, only):
    from onnx.backend.test.loader import load_model_tests  # noqa: F401
    from onnx.backend.test.case.node import collect_testcases
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in collect_testcases(None):
            if only and only not in case.name:
                continue
            verdict, why = judged(th, folder, case)
            counts[verdict] += 1
            if verdict != "agrees":
                print(f"{case.name}: {verdict} {why}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        os.makedirs(FOLDER, exist_ok=True)
        if len(sys.argv) == 2:
            make_networks()
        make_others(sys.argv[2:])
    elif sys.argv[1:2] == ["nodes"] and len(sys.argv) > 2:
        run_nodes(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    else:
        sys.exit(__doc__)
