"""The forms in which operands come, for every op that takes any shape.

"repeated" operands have the same entries all along an axis, so that the tests can read them through a stride of 0.
"long" ones have more entries than vector registers and blocks, and not a multiple of either.
"""
import torch
from torch import randn


def positive(*shape):
    return randn(*shape).abs() + 0.1


def one_operand(draw=randn, scalar=True):
    """(form, x) for each form; ops along an axis take no scalar."""
    forms = [
        ("plain", draw(2, 3, 4)),
        ("long", draw(3, 35)),
        ("size 1", draw(1, 1)),
        ("empty", draw(2, 0, 3)),
        ("repeated", draw(2, 1, 4).expand(2, 3, 4)),
    ]
    return forms + ([("scalar", draw(()))] if scalar else [])


def two_operands(draw=randn):
    """(form, a, b) for each form of two operands that broadcast."""
    return [
        ("same shape", draw(2, 3, 4), draw(2, 3, 4)),
        ("long", draw(3, 35), draw(35)),
        ("broadcast", draw(2, 1, 4), draw(3, 1)),
        ("size 1", draw(1), draw(1, 1)),
        ("empty", draw(0, 3), draw(1, 3)),
        ("scalar", draw(()), draw(2, 3)),
        ("repeated", draw(3, 1).expand(3, 4), draw(2, 1, 4).expand(2, 3, 4)),
    ]


def numbers(*values):
    return torch.tensor(values, dtype=torch.float32)
