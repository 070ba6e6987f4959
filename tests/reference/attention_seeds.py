"""Reference values of the modules in examples/attention_seeds: case "module/form".

The modules here are our own writing of the mathematics that was published, with its parameter names. Where that text
does not run (seed 002 lacks a power operator) it is completed, and nothing else is changed.
"""
import math

import torch
from torch import nn, randn, tensor

from layers import randomised
from reference_file import ReferenceFile

E, HEADS = 12, 3
WIDTH = E // HEADS  # D


def split(x, heads):
    """[B, T, E] -> [B, T, H, D]"""
    return x.unflatten(-1, (heads, -1))


class EinsumForm(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_linear, self.v_linear = nn.Linear(E, E), nn.Linear(E, E)
        self.k_linear, self.fc_out = nn.Linear(E, E), nn.Linear(E, E)

    def project(self, query, key, value):
        return split(self.q_linear(query), HEADS), split(self.k_linear(key), HEADS), split(self.v_linear(value), HEADS)

    def attend(self, q, k, v):
        weights = (torch.einsum("nqhd,nkhd->nhqk", q, k) / math.sqrt(WIDTH)).softmax(-1)
        return torch.einsum("nhql,nlhd->nqhd", weights, v)

    def as_printed(self, query, key, value):
        """The axes 1 and 2 are exchanged before the einsums, whose letters do not know of it, and once more after."""
        q, k, v = (x.transpose(1, 2) for x in self.project(query, key, value))
        return self.fc_out(self.attend(q, k, v).transpose(1, 2).reshape(len(query), query.shape[1], -1))

    def as_meant(self, query, key, value):
        return self.fc_out(self.attend(*self.project(query, key, value)).flatten(2))


class SharedHeadProjections(nn.Module):
    def __init__(self):
        super().__init__()
        self.values, self.keys = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.queries, self.fc_out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(E, E)

    def scores(self, keys, query):
        return torch.einsum("nqhd,nkhd->nhqk", self.queries(split(query, HEADS)), self.keys(split(keys, HEADS)))

    def attend(self, weights, values):
        out = torch.einsum("nhql,nlhd->nqhd", weights, self.values(split(values, HEADS)))
        return self.fc_out(out.flatten(2))

    def as_printed(self, values, keys, query, mask=None):
        scores = self.scores(keys, query)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e20)
        return self.attend((scores / E ** (1 / 2)).softmax(-1), values)

    def as_meant(self, values, keys, query, mask):
        """As printed, but a query that sees nothing has weights 0 instead of equal ones."""
        scores = self.scores(keys, query).masked_fill(mask == 0, -1e20)
        weights = (scores / E ** (1 / 2)).softmax(-1) * (mask != 0).any(-1, keepdim=True)
        return self.attend(weights, values)


class MatmulForm(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(E, E), nn.Linear(E, E)
        self.value, self.fc_out = nn.Linear(E, E), nn.Linear(E, E)

    def forward(self, x):
        q, k, v = (split(f(x), HEADS).transpose(1, 2) for f in (self.query, self.key, self.value))
        weights = (q @ k.transpose(-2, -1) / WIDTH**0.5).softmax(-1)
        return self.fc_out((weights @ v).transpose(1, 2).flatten(2))


class PaperNotation(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_q, self.W_k = nn.Linear(E, E), nn.Linear(E, E)
        self.W_v, self.W_o = nn.Linear(E, E), nn.Linear(E, E)

    def forward(self, x):
        q, k, v = (split(f(x), HEADS).transpose(1, 2) for f in (self.W_q, self.W_k, self.W_v))
        scores = torch.matmul(q, k.transpose(-2, -1)) / torch.sqrt(torch.tensor(WIDTH))
        return self.W_o(torch.matmul(scores.softmax(-1), v).transpose(1, 2).flatten(2))


def expect_refused(f, *inputs):
    """What the C++ test expects of this case is what PyTorch does, too."""
    try:
        f(*inputs)
    except RuntimeError:
        return
    raise AssertionError("PyTorch takes it")


def make():
    file = ReferenceFile()
    x, y = randn(2, 4, E), randn(2, 6, E)  # [B, Tq, E], [B, Tk, E]
    one = randn(2, 1, E)

    form = randomised(EinsumForm())
    printed = EinsumForm.as_printed
    file.add("einsum form, as printed/query, key and value", printed, [x, randn(2, 4, E), randn(2, 4, E)], module=form)
    file.add("einsum form, as printed/one key", printed, [x, one, one], module=form)
    expect_refused(form.as_printed, x, y, y)
    expect_refused(form.as_printed, one, y, y)
    file.add("einsum form, as meant/more keys", EinsumForm.as_meant, [x, y, randn(2, 6, E)], module=form)
    file.add("einsum form, as meant/one query", EinsumForm.as_meant, [one, y, y], module=form)

    form = randomised(SharedHeadProjections())
    shown = (torch.rand(2, 1, 4, 6) < 0.6).long()
    shown[..., 2] = 1
    blind = shown.clone()
    blind[1, :, 1] = 0
    printed = SharedHeadProjections.as_printed
    values_keys_query = [randn(2, 6, E), y, x]
    file.add("shared head projections, as printed/no mask", printed, values_keys_query, module=form)
    file.add("shared head projections, as printed/mask", printed, values_keys_query, [shown], form)
    file.add("shared head projections, as printed/a query sees nothing", printed, values_keys_query, [blind], form)
    meant = SharedHeadProjections.as_meant
    file.add("shared head projections, as meant/mask", meant, values_keys_query, [shown], form)
    file.add("shared head projections, as meant/a query sees nothing", meant, values_keys_query, [blind], form)

    for name, form in [("matmul form", MatmulForm()), ("paper notation", PaperNotation())]:
        file.add(f"{name}/self-attention", lambda f, x: f(x), [x], module=randomised(form))
    return file
