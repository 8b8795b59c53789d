# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: output forms, exit codes, error texts."""

import json
import re
import subprocess
import sys

import pytest

from conftest import PROGRAM, model_flags, run

MODEL = "yolox-nano-coco"


@pytest.fixture(scope="session")
def photo(data):
    return data / "images/photos-ccby/pets.jpg"


def predict(*arguments, **options):
    return run("predict", *arguments, "--model", MODEL, *model_flags(), **options)


def test_json_is_the_documented_object(photo):
    answer = json.loads(predict(photo, "--json").stdout)
    assert list(answer) == ["source", "width", "height", "model", "task", "results", "timing_ms"]
    assert list(answer["timing_ms"]) == ["decode", "preprocess", "infer", "postprocess", "total"]
    assert answer["source"] == str(photo) and answer["model"] == MODEL and answer["task"] == "detect"
    assert {result["label"] for result in answer["results"]} == {"dog"}
    for result in answer["results"]:
        assert list(result) == ["label", "class_id", "score", "box"]
        x_min, y_min, x_max, y_max = result["box"]
        assert x_min < x_max and y_min < y_max and 0 < result["score"] <= 1
    stages = answer["timing_ms"]
    assert stages["total"] >= stages["infer"] > 0


def test_standard_input_and_a_file_give_the_same_answer(photo):
    from_file = json.loads(predict(photo, "--jsonl").stdout)
    from_stdin = json.loads(predict("-", "--jsonl", stdin=photo.read_bytes()).stdout)
    assert from_stdin["results"] == from_file["results"]
    assert from_stdin["source"] == "-"


def test_a_folder_is_answered_in_order_whatever_the_threads(data):
    folder = data / "images/photos-ccby"
    one = [json.loads(line) for line in predict(folder, "--jsonl", "--threads", 1).stdout.splitlines()]
    two = [json.loads(line) for line in predict(folder, "--jsonl", "--threads", 2).stdout.splitlines()]
    assert [a["source"] for a in one] == sorted(str(p) for p in folder.glob("*.jpg"))
    assert [(a["source"], a["results"]) for a in one] == [(a["source"], a["results"]) for a in two]


def test_the_table_names_what_was_found(photo):
    text = predict(photo, "--timing").stdout
    assert re.search(r"SCORE +LABEL +X_MIN", text)
    assert re.search(r"0\.\d{3} +dog ", text)
    assert "preprocess" in text


def test_annotated_copies_do_not_overwrite_each_other(data, photo, tmp_path):
    twin = tmp_path / "pets.png"
    twin.write_bytes((data / "models/yolox-nano-coco/golden/input.png").read_bytes())
    predict(photo, twin, "--annotate", tmp_path / "out")
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["pets-2.jpg", "pets.jpg"]
    for name in written:
        assert (tmp_path / "out" / name).read_bytes()[:3] == b"\xff\xd8\xff"


def test_a_bad_picture_is_reported_and_the_others_are_answered(data, photo):
    broken = data / "images/robustness/made/truncated_25pct.jpg"
    done = predict(broken, photo, "--jsonl", check=False)
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["source"] == str(broken) and "the data end too early" in first["error"]
    assert second["results"]
    assert done.returncode == 65
    assert str(broken) in done.stderr
    partial = json.loads(predict(broken, "--partial", "--jsonl").stdout)
    assert (partial["width"], partial["height"]) == (427, 640)


def test_clear_errors_for_what_is_not_there(photo, tmp_path):
    done = predict(tmp_path / "none.jpg", check=False)
    assert done.returncode == 66 and "none.jpg" in done.stderr
    done = run("predict", photo, "--model", "nonesuch", *model_flags(), check=False)
    assert done.returncode == 66 and "nonesuch" in done.stderr and MODEL in done.stderr
    done = predict(photo, "--engine", "tensorflow", check=False)
    assert done.returncode != 0 and "tensorflow" in done.stderr
    done = run("predict", check=False)
    assert done.returncode == 64
    done = predict(photo, "--device", "cuda", check=False)
    assert done.returncode == 78 and "cuda" in done.stderr.lower()


def test_models_are_listed_shown_and_checked():
    listed = json.loads(run("models", "list", *model_flags(), "--json").stdout)
    assert MODEL in [model["name"] for model in listed if model["ready"]]
    shown = run("models", "show", MODEL, *model_flags()).stdout
    assert "Apache-2.0" in shown and "[" in shown
    checked = run("models", "check", MODEL, "squeezenet1.1-imagenet", *model_flags()).stdout
    assert f"{MODEL}: ok" in checked and "onnxruntime: ok" in checked and "openvino: ok" in checked


def test_weights_that_changed_are_refused(data, tmp_path):
    folder = tmp_path / MODEL
    folder.mkdir()
    weights = (data / "models" / MODEL / "yolox_nano.onnx").read_bytes()
    (folder / "yolox_nano.onnx").write_bytes(weights[:-1] + bytes([weights[-1] ^ 1]))
    flags = [model_flags()[0], model_flags()[1], "--models", str(tmp_path)]
    done = run("models", "check", MODEL, *flags, check=False)
    assert done.returncode == 65 and "SHA-256" in done.stdout


def test_bench_measures_every_engine():
    done = run("bench", "mobilenet-v1-0.25-128-imagenet-int8", *model_flags(), "--seconds", "0.05", "--json")
    cells = json.loads(done.stdout)["cells"]
    assert {cell["engine"] for cell in cells} == {"openvino", "onnxruntime"}
    assert all(cell["pictures_per_second"] > 0 for cell in cells if "error" not in cell)
    assert sum("lowest latency" in cell.get("best", "") for cell in cells) == 1


def test_the_program_starts_without_an_engine(tmp_path, photo):
    done = run("engines", "--engines-dir", tmp_path, check=False)
    assert done.returncode == 69
    assert "openvino" in done.stdout and "missing" in done.stdout
    done = predict(photo, "--engines-dir", tmp_path, check=False)
    assert done.returncode != 0 and "engine" in done.stderr


def test_help_and_version_need_no_manual():
    for command in ([], ["predict"], ["serve"], ["models"], ["models", "fetch"], ["engines"], ["bench"], ["eval"]):
        text = run(*command, "--help").stdout
        assert "--help" in text and len(text) > 100, command
    version = run("--version").stdout
    assert re.search(r"waystone \d+\.\d+\.\d+", version) and "onnxruntime 1." in version and "openvino 20" in version


def test_a_run_that_was_stopped_goes_on(data, tmp_path):
    photos = sorted((data / "images/coco-open/images").iterdir())[:6]
    output = tmp_path / "answers.jsonl"
    command = ["predict", *photos, "--model", "mobilenet-v1-0.25-128-imagenet-int8", *model_flags(), "--output", output]
    done = run(*command)
    assert done.stdout == ""
    assert "6 answered, 0 failed, 0 skipped; 30 results" in done.stderr
    whole = output.read_text().splitlines()
    assert [json.loads(line)["source"] for line in whole] == [str(photo) for photo in photos]

    assert run(*command, check=False).returncode != 0  # it would overwrite them
    output.write_text("".join(line + "\n" for line in whole[:4]) + whole[4][:20])
    done = run(*command, "--resume")
    assert "2 answered, 0 failed, 4 skipped; 10 results" in done.stderr
    again = output.read_text().splitlines()
    assert [json.loads(line)["results"] for line in again] == [json.loads(line)["results"] for line in whole]


def test_memory_stays_flat_however_many_pictures_there_are(data, tmp_path):
    photos = sorted((data / "images/coco-open/images").iterdir())
    peaks = []
    for count in (300, 1500):
        folder = tmp_path / str(count)
        folder.mkdir()
        for i in range(count):
            (folder / f"{i:05}.jpg").symlink_to(photos[i % len(photos)])
        flags = [str(flag) for flag in model_flags()]
        script = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run(
            [sys.executable, "-c", script, str(PROGRAM), "predict", str(folder), "--model",
             "mobilenet-v1-0.25-128-imagenet-int8", *flags, "--output", str(tmp_path / f"{count}.jsonl")],
            capture_output=True, text=True, timeout=300, check=True)
        assert len((tmp_path / f"{count}.jsonl").read_text().splitlines()) == count
        peaks.append(int(done.stdout) / 1024)
    assert peaks[1] < peaks[0] + 16, f"MiB at 300 and 1500 pictures: {peaks}"


@pytest.mark.parametrize("form, magic", [("jpg", b"\xff\xd8\xff"), ("png", b"\x89PNG"), ("webp", b"RIFF")])
def test_annotated_copies_come_in_the_form_asked_for(photo, tmp_path, form, magic):
    predict(photo, "--annotate", tmp_path, "--annotate-format", form)
    assert (tmp_path / f"pets.{form}").read_bytes().startswith(magic)
