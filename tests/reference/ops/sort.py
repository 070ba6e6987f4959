"""Reference values of autograd/ops/sort.h."""
import torch
from torch import inf, nan

from ops.forms import numbers, one_operand
from reference_file import ReferenceFile


def make():
    file = ReferenceFile()
    ties = numbers((1, 0, 1, 0, -0.0), (2, 2, 2, 2, 2))
    special = numbers((1, nan, inf, -inf, 0), (nan, 3, nan, 2, inf))
    for descending in (False, True):
        for axis in (0, 1, -1):
            key = f"sort, axis {axis}" + (", descending" if descending else "")
            f = lambda x: torch.sort(x, dim=axis, descending=descending, stable=True)
            for form, x in one_operand(scalar=False):
                file.add(f"{key}/{form}", f, [x])
            file.add(f"{key}/ties", f, [ties])
            file.add(f"{key}/special", f, [special])
    # Which of several equal elements is chosen PyTorch leaves open; here the first is. So no ties.
    for largest in (True, False):
        for k, axis in [(0, -1), (1, 0), (1, -1), (2, 0), (3, 1), (3, -1)]:
            key = f"topk, {k} {'largest' if largest else 'smallest'}, axis {axis}"
            f = lambda x: torch.topk(x, k, axis, largest)
            for form, x in one_operand(scalar=False):
                ties_there = form == "repeated" and k > 0 and axis == 1
                if x.shape[axis] >= k and not ties_there:
                    file.add(f"{key}/{form}", f, [x])
            if axis != 0:
                distinct = numbers((1, nan, inf, -inf, 0), (nan, 3, 4, 2, -inf))
                file.add(f"{key}/special", f, [distinct])
    return file
