# SPDX-License-Identifier: Apache-2.0
"""The clients in examples/ against a real server."""

import pathlib
import shutil
import subprocess

import pytest

from conftest import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
MODEL = "yolox-nano-coco"


def example(*command, check=True):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
    if check:
        assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def photo(data, tmp_path):
    """A man, a laptop and more; a copy, since an example writes beside it."""
    return pathlib.Path(shutil.copy(data / "images/coco-open/images/000000009483.jpg", tmp_path / "office.jpg"))


@pytest.fixture
def url(small_server):
    return f"http://127.0.0.1:{small_server.port}"


def clients(photo, url):
    yield "/usr/bin/python3", EXAMPLES / "python/predict.py", photo, "--server", url, "--model", MODEL
    if shutil.which("node"):
        yield "node", EXAMPLES / "javascript/predict.mjs", photo, "--server", url, "--model", MODEL


def test_the_clients_print_the_same(photo, url):
    printed = [example(*client).stdout.splitlines() for client in clients(photo, url)]
    for lines in printed:
        assert any(" person at " in line for line in lines)
        assert lines[:-1] == printed[0][:-1]  # the last line has the time
        assert " results in " in lines[-1]


def test_the_clients_pass_on_what_the_server_says(tmp_path, url):
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"GIF89a and so on")
    for client in clients(broken, url):
        done = example(*client, check=False)
        assert done.returncode == 1
        assert "GIF" in done.stderr, done.stderr


def test_the_clients_say_when_there_is_no_server(photo):
    for client in clients(photo, "http://127.0.0.1:9"):
        done = example(*client, check=False)
        assert done.returncode == 1
        assert "no answer from http://127.0.0.1:9" in done.stderr


def test_the_python_client_keeps_the_drawing(photo, url, tmp_path):
    drawn = tmp_path / "drawn.jpg"
    example("/usr/bin/python3", EXAMPLES / "python/predict.py", photo, "--server", url, "--model", MODEL, "--annotate", drawn)
    assert drawn.read_bytes()[:3] == b"\xff\xd8\xff"


def test_the_camera_client_answers_refuses_or_drops_each_frame(photo, url):
    done = example("/usr/bin/python3", EXAMPLES / "python/camera.py", *[photo] * 8, "--server", url, "--model", MODEL,
                   "--deadline-ms", "5000")
    last = done.stdout.splitlines()[-1]
    words = last.replace(",", "").split()
    assert int(words[0]) + int(words[2]) + int(words[4]) == 8, last
    assert int(words[0]) >= 1


def test_the_curl_client_prints_json_and_writes_the_drawing(photo, url):
    done = example(EXAMPLES / "curl/predict.sh", photo, url, MODEL)
    assert '"label":"person"' in done.stdout
    assert (photo.parent / "office-annotated.jpg").read_bytes()[:3] == b"\xff\xd8\xff"
