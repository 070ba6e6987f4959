"""Reference values of autograd/ops/linear.h."""
from torch import randn
from torch.nn.functional import linear, relu

from ops.dropout import dropped
from reference_file import ReferenceFile

SHAPES = [
    ("plain", [4, 3], [5, 3]),
    ("rank 1", [3], [5, 3]),
    ("rank 3", [2, 4, 3], [5, 3]),
    ("rank 4", [2, 1, 2, 3], [5, 3]),
    ("size 1", [1, 1], [1, 1]),
    ("one output", [4, 3], [1, 3]),
    ("no rows", [0, 3], [5, 3]),
    ("no outputs", [4, 3], [0, 3]),
    ("no inputs", [4, 0], [5, 0]),
    ("long", [2, 9, 33], [19, 33]),
]


def linear_relu(*operands):
    return relu(linear(*operands))


def make():
    file = ReferenceFile()
    for form, x, weight in SHAPES:
        file.add(f"linear/{form}", linear, [randn(x), randn(weight), randn(weight[0])])
        file.add(f"linear, no bias/{form}", linear, [randn(x), randn(weight)])
    repeated = [randn(1, 3).expand(4, 3), randn(5, 1).expand(5, 3), randn(1).expand(5)]
    file.add("linear/repeated", linear, repeated)
    file.add("linear, no bias/repeated", linear, repeated[:2])
    for form, x, weight in SHAPES:
        operands = lambda: [randn(x), randn(weight), randn(weight[0])]
        file.add(f"linear_relu/{form}", linear_relu, operands())
        file.add(f"linear_relu, no bias/{form}", linear_relu, operands()[:2])
        file.add(f"linear_relu, dropout 0.3/{form}", lambda *x: dropped(linear_relu(*x), 0.3), operands())
        if form != "long":
            file.add(f"linear_relu, dropout 0/{form}", linear_relu, operands())
            file.add(f"linear_relu, dropout 1/{form}", lambda *x: 0 * linear_relu(*x), operands())
            file.add(f"linear_relu, evaluation/{form}", linear_relu, operands())
    file.add("linear_relu/repeated", linear_relu, repeated)
    file.add("linear_relu, dropout 0.3/repeated", lambda *x: dropped(linear_relu(*x), 0.3), repeated)
    return file
