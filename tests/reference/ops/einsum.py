"""Reference values of autograd/ops/einsum.h; the equation is part of the case's name."""
import torch
from torch import randn

from reference_file import ReferenceFile

EQUATIONS = [
    ("ij->ji", [2, 3]),  # transpose
    ("ij->", [2, 3]),  # sum
    ("ij->j", [2, 3]),
    ("ii", [3, 3]),  # trace
    ("ii->i", [3, 3]),  # diagonal
    ("iij->ij", [3, 3, 2]),
    ("i,i->", [4], [4]),  # inner product
    ("i,j->ij", [2], [3]),  # outer product
    ("ij,j->i", [2, 3], [3]),
    ("ij,jk", [2, 3], [3, 4]),  # the result's letters left out
    ("ij,ij->ij", [2, 3], [2, 3]),
    ("bij,bjk->bik", [2, 3, 4], [2, 4, 5]),
    ("bij,kj->bik", [2, 3, 4], [5, 4]),
    ("b i j , b k j -> k i b", [2, 3, 4], [2, 5, 4]),
    ("bqhd,bkhd->bhqk", [2, 3, 2, 4], [2, 5, 2, 4]),  # attention scores
    ("bhqk,bkhd->bqhd", [2, 2, 3, 5], [2, 5, 2, 4]),  # attention's mean of the values
    ("bthd,ehd->bte", [2, 3, 2, 4], [6, 2, 4]),  # attention's projection of all heads
    ("...ij,...jk->...ik", [2, 1, 3, 4], [3, 4, 2]),
    ("...i,...i->...", [2, 3, 4], [2, 3, 4]),
    ("i...->...i", [2, 3, 4]),
    ("...ii->...i", [2, 3, 3]),
    ("Ab,bA->A", [2, 3], [3, 2]),  # upper and lower case
    ("ij,jk,kl->il", [2, 3], [3, 4], [4, 2]),
    ("i,i,i->i", [3], [3], [3]),
    ("a,b,c,d->dcba", [2], [3], [1], [2]),
    ("ii,ij->j", [3, 3], [3, 2]),
    ("ij,ij->i", [1, 4], [3, 4]),  # extent 1 broadcasts
    ("ij,kj->ik", [1, 1], [1, 1]),
    ("ij,jk->ik", [0, 3], [3, 2]),
    ("ij,jk->ik", [2, 0], [0, 3]),  # a sum over nothing
    ("bij,bjk->bik", [2, 19, 33], [2, 33, 17]),
]


def make():
    file = ReferenceFile()
    for equation, *shapes in EQUATIONS:
        f = lambda *operands: torch.einsum(equation, *operands)
        file.add(f"einsum, {equation}/{shapes}", f, [randn(shape) for shape in shapes])
    repeated = [randn(2, 1, 4).expand(2, 3, 4), randn(2, 4, 1).expand(2, 4, 5)]
    file.add("einsum, bij,bjk->bik/repeated", lambda a, b: torch.einsum("bij,bjk->bik", a, b), repeated)
    return file
