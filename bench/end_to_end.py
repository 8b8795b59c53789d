#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures per second on one core, end to end and by stage: Waystone against the same model in Python.

Both run on the same core (taskset) one after the other, several times in turn, so what else the machine does falls on
both. Medians and the ratio are printed as a Markdown table, the raw runs with facts of the machine go to a JSON file.

Usage: bench/end_to_end.py --photos FOLDER --weights FOLDER [--repeats N] [--rounds N] [--out FILE]
  --weights   a folder with yolox-nano-coco/yolox_nano.onnx
Python's packages come from $WAYSTONE_HOME/bench-python; scripts/setup --for bench puts them there.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = REPOSITORY / "build/release/bin/waystone"
HOME = pathlib.Path(os.environ.get("WAYSTONE_HOME", REPOSITORY / ".waystone"))
MODEL = "yolox-nano-coco"
STAGES = ("decode", "preprocess", "infer", "postprocess")


def run_waystone(photos, weights, rounds, engine, core):
    """All photos `rounds` times in one process; the start of the program is taken off with a run on one photo."""
    files = [str(path) for path in sorted(photos.glob("*.jpg"))]
    common = ["taskset", "-c", str(core), str(PROGRAM), "predict"]
    flags = ["--model", MODEL, "--models", str(REPOSITORY / "models"), "--models", str(weights),
             "--threads", "1", "--engine", engine, "--jsonl"]
    # A folder or file may be named again: each naming is a picture of its own.
    begin = time.perf_counter()
    done = subprocess.run([*common, *(files * rounds), *flags], capture_output=True, check=True)
    spent = time.perf_counter() - begin
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    times = [answer["timing_ms"] for answer in answers]
    busy = sum(time_["total"] for time_ in times) / 1e3
    return {
        "pictures_per_second": len(answers) / busy,
        "pictures_per_second_with_start": len(answers) / spent,
        "stage_ms": {stage: statistics.fmean(time_[stage] for time_ in times) for stage in STAGES},
        "detections": sum(len(answer["results"]) for answer in answers),
    }


def run_python(photos, weights, rounds, core):
    environment = dict(os.environ, PYTHONPATH=str(HOME / "bench-python"), OMP_NUM_THREADS="1")
    done = subprocess.run(
        ["taskset", "-c", str(core), "/usr/bin/python3", str(REPOSITORY / "bench/python_pipeline.py"),
         str(weights / MODEL / "yolox_nano.onnx"), str(photos), str(rounds)],
        capture_output=True, check=True, env=environment)
    return json.loads(done.stdout)


def machine_facts():
    cpu = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), "unknown")
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return {"cpu": cpu, "cores": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg(),
            "avx2": " avx2 " in flags, "avx512": " avx512f " in flags}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=pathlib.Path, required=True)
    parser.add_argument("--weights", type=pathlib.Path, required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    core = max(os.sched_getaffinity(0))
    systems = {
        "Python: OpenCV, ONNX Runtime": lambda: run_python(arguments.photos, arguments.weights, arguments.rounds, core),
        "Waystone, ONNX Runtime": lambda: run_waystone(arguments.photos, arguments.weights, arguments.rounds, "onnxruntime", core),
        "Waystone, OpenVINO": lambda: run_waystone(arguments.photos, arguments.weights, arguments.rounds, "openvino", core),
    }
    runs = {name: [] for name in systems}
    for repeat in range(arguments.repeats):
        for name, measure in systems.items():
            runs[name].append(measure())
            print(f"{repeat + 1}/{arguments.repeats} {name}: {runs[name][-1]['pictures_per_second']:.1f} /s", file=sys.stderr)
    base = statistics.median(run["pictures_per_second"] for run in runs["Python: OpenCV, ONNX Runtime"])
    print("| system | pictures/s on one core | ratio | " + " | ".join(f"{stage} ms" for stage in STAGES) + " |")
    print("|---|---|---|" + "---|" * len(STAGES))
    for name, results in runs.items():
        rate = statistics.median(run["pictures_per_second"] for run in results)
        stages = [statistics.median(run["stage_ms"][stage] for run in results) for stage in STAGES]
        print(f"| {name} | {rate:.1f} | {rate / base:.2f} | " + " | ".join(f"{stage:.2f}" for stage in stages) + " |")
    if arguments.out:
        arguments.out.write_text(json.dumps({"machine": machine_facts(), "runs": runs}, indent=1))


main()
