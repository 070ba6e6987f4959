"""Reference values of the attentions (nn/attention.h): case "attention/mask".

The constants are the parts of a mask as autograd/mask.h has them, true = may be seen: booleans are `allowed`, integers
`key_lengths`; the form says whether it is causal too. PyTorch's masks are the other way round: true = hidden.
"""
import torch
from torch import nn, randn, tensor

from layers import randomised
from reference_file import ReferenceFile


WITH_WEIGHTS = ["no mask", "causal and padding", "boolean mask of each head", "a query sees nothing"]


class MultiHeadAttention(nn.MultiheadAttention):
    """PyTorch's, but a query that may see nothing has weights 0, and so the result out_proj.bias; PyTorch gives NaN.

    Such a query is let see everything, which is finite, and then its result and weights are replaced.
    """

    def forward(self, query, key, value, attn_mask=None, key_padding_mask=None, **options):
        hidden = torch.zeros(query.shape[0], query.shape[1], key.shape[1], dtype=torch.bool)
        if attn_mask is not None:
            hidden = hidden | attn_mask
        if key_padding_mask is not None:
            hidden = hidden | key_padding_mask[:, None]
        blind = hidden.all(-1, keepdim=True)  # [B, Tq, 1]
        mask = (hidden & ~blind).repeat_interleave(self.num_heads, 0)  # [B·H, Tq, Tk]
        y, weights = super().forward(query, key, value, attn_mask=mask, **options)
        if weights is not None:
            weights = weights.masked_fill(blind[:, None] if weights.dim() == 4 else blind, 0)
        return torch.where(blind, self.out_proj.bias, y), weights


def hidden_future(queries, keys):
    """Query i sees keys 0 .. i + (keys - queries)."""
    return torch.ones(queries, keys).tril(keys - queries) == 0


def hidden_padding(lengths, keys):
    return torch.arange(keys) >= lengths[:, None]


def masks(queries, keys):
    """Of the forms of a mask: its constants, and PyTorch's arguments for it. Batch 2, 3 heads."""
    lengths = tensor([keys, keys - 2])
    causal = {"attn_mask": hidden_future(queries, keys)}
    padding = {"key_padding_mask": hidden_padding(lengths, keys)}
    allowed = torch.rand(queries, keys) < 0.6
    allowed[:, 1] = True
    each_head = torch.rand(2, 3, queries, keys) < 0.6
    each_head[..., 2] = True
    return {
        "no mask": ([], {}),
        "causal": ([], causal),
        "padding": ([lengths], padding),
        "causal and padding": ([lengths], {**causal, **padding}),
        "boolean mask": ([allowed], {"attn_mask": ~allowed}),
        "boolean mask of each head": ([each_head], {"attn_mask": ~each_head.flatten(0, 1)}),
        "boolean mask and padding": ([allowed, lengths], {"attn_mask": ~allowed, **padding}),
    }


def blind_masks(queries, keys):
    """Masks under which some queries may see nothing."""
    allowed = torch.rand(queries, keys) < 0.6
    allowed[1] = False
    lengths = tensor([keys, 0])
    padding = {"key_padding_mask": hidden_padding(lengths, keys)}
    return {
        "a query sees nothing": ([allowed], {"attn_mask": ~allowed}),
        "a sample is padding": ([lengths], padding),
        "a sample is padding, causal": ([lengths], {"attn_mask": hidden_future(queries, keys), **padding}),
    }


def make(width=9, heads=3):
    file = ReferenceFile()

    def tokens(count):
        return randn(2, count, width)

    def add(case, inputs, keys, attention, forms):
        """`keys` says which of the inputs are query, key and value."""
        for form, (constants, arguments) in forms.items():
            module = randomised(attention(width, heads, batch_first=True))

            def attend(module, *x, **options):
                query, key, value = (x[i] for i in keys)
                return module(query, key, value, **arguments, **options)

            def output(module, *x):
                return attend(module, *x, need_weights=False)[0]

            def output_and_weights(module, *x):
                y, weights = attend(module, *x, average_attn_weights=False)
                return y, weights, attend(module, *x)[1]

            file.add(f"{case}/{form}", output, inputs, constants, module)
            if form in WITH_WEIGHTS:
                file.add(f"{case}, with weights/{form}", output_and_weights, inputs, constants, module)

    add("self-attention", [tokens(5)], (0, 0, 0), nn.MultiheadAttention, masks(5, 5))
    add("self-attention", [tokens(5)], (0, 0, 0), MultiHeadAttention, blind_masks(5, 5))
    add("cross-attention", [tokens(3), tokens(7)], (0, 1, 1), nn.MultiheadAttention, masks(3, 7))
    add("cross-attention", [tokens(3), tokens(7)], (0, 1, 1), MultiHeadAttention, blind_masks(3, 7))
    three = [tokens(3), tokens(7), tokens(7)]
    add("attention of query, key and value", three, (0, 1, 2), nn.MultiheadAttention, masks(3, 7))
    return file
