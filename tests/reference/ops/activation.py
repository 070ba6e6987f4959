"""Reference values of autograd/ops/activation.h."""
from torch import inf
from torch.nn.functional import gelu, relu, silu

from ops.forms import numbers, one_operand
from reference_file import ReferenceFile

FUNCTIONS = {
    "relu": relu,
    "gelu": gelu,
    "gelu, tanh formula": lambda x: gelu(x, approximate="tanh"),
    "silu": silu,
}


def make():
    file = ReferenceFile()
    for name, f in FUNCTIONS.items():
        for form, x in one_operand():
            file.add(f"{name}/{form}", f, [x])
        file.add(f"{name}/far from 0", f, [numbers(8, -8, 20, -20, 100, -100, 1e4, -1e4)])
        file.add(f"{name}/near 0", f, [numbers(0, -0.0, 1e-10, -1e-10, 1e-3, -1e-3)])
    # NaN stays NaN, as in PyTorch, but its gradient is 0 here ("g where x > 0") and g there.
    file.add("relu/infinite", relu, [numbers(inf, -inf)])
    return file
