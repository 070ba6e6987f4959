#!/usr/bin/env python3
"""Plants faults in the code, one at a time, and asks whether the quick tests notice.

    mutate.py list [WORD]      the faults, one a line; those whose line contains WORD
    mutate.py show ID          one fault as a patch: mutate.py show ID | git apply
    mutate.py run [ID ...]     plants faults and runs the tests; without IDs, all that have no
                               verdict yet: it may be interrupted and started again
    mutate.py report           writes faults.txt from the verdicts and prints the score

README.md, in this folder, says more. Needs what building Lectern needs, and nothing else.
"""

import argparse
import collections
import json
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from faults import ROOT, all_faults, untouched
from tests_of import first_tests

HERE = Path(__file__).resolve().parent
COPIED = ("CMakeLists.txt", "cmake", "tensor", "autograd", "nn", "examples", "tests")
# Fast to compile; the code is the same for every processor that the tests are run on.
CONFIGURE = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
             "-DLECTERN_BUILD_BENCHMARKS=OFF", "-DLECTERN_INSTALL=OFF")
OWN_SECONDS = 120  # a fault may make a loop endless: then it counts as caught
ALL_SECONDS = 300
BUILD_SECONDS = 1200
MEMORY = 6 << 30  # bytes, for the same reason


class Timeout(Exception):
    pass


def call(command, folder, seconds, limit=None):
    """Exit status and output of a command, which is killed with its children when time is up."""
    def before():
        os.setsid()
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen(command, cwd=folder, text=True, errors="replace", preexec_fn=before,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Timeout from error
    return process.returncode, output


def guilty(output, otherwise):
    """The test that failed, or that was running when the program ended."""
    failed = re.search(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", output, re.M)
    if failed:
        return failed[1]
    running = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    return f"{running[-1]} (ended the program)" if running else otherwise


class Lane:
    """A copy of the tree with a build of its own, in which one fault at a time is planted."""

    def __init__(self, folder):
        self.tree, self.build, self.kept = folder / "tree", folder / "build", folder / "kept"

    def prepare(self):
        """Copies what has changed, builds everything, and sees the quick tests pass."""
        for name in COPIED:
            for source in [ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*"):
                target = self.tree / source.relative_to(ROOT)
                if not source.is_file():
                    continue
                if not target.exists() or target.read_bytes() != source.read_bytes():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
        if not (self.build / "build.ninja").exists():
            self.must("cmake", "-S", self.tree, "-B", self.build, *CONFIGURE)
        self.must("ninja", "-j1", "-C", self.build)
        verdict, by = self.all_tests()
        if verdict == "killed":
            sys.exit(f"without any fault, a test fails in {self.tree}: {by}")
        self.stamps = {}
        for output in self.outputs():
            copy = self.kept / output.relative_to(self.build)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(output, copy)
            self.stamps[output] = output.stat().st_mtime_ns

    def must(self, *command):
        status, output = call([str(part) for part in command], ROOT, 4 * BUILD_SECONDS)
        if status != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{output[-4000:]}")

    def outputs(self):
        yield from self.build.rglob("*.o")
        yield from self.build.rglob("*.a")
        yield from (path for path in (self.build / "bin").iterdir() if path.is_file())

    def changed(self):
        return [path for path in self.outputs() if path.stat().st_mtime_ns != self.stamps.get(path)]

    def try_fault(self, fault):
        """(verdict, test that caught it)"""
        path = self.tree / fault.file
        stamp = path.stat()
        path.write_text(fault.faulty, encoding="utf-8")
        try:
            program, filter_ = first_tests(fault.file)
            if self.compile(program) != 0:
                return "does not compile", ""
            verdict, by = self.own_tests(program, filter_)
            if verdict == "survived":
                if self.compile("all") != 0:
                    return "does not compile", ""
                objects = [path for path in self.changed() if path.suffix == ".o"]
                if all(o.read_bytes() == self.original(o).read_bytes() for o in objects):
                    return "same machine code", ""
                verdict, by = self.all_tests()
            return verdict, by
        finally:
            path.write_text(fault.source, encoding="utf-8")
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            self.restore()

    def original(self, output):
        return self.kept / output.relative_to(self.build)

    def restore(self):
        """Puts back what the right source gave, times and all: ninja has nothing to do."""
        for output in self.changed():
            output.unlink()
            if self.original(output).exists():
                shutil.copy2(self.original(output), output)
        for output in self.stamps:
            if not output.exists():
                shutil.copy2(self.original(output), output)

    def compile(self, target):
        return call(["ninja", "-j1", "-C", str(self.build), target], self.tree, BUILD_SECONDS)[0]

    def own_tests(self, program, filter_):
        command = [self.build / "bin" / program, "--gtest_filter=" + filter_, "--gtest_fail_fast"]
        try:
            status, output = call(command, self.build, OWN_SECONDS, MEMORY)
        except Timeout:
            return "killed", f"the time limit of {program}"
        return ("survived", "") if status == 0 else ("killed", guilty(output, program))

    def all_tests(self):
        command = ["ctest", "-L", "quick", "-E", "layering|package", "--stop-on-failure",
                   "--output-on-failure", "--timeout", str(OWN_SECONDS)]
        try:
            status, output = call(command, self.build, ALL_SECONDS, MEMORY)
        except Timeout:
            return "killed", "the time limit"
        if status == 0:
            return "survived", ""
        failed = re.search(r"^\s*\d+ - (\w+) \((.*)\)", output, re.M)
        return "killed", guilty(output, f"{failed[1]} ({failed[2]})" if failed else "ctest")


class Results:
    """Verdicts by id, one JSON object a line, the last one counts."""

    def __init__(self, work):
        self.path = work / "results.jsonl"
        self.lock = threading.Lock()
        self.by_id = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self.by_id[entry["id"]] = entry

    def add(self, **entry):
        with self.lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            self.by_id[entry["id"]] = entry


def run(options):
    options.work.mkdir(parents=True, exist_ok=True)
    results, wanted = Results(options.work), queue.Queue()
    faults = {fault.id: fault for fault in all_faults()}
    unknown = [id for id in options.ids if id not in faults]
    if unknown:
        sys.exit(f"no such fault: {', '.join(unknown)}")
    # By the last part of the id, which is a digest: a part of the run is a sample of the whole.
    open_verdicts = (None, "survived") if options.survivors else (None,)
    for id in options.ids or sorted(faults, key=lambda id: id.split("-")[1]):
        if options.ids or results.by_id.get(id, {}).get("verdict") in open_verdicts:
            wanted.put(faults[id])
    print(f"{wanted.qsize()} faults to plant", flush=True)
    end = time.time() + 60 * options.minutes
    count = min(options.lanes, wanted.qsize())  # a lane costs a whole build
    lanes = [Lane(options.work / f"lane{i}") for i in range(count)]
    with ThreadPoolExecutor(max(count, 1)) as pool:
        for done in [pool.submit(work, lane, wanted, results, end) for lane in lanes]:
            done.result()  # ends the program if the lane could not be prepared


def work(lane, wanted, results, end):
    lane.prepare()
    while time.time() < end:
        try:
            fault = wanted.get_nowait()
        except queue.Empty:
            return
        start = time.time()
        try:
            verdict, by = lane.try_fault(fault)
        except Timeout:
            verdict, by = "does not compile", "the time limit"
        results.add(id=fault.id, verdict=verdict, by=by, seconds=round(time.time() - start, 1))
        print(f"{wanted.qsize():5} left  {fault.id} {fault.rule}: {verdict} {by}", flush=True)


def arguments():
    """Fault -> why no test can notice it, from equivalent.txt."""
    found = {}
    for paragraph in re.split(r"\n(?=\S)", (HERE / "equivalent.txt").read_text(encoding="utf-8")):
        if match := re.match(r"(\w+/\w+-\w+): (.*)", paragraph, re.S):
            found[match[1]] = " ".join(match[2].split())
    return found


def report(options):
    results, why = Results(options.work).by_id, arguments()
    faults, lines, count = all_faults(), [], collections.Counter()
    file = None
    for fault in faults:
        if fault.file != file:
            file = fault.file
            lines += ["", f"== {file}"]
        entry = results.get(fault.id, {"verdict": "not run", "by": "", "seconds": 0})
        verdict = entry["verdict"]
        count["equivalent" if verdict == "survived" and fault.id in why else verdict] += 1
        count["seconds"] += entry["seconds"]
        text = f"killed by {entry['by']}" if verdict == "killed" else verdict
        if verdict == "survived" and fault.id in why:
            text += f", equivalent: {why[fault.id]}"
        old, new = fault.changed()
        lines += ["", f"{fault.id}  line {fault.line}, {fault.owner or 'file'}: {fault.rule}"]
        lines += [f"  - {line}" for line in old] + [f"  + {line}" for line in new] + [f"  {text}"]
    count["faults"] = sum(count[v] for v in ("killed", "survived", "equivalent"))
    score = 100 * count["killed"] / max(1, count["faults"])
    real = 100 * count["killed"] / max(1, count["faults"] - count["equivalent"])
    missing = untouched([f for f in faults
                         if results.get(f.id, {}).get("verdict") in ("killed", "survived")])
    head = [
        f"{count['faults']} faults planted: {count['killed']} killed, "
        f"{count['survived']} survived, {count['equivalent']} equivalent",
        f"score {score:.1f} % of all, {real:.1f} % of those that are not equivalent",
        f"not counted: {count['does not compile']} that do not compile, "
        f"{count['same machine code']} that compile to the same code, {count['not run']} not run",
        f"{count['seconds'] / 60:.0f} minutes on one core",
        f"ops and layers without a fault: {len(missing) or 'none'}",
        *missing,
    ]
    (HERE / "faults.txt").write_text("\n".join(head + lines) + "\n", encoding="utf-8")
    print("\n".join(head))


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # mutate.py list | head
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=("list", "show", "run", "report"))
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutation",
                        help="folder of the copies, builds and verdicts (default: build/mutation)")
    parser.add_argument("--lanes", type=int, default=2, help="faults tried at the same time")
    parser.add_argument("--minutes", type=float, default=1e6, help="start no fault after this time")
    parser.add_argument("--survivors", action="store_true",
                        help="run: also those that survived, once tests were added")
    options = parser.parse_intermixed_args()
    options.work = options.work.resolve()
    if options.command == "run":
        run(options)
    elif options.command == "report":
        report(options)
    elif options.command == "show":
        for fault in all_faults():
            if fault.id in options.ids:
                print(f"# {fault.rule}: {fault.why}")
                print(fault.diff(), end="")
    else:
        faults = all_faults()
        for fault in faults:
            line = f"{fault.id}  {fault.file}:{fault.line}  {fault.owner}  {fault.rule}"
            if all(word in line for word in options.ids):
                print(line)
        missing = untouched(faults)
        print(f"{len(faults)} faults; ops and layers without one: {', '.join(missing) or 'none'}")


if __name__ == "__main__":
    main()
