# SPDX-License-Identifier: Apache-2.0
"""Every kind of answer through the program: faces box by box, masks, features that match, all models checked."""

import base64
import json
import math
import shutil
import struct
import zlib

import pytest

from conftest import REPOSITORY, model_flags, run


def iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    both = max(width, 0) * max(height, 0)
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])  # noqa: E731
    return both / (area(a) + area(b) - both)


def predict(model, *photos, flags=()):
    done = run("predict", *photos, "--model", model, *model_flags(), "--jsonl", *flags, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("model, golden", [("yunet-n", "faces-yunet-n"), ("blazeface", "faces-blazeface-full"),
                                           ("ultraface-rfb-320", "faces-ultraface-rfb-320")])
def test_faces_agree_with_the_golden_answers(model, golden, data):
    records = json.loads((data / f"golden/{golden}.json").read_text())
    threshold = records["score_threshold"]
    photos = [data / "images" / record["file"] for record in records["records"]]
    for record, answer in zip(records["records"], predict(model, *photos)):
        # One that scores near the threshold may come or go.
        wanted = [face for face in record["faces"] if face["score"] >= threshold + 0.005]
        found = list(answer["results"])
        for face in wanted:
            best = max(found, key=lambda result: iou(result["box"], face["box"]))
            assert iou(best["box"], face["box"]) >= 0.99, record["file"]
            assert best["score"] == pytest.approx(face["score"], abs=0.005)
            for point, place in zip(best.get("points", []), face.get("points", []), strict=True):
                assert math.dist((point["x"], point["y"]), place) < 0.5
            found.remove(best)
        assert all(result["score"] < threshold + 0.005 for result in found), record["file"]


def test_fastestdet_reaches_the_reference_ap(data):
    photos = data / "images/coco-open"
    done = run("eval", "fastestdet-coco", *model_flags(), "--data", photos / "instances.json", "--nms-iou", "0.45",
               "--json", timeout=600)
    metrics = json.loads(done.stdout)["metrics"]
    wanted = json.loads((data / "golden/acceptance.json").read_text())["detect"]["fastestdet-coco"]["all"]
    assert metrics["AP"] == pytest.approx(wanted["AP"], abs=0.003)
    assert metrics["AP50"] == pytest.approx(wanted["AP50"], abs=0.008)


def test_every_model_folder_agrees_with_its_golden_answers(data):
    names = sorted(folder.name for folder in (data / "models").iterdir() if (folder / "golden").is_dir())
    assert len(names) == 22
    done = run("models", "check", *names, *model_flags(), timeout=600)
    for name in names:
        assert f"{name}: ok\n" in done.stdout
    # blazeface's golden answers are those of its other file, the short-range one.
    assert done.stdout.count("no golden answers") == 2


def test_a_network_that_answers_otherwise_is_an_error(data, tmp_path):
    name = "selfie-segmentation"
    shutil.copytree(data / "models" / name, tmp_path / name)
    golden = tmp_path / name / "golden/golden.json"
    changed = json.loads(golden.read_text())
    changed["outputs"][0]["samples"][3][1] += 0.01
    golden.write_text(json.dumps(changed))
    done = run("models", "check", name, "--models", REPOSITORY / "models", "--models", tmp_path, check=False)
    assert done.returncode == 70
    assert "an engine answers otherwise" in done.stdout
    assert "the golden answer" in done.stdout


def grey_png(encoded):
    """Width, height and rows of an 8-bit grey PNG."""
    png = base64.b64decode(encoded)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind) == (8, 0)
    packed, at = b"", 8
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        packed += png[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    rows, last = [], [0] * width
    for y in range(height):
        kind, line = raw[y * (width + 1)], list(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
        for x in range(width):
            left, up, corner = (line[x - 1] if x else 0), last[x], (last[x - 1] if x else 0)
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(guess - value))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[kind]) % 256
        rows.append(line)
        last = line
    return width, height, rows


def test_a_mask_shows_the_classes_of_the_golden_answer(data):
    golden = json.loads((data / "models/deeplabv3-mnv2-257-voc/golden/golden.json").read_text())
    answer, = predict("deeplabv3-mnv2-257-voc", data / "models/deeplabv3-mnv2-257-voc/golden/input.png")
    width, height, rows = grey_png(answer["mask"]["data"])
    assert (width, height) == (answer["mask"]["width"], answer["mask"]["height"]) == (257, 257)
    pixels = [value for row in rows for value in row]
    names = {result["class_id"]: result["label"] for result in answer["results"]}
    counts = {label: pixels.count(class_id) for class_id, label in names.items()}
    for label, wanted in golden["decoded"]["pixels_per_class"].items():
        assert counts[label] == pytest.approx(wanted, abs=20)
    for result in answer["results"]:
        assert result["share"] == pytest.approx(counts[result["label"]] / len(pixels), abs=1e-4)


@pytest.mark.parametrize("matcher, least", [("lighterglue-l3", 300), ("nearest", 560)])
def test_features_match_by_the_known_homography(matcher, least, data):
    folder = data / "models/xfeat-vga/golden"
    homography = json.loads((folder / "golden_b.json").read_text())["H_a_to_b"]
    done = run("match", folder / "input_a.png", folder / "input_b.png", "--matcher", matcher, *model_flags(), "--json")
    answer = json.loads(done.stdout)
    assert answer["a"]["features"] == answer["b"]["features"] == 1024
    matches = answer["matches"]
    assert len(matches) >= least
    near = 0
    for match in matches:
        x, y, scale = (sum(h * v for h, v in zip(row, (*match["a"], 1))) for row in homography)
        near += math.dist((x / scale, y / scale), match["b"]) < 3
    assert near / len(matches) > 0.6


def test_two_stages_find_hands_faces_and_bodies(data):
    photo = data / "images/coco-open/images/000000001296.jpg"  # a woman who holds a phone with both hands
    hands, = predict("hand-landmark-lite", photo)
    assert sorted(result["side"] for result in hands["results"]) == ["left", "right"]
    assert [len(result["points"]) for result in hands["results"]] == [21, 21]
    faces, = predict("face-landmark-468", data / "images/photos-ccby/face.jpg")
    golden = json.loads((data / "golden/faces-yunet-n.json").read_text())["records"][0]["faces"]
    assert len(faces["results"]) == 4
    for face in golden:  # the mesh covers the face that another network finds
        assert max(iou(result["box"], face["box"]) for result in faces["results"]) > 0.6
    body, = predict("pose-landmark-lite", photo)
    assert len(body["results"]) == 1
    nose = body["results"][0]["points"][0]
    assert nose["name"] == "nose"
    assert math.dist((nose["x"], nose["y"]), (250, 216)) < 15  # where faces-yunet-n has it


def test_following_finds_what_looking_anew_finds(data):
    photo = data / "images/coco-open/images/000000001296.jpg"
    anew = predict("hand-landmark-lite", photo)[0]["results"]
    followed = predict("hand-landmark-lite", *[photo] * 4, flags=["--follow"])
    assert [len(answer["results"]) for answer in followed] == [2] * 4
    for answer in followed[1:]:
        for result in answer["results"]:
            assert max(iou(result["box"], other["box"]) for other in anew) > 0.8


def test_a_box_in_space_has_a_pose_where_the_camera_is_known(data):
    photo = data / "images/coco-open/images/000000002592.jpg"
    without, = predict("objectron-3d-cup", photo)
    assert "pose" not in without["results"][0]
    cup, = predict("objectron-3d-cup", photo, flags=["--camera", "600,600,320,183"])
    result = cup["results"][0]
    pose = result["pose"]
    rotation, translation, size = pose["rotation"], pose["translation"], pose["size"]
    assert math.hypot(*translation) == pytest.approx(1, abs=1e-3)
    for index, point in enumerate(result["points"]):
        corner = index - 1
        place = [0, 0, 0] if index == 0 else [(0.5 if corner & bit else -0.5) for bit in (4, 2, 1)]
        at = [sum(rotation[i][j] * size[j] * place[j] for j in range(3)) + translation[i] for i in range(3)]
        seen = (600 * at[0] / at[2] + 320, 600 * at[1] / at[2] + 183)
        assert math.dist(seen, (point["x"], point["y"])) < 15
    assert rotation[1][1] < -0.5  # the cup stands: its y axis points up


def test_people_who_look_alike_are_near(data):
    photo = data / "images/coco-open/images/000000000872.jpg"
    answer, = predict("person-reid-0288", photo)
    assert [result["label"] for result in answer["results"]] == ["person", "person"]
    for result in answer["results"]:
        assert math.hypot(*result["embedding"]) == pytest.approx(1, abs=1e-4)
    again, = predict("person-reid-0288", photo)
    first = answer["results"][0]["embedding"]
    cosine = [sum(a * b for a, b in zip(first, other["embedding"])) for other in again["results"]]
    assert cosine[0] > 0.999 > cosine[1]
