"""Reference values of autograd/ops/attention.h.

PyTorch 1.13 has no public scaled_dot_product_attention, and a query that sees nothing would be NaN to it; so this is
the formula in PyTorch's ops, with the softmax of ops/softmax.py.
"""
import torch
from torch import randn

from ops.dropout import dropped
from ops.softmax import mask_cases, masked_softmax, visible
from reference_file import ReferenceFile


def attention(q, k, v, bias=None, scale=None, p=0, seen=None):
    """Result and weights; the weights are those before dropout."""
    scores = q @ k.transpose(-2, -1) * (max(q.shape[-1], 1) ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    seen = torch.ones(scores.shape, dtype=torch.bool) if seen is None else seen.expand(scores.shape)
    weights = masked_softmax(scores, seen)
    return dropped(weights, p) @ v if p > 0 else weights @ v, weights


def make():
    file = ReferenceFile()
    for form, *mask in mask_cases(2, 2, 3, 5):
        add(file, form, operands(2, 2, 3, 5, 3, 3), *mask)
    for form, *mask in mask_cases(2, 1, 5, 3):
        if "causal" in form or form == "all three":
            add(file, f"{form}, more queries than keys", operands(2, 1, 5, 3, 3, 3), *mask)
    add(file, "causal, square", operands(2, 2, 4, 4, 3, 3), causal=True)
    add_sizes(file)
    add_options(file)
    return file


def operands(batch, heads, queries, keys, width, value_width):
    return [
        randn(batch, heads, queries, width),
        randn(batch, heads, keys, width),
        randn(batch, heads, keys, value_width),
    ]


def add(file, form, inputs, causal=False, lengths=None, allowed=None, options="", bias=None, weights=True, **given):
    """The case for both forms of attention, the fused one and, if `weights`, the one that returns them."""
    constants = [mask for mask in (lengths, allowed) if mask is not None]
    scores = (*inputs[0].shape[:3], inputs[1].shape[2])  # [B, H, Tq, Tk]
    seen = visible(torch.empty(scores), causal, lengths, allowed)
    if bias is not None:
        inputs, options = inputs + [bias], options + ", bias"
    options += ", causal" if causal else ""

    def f(q, k, v, *rest):
        return attention(q, k, v, bias=rest[0] if bias is not None else None, seen=seen, **given)

    file.add(f"scaled_dot_product_attention{options}/{form}", lambda *x: f(*x)[0], inputs, constants)
    if weights:
        file.add(f"attention_with_weights{options}/{form}", f, inputs, constants)


def add_sizes(file):
    for form, size in [
        ("size 1", (1, 1, 1, 1, 1, 1)),
        ("wide values", (2, 2, 3, 4, 2, 5)),
        ("one query", (2, 2, 1, 6, 4, 4)),
        ("no keys", (2, 1, 3, 0, 2, 2)),
        ("no batch", (0, 1, 3, 3, 2, 2)),
        ("no heads", (2, 0, 3, 3, 2, 2)),
        ("no width", (1, 2, 3, 3, 0, 2)),
        ("no value width", (1, 2, 3, 3, 2, 0)),
        ("many keys", (1, 1, 3, 70, 2, 2)),
        ("many queries", (1, 1, 70, 3, 2, 2)),
        ("wide", (1, 1, 3, 4, 67, 35)),
    ]:
        add(file, form, operands(*size))
    for form, size in [
        ("one query", (2, 2, 1, 6, 4, 4)),
        ("many keys", (1, 1, 3, 70, 2, 2)),
        ("many queries", (1, 1, 70, 3, 2, 2)),
        ("no queries", (2, 1, 0, 3, 2, 2)),
    ]:
        add(file, form, operands(*size), causal=True)
    # Blocks before, on and behind the diagonal; a file with their weights would be large.
    add(file, "many of both", operands(1, 1, 67, 131, 2, 2), causal=True, weights=False)
    repeated = [x[:, :1].expand(2, 3, *x.shape[2:]) for x in operands(2, 1, 4, 5, 3, 3)]
    add(file, "repeated heads", repeated)
    add(file, "repeated", [x[:, :, :1].expand(2, 1, 4, 3) for x in operands(2, 1, 1, 1, 3, 3)])


def add_options(file):
    size = (2, 2, 3, 4)
    mask = dict(lengths=torch.tensor([4, 2]), allowed=torch.rand(3, 4) < 0.7)
    for form, shape in [("bias", size), ("bias [H, 1, 1]", (2, 1, 1)), ("bias [Tq, Tk]", (3, 4)), ("bias []", ())]:
        add(file, form, operands(*size, 3, 3), bias=randn(shape))
        add(file, f"{form} and masks", operands(*size, 3, 3), True, **mask, bias=randn(shape))
    add(file, "plain", operands(*size, 3, 3), options=", scale 0", scale=0)
    for options, given in [(", scale 0.3", {"scale": 0.3}), (", dropout 0.4", {"p": 0.4})]:
        add(file, "plain", operands(*size, 3, 3), options=options, **given)
        add(file, "masks", operands(*size, 3, 3), True, **mask, options=options, **given)
        add(file, "everything", operands(*size, 3, 3), True, **mask, options=options, bias=randn(size), **given)
    q, k, v = operands(*size, 3, 3)
    add(file, "large scores", [30 * q, 30 * k, v], True)
    hidden = operands(*size, 3, 3)
    hidden[1][:, :, 2:] *= 1e6  # what is not seen does not matter, however large
    add(file, "large where hidden", hidden, lengths=torch.tensor([2, 1]))
