"""Weights that PyTorch wrote: the state dict of an nn.Transformer as a file, and what the module makes of some input.

The case "output/lengths" has the source "x0", the target "x1", the source's lengths "n0" and the result "y0".
"""
import torch
from torch import nn, randn, tensor

from attention import hidden_future, hidden_padding
from layers import randomised
from reference_file import ReferenceFile, save_safetensors


class StateDictFile:
    def __init__(self, module):
        self.module = module

    def save(self, path):
        save_safetensors(path, self.module.state_dict())


def small_transformer():
    """Of the same sizes as the one of write_weights.cpp."""
    return nn.Transformer(8, 2, 2, 1, dim_feedforward=12, dropout=0, norm_first=True, batch_first=True)


def translate_vectors(module, source, target, lengths):
    """Runs an nn.Transformer: the target is causal, the source ends at its lengths."""
    hidden = hidden_padding(lengths, source.shape[1])
    return module(
        source,
        target,
        tgt_mask=hidden_future(target.shape[1], target.shape[1]),
        src_key_padding_mask=hidden,
        memory_key_padding_mask=hidden,
    )


def add_output(file, module):
    inputs = [randn(2, 5, 8), randn(2, 3, 8)]
    file.add("output/lengths", translate_vectors, inputs, [tensor([5, 3])], module)


def pytorch_transformer():
    torch.manual_seed(1)
    return randomised(small_transformer())


def make():
    return StateDictFile(pytorch_transformer())


def make_output():
    file = ReferenceFile()
    add_output(file, pytorch_transformer())
    return file
