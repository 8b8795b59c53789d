# SPDX-License-Identifier: Apache-2.0
"""The commands and flags that the documentation shows, and those that exist: for check_help and check_readme."""

import pathlib
import re
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE_SPAN = re.compile(r"`([^`]+)`")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def markdown_files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=REPOSITORY,
                            text=True, check=True, capture_output=True).stdout.splitlines()
    return [REPOSITORY / name for name in listed if (REPOSITORY / name).is_file()]


def commands(path, spans=True):
    """(line number, command line) of code blocks, continuation lines joined, and with `spans` of inline code."""
    inside, held, start = False, "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if FENCE.match(line):
            inside, held = not inside, ""
        elif inside:
            start = start if held else number
            held += line.strip()
            if held.endswith("\\"):
                held = held[:-1]
            else:
                yield start, re.sub(r"^\$ ", "", held)
                held = ""
        elif spans:
            for span in CODE_SPAN.findall(line):
                yield number, span


class Program:
    """The built program's subcommands and their help texts."""

    def __init__(self, path):
        self.path = path
        self.help = {}
        self.failures = []
        self.read(())

    def read(self, words):
        shown = " ".join(["waystone", *words, "--help"])
        result = subprocess.run([self.path, *words, "--help"], text=True, check=False, capture_output=True, timeout=60)
        if result.returncode != 0 or not result.stdout.strip() or result.stderr.strip():
            self.failures.append(f"{shown}: exit code {result.returncode}, {len(result.stdout)} bytes of help\n{result.stderr}")
        self.help[words] = result.stdout
        section = result.stdout.partition("\nSubcommands:\n")[2].partition("\n\n")[0]
        for line in section.splitlines():
            match = re.match(r"  ([a-z][a-z0-9-]*)(\s|$)", line)
            if match:
                self.read((*words, match[1]))

    def subcommand(self, words):
        """The longest chain of subcommands that the words begin with."""
        chain = ()
        for word in words:
            if (*chain, word) not in self.help:
                break
            chain = (*chain, word)
        return chain

    def flags(self, chain):
        """Those of a subcommand and of what it is part of."""
        found = set()
        for end in range(len(chain) + 1):
            found |= set(FLAG.findall(self.help[chain[:end]]))
        return found

    def all_flags(self):
        return set().union(*(set(FLAG.findall(text)) for text in self.help.values()))


def script_flags():
    """Flags by name of the scripts in scripts/, from the usage text at their heads."""
    found = {}
    for path in sorted((REPOSITORY / "scripts").iterdir()):
        if path.is_file() and path.stat().st_mode & 0o100:
            head = re.match(r'#![^\n]*\n((?:#[^\n]*\n)*(?:""".*?""")?)', path.read_text(encoding="utf-8"), re.DOTALL)
            found[path.name] = set(FLAG.findall(head[1] if head else "")) | {"--help"}
    return found
