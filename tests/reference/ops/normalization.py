"""Reference values of autograd/ops/normalization.h."""
import torch
from torch import randn
from torch.nn.functional import layer_norm

from reference_file import ReferenceFile


def rms_norm(x, gamma=None, eps=1e-6):
    """From its formula: PyTorch 1.13 has no such function."""
    y = x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    return y if gamma is None else y * gamma


def make():
    file = ReferenceFile()
    for form, x in operands():
        width = x.shape[-1]
        gamma, beta = randn(width), randn(width)
        if form == "repeated":
            gamma, beta = randn(1).expand(width), randn(1).expand(width)
        normalize = lambda x, *p: layer_norm(x, (width,), *p)
        file.add(f"layer_norm/{form}", normalize, [x, gamma, beta])
        file.add(f"layer_norm, gamma only/{form}", normalize, [x, gamma])
        file.add(f"layer_norm, beta only/{form}", lambda x, b: layer_norm(x, (width,), None, b), [x, beta])
        file.add(f"layer_norm, plain/{form}", normalize, [x])
        file.add(f"layer_norm, eps 0.5/{form}", lambda x, g, b: layer_norm(x, (width,), g, b, 0.5), [x, gamma, beta])
        file.add(f"layer_norm, plain, eps 0.5/{form}", lambda x: layer_norm(x, (width,), eps=0.5), [x])
        file.add(f"rms_norm/{form}", rms_norm, [x, gamma])
        file.add(f"rms_norm, plain/{form}", rms_norm, [x])
        file.add(f"rms_norm, eps 0.5/{form}", lambda x, g: rms_norm(x, g, 0.5), [x, gamma])
        file.add(f"rms_norm, plain, eps 0.5/{form}", lambda x: rms_norm(x, eps=0.5), [x])
    return file


def operands():
    return [
        ("plain", randn(2, 3, 4)),
        ("rank 1", randn(5)),
        ("long", randn(5, 67)),
        ("size 1", randn(1, 1)),
        ("no rows", randn(0, 3)),
        ("no width", randn(2, 0)),
        ("repeated", randn(2, 1, 4).expand(2, 3, 4)),
        ("repeated in a row", randn(3, 1).expand(3, 4)),
        ("far from 0", 1e3 + randn(3, 19)),
        ("zeros", torch.zeros(2, 4)),
    ]
