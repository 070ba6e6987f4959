"""A training run of 100 steps: initial weights and batches, and the loss at each step in f64 and f32.

Entries: "run/w.NAME" the initial weights, "run/n0" sources [batches, B, T], "run/n1" targets [batches, B, T + 1],
"run/y0" the losses in f64, "run/f32" those in f32. Step n takes batch n mod batches.

The seed is one with which no input of a relu comes near 0: there a rounding decides whether the unit counts, and where
it decides otherwise in f32 the runs part for good. Of 820,000 inputs some usually do come near.
"""
import copy

import torch
from torch.nn.functional import cross_entropy

from reference_file import ReferenceFile
from translation_transformer import TranslationTransformer

STEPS, BATCHES, BATCH, LENGTH, VOCABULARY = 100, 5, 8, 8, 100
SEED, NEAR = 2, 2e-6


def watch_relus(model):
    """Afterwards model.nearest is the smallest magnitude that an input of a relu has had."""

    def watch(linear1, inputs, result):
        model.nearest = min(model.nearest, result.abs().min().item())

    model.nearest = 1
    for layer in [*model.transformer.encoder.layers, *model.transformer.decoder.layers]:
        layer.linear1.register_forward_hook(watch)


def losses(model, sources, targets):
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
    curve = []
    for step in range(STEPS):
        source, target = sources[step % BATCHES], targets[step % BATCHES]
        logits = model(source, target[:, :-1])
        loss = cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        curve.append(loss.detach())
    return torch.stack(curve)


def make():
    torch.manual_seed(SEED)
    model = TranslationTransformer(
        VOCABULARY,
        VOCABULARY,
        width=32,
        heads=2,
        encoder_layers=1,
        decoder_layers=1,
        feed_forward=64,
        max_length=LENGTH,
        positions="learned",
        tied=False,
        scaled_embeddings=False,
    )
    sources = torch.randint(1, VOCABULARY, (BATCHES, BATCH, LENGTH))
    begin = torch.zeros(BATCHES, BATCH, 1, dtype=torch.int64)
    targets = torch.cat([begin, sources.flip(-1)], -1)  # the source backwards

    file = ReferenceFile()
    for name, parameter in model.named_parameters():
        file.put(f"run/w.{name}", parameter)
    file.put("run/n0", sources)
    file.put("run/n1", targets)
    double_model = copy.deepcopy(model).double()
    watch_relus(double_model)
    wide = losses(double_model, sources, targets)
    assert double_model.nearest > NEAR, f"an input of a relu is {double_model.nearest}: take another seed"
    narrow = losses(model, sources, targets)
    file.want("run/y0", wide, narrow)
    file.put("run/f32", narrow)
    return file
