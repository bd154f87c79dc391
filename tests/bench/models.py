#!/usr/bin/env python3
"""Whole models beside ONNX Runtime, alternately in one process.

    tests/bench/models.py DATA [--nestw build/release/bin/nestw] [--threads 1,2] [--models resnet50,...] [--rounds N]
                          [--budget SECONDS] [--algorithms] [--projects FOLDER] [--floor 1.0] [--single 1.4]

DATA is a folder with *.onnx and *_input_N.pb, *_output_N.pb. Needs Python with onnxruntime, onnx and numpy, in a virtual
environment outside of this repository. Each model is exported by nestw, its library loaded here, and both are called in
rounds A B B A, pinned to the same cores, with memory on huge pages on both sides. A figure is the median of its clean
samples; the ratio is the median over rounds of ours/theirs, with the spread of its quartiles. A round in which this
process had to wait for a processor is left out.

Exit code 6 when the geometric mean of the ratios or a single one is above its floor.
"""

import argparse
import ctypes
import glob
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

if os.environ.get("GLIBC_TUNABLES") is None:
    os.environ["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
    os.execv(sys.executable, [sys.executable, *sys.argv])

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

onnxruntime.set_default_logger_severity(3)


def waited_ns():
    """Time that this process's threads were ready and did not run."""
    total = 0
    for path in glob.glob("/proc/self/task/*/schedstat"):
        try:
            with open(path) as file:
                total += int(file.read().split()[1])
        except OSError:
            pass
    return total


def steal_ticks():
    with open("/proc/stat") as file:
        return int(file.readline().split()[8])


def inputs_of(model, stem):
    """Kept inputs where there are some, else random ones of the model's shapes."""
    constants = {value.name for value in model.graph.initializer}
    values = [value for value in model.graph.input if value.name not in constants]
    random = numpy.random.default_rng(7)
    feeds = {}
    for i, value in enumerate(values):
        path = f"{stem}_input_{i}.pb"
        shape = [max(d.dim_value, 1) for d in value.type.tensor_type.shape.dim]
        if os.path.exists(path):
            with open(path, "rb") as file:
                feeds[value.name] = numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
        else:
            kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            feeds[value.name] = (random.standard_normal(shape) if kind == numpy.float32 else numpy.zeros(shape)).astype(kind)
    return feeds


def folded(path, folder):
    """The model with everything computed that hangs on no input, so that neither side computes weights in each run."""
    model = onnx.load(path)
    # From version 4 on constants need not be inputs, which could be passed and so not be folded into kernels.
    model.ir_version = max(model.ir_version, 4)
    graph = model.graph
    known = {value.name for value in graph.initializer} | {""}
    still, moving = [], []
    for node in graph.node:
        fixed = all(name in known for name in node.input) and not any(a.type == onnx.AttributeProto.GRAPH for a in node.attribute)
        (still if fixed else moving).append(node)
        if fixed:
            known.update(node.output)
    made = {name for node in still for name in node.output if name}
    results = {output.name for output in graph.output}
    wanted = sorted({name for node in moving for name in node.input if name in made} | (made & results))
    if wanted:
        parts = onnx.ModelProto()
        parts.CopyFrom(model)
        del parts.graph.node[:], parts.graph.output[:], parts.graph.input[:], parts.graph.value_info[:]
        parts.graph.node.extend(still)
        parts.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(parts.SerializeToString(), options, providers=["CPUExecutionProvider"])
        values = session.run(None, {})
        del graph.node[:]
        graph.node.extend(moving)
        graph.initializer.extend(numpy_helper.from_array(numpy.ascontiguousarray(v), name) for name, v in zip(wanted, values))
    used = {name for node in graph.node for name in node.input} | results
    for field in (graph.initializer, graph.input):
        kept = [value for value in field if value.name in used and (field is graph.initializer or value.name not in known)]
        del field[:]
        field.extend(kept)
    result = os.path.join(folder, os.path.basename(path))
    onnx.save(model, result)
    return result


def symbols_of(model, feeds):
    """Extents that the model leaves open, as the inputs have them."""
    found = {}
    for value in model.graph.input:
        for dim, extent in zip(value.type.tensor_type.shape.dim, feeds[value.name].shape if value.name in feeds else []):
            if dim.dim_param:
                found[dim.dim_param] = extent
    return sorted(found.items())


def algorithms_of(nestw, path, threads, symbols, folder):
    """What is fastest for each convolution by measurement, as options of nestw."""
    result = os.path.join(folder, "choices.txt")
    command = [nestw, "sweep", path, "--algorithms", "--threads", str(threads), "-o", result]
    for symbol, extent in symbols:
        command += ["--bind", f"{symbol}={extent}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    with open(result) as file:
        chosen = re.findall(r"^algorithm (\S+) (\S+)", file.read(), re.MULTILINE)
    return [option for group, algorithm in chosen if algorithm != "direct" for option in ("--algorithm", f"{group}={algorithm}")]


class Ours:
    """A model exported by nestw, called through its C interface."""

    count = 0

    def __init__(self, nestw, path, feeds, outputs, threads, symbols, options):
        self.folder = tempfile.TemporaryDirectory()
        Ours.count += 1
        name = f"model{Ours.count}"  # a loaded library keeps its name
        command = [nestw, "export", path, "-o", self.folder.name, "--name", name, "--threads", str(threads)]
        for symbol, extent in symbols:
            command += ["--bind", f"{symbol}={extent}"]
        command += options
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        self.build_seconds = time.perf_counter() - started
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", "whole.so", name + ".c", "-L.", "-l" + name, "-lgomp", "-Wl,-rpath," + self.folder.name],
                       cwd=self.folder.name, check=True)
        self.library = ctypes.CDLL(self.folder.name + "/whole.so")
        opened = getattr(self.library, name + "_open")
        opened.restype = ctypes.c_void_p
        why = ctypes.c_char_p()
        self.model = opened(f"{self.folder.name}/{name}_weights.bin".encode(), ctypes.byref(why))
        if not self.model:
            raise RuntimeError(str(why.value))
        self.feeds = [numpy.ascontiguousarray(feed) for feed in feeds.values()]
        self.results = [numpy.zeros(output.shape, output.dtype) for output in outputs]
        pointers = lambda arrays: (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
        self.arguments = (ctypes.c_void_p(self.model), pointers(self.feeds), pointers(self.results), ctypes.c_int(threads))
        self.closing = getattr(self.library, name + "_close")
        self.function = getattr(self.library, name + "_run")

    def run(self):
        self.function(*self.arguments)

    def close(self):
        self.closing(self.arguments[0])


def session_of(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def timed(call, repeats, threads=1):
    if threads > 1:
        # The other side's threads still spin for a while, waiting for work; this side's sleep by then and are woken first.
        time.sleep(0.05)
        call()
    started = time.perf_counter_ns()
    for _ in range(repeats):
        call()
    return (time.perf_counter_ns() - started) / repeats


def measure(path, threads, wanted, folder):
    stem = path[: -len(".onnx")]
    path = folded(path, folder)
    model = onnx.load(path)
    feeds = inputs_of(model, stem)
    session = session_of(path, threads)
    theirs = lambda: session.run(None, feeds)
    expected = theirs()
    symbols = symbols_of(model, feeds)
    chosen = algorithms_of(wanted.nestw, path, threads, symbols, folder) if wanted.algorithms else []
    project = os.path.join(wanted.projects, os.path.basename(stem) + ".nest")
    is_tuned = wanted.projects and os.path.exists(project)
    ours = Ours(wanted.nestw, project if is_tuned else path, feeds, expected, threads, symbols, chosen)
    ours.run()
    error = max((float(numpy.max(numpy.abs(got.astype(float) - right))) / max(float(numpy.max(numpy.abs(right))), 1e-30)
                 for got, right in zip(ours.results, expected)), default=0.0)
    if not error <= wanted.tolerance:  # a wrong result gets no speed
        raise RuntimeError(f"the outputs differ by {error:.2g} of the largest value")
    for _ in range(2):
        ours.run()
        theirs()
    repeats = max(1, int(0.02e9 / max(timed(ours.run, 1), timed(theirs, 1))))
    ratios, mine, other, left_out = [], [], [], 0
    until = time.monotonic() + wanted.budget
    while len(ratios) < wanted.rounds and time.monotonic() < until:
        before, stolen, began = waited_ns(), steal_ticks(), time.perf_counter_ns()
        a = timed(ours.run, repeats, threads)
        b = timed(theirs, repeats, threads)
        b += timed(theirs, repeats)
        a += timed(ours.run, repeats, threads)
        length = time.perf_counter_ns() - began
        if waited_ns() - before > 0.02 * length or steal_ticks() > stolen:
            left_out += 1
            continue
        ratios.append(a / b)
        mine.append(a / 2)
        other.append(b / 2)
    ours.close()
    if len(ratios) < 3:
        return None, left_out, error, ours.build_seconds
    quartiles = statistics.quantiles(ratios, n=4)
    return (statistics.median(mine), statistics.median(other), statistics.median(ratios), (quartiles[2] - quartiles[0]) / 2,
            len(ratios)), left_out, error, ours.build_seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--nestw", default="build/release/bin/nestw")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--models", default="")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--budget", type=float, default=20, help="seconds a model and thread count")
    parser.add_argument("--projects", default="", help="a folder: where it holds MODEL.nest, that project is exported, with what its tuning found")
    parser.add_argument("--algorithms", action="store_true", help="first measure which algorithm is fastest for each convolution")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of the outputs, relative to the largest value")
    parser.add_argument("--floor", type=float, default=1.0)
    parser.add_argument("--single", type=float, default=1.4)
    wanted = parser.parse_args()
    chosen = [word for word in wanted.models.split(",") if word]
    paths = [p for p in sorted(glob.glob(wanted.data + "/*.onnx")) if not chosen or any(re.search(c, p) for c in chosen)]
    failed = not paths
    print(f"onnxruntime {onnxruntime.__version__}; {os.cpu_count()} processors")
    for threads in [int(t) for t in wanted.threads.split(",")]:
        # One core is left to whatever else the machine does, where there are more.
        cores = list(range(os.cpu_count()))[-threads:]
        os.sched_setaffinity(0, cores)
        print(f"\n{threads} thread(s), on processors {cores}")
        print(f"{'model':28} {'ours ms':>9} {'theirs ms':>9} {'ratio':>7} {'±':>6} {'rounds':>7} {'left out':>8} {'differs':>9} {'built s':>8}")
        found = []
        for path in paths:
            name = os.path.basename(path)[: -len(".onnx")]
            try:
                with tempfile.TemporaryDirectory() as folder:
                    result, left_out, error, built = measure(path, threads, wanted, folder)
            except Exception as reason:  # one model that cannot be run does not hide the others
                print(f"{name:28} {reason}")
                failed = True
                continue
            if result is None:
                print(f"{name:28} no clean rounds, {left_out} left out")
                failed = True
                continue
            ours, theirs, ratio, spread, rounds = result
            found.append(ratio)
            print(f"{name:28} {ours / 1e6:9.3f} {theirs / 1e6:9.3f} {ratio:7.3f} {spread:6.3f} {rounds:7} {left_out:8} {error:9.1e} {built:8.1f}",
                  flush=True)
            failed |= ratio > wanted.single
        if found:
            mean = math.exp(sum(math.log(r) for r in found) / len(found))
            print(f"geometric mean of the ratios {mean:.3f}; largest {max(found):.3f}")
            failed |= mean > wanted.floor
    return 6 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
