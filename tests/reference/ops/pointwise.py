"""Reference values of autograd/ops/pointwise.h."""
import torch
from torch import inf, nan, rand, randn

from ops.forms import numbers, one_operand, positive, two_operands
from reference_file import ReferenceFile

# Function, how operands are drawn, and numbers at the edges of its domain. Where f32 overflows and f64 does not, there
# is no common answer, so the edges are infinite or moderate.
FUNCTIONS = {
    "abs": (torch.abs, randn, numbers(0, -0.0, inf, -inf, nan, 1e30)),
    "exp": (torch.exp, randn, numbers(0, inf, -inf, nan, 20, -80)),
    "log": (torch.log, positive, numbers(0, 1, inf, nan, -1, 1e-30, 1e30)),
    "log1p": (torch.log1p, positive, numbers(-1, 0, inf, nan, -2, 1e-10, -1e-10, 1e30)),
    "sqrt": (torch.sqrt, positive, numbers(0, inf, nan, -1, 1e30)),
    "rsqrt": (torch.rsqrt, positive, numbers(0, inf, nan, -1, 1e30)),
    "sin": (torch.sin, randn, numbers(0, inf, nan, 1000, -1e5)),
    "cos": (torch.cos, randn, numbers(0, inf, nan, 1000, -1e5)),
    "tanh": (torch.tanh, randn, numbers(0, inf, -inf, nan, 50, -50, 1e-10)),
    "sigmoid": (torch.sigmoid, randn, numbers(0, inf, -inf, nan, 50, -50, 1e4, -1e4)),
    "erf": (torch.erf, randn, numbers(0, inf, -inf, nan, 10, -10, 1e-10)),
}


def make():
    file = ReferenceFile()
    for name, (f, draw, edges) in FUNCTIONS.items():
        for form, x in one_operand(draw):
            file.add(f"{name}/{form}", f, [x])
        file.add(f"{name}/edges", f, [edges])
    add_minimum_and_maximum(file)
    for form, x in one_operand():
        file.add(f"clamp, -0.5 to 0.7/{form}", lambda x: x.clamp(-0.5, 0.7), [x])
    file.add("clamp, -0.5 to 1/edges", lambda x: x.clamp(-0.5, 1), [numbers(-0.5, 1, inf, -inf, nan, -0.0)])
    file.add("clamp, at most 0.5/edges", lambda x: x.clamp(max=0.5), [numbers(0.5, 1, inf, -inf, nan, 0)])
    add_where(file)
    return file


def add_minimum_and_maximum(file):
    ties = [numbers(1, 2, 3, 0, inf, -inf), numbers(1, 3, 2, -0.0, inf, -inf)]
    with_nan = [numbers(nan, 1, nan, nan), numbers(1, nan, nan, -inf)]
    for name, f, clamped in [
        ("minimum", torch.minimum, lambda x: torch.minimum(x, torch.full_like(x, 0.25))),
        ("maximum", torch.maximum, lambda x: torch.maximum(x, torch.full_like(x, 0.25))),
    ]:
        for form, a, b in two_operands():
            file.add(f"{name}/{form}", f, [a, b])
        file.add(f"{name}/ties", f, ties)
        # Only forward: to PyTorch the gradient of a NaN is g for both operands, here it is 0.
        file.add(f"{name}/NaN", lambda a, b: f(a.detach(), b.detach()), with_nan)
        for form, x in one_operand():
            file.add(f"{name}, 0.25/{form}", clamped, [x])
        file.add(f"{name}, 0.25/ties", clamped, [numbers(0.25, 0, 1)])


def add_where(file):
    f = lambda a, b, c: torch.where(c, a, b)
    for form, a, b in two_operands():
        chosen = rand(torch.broadcast_shapes(a.shape, b.shape)) < 0.5
        file.add(f"where/{form}", f, [a, b], [chosen])
    for form, x in one_operand():
        chosen = rand(x.shape) < 0.5
        file.add(f"where, x or 1.5/{form}", lambda x, c: torch.where(c, x, torch.full_like(x, 1.5)), [x], [chosen])
        file.add(f"where, 1.5 or x/{form}", lambda x, c: torch.where(c, torch.full_like(x, 1.5), x), [x], [chosen])
    broadcast = torch.tensor([[True], [False], [True]])
    file.add("where/broadcast condition", f, [randn(2, 1, 4), randn(1)], [broadcast])
    file.add("where/NaN not chosen", f, [numbers(inf, nan, 1, -inf), randn(4)], [torch.zeros(4).bool()])
