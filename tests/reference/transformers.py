"""Reference values of nn/transformer_layer.h and nn/transformer.h: case "module, norm, activation/masks".

The constants are, true = may be seen, the source's or memory's mask and then the target's: integers are `key_lengths`,
booleans `allowed`; "causal" in the form means the target (in an encoder: the source).

All modules are in training mode, without dropout: in evaluation PyTorch takes another path, which zeroes the positions
that are padding.
"""
from torch import nn, randn, rand, tensor

from attention import MultiHeadAttention, hidden_future, hidden_padding
from layers import randomised
from reference_file import ReferenceFile

WIDTH, HEADS, SOURCE, TARGET = 8, 2, 5, 3
VARIANTS = {
    f"{norm}-norm, {activation}": dict(
        dim_feedforward=10, dropout=0, activation=activation, norm_first=norm == "pre", batch_first=True
    )
    for norm in ("pre", "post")
    for activation in ("relu", "gelu")
}
FUTURE = hidden_future(TARGET, TARGET)


def seeing_nothing(module):
    """Lets queries of the module's attentions see nothing, which gives NaN otherwise."""
    for child in module.modules():
        if isinstance(child, nn.MultiheadAttention):
            child.__class__ = MultiHeadAttention
    return module


def add(file, case, module, inputs, forms, for_all):
    """`forms` gives constants, and PyTorch's arguments; see the top of the file. Every variant gets those `for_all`."""
    for form, (constants, masks) in forms.items():
        if form not in for_all and "pre-norm, relu" not in case:
            continue
        if "nothing" in form:
            module = seeing_nothing(module)

        def run(module, *x):
            return module(*x[: len(inputs)], **masks)

        file.add(f"{case}/{form}", run, inputs, constants, randomised(module))


def add_encoders(file):
    lengths, empty = tensor([SOURCE, 2]), tensor([SOURCE, 0])
    future = hidden_future(SOURCE, SOURCE)
    padding = {"src_key_padding_mask": hidden_padding(lengths, SOURCE)}
    forms = {
        "no mask": ([], {}),
        "causal": ([], {"src_mask": future}),
        "padding": ([lengths], padding),
        "causal and padding": ([lengths], {"src_mask": future, **padding}),
        "a sample sees nothing": ([empty], {"src_key_padding_mask": hidden_padding(empty, SOURCE)}),
    }
    stack_forms = {"causal": ([], {"mask": future}), "padding": ([lengths], padding)}
    x = randn(2, SOURCE, WIDTH)
    for variant, options in VARIANTS.items():
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, **options)
        add(file, f"encoder layer, {variant}", layer, [x], forms, ["causal and padding", "a sample sees nothing"])
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, **options)
        stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(WIDTH))
        add(file, f"encoder, {variant}", stack, [x], stack_forms, ["padding"])
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, layer_norm_eps=0.1, **VARIANTS["pre-norm, relu"])
    add(file, "encoder layer, eps 0.1", layer, [x], forms, ["no mask"])


def add_decoders(file):
    memory_lengths, target_lengths, empty = tensor([4, SOURCE]), tensor([TARGET, 2]), tensor([SOURCE, 0])
    seen = rand(TARGET, SOURCE) < 0.6
    seen[:, 1] = True
    causal = {"tgt_mask": FUTURE}
    memory_padding = {"memory_key_padding_mask": hidden_padding(memory_lengths, SOURCE)}
    target_padding = {"tgt_key_padding_mask": hidden_padding(target_lengths, TARGET)}
    forms = {
        "no mask": ([], {}),
        "causal": ([], causal),
        "causal, padding in memory": ([memory_lengths], {**causal, **memory_padding}),
        "causal, padding in both": ([memory_lengths, target_lengths], {**causal, **memory_padding, **target_padding}),
        "causal, boolean mask of memory": ([seen], {**causal, "memory_mask": ~seen}),
        "causal, nothing seen of a memory": (
            [empty],
            {**causal, "memory_key_padding_mask": hidden_padding(empty, SOURCE)},
        ),
    }
    for_all = ["causal, padding in both"]
    inputs = [randn(2, TARGET, WIDTH), randn(2, SOURCE, WIDTH)]
    for variant, options in VARIANTS.items():
        layer = nn.TransformerDecoderLayer(WIDTH, HEADS, **options)
        add(file, f"decoder layer, {variant}", layer, inputs, forms, for_all)
        layer = nn.TransformerDecoderLayer(WIDTH, HEADS, **options)
        stack = nn.TransformerDecoder(layer, 2, nn.LayerNorm(WIDTH))
        add(file, f"decoder, {variant}", stack, inputs, {form: forms[form] for form in for_all}, for_all)


def add_transformers(file):
    source_lengths, target_lengths = tensor([4, SOURCE]), tensor([TARGET, 2])
    causal = {"tgt_mask": FUTURE}
    source_padding = {
        name: hidden_padding(source_lengths, SOURCE) for name in ("src_key_padding_mask", "memory_key_padding_mask")
    }
    target_padding = {"tgt_key_padding_mask": hidden_padding(target_lengths, TARGET)}
    forms = {
        "causal": ([], causal),
        "causal, padding": ([source_lengths, target_lengths], {**causal, **source_padding, **target_padding}),
    }
    inputs = [randn(2, SOURCE, WIDTH), randn(2, TARGET, WIDTH)]
    for variant, options in VARIANTS.items():
        module = nn.Transformer(WIDTH, HEADS, num_encoder_layers=1, num_decoder_layers=2, **options)
        add(file, f"transformer, {variant}", module, inputs, forms, ["causal, padding"])


def make():
    file = ReferenceFile()
    add_encoders(file)
    add_decoders(file)
    add_transformers(file)
    return file
