#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rival: the same detector as people serve it in Python, with OpenCV and ONNX Runtime on one thread.

Prints one JSON line: pictures per second over all pictures and rounds, and the mean time of each stage.
Usage: python_pipeline.py MODEL.onnx FOLDER ROUNDS
"""

import json
import pathlib
import sys
import time

import cv2
import numpy
import onnxruntime

SIZE = 416
SCORE, IOU = 0.3, 0.45


def make_grid():
    """Cell corners and strides of YOLOX's 3549 cells, in the order of its output."""
    points, strides = [], []
    for stride in (8, 16, 32):
        side = SIZE // stride
        y, x = numpy.mgrid[0:side, 0:side]
        points.append(numpy.stack([x.ravel(), y.ravel()], 1))
        strides.append(numpy.full(side * side, stride))
    return numpy.concatenate(points), numpy.concatenate(strides)[:, None]


def main():
    model, folder, rounds = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    cv2.setNumThreads(1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    grid, strides = make_grid()
    photos = sorted(folder.glob("*.jpg"))
    stages = dict.fromkeys(("decode", "preprocess", "infer", "postprocess"), 0.0)
    found = 0

    def look(path, count):
        nonlocal found
        begin = time.perf_counter()
        picture = cv2.imdecode(numpy.frombuffer(path.read_bytes(), numpy.uint8), cv2.IMREAD_COLOR)
        decoded = time.perf_counter()
        height, width = picture.shape[:2]
        k = min(SIZE / width, SIZE / height)
        small = cv2.resize(picture, (int(width * k), int(height * k)), interpolation=cv2.INTER_LINEAR)
        padded = numpy.full((SIZE, SIZE, 3), 114, numpy.uint8)
        padded[: small.shape[0], : small.shape[1]] = small
        tensor = numpy.ascontiguousarray(padded.transpose(2, 0, 1), numpy.float32)[None]
        prepared = time.perf_counter()
        output = session.run(None, {name: tensor})[0][0]
        ran = time.perf_counter()
        scores = output[:, 4:5] * output[:, 5:]
        cells, classes = numpy.nonzero(scores > SCORE)
        centre = (output[cells, :2] + grid[cells]) * strides[cells]
        size = numpy.exp(output[cells, 2:4]) * strides[cells]
        boxes = numpy.concatenate([centre - size / 2, size], 1) / k
        kept = cv2.dnn.NMSBoxesBatched(boxes, scores[cells, classes], classes, SCORE, IOU)
        done = time.perf_counter()
        if count:
            found += len(kept)
            for stage, spent in zip(stages, (decoded - begin, prepared - decoded, ran - prepared, done - ran)):
                stages[stage] += spent

    for path in photos[:5]:
        look(path, False)
    begin = time.perf_counter()
    for _ in range(rounds):
        for path in photos:
            look(path, True)
    spent = time.perf_counter() - begin
    count = rounds * len(photos)
    print(json.dumps({
        "pictures_per_second": count / spent,
        "stage_ms": {stage: 1e3 * total / count for stage, total in stages.items()},
        "detections": found,
        "onnxruntime": onnxruntime.__version__,
        "opencv": cv2.__version__,
    }))


main()
