"""nn::TranslationTransformer in PyTorch, with its names, so that its weights load by name; see docs/weights.md."""
import math

import torch
from torch import nn


class TranslationTransformer(nn.Module):
    def __init__(
        self,
        source_vocabulary,
        target_vocabulary,
        width=128,
        heads=4,
        encoder_layers=2,
        decoder_layers=2,
        feed_forward=512,
        max_length=512,
        positions="sinusoidal",
        dropout=0.0,
        activation="relu",
        norm_first=True,
        tied=True,
        scaled_embeddings=True,
    ):
        super().__init__()
        self.source_embedding = nn.Embedding(source_vocabulary, width)
        self.target_embedding = nn.Embedding(target_vocabulary, width)
        if positions == "learned":
            self.positions = nn.Embedding(max_length, width)
        else:
            self.register_buffer("sinusoids", sinusoidal_positions(max_length, width), persistent=False)
        self.transformer = nn.Transformer(
            width, heads, encoder_layers, decoder_layers, feed_forward, dropout, activation,
            norm_first=norm_first, batch_first=True,
        )  # fmt: skip
        self.output = nn.Linear(width, target_vocabulary)
        if tied:
            self.output.weight = self.target_embedding.weight
        self.learned = positions == "learned"
        self.scale = math.sqrt(width) if scaled_embeddings else 1

    def forward(self, source, target_in, source_lengths=None):
        """Logits [B, Tt, V] of ids [B, Ts] and [B, Tt]; the source's lengths are [B]."""
        hidden = None  # PyTorch's masks: true = hidden
        if source_lengths is not None:
            hidden = torch.arange(source.shape[1]) >= source_lengths[:, None]
        future = torch.ones(target_in.shape[1], target_in.shape[1]).tril() == 0
        return self.output(
            self.transformer(
                self.embed(self.source_embedding, source),
                self.embed(self.target_embedding, target_in),
                tgt_mask=future,
                src_key_padding_mask=hidden,
                memory_key_padding_mask=hidden,
            )
        )

    def embed(self, table, ids):
        x = table(ids) * self.scale
        positions = self.positions.weight if self.learned else self.sinusoids
        return x + positions[: ids.shape[1]].to(x.dtype)


def sinusoidal_positions(length, width):
    column = torch.arange(width)
    exponent = (column - column % 2).double() / width
    angle = torch.arange(length).double()[:, None] / 10000**exponent
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())
