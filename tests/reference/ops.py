"""Reference values of the differentiable ops (autograd/ops): case "op, variant/form"."""
import torch
from torch import randn

from reference_file import ReferenceFile


def make():
    file = ReferenceFile()
    for form, a, b in [
        ("same shape", (2, 3, 4), (2, 3, 4)),
        ("broadcast", (2, 1, 4), (3, 1)),
        ("size 1", (1,), (1, 1)),
        ("empty", (0, 3), (1, 3)),
        ("scalar", (), (2, 3)),
    ]:
        file.add(f"add/{form}", lambda a, b: a + b, [randn(a), randn(b)])
        file.add(f"mul/{form}", lambda a, b: a * b, [randn(a), randn(b)])
    for axis in (0, -1):
        for shape in [(2, 3, 4), (1, 1), (2, 0, 3)]:
            file.add(f"softmax, axis {axis}/{list(shape)}", lambda x: torch.softmax(x, axis), [3 * randn(shape)])
    return file
