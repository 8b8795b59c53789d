# SPDX-License-Identifier: Apache-2.0
"""The web page over HTTP: who gets it, its headers, and what never leaves its folder. What it does: web/e2e."""

import json

import pytest

from conftest import Server, model_flags, run

MODEL = "mobilenet-v1-0.25-128-imagenet-int8"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A folder with a page, and a file beside it that is none of anybody's business."""
    folder = tmp_path_factory.mktemp("web") / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>page</title>")
    (folder / "assets/main-1a2b3c4d.js").write_text("let x;")
    (folder.parent / "secret.txt").write_text("secret")
    return folder


@pytest.fixture(scope="module")
def server(data, page):
    running = Server(*model_flags(), "--model", MODEL, "--web", page)
    yield running
    code, log = running.stop()
    assert code == 0, log


def test_browsers_get_the_page_and_programs_the_paths(server):
    status, headers, body = server.request("GET", "/", headers={"Accept": BROWSER})
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and b"<title>page" in body
    assert headers["Vary"] == "Accept" and headers["Cache-Control"] == "no-cache"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for accept in ({"Accept": "application/json"}, {"Accept": "*/*"}, {}):
        status, headers, body = server.request("GET", "/", headers=accept)
        assert status == 200 and headers["Vary"] == "Accept", accept
        assert json.loads(body)["name"] == "waystone"


def test_hashed_files_are_kept_and_known_ones_not_sent_again(server):
    status, headers, body = server.request("GET", "/assets/main-1a2b3c4d.js")
    assert status == 200 and body == b"let x;" and "immutable" in headers["Cache-Control"]
    status, again, body = server.request("GET", "/assets/main-1a2b3c4d.js", headers={"If-None-Match": headers["ETag"]})
    assert status == 304 and body == b"" and again["ETag"] == headers["ETag"]


def test_head_is_get_without_the_body_and_other_methods_are_refused(server):
    for path in ("/", "/assets/main-1a2b3c4d.js"):
        _, got, body = server.request("GET", path, headers={"Accept": BROWSER})
        status, headers, nothing = server.request("HEAD", path, headers={"Accept": BROWSER})
        assert status == 200 and nothing == b"" and headers["Content-Length"] == str(len(body))
        assert headers["ETag"] == got["ETag"]
        status, headers, _ = server.request("POST", path, b"x")
        assert status == 405 and headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", [
    "/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "/assets/%2e%2e%2f%2e%2e%2fsecret.txt", "//secret.txt",
    "/assets", "/assets/", "/index.html", "/secret.txt", "/assets/main-1a2b3c4d.js/", "/ASSETS/main-1a2b3c4d.js",
])
def test_nothing_but_the_files_of_the_page_is_there(server, path):
    status, _, body = server.request("GET", path)
    assert status in (400, 404) and b"secret" not in body.replace(path.encode(), b"")


def test_a_folder_without_a_page_ends_the_start(page):
    done = run("serve", "--web", page / "assets", "--port", "0", "--grpc-port", "0", "--admin-port", "0", check=False)
    assert done.returncode == 66
    assert done.stderr.strip().endswith("assets has no index.html")
