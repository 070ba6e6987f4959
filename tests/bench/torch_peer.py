#!/usr/bin/python3
"""The work of lectern_bench in PyTorch, under the same names.

    torch_peer.py --threads N NAME...     prints one JSON object: name -> seconds (median)

Names: train_step/MODEL, gemm/MxNxK/LAYOUT, batched_gemm/BxMxNxK/LAYOUT, batched_gemm/scores/MODEL,
batched_gemm/values/MODEL, op_overhead/tensor_add/8x8, op_overhead/add_sum_backward/8x8; and
peak_bytes/MODEL, which is no time but the most bytes that tensors held in a training step beyond
what was live before it, from the profiler's events. With train_step/MODEL come first_loss/MODEL and
parameters/MODEL.
Needs Debian's python3-torch and libopenblas0-pthread; peer.py runs both sides in turn.
"""

import argparse
import json
import os
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("names", nargs="*")
options = parser.parse_args()

# Both read these while they are loaded. Waiting threads sleep: spinning ones collapse as soon as
# anything else runs on the machine.
os.environ.update(OMP_NUM_THREADS=str(options.threads), OMP_WAIT_POLICY="passive",
                  OPENBLAS_NUM_THREADS=str(options.threads), OPENBLAS_THREAD_TIMEOUT="10")
NEEDED = "apt-get install python3-torch libopenblas0-pthread"
try:
    import torch
    from torch import nn
except ImportError as error:
    sys.exit(f"torch_peer: no PyTorch here ({error}); {NEEDED}")

# Width, heads, layers of each side, feed-forward, vocabulary, batch, length; steps to time.
MODELS = {
    "tiny": (64, 4, 1, 256, 500, 32, 10, 40),
    "toy": (128, 4, 2, 512, 2000, 64, 12, 20),
    "small": (256, 8, 3, 1024, 8000, 64, 20, 6),
    "base": (512, 8, 6, 2048, 8000, 16, 32, 4),
}


class Translation(nn.Module):
    """Embeddings, learned positions, nn.Transformer (pre-norm) and an affine output."""

    def __init__(self, width, heads, layers, feed_forward, vocabulary):
        super().__init__()
        self.source_embedding = nn.Embedding(vocabulary, width)
        self.target_embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(0.02 * torch.randn(64, width))
        self.transformer = nn.Transformer(width, heads, layers, layers, feed_forward, dropout=0.1,
                                          batch_first=True, norm_first=True)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, source, target_in):
        def embedded(table, ids):
            return table(ids) + self.positions[:ids.shape[1]]

        causal = nn.Transformer.generate_square_subsequent_mask(target_in.shape[1])
        return self.output(self.transformer(embedded(self.source_embedding, source),
                                            embedded(self.target_embedding, target_in),
                                            tgt_mask=causal))


def training_step(name):
    """The number of parameters, and a function that makes one step: forward, loss, backward,
    clipping, Adam, gradients dropped."""
    width, heads, layers, feed_forward, vocabulary, batch, length, _ = MODELS[name]
    torch.manual_seed(0)
    model = Translation(width, heads, layers, feed_forward, vocabulary)
    # foreach is faster for the small models and slower for the large one
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9,
                            foreach=name != "base")
    source = torch.randint(vocabulary, (batch, length))
    target = torch.randint(vocabulary, (batch, length + 1))

    def step():
        logits = model(source, target[:, :-1])
        loss = nn.functional.cross_entropy(logits.reshape(-1, vocabulary),
                                           target[:, 1:].reshape(-1), label_smoothing=0.1)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        adam.zero_grad(set_to_none=True)
        return loss.item()

    return sum(parameter.numel() for parameter in model.parameters()), step


def seconds_per_call(call, at_least=0.05, batches=5):
    """Median over batches of calls, each batch so many calls that the clock does not matter."""
    call()
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        taken = time.perf_counter() - start
        if taken >= at_least / 2:
            break
        count = max(2 * count, int(count * at_least / max(taken, 1e-9) / 2))
    times = []
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times)


def train_step(name):
    parameters, step = training_step(name)
    first_loss = step()
    step()
    times = []
    for _ in range(MODELS[name][-1]):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return {f"train_step/{name}": statistics.median(times), f"first_loss/{name}": first_loss,
            f"parameters/{name}": parameters}


def operand(shape, is_transposed):
    if not is_transposed:
        return torch.randn(*shape)
    return torch.randn(*shape[:-2], shape[-1], shape[-2]).transpose(-2, -1)


def gemm(sizes, layout):
    *batch, m, n, k = map(int, sizes.split("x"))
    if layout == "split":  # queries and keys of one of 8 heads
        a, b = torch.randn(m, 8, k)[:, 1], torch.randn(n, 8, k)[:, 1].t()
    else:
        a = operand((*batch, m, k), layout[0] == "T")
        b = operand((*batch, k, n), layout[1] == "T")
    c = torch.empty(*batch, m, n)
    product = torch.bmm if batch else torch.mm
    return seconds_per_call(lambda: product(a, b, out=c))


def heads_of(name):
    """[B, H, T, D], where all heads of a token lie side by side."""
    width, heads, _, _, _, batch, length, _ = MODELS[name]
    return torch.randn(batch, length, heads, width // heads).transpose(1, 2)


def scores(name):
    q, k = heads_of(name), heads_of(name).transpose(-2, -1)
    return seconds_per_call(lambda: torch.matmul(q, k))


def values(name):
    v = heads_of(name)
    w = torch.randn(*v.shape[:3], v.shape[2])
    return seconds_per_call(lambda: torch.matmul(w, v))


def tensor_add(_):
    a, b = torch.randn(8, 8), torch.randn(8, 8)
    return seconds_per_call(lambda: a + b)


def add_sum_backward(_):
    a, b = torch.randn(8, 8, requires_grad=True), torch.randn(8, 8, requires_grad=True)

    def call():
        (a + b).sum().backward()
        a.grad = b.grad = None

    return seconds_per_call(call)


def peak_bytes(name):
    _, step = training_step(name)
    for _ in range(2):
        step()
    with torch.profiler.profile(profile_memory=True) as profile:
        step()
    live = peak = 0
    events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
    for event in sorted(events, key=lambda e: e.start_us()):
        live += event.nbytes()
        peak = max(peak, live)
    return peak


def require_fast_blas():
    """Without OpenBLAS, Debian's PyTorch multiplies with the reference BLAS: no peer at all."""
    a, b, c = (torch.randn(768, 768) for _ in range(3))
    rate = 2 * 768**3 / seconds_per_call(lambda: torch.mm(a, b, out=c), batches=3)
    if rate < 15e9:
        sys.exit(f"torch_peer: PyTorch's matrix product makes {rate / 1e9:.1f} GFLOP/s, so its BLAS "
                 f"is the slow one; {NEEDED}")


def main():
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    require_fast_blas()
    measures = {"train_step": train_step, "gemm": gemm, "batched_gemm/scores": scores,
                "batched_gemm/values": values, "batched_gemm": gemm,
                "op_overhead/tensor_add": tensor_add,
                "op_overhead/add_sum_backward": add_sum_backward, "peak_bytes": peak_bytes}
    found = {}
    for name in options.names:
        kind = next((k for k in measures if name.startswith(k + "/")), None)
        if kind is None:
            sys.exit(f"torch_peer: {name} has no counterpart here")
        measured = measures[kind](*name[len(kind) + 1:].split("/"))
        found.update(measured if isinstance(measured, dict) else {name: measured})
    print(json.dumps(found))


main()
