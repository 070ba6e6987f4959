"""Reference values of autograd/ops/matmul.h."""
import torch
from torch import randn

from reference_file import ReferenceFile

SHAPES = [
    # every pair of ranks
    ([3], [3]), ([3], [3, 4]), ([3], [2, 3, 4]), ([3], [2, 2, 3, 4]),
    ([2, 3], [3]), ([2, 3], [3, 4]), ([2, 3], [2, 3, 4]), ([2, 3], [2, 2, 3, 4]),
    ([2, 2, 3], [3]), ([2, 2, 3], [3, 4]), ([2, 2, 3], [2, 3, 4]), ([2, 2, 3], [2, 2, 3, 4]),
    ([2, 2, 2, 3], [3]), ([2, 2, 2, 3], [3, 4]), ([2, 2, 2, 3], [2, 3, 4]), ([2, 2, 2, 3], [2, 2, 3, 4]),
    # broadcast over the batch
    ([1, 2, 3], [4, 3, 2]), ([4, 2, 3], [1, 3, 2]), ([2, 1, 2, 3], [1, 3, 3, 2]), ([3, 2, 3], [2, 1, 3, 2]),
    # extent 1
    ([1], [1]), ([1, 1], [1, 1]), ([2, 1], [1, 3]), ([1, 3], [3, 1]), ([1, 2, 1], [2, 1, 2]),
    # nothing in one of the axes: a product over nothing is 0
    ([0], [0]), ([0, 3], [3, 2]), ([2, 0], [0, 3]), ([2, 3], [3, 0]), ([0, 2, 3], [0, 3, 2]), ([2, 2, 0], [2, 0, 2]),
    # more than a block of registers, and no multiple of one
    ([35, 33], [33, 19]), ([67], [67, 5]), ([5, 67], [67]), ([2, 17, 35], [35, 17]), ([3, 20, 9], [3, 9, 17]),
    ([67, 2], [2, 20]), ([1, 300], [300, 1]),
]


def make():
    file = ReferenceFile()
    for a, b in SHAPES:
        file.add(f"matmul/{a} times {b}", torch.matmul, [randn(a), randn(b)])
    file.add("matmul/repeated", torch.matmul, [randn(2, 1, 3).expand(2, 4, 3), randn(2, 3, 1).expand(2, 3, 5)])
    file.add("matmul/repeated batch", torch.matmul, [randn(1, 4, 3).expand(2, 4, 3), randn(2, 3, 5)])
    return file
