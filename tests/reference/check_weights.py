#!/usr/bin/python3
"""Loads weights that Lectern wrote into PyTorch and stores what PyTorch makes of them, for weights_test.cpp.

Run by hand after the files have been written:

    build/release/bin/write_weights tests/reference/data
    /usr/bin/python3 tests/reference/check_weights.py

load_state_dict(strict=True) refuses a file with a name too many, too few or of another shape. The outputs' files hold
the parameters as PyTorch has them after loading.
"""
import pathlib

import torch
from torch import tensor

from reference_file import ReferenceFile, load_safetensors
from translation_transformer import TranslationTransformer
from weights import add_output, small_transformer

DATA = pathlib.Path(__file__).parent / "data"


def loaded(module, name):
    weights = load_safetensors(DATA / f"{name}.safetensors")
    if isinstance(module, TranslationTransformer):
        weights["output.weight"] = weights["target_embedding.weight"]  # tied: PyTorch lists both, Lectern one
    module.load_state_dict(weights, strict=True)
    print(f"{name}.safetensors: all {len(weights)} entries loaded")
    return module


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)

    file = ReferenceFile()
    add_output(file, loaded(small_transformer(), "lectern_transformer"))
    file.save(DATA / "lectern_transformer_output.safetensors")

    file = ReferenceFile()
    model = TranslationTransformer(11, 13, width=8, heads=2, encoder_layers=1, decoder_layers=2, feed_forward=12)
    source, target = tensor([[4, 10, 3, 7, 2], [5, 1, 2, 0, 0]]), tensor([[1, 4, 12], [1, 6, 0]])
    file.add(
        "output/lengths",
        lambda model, *ids: model(*ids),
        [],
        [source, target, tensor([5, 3])],
        loaded(model, "lectern_translation"),
    )
    file.save(DATA / "lectern_translation_output.safetensors")


main()
