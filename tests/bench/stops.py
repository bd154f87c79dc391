#!/usr/bin/env python3
"""How long a tuner takes to hear that it shall end, whatever it is doing.

    tests/bench/stops.py [--nestw build/release/bin/nestw] [--runs N] [--seed N]

Starts `nestw tune` on a model of two operators, asks it to cancel (or to pause) after a random time, and waits for its end:
while it probes the machine, makes data, compiles, measures, learns or confirms. Every third run has no caches, so that the
probing of the machine is among them. Prints each wait and the longest; exit code 6 when that is above a second.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
two (float[256,256] A, float[256,256] B) => (float[256,256] Z) {
  P = MatMul(A, B)
  Z = Softmax <axis = 1> (P)
}
"""
LONGEST = 1.0


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nestw", default=os.path.join(root, "build/release/bin/nestw"))
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    waits = []
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "two.onnxtxt")
        with open(model, "w") as file:
            file.write(MODEL)
        for run in range(options.runs):
            environment = dict(os.environ, XDG_DATA_HOME=os.path.join(folder, f"data{run}"),
                               XDG_CACHE_HOME=os.path.join(folder, f"cache{run}" if run % 3 == 0 else "cache"))
            # Few trials in every other run, so that the end falls into the confirming.
            words = [options.nestw, "tune", model, "--trials", "40" if run % 2 else "0", "--seconds", "0"]
            tuner = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            after = draw.uniform(0.2, 12)
            wish = draw.choice(["--cancel", "--pause"])
            time.sleep(after)
            if tuner.poll() is not None:
                print(f"run {run}: over before {after:.1f} s: {tuner.communicate()[1].strip()}")
                continue
            asked = time.monotonic()
            told = subprocess.run([options.nestw, "tune", model, wish, "1"], env=environment, capture_output=True, text=True)
            if told.returncode != 0:  # not begun yet: there is no session to ask
                tuner.terminate()
            tuner.wait(60)
            waits.append(time.monotonic() - asked)
            print(f"run {run}: {wish} after {after:4.1f} s{' (by signal)' if told.returncode else ''}: {waits[-1]:.2f} s", flush=True)
    longest = max(waits, default=0)
    print(f"{len(waits)} waits, the longest {longest:.2f} s")
    return 6 if longest > LONGEST else 0


if __name__ == "__main__":
    sys.exit(main())
