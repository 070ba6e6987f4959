#!/usr/bin/python3
"""Lectern and PyTorch in turn, on the same work: the ratio of their medians.

    ./run bench --peer [--pairs N] [--json FILE] [WORD...]
                                  WORDs choose benchmarks by a part of their name

Each pair runs PyTorch, then Lectern. Training steps and products with 1024 rows run with one thread
and with two, and of the medians over all pairs each side is given the better; the rest runs with
one.
Close everything else first: two processes that share a core measure each other.

The environment is passed on as it is. An OpenBLAS older than the processor may take the kernels of
an older one; OPENBLAS_CORETYPE=SkylakeX can then make PyTorch faster (where there is AVX-512). Give
both readings.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCH = HERE.parents[1] / "build/release/bin/lectern_bench"
PEERED = re.compile(r"(train_step/\w+|gemm/\d+x\d+x\d+/\w+|batched_gemm/[x\d]+/\w\w"
                    r"|batched_gemm/(?:scores|values)/\w+"
                    r"|op_overhead/(?:tensor_add|add_sum_backward)/8x8)/threads:1/real_time")


def output_of(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)  # it has said why
    return done.stdout


def names_of_bench():
    listed = output_of(BENCH, "--benchmark_list_tests").splitlines()
    return [match[1] for line in listed if (match := PEERED.fullmatch(line))]


def threads_for(name):
    return (1, 2) if name.startswith(("train_step/", "gemm/1024x")) else (1,)


def of_torch(names, threads):
    return json.loads(output_of("/usr/bin/python3", HERE / "torch_peer.py", "--threads", threads,
                                *names))


def of_lectern(names, threads):
    """Name -> seconds; of training steps also the other things that torch_peer.py tells."""
    filter_ = "^(" + "|".join(re.escape(name) for name in names) + f")/threads:{threads}/real_time$"
    report = json.loads(output_of(BENCH, f"--benchmark_filter={filter_}", "--benchmark_format=json",
                                  "--benchmark_min_time=0.25"))
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
    found = {}
    for run in report["benchmarks"]:
        name = PEERED.fullmatch(run["name"].replace("/threads:2", "/threads:1"))[1]
        found[name] = run["real_time"] * unit[run["time_unit"]]
        if name.startswith("train_step/"):
            model = name.removeprefix("train_step/")
            found[f"peak_bytes/{model}"] = run["tensor_B"]
            found[f"first_loss/{model}"] = run["first_loss"]
            found[f"parameters/{model}"] = run["parameters"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, prog="./run bench --peer",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the medians to a file as well")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error(f"--pairs is {options.pairs}; it must be at least 1")
    names = [name for name in names_of_bench()
             if not options.words or any(word in name for word in options.words)]
    if not names:
        sys.exit(f"bench --peer: nothing that PyTorch does too has {' or '.join(options.words)} in its name")
    seconds = {}  # (side, name, threads) -> one reading a pair
    for pair in range(options.pairs):
        for threads in (1, 2):
            wanted = [name for name in names if threads in threads_for(name)]
            if not wanted:
                continue
            for side, run in (("PyTorch", of_torch), ("Lectern", of_lectern)):
                for name, value in run(wanted, threads).items():
                    seconds.setdefault((side, name, threads), []).append(value)
        print(f"pair {pair + 1} of {options.pairs} done", file=sys.stderr, flush=True)
    for name in names:
        if name.startswith("train_step/"):
            peak = name.replace("train_step", "peak_bytes")
            seconds["PyTorch", peak, 1] = list(of_torch([peak], 1).values())
    rows = table(seconds)
    print_table(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


def table(seconds):
    """One row a name: the median of each side, its threads, and PyTorch's ÷ Lectern's."""
    def best(side, name):
        """(median, threads) of the faster of one and two threads."""
        return min((statistics.median(values), threads)
                   for (s, n, threads), values in seconds.items() if (s, n) == (side, name))

    rows = []
    for name in dict.fromkeys(name for _, name, _ in seconds):
        (torch, torch_threads), (lectern, threads) = best("PyTorch", name), best("Lectern", name)
        rows.append({"name": name, "PyTorch": torch, "PyTorch_threads": torch_threads,
                     "Lectern": lectern, "Lectern_threads": threads, "ratio": torch / lectern})
    return rows


def print_table(rows):
    def shown(row, side):
        kind, value = row["name"].split("/")[0], row[side]
        if kind == "peak_bytes":
            return f"{value / 1024:.0f} KiB"
        if kind in ("first_loss", "parameters"):
            return f"{value:.8g}"
        return f"{1e3 * value:.4g} ms ({row[side + '_threads']} thr.)"

    print(f"{'':36} {'PyTorch':>18} {'Lectern':>18} {'ratio':>6}")
    for row in rows:
        print(f"{row['name']:36} {shown(row, 'PyTorch'):>18} {shown(row, 'Lectern'):>18} "
              f"{row['ratio']:6.2f}")


main()
