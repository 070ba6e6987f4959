"""Reference values of autograd/ops/softmax.h."""
import torch
from torch import inf, nan, randn

from ops.forms import numbers, one_operand
from reference_file import ReferenceFile


def make():
    file = ReferenceFile()
    extremes = numbers((1e4, -1e4, 9999), (-inf, 0, 1), (88, 89, -inf), (0, -0.0, 0))
    # A row of -infinity, or with +infinity or NaN in it, has no softmax.
    undefined = numbers((-inf, -inf), (inf, 0), (nan, 0))
    for name, f in [("softmax", torch.softmax), ("log_softmax", torch.log_softmax)]:
        for axis in (0, 1, -1):
            for form, x in one_operand(scalar=False):
                file.add(f"{name}, axis {axis}/{form}", lambda x: f(x, axis), [3 * x])
            file.add(f"{name}, axis {axis}/no rows", lambda x: f(x, axis), [randn(0, 3)])
        file.add(f"{name}, axis -1/extremes", lambda x: f(x, -1), [extremes])
        file.add(f"{name}, axis 0/extremes", lambda x: f(x, 0), [extremes.t()])
        file.add(f"{name}, axis -1/undefined", lambda x: f(x, -1), [undefined])
    add_masked(file)
    return file


def visible(scores, causal, lengths, allowed):
    """Which scores count: bool in the shape of the scores. The causal triangle hangs from the lower right."""
    queries, keys = scores.shape[-2:]
    seen = torch.ones(scores.shape, dtype=torch.bool)
    if causal:
        seen = seen & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if lengths is not None:
        before_end = torch.arange(keys) < lengths[:, None]  # [B, Tk]
        seen = seen & before_end.reshape([len(lengths)] + [1] * (scores.dim() - 2) + [keys])
    return seen if allowed is None else seen & allowed


def masked_softmax(scores, seen):
    """softmax over the keys that each query sees; to PyTorch a row that sees nothing is NaN, here it is 0.

    Such a row takes part with other scores, finite ones, and is replaced afterwards, so that no NaN reaches the others.
    """
    counts = seen & (scores > -inf)
    any_counts = counts.any(-1, keepdim=True)
    hidden = torch.where(counts, scores, torch.full_like(scores, -inf))
    finite = torch.where(any_counts, hidden, torch.zeros_like(scores))
    weights = torch.softmax(finite, -1)
    return torch.where(any_counts, weights, torch.zeros_like(weights))


def mask_cases(batch, heads, queries, keys):
    """(form, causal, lengths or None, allowed or None) for masks of every kind over scores [B, H, Tq, Tk]."""
    lengths = torch.tensor([keys - 1] + [0] * (batch - 1))  # from the second sample on nothing is seen
    full = torch.rand(batch, heads, queries, keys) < 0.6
    full[..., 0, :] = False  # the first query sees nothing
    return [
        ("no mask", False, None, None),
        ("causal", True, None, None),
        ("lengths", False, lengths, None),
        ("allowed", False, None, full),
        ("allowed [Tq, Tk]", False, None, full[0, 0]),
        ("allowed [B, 1, 1, Tk]", False, None, full[:, :1, -1:]),
        ("allowed [H, 1, 1]", False, None, torch.arange(heads).reshape(heads, 1, 1) > 0),
        ("causal and lengths", True, lengths, None),
        ("causal and allowed", True, None, full[:, :1]),
        ("lengths and allowed", False, lengths.clamp(min=2), full),
        ("all three", True, lengths.clamp(min=2), full),
        ("nothing seen", False, None, torch.zeros(1, 1, dtype=torch.bool)),
    ]


def add_masked(file):
    for size in [(2, 3, 4, 4), (2, 2, 2, 5), (2, 1, 5, 3), (1, 1, 3, 35)]:
        for form, causal, lengths, allowed in mask_cases(*size):
            add_masked_case(file, f"{form}, {list(size)}", 3 * randn(size), causal, lengths, allowed)
    square = torch.rand(4, 4) < 0.6
    add_masked_case(file, "rank 2", randn(4, 4), True, None, square)
    add_masked_case(file, "rank 3", randn(2, 4, 4), True, torch.tensor([2, 4]), square)
    repeated = randn(2, 1, 1, 4).expand(2, 2, 3, 4)
    add_masked_case(file, "repeated", repeated, True, torch.tensor([2, 4]), (torch.rand(1, 4) < 0.6).expand(3, 4))
    add_masked_case(file, "no keys", randn(2, 1, 3, 0), False, None, None)
    add_masked_case(file, "no queries", randn(2, 1, 0, 3), True, None, None)
    add_masked_case(file, "no batch", randn(0, 1, 3, 3), True, None, None)
    add_masked_case(file, "size 1", randn(1, 1, 1, 1), True, torch.tensor([1]), None)
    extremes = numbers((1e4, -1e4, 9999), (-inf, 0, 1), (-inf, -inf, -inf))
    add_masked_case(file, "extremes", extremes, False, None, None)
    # What is not seen does not matter, not even if it is NaN or infinite.
    hidden = numbers((0, nan, 1), (2, 1, inf))
    add_masked_case(file, "NaN hidden", hidden, False, None, torch.tensor([[True, False, True], [True, True, False]]))


def add_masked_case(file, form, scores, causal, lengths, allowed):
    constants = [mask for mask in (lengths, allowed) if mask is not None]
    f = lambda scores, *_: masked_softmax(scores, visible(scores, causal, lengths, allowed))
    file.add("masked_softmax" + (", causal" if causal else "") + f"/{form}", f, [scores], constants)
