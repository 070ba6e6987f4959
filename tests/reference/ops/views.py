"""Reference values of autograd/ops/views.h."""
import torch
from torch import inf, randn

from ops.forms import one_operand
from reference_file import ReferenceFile

PLAIN, EMPTY, ONE = (2, 3, 4), (2, 0, 4), (1, 1, 1)


def make():
    file = ReferenceFile()
    add_reshapes(file)
    add_permutations(file)
    add_parts(file)
    add_joins(file)
    return file


def add(file, key, f, *shapes):
    """f of one operand in each of the shapes, and of one that repeats its entries along an axis."""
    for shape in shapes:
        file.add(f"{key}/{list(shape)}", f, [randn(shape)])
    if len(shapes[0]) > 0 and shapes[0][0] > 1:
        shape = shapes[0]
        file.add(f"{key}/repeated", f, [randn((1,) + shape[1:]).expand(shape)])


def add_reshapes(file):
    add(file, "reshape, 4 by -1", lambda x: x.reshape(4, -1), PLAIN, (4, 1), (8,), (2, 2))
    add(file, "reshape, 1", lambda x: x.reshape(1), (), (1,), ONE)
    add(file, "reshape, scalar", lambda x: x.reshape(()), ONE, (1,), ())
    add(file, "reshape, 0 by 7", lambda x: x.reshape(0, 7), EMPTY, (0,))
    add(file, "flatten", lambda x: x.flatten(), PLAIN, EMPTY, ONE, (), (3,))
    add(file, "flatten, 1 to 2", lambda x: x.flatten(1, 2), (2, 3, 4, 2), PLAIN, EMPTY, ONE)
    add(file, "flatten, -2 to -1", lambda x: x.flatten(-2, -1), PLAIN, EMPTY, (2, 3))
    add(file, "squeeze", lambda x: x.squeeze(), (2, 1, 4, 1), ONE, (), (2, 3), (1, 0))
    add(file, "squeeze, axis 1", lambda x: x.squeeze(1), (2, 1, 4), ONE, (0, 1))
    add(file, "squeeze, axis -1", lambda x: x.squeeze(-1), (2, 3, 1), (1,))
    add(file, "unsqueeze, axis 1", lambda x: x.unsqueeze(1), PLAIN, EMPTY, ONE, (3,))
    add(file, "unsqueeze, axis -1", lambda x: x.unsqueeze(-1), PLAIN, EMPTY, ())
    add(file, "expand, 2 by 3 by 4", lambda x: x.expand(2, 3, 4), PLAIN, (4,), (3, 1), (2, 1, 4), ONE, (), (1, 1))
    add(file, "expand, 2 by 0", lambda x: x.expand(2, 0), (2, 1), (1, 1), (0,), ())
    add(file, "contiguous", lambda x: x.contiguous(), PLAIN, EMPTY, ONE, ())


def add_permutations(file):
    add(file, "permute, 2 0 1", lambda x: x.permute(2, 0, 1), PLAIN, EMPTY, ONE)
    add(file, "permute, 0 1 2", lambda x: x.permute(0, 1, 2), PLAIN, EMPTY)
    add(file, "permute, 1 0", lambda x: x.permute(1, 0), (2, 3), (0, 3))
    add(file, "permute, 0 2 1 3", lambda x: x.permute(0, 2, 1, 3), (2, 3, 2, 4), (2, 0, 2, 4))
    add(file, "transpose, 0 1", lambda x: x.transpose(0, 1), PLAIN, EMPTY, ONE, (2, 3))
    add(file, "transpose, -1 -2", lambda x: x.transpose(-1, -2), PLAIN, EMPTY, (5, 35))
    add(file, "transpose, 1 1", lambda x: x.transpose(1, 1), PLAIN, EMPTY)
    for axis in (0, 1, -1):
        add(file, f"flip, axis {axis}", lambda x: x.flip(axis), PLAIN, EMPTY, ONE, (3, 35))


def add_parts(file):
    add(file, "slice, axis 0 from 1", lambda x: x[1:], PLAIN, EMPTY, ONE, (5,))
    add(file, "slice, axis -1 from 1 to 3", lambda x: x[..., 1:3], PLAIN, EMPTY, ONE, (5,))
    add(file, "slice, axis 1 from 0 by 2", lambda x: x[:, ::2], PLAIN, EMPTY, ONE, (3, 35))
    add(file, "slice, axis -1 from -3 to -1", lambda x: x[..., -3:-1], PLAIN, EMPTY, ONE)
    add(file, "slice, axis -1 from 1 by 3", lambda x: x[..., 1::3], PLAIN, EMPTY, (3, 35))
    add(file, "slice, axis 0 from 2 to 1", lambda x: x[2:1], PLAIN, EMPTY)
    add(file, "select, axis 0 at 1", lambda x: x.select(0, 1), PLAIN, EMPTY, (5,))
    add(file, "select, axis -1 at -1", lambda x: x.select(-1, -1), PLAIN, EMPTY, ONE, (1,))
    for offset in (-4, -1, 0, 1, 4):
        f = lambda x: x.diagonal(offset)
        add(file, f"diagonal, 0 1 offset {offset}", f, (3, 4), (4, 3), PLAIN, (1, 1), (0, 3))
    add(file, "diagonal, 2 0 offset 1", lambda x: x.diagonal(1, 2, 0), PLAIN, EMPTY, ONE, (3, 2, 3))
    add(file, "diagonal, -2 -1 offset 0", lambda x: x.diagonal(0, -2, -1), PLAIN, EMPTY, ONE)
    add(file, "split, 2 parts, axis 0", lambda x: x.split(len(x) // 2), PLAIN, (4,), (2, 0))
    add(file, "split, 3 parts, axis -2", lambda x: x.chunk(3, -2), PLAIN, (3, 1), (2, 3, 0))
    add(file, "split, 1 part, axis 1", lambda x: x.chunk(1, 1), PLAIN, ONE)
    add(file, "split, 3 and 0 and 1, axis -1", lambda x: x.split([3, 0, 1], -1), PLAIN, (4,), (0, 4))
    add(file, "split, 0 and 2, axis 0", lambda x: x.split([0, 2], 0), PLAIN, (2,))


def add_joins(file):
    for axis in (0, 1, -1):
        for (form, a), (_, b), (_, c) in zip(*[one_operand(scalar=False) for _ in range(3)]):
            for inputs in [[a]] if form == "long" else [[a], [a, b, c]]:
                file.add(f"concat, axis {axis}/{len(inputs)} times {form}", lambda *x: torch.cat(x, axis), inputs)
                file.add(f"stack, axis {axis}/{len(inputs)} times {form}", lambda *x: torch.stack(x, axis), inputs)
    file.add("concat, axis 1/different extents", lambda *x: torch.cat(x, 1), [randn(2, 3), randn(2, 0), randn(2, 1)])
    file.add("concat, axis 0/different extents", lambda *x: torch.cat(x, 0), [randn(2, 3), randn(0, 3), randn(1, 3)])
    file.add("stack, axis 0/scalars", lambda *x: torch.stack(x, 0), [randn(()), randn(())])
    add(file, "pad, axis 0 1 before", lambda x: pad_axis(x, 0, 1, 0), PLAIN, EMPTY, ONE, (3,))
    add(file, "pad, axis 1 1 before 2 after with 2.5", lambda x: pad_axis(x, 1, 1, 2, 2.5), PLAIN, EMPTY, ONE)
    add(file, "pad, axis -1 3 after with -inf", lambda x: pad_axis(x, -1, 0, 3, -inf), PLAIN, EMPTY, (3, 35))
    add(file, "pad, axis 0 nothing", lambda x: pad_axis(x, 0, 0, 0), PLAIN, EMPTY, ONE)


def pad_axis(x, axis, before, after, value=0):
    """Joined from parts: PyTorch 1.13's own pad refuses a tensor without elements."""

    def padding(count):
        shape = list(x.shape)
        shape[axis] = count
        return torch.full(shape, value, dtype=x.dtype)

    return torch.cat([padding(before), x, padding(after)], axis)
