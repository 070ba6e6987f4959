"""Reference values of autograd/ops/arithmetic.h."""
import torch
from torch import inf, nan

from ops.forms import numbers, one_operand, positive, two_operands
from reference_file import ReferenceFile


def make():
    file = ReferenceFile()
    for form, a, b in two_operands():
        file.add(f"operator+/{form}", lambda a, b: a + b, [a, b])
        file.add(f"operator-/{form}", lambda a, b: a - b, [a, b])
        file.add(f"operator*/{form}", lambda a, b: a * b, [a, b])
        file.add(f"operator//{form}", lambda a, b: a / b, [a, b])
    for form, x in one_operand():
        file.add(f"operator+, x + 2.5/{form}", lambda x: x + 2.5, [x])
        file.add(f"operator+, 2.5 + x/{form}", lambda x: 2.5 + x, [x])
        file.add(f"operator-, x - 2.5/{form}", lambda x: x - 2.5, [x])
        file.add(f"operator-, 2.5 - x/{form}", lambda x: 2.5 - x, [x])
        file.add(f"operator*, x * 2.5/{form}", lambda x: x * 2.5, [x])
        file.add(f"operator*, 2.5 * x/{form}", lambda x: 2.5 * x, [x])
        file.add(f"operator/, x / 2.5/{form}", lambda x: x / 2.5, [x])
        file.add(f"operator/, 2.5 / x/{form}", lambda x: 2.5 / x, [x])
        file.add(f"operator-, -x/{form}", lambda x: -x, [x])
    special = numbers(0, -0.0, 1, inf, -inf, nan)
    pairs = [special.reshape(6, 1), special]
    file.add("operator+/special", lambda a, b: a + b, pairs)
    file.add("operator-/special", lambda a, b: a - b, pairs)
    file.add("operator*/special", lambda a, b: a * b, pairs)
    file.add("operator//special", lambda a, b: a / b, pairs)
    add_pow(file)
    return file


def add_pow(file):
    for form, a, b in two_operands(positive):
        file.add(f"pow/{form}", torch.pow, [a, b - 1])
    file.add("pow/negative to whole numbers", torch.pow, [numbers(-2, -1.5, -0.5, -3), numbers(2, 3, -1, -2)])
    file.add("pow/at 0", torch.pow, [numbers(0, 0, 0, 2, -2), numbers(0, 1, 2.5, 0, 0)])
    for exponent in [-2, -1, -0.5, 0, 0.5, 1, 2, 3, 2.5]:
        for form, x in one_operand(positive):
            file.add(f"pow, {exponent}/{form}", lambda x: torch.pow(x, exponent), [x])
    for exponent in [-2, -1, 0, 1, 2, 3]:
        file.add(f"pow, {exponent}/negative", lambda x: torch.pow(x, exponent), [-positive(5)])
    for exponent in [0, 1, 2, 3, 2.5]:
        file.add(f"pow, {exponent}/at 0", lambda x: torch.pow(x, exponent), [numbers(0, 1)])
