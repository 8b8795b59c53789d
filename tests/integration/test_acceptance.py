# SPDX-License-Identifier: Apache-2.0
"""Accuracy through the program: the gates of golden/acceptance.json, and the golden answers box by box."""

import json

import pytest

from conftest import model_flags, run

DETECTORS = ["yolox-nano-coco", "nanodet-m-416-coco"]
CLASSIFIERS = [
    "squeezenet1.1-imagenet",
    "mobilenet-v2-1.0-224-imagenet-int8",
    "mobilenet-v1-0.25-128-imagenet-int8",
]
ENGINES = ["openvino", "onnxruntime"]
PRECISIONS = ["f32", "bf16"]


def require(engine, precision):
    """Skips, with the reason the program itself gives, what this machine cannot run."""
    listed = json.loads(run("engines", "--json").stdout)
    for found in listed["engines"]:
        if found["name"] == engine:
            cpu = next(device for device in found["devices"] if device["name"] == "cpu")
            if precision not in cpu["precisions"]:
                pytest.skip(f"{engine} runs only {', '.join(cpu['precisions'])} on this processor, not {precision}")
            return
    pytest.fail(f"{engine} is missing: {listed['missing']}")


def evaluate(model, engine, precision, labels, images):
    done = run("eval", model, *model_flags(), "--engine", engine, "--precision", precision,
               "--data", labels, "--images", images, "--json", timeout=600)
    result = json.loads(done.stdout)
    assert result["engine"] == engine and result["precision"] == precision
    return result


@pytest.fixture(scope="session")
def acceptance(data):
    return json.loads((data / "golden/acceptance.json").read_text())


@pytest.fixture(scope="session")
def held_instances(data, tmp_path_factory):
    """The 55 photos of COCO val2017, the ones the golden files call "held"."""
    whole = json.loads((data / "images/coco-open/instances.json").read_text())
    held = [image for image in whole["images"] if "val2017" in json.dumps(image)]
    assert len(held) == 55
    ids = {image["id"] for image in held}
    part = dict(whole, images=held, annotations=[a for a in whole["annotations"] if a["image_id"] in ids])
    path = tmp_path_factory.mktemp("held") / "instances.json"
    path.write_text(json.dumps(part))
    return path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", DETECTORS)
def test_detectors_reach_the_reference_ap_in_f32(model, engine, data, acceptance):
    require(engine, "f32")
    photos = data / "images/coco-open"
    result = evaluate(model, engine, "f32", photos / "instances.json", photos / "images")
    assert result["images"] == 99
    wanted = acceptance["detect"][model]["all"]
    assert result["metrics"]["AP"] == pytest.approx(wanted["AP"], abs=0.003)
    assert result["metrics"]["AP50"] == pytest.approx(wanted["AP50"], abs=0.008)


@pytest.mark.parametrize("model", DETECTORS)
def test_detectors_keep_their_ap_in_bf16(model, data, acceptance, held_instances):
    require("openvino", "bf16")
    result = evaluate(model, "openvino", "bf16", held_instances, data / "images/coco-open/images")
    assert result["metrics"]["AP"] == pytest.approx(acceptance["detect"][model]["held"]["AP"], abs=0.012)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", CLASSIFIERS)
def test_classifiers_pass_their_gates(model, engine, precision, data, acceptance):
    require(engine, precision)
    photos = data / "images/imagenet-100"
    labels = photos / "labels.csv"
    result = evaluate(model, engine, precision, labels, photos / "images")
    top1, top5 = acceptance["classify_imagenet100"][model]["gate"]
    assert result["images"] == 100
    assert result["metrics"]["top1"] >= top1
    assert result["metrics"]["top5"] >= top5


def iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    inter = width * height
    area = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter
    return inter / area


def unmatched(wanted, found, least_iou, score_tolerance):
    """The golden detections that no found one equals; each found one is used once."""
    left, missing = list(found), []
    for class_id, score, *box in wanted:
        match = next(
            (d for d in left if d["class_id"] == class_id and abs(d["score"] - score) <= score_tolerance
             and iou(d["box"], box) >= least_iou), None)
        if match is None:
            missing.append([class_id, score, *box])
        else:
            left.remove(match)
    return missing, left


@pytest.mark.parametrize("precision,least_iou,score_tolerance", [("f32", 0.99, 0.005), ("bf16", 0.85, 0.07)])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", DETECTORS)
def test_answers_equal_the_golden_ones_box_by_box(model, engine, precision, least_iou, score_tolerance, data):
    require(engine, precision)
    golden = json.loads((data / f"golden/detect-{model}.json").read_text())
    folder = data / "images/coco-open/images"
    photos = [folder / record["file"] for record in golden["records"]]
    done = run("predict", *photos, "--model", model, *model_flags(), "--engine", engine, "--precision", precision,
               "--score", golden["score_threshold"], "--jsonl")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(golden["records"]) >= 8
    for record, answer in zip(golden["records"], answers):
        assert (answer["width"], answer["height"]) == (record["width"], record["height"])
        assert answer["model"] == model and answer["task"] == "detect"
        missing, extra = unmatched(record["detections"], answer["results"], least_iou, score_tolerance)
        # A score within the tolerance of the threshold may come or go.
        edge = golden["score_threshold"] + score_tolerance
        assert [m for m in missing if m[1] > edge] == [], record["file"]
        assert [e for e in extra if e["score"] > edge] == [], record["file"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", CLASSIFIERS)
def test_classes_equal_the_golden_ones(model, engine, data):
    require(engine, "f32")
    golden = json.loads((data / f"golden/classify-{model}.json").read_text())
    folder = data / "images/imagenet-100/images"
    photos = [folder / record[0] for record in golden["records"]]
    done = run("predict", *photos, "--model", model, *model_flags(), "--engine", engine, "--score", 0, "--jsonl")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 100
    same = 0
    for (_, _, top), answer in zip(golden["records"], answers):
        offset = 1 if "mobilenet" in model else 0  # the golden index counts the background class
        same += answer["results"][0]["class_id"] == top[0][0] - offset
    # Pictures whose two best classes are close may swap between decoders of one JPEG; the gates above bound the rest.
    assert same >= 97


def test_the_demo_model_reaches_its_reference_ap(data):
    done = run("models", "list", *model_flags(), "--json")
    demo = next(model for model in json.loads(done.stdout) if model["name"] == "ssdlite-mobilenet-v2-coco")
    if not demo["ready"]:
        pytest.skip(f"the demo model is not set up: {demo['state']}")
    photos = data / "images/coco-open"
    result = evaluate("ssdlite-mobilenet-v2-coco", "onnxruntime", "f32", photos / "instances.json", photos / "images")
    assert result["metrics"]["AP"] == pytest.approx(0.3525, abs=0.008)
