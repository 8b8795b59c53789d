#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a TensorFlow.js graph model of an SSD detector (TensorFlow Object Detection API) into ONNX.

    convert_tfjs_ssd.py MODEL_JSON OUTPUT_ONNX

MODEL_JSON holds the TensorFlow graph; the weight shards it names stand beside it. What is left of the graph is what a
neural network engine should do: it is cut behind the picture's resizing and normalising and before box decoding and
non-maximum suppression, which Waystone does itself (see docs/model-yaml.md, decoder `ssd`).

    image   float32 [N, 3, H, W]         RGB, (pixel * 2 / 255) - 1
    boxes   float32 [N, anchors, 4]      encoded ty, tx, th, tw
    scores  float32 [N, anchors, 80]     0 to 1, in the order of COCO's 80 labels

Convolutions become NCHW with explicit padding; batch norms, biases and scales are folded into them; the batch stays
free. Of the class predictors only the rows of the 80 classes that COCO labels are kept: the others (the background and
the 10 numbers that COCO skips) are never an answer. Folding is done in double precision and the file is written in one
order, so the same input gives the same bytes everywhere: model.yaml pins their hash.
"""

import json
import pathlib
import sys
from dataclasses import dataclass, replace

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BOXES_NODE = "Squeeze"  # encoded boxes, before the decoder
SCORES_NODE = "Postprocessor/convert_scores"  # logistic class scores, background first
INPUT_NODE = "Preprocessor/sub"  # the normalised picture
COCO_IDS = 91  # 0 is the background, 1 to 90 are COCO's category numbers
COCO_UNUSED = {0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83}
OPSET = 13
IR_VERSION = 8


class ConversionError(Exception):
    """The graph is not what this converter understands."""


def read_graph(model_json):
    """The nodes by name and the constants by name."""
    model = json.loads(model_json.read_text())
    constants = {}
    for group in model["weightsManifest"]:
        data = b"".join((model_json.parent / path).read_bytes() for path in group["paths"])
        offset = 0
        for weight in group["weights"]:
            if "quantization" in weight:
                raise ConversionError(f"weight {weight['name']} is quantised; only plain weights are read")
            dtype = {"float32": "<f4", "int32": "<i4"}[weight["dtype"]]
            count = int(np.prod(weight["shape"], dtype=np.int64))
            values = np.frombuffer(data, dtype, count, offset)
            constants[weight["name"]] = values.reshape(weight["shape"])
            offset += values.nbytes
        if offset != len(data):
            raise ConversionError(f"the manifest describes {offset} bytes of weights, the shards have {len(data)}")
    return {node["name"]: node for node in model["modelTopology"]["node"]}, constants


def attribute(node, key):
    """A string or a list of integers of a TensorFlow node, both as TF.js writes them."""
    value = node["attr"][key]
    if "s" in value:
        return bytes(value["s"]).decode()
    return [int(item) for item in value["list"]["i"]]


@dataclass(frozen=True)
class Activation:
    """A tensor of the ONNX graph, NCHW, with its spatial size."""

    name: str
    channels: int
    size: tuple


@dataclass(frozen=True)
class Convolution:
    """A convolution not yet written, so that what follows can be folded into it. OIHW weights, in double precision."""

    source: Activation
    weights: np.ndarray
    bias: np.ndarray
    stride: int
    pads: tuple
    groups: int
    size: tuple
    residual: Activation | None = None  # added to the convolution's result
    scalable: bool = True  # false once a residual is there: a factor would have to scale that too


class Converter:
    """Walks the TensorFlow graph from its outputs and writes ONNX nodes as it returns."""

    def __init__(self, nodes, constants, size):
        self.nodes = nodes
        self.constants = constants
        self.graph_nodes = []
        self.initialisers = {}
        self.done = {INPUT_NODE: Activation("image", 3, (size, size))}
        self.written = {}

    def constant(self, name, values):
        self.initialisers.setdefault(name, numpy_helper.from_array(values, name))
        return name

    def add(self, op, inputs, output, **attributes):
        self.graph_nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def value(self, name):
        """The Activation or Convolution that the TensorFlow node stands for."""
        if name not in self.done:
            node = self.nodes[name]
            handler = getattr(self, "on_" + node["op"], None)
            if handler is None:
                raise ConversionError(f"node {name} has the operation {node['op']}, which is not known here")
            self.done[name] = handler(node)
        return self.done[name]

    def activation(self, name):
        """The same, with a pending convolution written."""
        value = self.value(name)
        if isinstance(value, Activation):
            return value
        if name not in self.written:
            self.written[name] = self.write(name, value)
        return self.written[name]

    def write(self, name, conv):
        weights = self.constant(name + "/weights", conv.weights.astype(np.float32))
        bias = self.constant(name + "/bias", conv.bias.astype(np.float32))
        output = name if conv.residual is None else name + "/conv"
        self.add("Conv", [conv.source.name, weights, bias], output, group=conv.groups,
                 kernel_shape=list(conv.weights.shape[2:]), strides=[conv.stride] * 2, pads=list(conv.pads))
        if conv.residual is not None:
            self.add("Add", [output, conv.residual.name], name)
        return Activation(name, len(conv.bias), conv.size)

    # ---- one method for each TensorFlow operation

    def convolution(self, node, weights, groups):
        source = self.activation(node["input"][0])
        strides = attribute(node, "strides")
        if attribute(node, "padding") != "SAME" or attribute(node, "data_format") != "NHWC" or strides[1] != strides[2]:
            raise ConversionError(f"node {node['name']}: only NHWC with SAME padding and equal strides is understood")
        if "dilations" in node["attr"] and attribute(node, "dilations") != [1, 1, 1, 1]:
            raise ConversionError(f"node {node['name']}: dilated convolutions are not understood")
        stride = strides[1]
        size = tuple(-(-extent // stride) for extent in source.size)
        # TensorFlow's SAME: what is missing is split evenly, the odd one goes to the end.
        missing = [max(0, (out - 1) * stride + kernel - extent)
                   for out, kernel, extent in zip(size, weights.shape[2:], source.size)]
        begin = [amount // 2 for amount in missing]
        pads = (*begin, *(amount - first for amount, first in zip(missing, begin)))
        return Convolution(source, weights, np.zeros(weights.shape[0]), stride, pads, groups, size)

    def on_Conv2D(self, node):
        weights = self.constants[node["input"][1]].astype(np.float64)  # HWIO
        return self.convolution(node, weights.transpose(3, 2, 0, 1), 1)

    def on_DepthwiseConv2dNative(self, node):
        weights = self.constants[node["input"][1]].astype(np.float64)  # HWI1
        if weights.shape[3] != 1:
            raise ConversionError(f"node {node['name']}: a depth multiplier of {weights.shape[3]} is not understood")
        return self.convolution(node, weights.transpose(2, 3, 0, 1), weights.shape[2])

    def affine(self, node, scale, shift):
        conv = self.value(next(name for name in node["input"] if name not in self.constants))
        if not isinstance(conv, Convolution) or (scale is not None and not conv.scalable):
            raise ConversionError(f"node {node['name']}: there is no convolution before it to fold it into")
        if scale is not None:
            conv = replace(conv, weights=conv.weights * scale[:, None, None, None], bias=conv.bias * scale)
        return conv if shift is None else replace(conv, bias=conv.bias + shift)

    def constant_operand(self, node):
        operands = [self.constants[name] for name in node["input"] if name in self.constants]
        return operands[0].astype(np.float64) if operands else None

    def on_Mul(self, node):
        return self.affine(node, self.constant_operand(node), None)

    def on_Add(self, node):
        shift = self.constant_operand(node)
        return self.on_AddN(node) if shift is None else self.affine(node, None, shift)

    on_BiasAdd = on_Add

    def on_AddN(self, node):
        conv, other = (self.value(name) for name in node["input"])
        if not isinstance(conv, Convolution) or conv.residual is not None:
            raise ConversionError(f"node {node['name']}: only a convolution plus one more tensor is understood")
        if not isinstance(other, Activation):
            other = self.activation(node["input"][1])
        return replace(conv, residual=other, scalable=False)

    def on_FusedBatchNorm(self, node):
        gamma, beta, mean, variance = (self.constants[name].astype(np.float64) for name in node["input"][1:])
        scale = gamma / np.sqrt(variance + float(node["attr"]["epsilon"]["f"]))
        return self.affine(node, scale, beta - mean * scale)

    def on_Relu6(self, node):
        source = self.activation(node["input"][0])
        low, high = (self.constant(f"clip/{limit}", np.array(limit, np.float32)) for limit in (0, 6))
        return replace(source, name=self.add("Clip", [source.name, low, high], node["name"]))

    # ---- the heads

    def head(self, concat, last, keep=None):
        """One output: every predictor's rows as [N, cells * anchors, last], in the order of the feature maps."""
        parts = []
        for name in self.nodes[concat]["input"][:-1]:
            predictor = self.nodes[name]["input"][0]  # in front of the Reshape
            conv = self.value(predictor)
            if not isinstance(conv, Convolution) or len(conv.bias) % last != 0:
                raise ConversionError(f"node {predictor} is not a predictor of rows of {last}")
            columns = last
            if keep is not None:
                rows = np.arange(len(conv.bias)).reshape(-1, last)[:, keep].ravel()
                self.done[predictor] = replace(conv, weights=conv.weights[rows], bias=conv.bias[rows])
                columns = len(keep)
            written = self.activation(predictor)
            rows_last = self.add("Transpose", [written.name], name + "/nhwc", perm=[0, 2, 3, 1])
            shape = self.constant(f"rows/{columns}", np.array([0, -1, columns], np.int64))
            parts.append(self.add("Reshape", [rows_last, shape], name + "/rows"))
        return parts

    def model(self):
        boxes = self.head(self.nodes[BOXES_NODE]["input"][0], 4)
        keep = [number for number in range(COCO_IDS) if number not in COCO_UNUSED]
        scores = self.head(self.nodes[SCORES_NODE]["input"][0], COCO_IDS, keep)
        self.add("Concat", boxes, "boxes", axis=1)
        self.add("Concat", scores, "logits", axis=1)
        self.add("Sigmoid", ["logits"], "scores")
        height, width = self.done[INPUT_NODE].size
        graph = helper.make_graph(
            self.graph_nodes, "ssd",
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, height, width])],
            [helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["N", self.anchors(boxes), 4]),
             helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", self.anchors(boxes), len(keep)])],
            list(self.initialisers.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION,
                                 producer_name="waystone convert_tfjs_ssd")

    def anchors(self, parts):
        total = 0
        for part in parts:
            conv = self.written[self.nodes[part.removesuffix("/rows")]["input"][0]]
            total += conv.channels // 4 * conv.size[0] * conv.size[1]
        return total


def input_size(nodes):
    """The side of the square input: what the graph's own resizing makes."""
    shapes = [node["attr"]["element_shape"]["shape"] for node in nodes.values() if node["op"] == "TensorArrayGatherV3"]
    sizes = [[int(dim["size"]) for dim in shape["dim"]] for shape in shapes if "dim" in shape]
    if len(sizes) != 1 or len(sizes[0]) != 3 or sizes[0][0] != sizes[0][1] or sizes[0][2] != 3:
        raise ConversionError(f"the preprocessor makes {sizes}; one square RGB picture is understood")
    return sizes[0][0]


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = map(pathlib.Path, arguments)
    nodes, constants = read_graph(source)
    model = Converter(nodes, constants, input_size(nodes)).model()
    onnx.checker.check_model(model, full_check=True)
    partial = target.with_suffix(".partial")
    partial.write_bytes(model.SerializeToString(deterministic=True))
    partial.replace(target)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ConversionError, OSError, KeyError, ValueError) as error:
        sys.exit(f"convert_tfjs_ssd.py: {type(error).__name__}: {error}")
