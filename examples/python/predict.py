#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a Waystone server what is in a photo. Needs nothing beside Python 3.9.

    predict.py PHOTO [--server URL] [--model NAME] [--annotate FILE]
"""

import argparse
import json
import pathlib
import sys
import urllib.error
import urllib.request


def call(url, body=None, accept="application/json"):
    """The body of the answer. A refusal ends the program with the server's own words."""
    request = urllib.request.Request(url, data=body, headers={"Accept": accept, "Waystone-Timeout-Ms": "5000"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()
    except urllib.error.HTTPError as refused:
        sys.exit(f"{refused.code}: {json.load(refused)['error']}")
    except urllib.error.URLError as problem:
        sys.exit(f"no answer from {url}: {problem.reason}")


def main():
    parser = argparse.ArgumentParser(description="Asks a Waystone server what is in a photo.")
    parser.add_argument("photo", type=pathlib.Path)
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--model", help="default: the server's first model")
    parser.add_argument("--annotate", type=pathlib.Path, help="write the photo with the answers drawn on it to this JPEG")
    arguments = parser.parse_args()
    model = arguments.model or json.loads(call(f"{arguments.server}/v1/models"))["models"][0]["name"]
    url = f"{arguments.server}/v1/predict/{model}"
    photo = arguments.photo.read_bytes()
    answer = json.loads(call(url, photo))
    for result in answer["results"]:
        place = " at " + ", ".join(f"{side:.0f}" for side in result["box"]) if "box" in result else ""
        print(f"{result.get('score', 1):.3f} {result.get('label', answer['task'])}{place}")
    print(f"{len(answer['results'])} results in {answer['timing_ms']['total']:.1f} ms")
    if arguments.annotate:
        arguments.annotate.write_bytes(call(url, photo, accept="image/jpeg"))


if __name__ == "__main__":
    main()
