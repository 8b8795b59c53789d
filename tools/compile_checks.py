# SPDX-License-Identifier: Apache-2.0
"""What check_headers and check_tidy share: the compile commands of a build, run in parallel over many files, and a memory
of what passed, so that a second run only looks at what changed.

A file that passed is remembered with the hash of the command, of the settings, and of every file of the repository that
it includes (the compiler's own list of dependencies); system headers are taken as given.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def compile_commands(build):
    """File of the repository to the arguments that compile it, without launcher, output and input."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        words = shlex.split(entry["command"])
        while "ccache" in pathlib.Path(words[0]).name:
            words.pop(0)
        kept, skip = [], False
        for word in words:
            if skip:
                skip = False
            elif word in ("-o", "-c", "-MF", "-MT"):
                skip = True  # each has an argument; that of -c is the input
            elif word not in ("-MD", "-MMD"):
                kept.append(word)
        commands[file] = kept
    return commands


class Passed:
    """The memory. One file a check in the build folder; safe to delete."""

    def __init__(self, build, check, settings):
        self.path = build / f"{check}.passed.json"
        self.settings = settings
        try:
            self.known = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.known = {}

    def key(self, file, command, dependencies):
        digest = hashlib.sha256(self.settings)
        digest.update("\0".join(command).encode())
        for path in sorted({str(file), *dependencies}):
            digest.update(path.encode())
            try:
                digest.update((REPOSITORY / path).read_bytes())
            except OSError:
                return None
        return digest.hexdigest()

    def holds(self, file, command):
        entry = self.known.get(str(file))
        return entry is not None and entry["key"] == self.key(file, command, entry["dependencies"])

    def remember(self, file, command, dependencies):
        self.known[str(file)] = {"key": self.key(file, command, dependencies), "dependencies": dependencies}

    def save(self):
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(self.known), encoding="utf-8")
        partial.replace(self.path)


def dependencies_in(depfile):
    """The repository's files in a depfile, relative to it."""
    words = depfile.read_text(encoding="utf-8").partition(":")[2].replace("\\\n", " ").split()
    paths = (pathlib.Path(word).resolve() for word in words)
    return sorted({str(path.relative_to(REPOSITORY)) for path in paths
                   if path.is_relative_to(REPOSITORY / "src") or path.is_relative_to(REPOSITORY / "tests")})


def run_all(jobs, passed, check_one):
    """check_one(file, command, depfile) -> (ok, text) for each (file, command) not yet passed. Number of failures."""
    jobs = [(file, command) for file, command in jobs if not passed.holds(file, command)]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = {}
        for number, (file, command) in enumerate(jobs):
            depfile = pathlib.Path(scratch) / f"{number}.d"
            running[pool.submit(check_one, file, command, depfile)] = (file, command, depfile)
        for future in concurrent.futures.as_completed(running):
            file, command, depfile = running[future]
            ok, text = future.result()
            if ok:
                passed.remember(file, command, dependencies_in(depfile))
                passed.save()  # each time: a long run that is interrupted is not lost
            else:
                failures += 1
                print(f"{file.relative_to(REPOSITORY)}:\n{text}", flush=True)
    print(f"    {len(jobs)} looked at, {failures} failed", flush=True)
    return failures


def compiles(command, source, depfile):
    """Whether the source passes the compiler's front end; writes the depfile."""
    result = subprocess.run([*command, "-fsyntax-only", "-MMD", "-MF", depfile, source], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=REPOSITORY)
    return result.returncode == 0, result.stdout
