"""Reference values of autograd/ops/indexing.h."""
import torch
from torch import inf, randint, randn

from ops.forms import one_operand
from reference_file import ReferenceFile


def make():
    file = ReferenceFile()
    for axis in (0, 1, -1):
        add_index_select(file, axis)
        add_gather(file, axis)
        add_scatter_add(file, axis)
    add_masked_fill(file)
    add_triangles(file)
    return file


def add_index_select(file, axis):
    f = lambda x, indices: x.index_select(axis, indices)
    for form, x in one_operand(scalar=False):
        indices = randint(0, max(1, x.shape[axis]), (5 if x.shape[axis] > 0 else 0,))
        file.add(f"index_select, axis {axis}/{form}", f, [x], [indices])
    file.add(f"index_select, axis {axis}/none", f, [randn(2, 3, 4)], [torch.zeros(0, dtype=torch.int64)])


def add_gather(file, axis):
    f = lambda x, indices: x.gather(axis, indices)
    for form, x in one_operand(scalar=False):
        file.add(f"gather, axis {axis}/{form}", f, [x], [some_indices(x, axis)])
    file.add(f"gather, axis {axis}/one of each", f, [randn(2, 3, 4)], [some_indices(randn(2, 3, 4), axis, 1)])


def add_scatter_add(file, axis):
    f = lambda x, source, indices: x.scatter_add(axis, indices, source)
    for form, x in one_operand(scalar=False):
        indices = some_indices(x, axis)
        source = randn(indices.shape)
        if form == "repeated":
            indices = indices[:, :, :1].expand(indices.shape) * 0
            source = source[:, :, :1].expand(source.shape)
        file.add(f"scatter_add, axis {axis}/{form}", f, [x, source], [indices])


def some_indices(x, axis, count=5):
    """Indices for gather along an axis: shaped as x, but with `count` places on that axis."""
    shape = list(x.shape)
    shape[axis] = count if x.shape[axis] > 0 else 0
    return randint(0, max(1, x.shape[axis]), shape)


def add_masked_fill(file):
    for value in (0, 2.5, -inf):
        f = lambda x, mask: x.masked_fill(mask, value)
        for form, x in one_operand():
            file.add(f"masked_fill, {value}/{form}", f, [x], [torch.rand(x.shape) < 0.4])
        file.add(f"masked_fill, {value}/broadcast mask", f, [randn(2, 3, 4)], [torch.tensor([[True], [False], [True]])])
        everything = torch.ones(1, dtype=torch.bool)
        file.add(f"masked_fill, {value}/everything", f, [torch.tensor([inf, -inf, 1.0])], [everything])


def add_triangles(file):
    for name, f in [("tril", torch.tril), ("triu", torch.triu)]:
        for diagonal in (-9, -1, 0, 1, 9):
            shapes = [(3, 3), (2, 5), (5, 2), (2, 3, 4), (2, 2, 3, 3), (1, 1), (0, 3), (2, 3, 0)]
            for shape in shapes if diagonal in (-1, 0, 1) else shapes[:3]:
                file.add(f"{name}, diagonal {diagonal}/{list(shape)}", lambda x: f(x, diagonal), [randn(shape)])
            file.add(f"{name}, diagonal {diagonal}/repeated", lambda x: f(x, diagonal), [randn(4, 1).expand(4, 4)])
