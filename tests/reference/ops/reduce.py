"""Reference values of autograd/ops/reduce.h."""
import torch
from torch import inf, nan, randn

from ops.forms import numbers
from reference_file import ReferenceFile

AXES = {"all": (0, 1, 2), "axis 0": (0,), "axis -1": (-1,), "axes 0 and 2": (0, 2)}


def prod(x, axes, keepdim):
    """torch.prod takes one axis: those to be reduced go last and become one."""
    axes = [axis % x.dim() for axis in axes]
    others = [axis for axis in range(x.dim()) if axis not in axes]
    kept = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
    y = x.permute(*others, *axes).flatten(len(others)).prod(-1) if axes else x.prod()
    return y.reshape(kept) if keepdim else y


REDUCTIONS = {
    "sum": lambda x, axes, keepdim: x.sum(axes, keepdim),
    "mean": lambda x, axes, keepdim: x.mean(axes, keepdim),
    "var": lambda x, axes, keepdim: x.var(axes, correction=1, keepdim=keepdim),
    "var, correction 0": lambda x, axes, keepdim: x.var(axes, correction=0, keepdim=keepdim),
    "std": lambda x, axes, keepdim: x.std(axes, correction=1, keepdim=keepdim),
    "std, correction 0": lambda x, axes, keepdim: x.std(axes, correction=0, keepdim=keepdim),
    "norm": lambda x, axes, keepdim: torch.linalg.vector_norm(x, 2, axes, keepdim),
    "prod": prod,
    "max": torch.amax,
    "min": torch.amin,
    "logsumexp": torch.logsumexp,
}


def make():
    file = ReferenceFile()
    for name, f in REDUCTIONS.items():
        for axes_name, axes in AXES.items():
            for keepdim in (False, True):
                key = f"{name}, {axes_name}" + (", keepdim" if keepdim else "")
                add_forms(file, key, lambda x: f(x, axes, keepdim), axes, keepdim)
        # PyTorch's var of a scalar has the gradient infinity, but of [1, 1, 1] it has NaN, as here.
        if name != "var":
            file.add(f"{name}, all/scalar", lambda x: f(x, (), False), [randn(())])
        file.add(f"{name}, all/one long axis", lambda x: f(x, (0,), False), [randn(257)])
    add_edges(file)
    for axis in (0, 1, -1):
        for form, x in operands():
            file.add(f"cumsum, axis {axis}/{form}", lambda x: x.cumsum(axis), [x])
    file.add("cumsum, axis 0/infinite", lambda x: x.cumsum(0), [numbers(1, inf, 2, -inf, 3)])
    return file


def operands():
    return [
        ("plain", randn(2, 3, 4)),
        ("size 1", randn(1, 1, 1)),
        ("empty", randn(2, 0, 3)),
        ("repeated", randn(2, 1, 4).expand(2, 3, 4)),
    ]


def add_forms(file, key, f, axes, keepdim):
    for form, x in operands():
        if keepdim and form in ("size 1", "repeated"):
            continue  # only the shape is another
        # The largest of nothing is an error, here as there.
        if form == "empty" and len(axes) == 3 and key.startswith(("max", "min")):
            continue
        file.add(f"{key}/{form}", f, [x])
    if not keepdim:
        file.add(f"{key}/long", f, [randn(2, 2, 67)])


# Form, operand, and the reductions along its rows and of all of it.
EDGES = [
    ("zeros", numbers((2, 0, 3), (0, 0, 5), (1, 2, 4)), ["prod"]),
    ("a row of zeros", numbers((0, 0, 0), (3, 0, 4)), ["norm"]),
    ("equal elements", numbers((1, 1, 0), (0, -0.0, 0), (2, 3, 3), (inf, inf, 1)), ["max", "min"]),
    ("constant", torch.full((2, 3), 0.5), ["std, correction 0", "var, correction 0", "var"]),
]


def add_edges(file):
    def add_rows(name, form, x):
        file.add(f"{name}, axis -1/{form}", lambda x: REDUCTIONS[name](x, (-1,), False), [x])

    for form, x, names in EDGES:
        for name in names:
            add_rows(name, form, x)
            file.add(f"{name}, all/{form}", lambda x: REDUCTIONS[name](x, (0, 1), False), [x])
    # Far from 0 a variance must not be the difference of two large numbers.
    for name in ["mean", "var", "std", "logsumexp"]:
        add_rows(name, "far from 0", 1e4 + randn(3, 50))
    # Rows of -infinity throughout are left out: PyTorch's gradient is NaN there, 0 here.
    add_rows("logsumexp", "-infinity", numbers((1, -inf, 2), (-inf, -inf, 0), (1e4, -1e4, 1e4)))
    for name in ["sum", "mean", "prod"]:
        add_rows(name, "special", numbers((1, inf, 2), (inf, -inf, 1), (nan, 1, 2)))
    for name in ["max", "min"]:
        # Only forward: what the gradient is where the largest is NaN, neither library says.
        forward = lambda x: REDUCTIONS[name](x.detach(), (-1,), False)
        file.add(f"{name}, axis -1/NaN", forward, [numbers((1, nan, 2), (-inf, 3, inf))])
