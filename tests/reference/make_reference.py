#!/usr/bin/python3
"""Makes the files in tests/reference/data: forward values and gradients as PyTorch computes them.

They are part of the repository, so the tests need neither Python nor PyTorch. To make them again
(Debian 12: apt-get install python3-torch, which is PyTorch 1.13):

    /usr/bin/python3 tests/reference/make_reference.py                all files
    /usr/bin/python3 tests/reference/make_reference.py ops/softmax    one
"""
import pathlib
import sys

import torch

import attention
import attention_seeds
import layers
import ops
import optimizers
import training
import transformers
import weights

FILES = {
    "attention": attention.make,
    "attention_seeds": attention_seeds.make,
    "layers": layers.make,
    "optimizers": optimizers.make,
    "pytorch_transformer": weights.make,
    "pytorch_transformer_output": weights.make_output,
    "training": training.make,
    "transformers": transformers.make,
    **{f"ops/{family}": make for family, make in ops.FAMILIES.items()},
}


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(__file__).parent / "data"
    for name in sys.argv[1:] or FILES:
        torch.manual_seed(1)
        path = folder / f"{name}.safetensors"
        path.parent.mkdir(parents=True, exist_ok=True)
        FILES[name]().save(path)
        print(f"{path}: {path.stat().st_size} bytes")


main()
