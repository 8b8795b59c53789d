# SPDX-License-Identifier: Apache-2.0
"""The packages that scripts/setup fetches, pinned by version and SHA-256, and the way they are fetched.

A package is asked for by name through its registry's ordinary client, pip, npm or mvn, so mirrors, proxies and certificates
that a machine has set for these clients hold here too. A file counts only once its hash is right: it is loaded into a
folder of its own, checked, and only then renamed to where it is looked for.
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass


class SetupError(Exception):
    """Something outside went wrong; the text is for the person at the keyboard."""


@dataclass(frozen=True)
class Package:
    """One file of a registry. `tag`: for pip, the Python version, implementation and platform of a binary wheel; for
    Maven, the classifier."""

    registry: str  # maven, npm or pypi
    name: str
    version: str
    sha256: str
    megabytes: int = 0
    tag: tuple = ()


# The C++ libraries in the wheel do not depend on the Python tag; it only has to be the one that the hash is of.
OPENVINO = Package("pypi", "openvino", "2026.4.1", "2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf",
                   59, ("3.11", "cp", "manylinux_2_28_x86_64"))
# ONNX Runtime 1.29.0: the one package that has the C and C++ headers and the Linux library of the same version.
ONNXRUNTIME = Package("npm", "com.github.asus4.onnxruntime", "0.4.9",
                      "e59788788818fdde1b2e522e766a21ba0f7d8391de55737abf81e32cc801785d", 150)
# Carries the sample photo: skimage/data has openly licensed test pictures.
SCIKIT_IMAGE = Package("pypi", "scikit-image", "0.26.0",
                       "74aa5518ccea28121f57a95374581d3b979839adc25bb03f289b1bc9b99c58af", 14,
                       ("3.11", "cp", "manylinux_2_28_x86_64"))
# The one package with a Linux library of TensorFlow Lite's C API; fetched only when it is asked for, since it takes Maven.
TFLITE = Package("maven", "org.bytedeco:tensorflow-lite", "2.21.0-1.5.14",
                 "97061333854967aadf2f092681d63af90b804db3800f007cffd24a2901f4bc72", 4, ("linux-x86_64",))
MAVEN_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy"


def say(text):
    print(f"    {text}", flush=True)


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run(command, **options):
    """Runs a client; what it prints is shown only when it fails, unless a person watches."""
    watched = sys.stdout.isatty()
    result = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, check=False,
                            stdout=None if watched else subprocess.PIPE,
                            stderr=None if watched else subprocess.STDOUT, **options)
    if result.returncode != 0:
        raise SetupError(f"{' '.join(map(str, command))} ended with {result.returncode}\n{result.stdout or ''}".rstrip())


class Downloads:
    """The folder of verified package files. Confined to one process: setup_home holds the lock."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, package):
        """Path of the package's file, fetched if it is not here yet."""
        stem = package.name.rpartition(":")[2].replace("@", "").replace("/", "-")
        if package.registry == "pypi":
            stem = stem.replace("-", "_")
        for path in sorted(self.folder.glob(f"{stem}-{package.version}*")):
            if sha256_of(path) == package.sha256:
                return path
            path.unlink()
            say(f"{path.name} had another hash than the one pinned; deleted")
        size = f" ({package.megabytes} MB)" if package.megabytes else ""
        say(f"fetching {package.name} {package.version} from {package.registry}{size}")
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=self.folder) as partial:
            self.ask(package, pathlib.Path(partial))
            files = list(pathlib.Path(partial).iterdir())
            if len(files) != 1:
                raise SetupError(f"{package.name} {package.version}: expected one file, the client left {len(files)}")
            found = sha256_of(files[0])
            if found != package.sha256:
                raise SetupError(f"{package.name} {package.version}: {files[0].name} has the SHA-256 {found}, "
                                 f"pinned is {package.sha256}; it was deleted and nothing was installed")
            return files[0].rename(self.folder / files[0].name)

    def ask(self, package, target):
        if package.registry == "pypi":
            command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps", "--dest", target]
            if package.tag:
                python, implementation, platform = package.tag
                command += ["--only-binary=:all:", "--python-version", python, "--implementation", implementation,
                            "--platform", platform]
            run([*command, f"{package.name}=={package.version}"])
        elif package.registry == "maven":
            if not shutil.which("mvn"):
                raise SetupError(f"{package.name} is a Maven package and there is no mvn on this machine: install Debian's "
                                 "package maven and run this again, or do without")
            artifact = ":".join((package.name, package.version, "jar", *package.tag))
            run(["mvn", "--batch-mode", "--quiet", MAVEN_PLUGIN, f"-Dartifact={artifact}", f"-DoutputDirectory={target}"],
                cwd=target)
        else:
            if not shutil.which("npm"):
                raise SetupError(f"{package.name} is an npm package and there is no npm on this machine: install Debian's "
                                 "package npm and run this again")
            run(["npm", "pack", "--ignore-scripts", f"{package.name}@{package.version}"], cwd=target)


def unpack(archive, target, wanted=lambda name: True):
    """The regular files of a wheel, zip or npm tarball (its leading package/ taken off) that `wanted` accepts."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as file:
            file.extractall(target, [name for name in file.namelist() if wanted(name)])
        return
    with tarfile.open(archive) as file:
        for member in file:
            name = member.name.partition("/")[2]
            path = target / name
            if not member.isfile() or not wanted(name) or not path.resolve().is_relative_to(target.resolve()):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with file.extractfile(member) as source, open(path, "wb") as output:
                shutil.copyfileobj(source, output)
