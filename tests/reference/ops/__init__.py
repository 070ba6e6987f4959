"""Reference values of the differentiable ops; one module, data file and test for each header of autograd/ops.

A case is named "op/form" or "op, variant/form", the op as C++ spells it. What stands before the last "/" is the key of
the call in the test beside the module.
"""
from ops import (
    activation,
    arithmetic,
    attention,
    dropout,
    einsum,
    embedding,
    indexing,
    linear,
    losses,
    matmul,
    normalization,
    pointwise,
    reduce,
    softmax,
    sort,
    views,
)

FAMILIES = {
    "activation": activation.make,
    "arithmetic": arithmetic.make,
    "attention": attention.make,
    "dropout": dropout.make,
    "einsum": einsum.make,
    "embedding": embedding.make,
    "indexing": indexing.make,
    "linear": linear.make,
    "losses": losses.make,
    "matmul": matmul.make,
    "normalization": normalization.make,
    "pointwise": pointwise.make,
    "reduce": reduce.make,
    "softmax": softmax.make,
    "sort": sort.make,
    "views": views.make,
}
