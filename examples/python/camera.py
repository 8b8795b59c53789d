#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames of a camera, each of use for a moment only: sends the newest, gives the server its deadline, and takes a
refusal for what it is. Photos stand for the frames. Needs nothing beside Python 3.9.

    camera.py PHOTO... [--server URL] [--model NAME] [--deadline-ms N] [--fps N]
"""

import argparse
import http.client
import json
import pathlib
import time
import urllib.parse


def main():
    parser = argparse.ArgumentParser(description="Sends frames with a deadline each.")
    parser.add_argument("frames", type=pathlib.Path, nargs="+")
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--model")
    parser.add_argument("--deadline-ms", type=int, default=200)
    parser.add_argument("--fps", type=float, default=10)
    arguments = parser.parse_args()
    address = urllib.parse.urlsplit(arguments.server).netloc
    connection = http.client.HTTPConnection(address, timeout=10)  # kept open: a handshake costs a frame
    model = arguments.model
    if model is None:
        connection.request("GET", "/v1/models")
        model = json.load(connection.getresponse())["models"][0]["name"]

    answered = refused = dropped = 0
    begin = time.monotonic()
    number = 0
    while number < len(arguments.frames):
        frame = arguments.frames[number].read_bytes()
        connection.request("POST", f"/v1/predict/{model}", body=frame,
                           headers={"Waystone-Timeout-Ms": str(arguments.deadline_ms)})
        response = connection.getresponse()
        answer = json.load(response)
        if response.status == 200:
            answered += 1
        else:  # 504 expired, 429 queue_full, 503 draining: this frame is lost, the next one may do
            refused += 1
            print(f"frame {number}: {answer.get('reason', response.status)}")
            time.sleep(float(response.getheader("Retry-After", 0)))
        # The frames that came meanwhile are old: go on with the newest.
        newest = max(number + 1, int((time.monotonic() - begin) * arguments.fps))
        dropped += min(newest, len(arguments.frames)) - number - 1
        number = newest
        time.sleep(max(0.0, begin + number / arguments.fps - time.monotonic()))
    print(f"{answered} answered, {refused} refused, {dropped} dropped as old")


if __name__ == "__main__":
    main()
