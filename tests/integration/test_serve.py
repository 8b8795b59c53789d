# SPDX-License-Identifier: Apache-2.0
"""The server from outside: foreign clients (Python's http.client, curl), real pictures, hostile input, SIGTERM."""

import base64
import concurrent.futures
import json
import shutil
import subprocess

import pytest

from conftest import Server, model_flags, run

DETECTOR = "yolox-nano-coco"
CLASSIFIER = "mobilenet-v1-0.25-128-imagenet-int8"


@pytest.fixture(scope="session")
def photo(data):
    return (data / "images/photos-ccby/pets.jpg").read_bytes()


def without_times(answer):
    return {key: value for key, value in answer.items() if key not in ("timing_ms", "source")}


def test_the_server_answers_what_the_command_line_answers(small_server, data, photo):
    status, answer = small_server.json("POST", f"/v1/predict/{DETECTOR}", photo)
    assert status == 200
    printed = run("predict", data / "images/photos-ccby/pets.jpg", "--model", DETECTOR, *model_flags(), "--json")
    assert without_times(answer) == without_times(json.loads(printed.stdout))
    assert list(answer) == ["source", "width", "height", "model", "task", "results", "timing_ms"]


@pytest.mark.parametrize("accept,magic", [("image/jpeg", b"\xff\xd8\xff"), ("image/png", b"\x89PNG"), ("image/webp", b"RIFF")])
def test_the_annotated_picture_comes_when_it_is_accepted(small_server, photo, accept, magic):
    status, headers, body = small_server.request("POST", f"/v1/predict/{DETECTOR}", photo, {"Accept": accept})
    assert status == 200 and headers["Content-Type"] == accept
    assert body.startswith(magic) and len(body) > 10_000


def test_curl_sends_a_form_and_a_bare_body(small_server, data):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    path = data / "images/photos-ccby/pets.jpg"
    url = f"http://127.0.0.1:{small_server.port}/v1/predict/{DETECTOR}"
    answers = []
    for arguments in (["--data-binary", f"@{path}"], ["-F", f"picture=@{path}"], ["-T", str(path), "-X", "POST"]):
        done = subprocess.run(["curl", "-sS", *arguments, url], capture_output=True, timeout=60, check=True)
        answers.append(json.loads(done.stdout))
    assert without_times(answers[0]) == without_times(answers[1]) == without_times(answers[2])
    assert answers[1]["source"] == "pets.jpg"


def test_predict_takes_base64_lists_and_tensors(small_server, photo):
    status, answer = small_server.json("POST", "/predict", json.dumps({"input": base64.b64encode(photo).decode()}))
    assert status == 200 and {result["label"] for result in answer["output"]} == {"dog"}
    grey = [[[128, 128, 128]] * 40 for _ in range(30)]
    status, answer = small_server.json("POST", "/predict", json.dumps({"input": grey}))
    assert status == 200 and isinstance(answer["output"], list)
    tensor = [[[[114.0] * 416] * 416] * 3]
    status, answer = small_server.json("POST", "/predict", json.dumps({"input": tensor}))
    assert status == 200
    output = answer["output"]
    assert len(output) == 1 and len(output[0]) == 3549 and len(output[0][0]) == 85
    status, answer = small_server.json("POST", "/predict", json.dumps({"input": [[[[1.0] * 5] * 4] * 3]}))
    assert status == 400 and "error" in answer


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", b'{"input"}', b'{"inputs": "x"}', b'{"input": "%%%"}', b'{"input": [[1, 2], [3]]}',
    b'{"input": ' + b"[" * 120 + b"1" + b"]" * 120 + b"}", b'{"input": [[[1e999, 0, 0]]]}', b"\xff\xfe\x00",
])
def test_bad_json_is_a_400_with_a_reason(small_server, body):
    status, answer = small_server.json("POST", "/predict", body)
    assert status == 400 and answer["error"]
    assert small_server.json("GET", "/readyz")[0] == 200


def test_errors_have_their_codes(small_server, photo):
    assert small_server.json("POST", "/v1/predict/nonesuch", photo)[0] == 404
    assert small_server.json("GET", "/v1/predict/x")[0] == 405
    assert small_server.json("GET", "/nothing")[0] == 404
    assert small_server.json("POST", f"/v1/predict/{DETECTOR}", b"")[0] == 400
    assert small_server.json("POST", f"/v1/predict/{DETECTOR}", b"no picture at all")[0] == 400
    status, answer = small_server.json("POST", f"/v1/predict/{DETECTOR}", b"GIF89a" + bytes(40))
    assert status == 415 and "GIF" in answer["error"]
    assert small_server.json("POST", f"/v1/predict/{DETECTOR}", photo, {"Accept": "text/html"})[0] == 406
    status, answer = small_server.json("POST", f"/v1/predict/{DETECTOR}", photo, {"Waystone-Timeout-Ms": "soon"})
    assert status == 400 and "Waystone-Timeout-Ms" in answer["error"]
    for name in ("..%2f..%2fetc", "%2e%2e", "..", "a%2Fb"):
        assert small_server.request("POST", f"/v1/predict/{name}", photo)[0] in (400, 404)


def test_the_camera_is_four_numbers_or_a_400(small_server, photo):
    path = "/v1/predict/yolox-nano-coco"
    for camera in ("600,600,320,240", " 600.5, 600 ,0,-20"):
        assert small_server.request("POST", path, photo, {"Waystone-Camera": camera})[0] == 200
    for camera in ("600", "600,600,320", "600,600,320,240,1", "0,600,320,240", "600,-1,0,0", "a,b,c,d",
                   "600,600,nan,240", "600,600,320,1000001"):
        status, answer = small_server.json("POST", path, photo, {"Waystone-Camera": camera})
        assert status == 400 and "fx,fy,cx,cy" in answer["error"], camera


def test_the_server_is_healthy_until_it_is_not(small_server):
    listening = run("health", "--port", small_server.port)
    assert listening.stdout == "ready\n"
    nobody = run("health", "--port", 9, check=False)
    assert nobody.returncode == 69 and "waystone: " in nobody.stderr


def test_an_oversized_body_is_refused_with_the_limit(small_server):
    connection = small_server.connection()
    connection.putrequest("POST", f"/v1/predict/{DETECTOR}")
    connection.putheader("Content-Length", str(1 << 40))
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert "limit" in json.loads(response.read())["error"]


def test_models_health_and_metrics(small_server, photo):
    status, answer = small_server.json("GET", "/v1/models")
    assert status == 200
    assert {model["name"] for model in answer["models"]} == {DETECTOR, CLASSIFIER}
    status, answer = small_server.json("GET", f"/v1/models/{CLASSIFIER}")
    assert status == 200 and answer["inputs"][0]["datatype"] == "UINT8" and len(answer["labels"]) == 1000
    assert small_server.json("GET", "/healthz") == (200, {"status": "alive"})
    small_server.json("POST", f"/v1/predict/{CLASSIFIER}", photo)
    status, headers, text = small_server.request("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert f'waystone_requests_total{{model="{CLASSIFIER}",outcome="ok"}}'.encode() in text
    assert b'waystone_stage_seconds_bucket{model="' in text and b'le="+Inf"' in text


def test_every_robustness_picture_gets_an_answer_or_a_4xx(small_server, data):
    folder = data / "images/robustness"
    entries = json.loads((folder / "manifest.json").read_text())
    assert len(entries) == 289
    answered = 0
    for entry in entries:
        body = (folder / entry["path"]).read_bytes()
        status, answer = small_server.json("POST", f"/v1/predict/{CLASSIFIER}", body)
        assert status == 200 or (400 <= status < 500 and answer["error"]), (entry["path"], status, answer)
        answered += status == 200
    assert answered > 120
    assert small_server.json("GET", "/readyz")[0] == 200


def test_concurrent_clients_each_get_their_own_answer(small_server, data):
    photos = sorted((data / "images/coco-open/images").iterdir())[:12]
    expected = {}
    for photo in photos:
        expected[photo] = without_times(small_server.json("POST", f"/v1/predict/{DETECTOR}", photo.read_bytes())[1])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = [(photo, pool.submit(small_server.json, "POST", f"/v1/predict/{DETECTOR}", photo.read_bytes()))
                for photo in photos * 4]
        for photo, job in jobs:
            status, answer = job.result(120)
            assert status == 200 and without_times(answer) == expected[photo]


def test_a_full_queue_is_refused_at_once_and_told_so(data, photo):
    server = Server(*model_flags(), "--model", DETECTOR, "--workers", "1", "--queue", "1")
    try:
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            jobs = [pool.submit(server.request, "POST", f"/v1/predict/{DETECTOR}", photo) for _ in range(24)]
            results = [job.result(120) for job in jobs]
        refused = [(headers, json.loads(body)) for status, headers, body in results if status == 429]
        assert {status for status, _, _ in results} == {200, 429}
        for headers, body in refused:
            assert body["reason"] == "queue_full" and headers["Retry-After"] == "1"
        text = server.request("GET", "/metrics")[2].decode()
        assert f'waystone_refused_total{{model="{DETECTOR}",reason="queue_full"}} {len(refused)}\n' in text
    finally:
        assert server.stop()[0] == 0


def test_a_deadline_that_cannot_be_met_is_refused(data, photo):
    server = Server(*model_flags(), "--model", DETECTOR, "--workers", "1")
    try:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            jobs = [pool.submit(server.json, "POST", f"/v1/predict/{DETECTOR}", photo, {"Waystone-Timeout-Ms": "20"})
                    for _ in range(16)]
            answers = [job.result(120) for job in jobs]
        # What would come too late is refused when it comes; what became too late after all is told so.
        late = [answer for status, answer in answers if status in (503, 504)]
        assert {status for status, _ in answers} <= {200, 503, 504}
        assert late and all(answer["reason"] in ("would_miss", "expired") for answer in late)
        assert server.json("POST", f"/v1/predict/{DETECTOR}", photo)[0] == 200
    finally:
        assert server.stop()[0] == 0


def test_sigterm_finishes_what_was_accepted(data, photo):
    server = Server(*model_flags(), "--model", DETECTOR, "--workers", "1")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        connections = [server.connection() for _ in range(8)]
        for connection in connections:
            connection.request("POST", f"/v1/predict/{DETECTOR}", body=photo)
        # The server has read every request once it answers one that came after them on another connection.
        assert server.json("GET", "/healthz")[0] == 200
        stopping = pool.submit(server.stop)
        statuses = [connection.getresponse().status for connection in connections]
        code, log = stopping.result(60)
    assert code == 0 and "stopped" in log
    assert set(statuses) <= {200, 503} and statuses.count(200) >= 1


def test_the_port_that_is_taken_is_named(small_server):
    done = run("serve", "--port", small_server.port, "--grpc-port", "0", "--admin-port", "0", "--model", CLASSIFIER, *model_flags(), check=False)
    assert done.returncode == 69 and str(small_server.port) in done.stderr
