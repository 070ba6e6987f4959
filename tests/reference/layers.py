"""Reference values of nn's simple layers: case "layer/form"."""
import torch
from torch import nn, randn, tensor

from reference_file import ReferenceFile


def randomised(module):
    """The module with random parameters, biases and norms included: what starts at 0 or 1 would hide mistakes.

    Matrices keep the variance of what they multiply.
    """
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(randn(parameter.shape) / parameter.shape[-1] ** 0.5)
    return module


class RMSNorm(nn.Module):
    """PyTorch 1.13 has none: x / sqrt(mean(x^2) + eps) * weight."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight


class FeedForward(nn.Module):
    def __init__(self, width, inner, activation):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.activation = activation

    def forward(self, x):
        return self.linear2(self.activation(self.linear1(x)))


class LearnedPositions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.weight = nn.Parameter(randn(length, width))

    def forward(self, x, start):
        return x + self.weight[start : start + x.shape[-2]]


def sinusoidal_positions(x):
    length, width = x.shape[-2:]
    column = torch.arange(width)
    exponent = (column - column % 2).double() / width
    angle = torch.arange(length).double()[:, None] / 10000**exponent
    return x + torch.where(column % 2 == 0, angle.sin(), angle.cos()).to(x.dtype)


def apply(layer, x):
    return layer(x)


def make():
    file = ReferenceFile()

    def add(case, module, *shape):
        file.add(case, apply, [randn(shape)], module=randomised(module))

    add("Linear/3 axes", nn.Linear(8, 5), 2, 3, 8)
    add("Linear/1 axis", nn.Linear(8, 5), 8)
    add("Linear/no rows", nn.Linear(8, 5), 0, 8)
    add("Linear without bias/3 axes", nn.Linear(8, 5, bias=False), 2, 3, 8)
    add("LayerNorm/3 axes", nn.LayerNorm(9), 2, 3, 9)
    add("LayerNorm/1 axis", nn.LayerNorm(9), 9)
    add("LayerNorm of width 1/2 axes", nn.LayerNorm(1), 3, 1)
    add("LayerNorm, eps 0.1/3 axes", nn.LayerNorm(9, eps=0.1), 2, 3, 9)
    add("RMSNorm/3 axes", RMSNorm(9, 1e-6), 2, 3, 9)
    add("RMSNorm, eps 0.1/3 axes", RMSNorm(9, 0.1), 2, 3, 9)
    add("FeedForward, relu/3 axes", FeedForward(8, 12, torch.relu), 2, 3, 8)
    add("FeedForward, gelu/3 axes", FeedForward(8, 12, nn.functional.gelu), 2, 3, 8)

    ids = tensor([[0, 2, 2, 5], [1, 0, 6, 3]])
    file.add("Embedding/ids twice", apply, [], [ids], randomised(nn.Embedding(7, 5)))
    file.add("Embedding/no ids", apply, [], [ids[:, :0]], randomised(nn.Embedding(7, 5)))
    file.add("Embedding, padding 0/ids twice", apply, [], [ids], randomised(nn.Embedding(7, 5, padding_idx=0)))

    positions = randomised(LearnedPositions(6, 8))
    file.add("LearnedPositions/from 0", lambda m, x: m(x, 0), [randn(2, 5, 8)], module=positions)
    file.add("LearnedPositions from 2/3 positions", lambda m, x: m(x, 2), [randn(2, 3, 8)], module=positions)
    file.add("SinusoidalPositions of width 6/50 positions", sinusoidal_positions, [randn(2, 50, 6)])
    file.add("SinusoidalPositions of width 7/5 positions", sinusoidal_positions, [randn(2, 5, 7)])
    return file
