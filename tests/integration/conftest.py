# SPDX-License-Identifier: Apache-2.0
"""What the integration tests share: the built program, the test data, a running server.

The program is build/release/bin/waystone, or what WAYSTONE_PROGRAM names; the data are found as in
tests/support/test_data.h.
"""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("WAYSTONE_PROGRAM", REPOSITORY / "build/release/bin/waystone"))
DATA = pathlib.Path(os.environ.get("WAYSTONE_TEST_DATA", REPOSITORY.parent / "shared/data"))
HOME = pathlib.Path(os.environ.get("WAYSTONE_HOME", REPOSITORY / ".waystone"))
# Foreign clients and the protobuf that they need, before any test imports Debian's.
CLIENTS = HOME / "test-python"
if CLIENTS.is_dir():
    sys.path.insert(0, str(CLIENTS))


def model_flags():
    """Descriptions from the repository, weights from the data and from what the set-up fetched."""
    flags = ["--models", str(REPOSITORY / "models")]
    for folder in (DATA / "models", HOME / "models"):
        if folder.is_dir():
            flags += ["--models", str(folder)]
    return flags


def run(*arguments, stdin=None, check=True, timeout=300):
    """Runs the program; the completed process, with text output."""
    done = subprocess.run(
        [str(PROGRAM), *map(str, arguments)], input=stdin, capture_output=True, timeout=timeout, check=False
    )
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    if check:
        assert done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr}"
    return done


@pytest.fixture(scope="session")
def data():
    """The folder of test data; tests that need it skip with its name where it is missing."""
    if not DATA.is_dir():
        pytest.skip(f"test data missing: {DATA} (set WAYSTONE_TEST_DATA to the folder that holds it)")
    return DATA


@pytest.fixture(scope="session")
def engines():
    """The names of the engines this build has."""
    return [engine["name"] for engine in json.loads(run("engines", "--json").stdout)["engines"]]


class Server:
    """A running `waystone serve` on free loopback ports."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [str(PROGRAM), "serve", "--port", "0", "--grpc-port", "0", "--admin-port", "0", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        if not line.startswith("ready: http://"):
            self.process.wait(30)
            raise AssertionError(f"the server did not start: {self.process.stderr.read()}")
        self.port = int(line.strip().rsplit(":", 1)[1])
        self.grpc_port = int(self.process.stdout.readline().strip().rsplit(":", 1)[1])

    def connection(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(self, method, path, body=None, headers=None):
        """Status, headers and body of one request on a connection of its own."""
        connection = self.connection()
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def json(self, method, path, body=None, headers=None):
        status, _, content = self.request(method, path, body, headers)
        return status, json.loads(content)

    def resident_kib(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("no VmRSS")

    def stop(self):
        """SIGTERM and the exit code; also what it logged."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=60)
        return self.process.returncode, log


@pytest.fixture(scope="session")
def small_server(data):
    """A server with the smallest classifier and a detector."""
    server = Server(
        *model_flags(),
        "--model", "yolox-nano-coco",
        "--model", "mobilenet-v1-0.25-128-imagenet-int8",
    )
    yield server
    code, log = server.stop()
    assert code == 0, log
