#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of the machine `waystone predict` uses on a folder: its pictures per second on all cores against the cores
times what the engine alone does on one of them.

The engine alone is `waystone bench` on one core, one thread, one picture a run. Both are run in turn, several times, so
what else the machine does falls on both. Prints the medians as a Markdown table.

Usage: bench/predict_pipeline.py --photos FOLDER --weights FOLDER [--model NAME] [--engine NAME] [--repeats N] [--rounds N]
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = REPOSITORY / "build/release/bin/waystone"


def engine_rate(model, models, engine, core):
    """Pictures per second of the network alone on one core."""
    done = subprocess.run(["taskset", "-c", str(core), PROGRAM, "bench", model, *models, "--engine", engine, "--seconds",
                           "3", "--json"], capture_output=True, text=True, check=True)
    cells = json.loads(done.stdout)
    cells = cells["cells"] if isinstance(cells, dict) else cells
    return next(cell["pictures_per_second"] for cell in cells if cell["threads"] == 1 and cell["batch"] == 1)


def predict_rate(model, models, engine, photos, rounds):
    """Pictures per second of the whole way on all cores, as the program's own summary says."""
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(photos.glob("*.jpg"))
        for number in range(rounds):
            for photo in files:
                (pathlib.Path(folder) / f"{number:03}-{photo.name}").symlink_to(photo.resolve())
        done = subprocess.run([PROGRAM, "predict", folder, "--model", model, *models, "--engine", engine, "--output",
                               pathlib.Path(folder) / "answers.jsonl"], capture_output=True, text=True, check=True)
    return float(re.search(r"([0-9.]+) pictures/s", done.stderr)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=pathlib.Path, required=True)
    parser.add_argument("--weights", type=pathlib.Path, required=True)
    parser.add_argument("--model", default="yolox-nano-coco")
    parser.add_argument("--engine", default="onnxruntime")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    models = ["--models", REPOSITORY / "models", "--models", arguments.weights]
    cores = sorted(os.sched_getaffinity(0))
    alone, whole = [], []
    for _ in range(arguments.repeats):
        # On each core in turn: they need not be equal.
        alone.append(sum(engine_rate(arguments.model, models, arguments.engine, core) for core in cores))
        whole.append(predict_rate(arguments.model, models, arguments.engine, arguments.photos, arguments.rounds))
    engine, way = statistics.median(alone), statistics.median(whole)
    print(f"| {arguments.model}, {arguments.engine}, {len(cores)} cores | pictures/s |\n|---|---|")
    print(f"| cores x the engine alone on one | {engine:.1f} |")
    print(f"| `predict`, decode to answer | {way:.1f} |")
    print(f"| share | {way / engine:.2f} |")


if __name__ == "__main__":
    main()
