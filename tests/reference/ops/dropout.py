"""Reference values of autograd/ops/dropout.h.

PyTorch draws other masks, so the mask is drawn here, by the generator's published definition: Philox4x32-10 of Salmon,
Moraes, Dror, Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", SC'11. Value and gradient are PyTorch's.
"""
import torch

from ops.forms import one_operand
from reference_file import ReferenceFile

SEED = 7  # of the tests' generator
WORD = 2**32


def philox(seed, block):
    """The four words of a block: ten rounds on the counter (block, 0, 0, 0) with the key (seed, 0)."""
    c, key = [block, 0, 0, 0], [seed, 0]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b // WORD ^ c[1] ^ key[0], b % WORD, a // WORD ^ c[3] ^ key[1], a % WORD]
        key = [(key[0] + 0x9E3779B9) % WORD, (key[1] + 0xBB67AE85) % WORD]
    return c


def kept(shape, p, first_block=0):
    """Element i is kept if the first 24 bits of word i mod 4 of block first_block + i / 4, as a fraction, reach p."""
    n = torch.Size(shape).numel()
    words = [philox(SEED, first_block + i // 4)[i % 4] for i in range(n)]
    return torch.tensor([(word >> 8) / 2**24 >= p for word in words], dtype=torch.bool).reshape(shape)


def dropped(x, p, first_block=0):
    return x * kept(x.shape, p, first_block) / (1 - p)


def make():
    file = ReferenceFile()
    for form, x in one_operand():
        for p in (0.1, 0.5, 0.9):
            file.add(f"dropout, {p}/{form}", lambda x: dropped(x, p), [x])
        for p in (0, 1):
            file.add(f"dropout, {p}/{form}", lambda x: torch.nn.functional.dropout(x, p), [x])
        evaluation = lambda x: torch.nn.functional.dropout(x, 0.5, training=False)
        file.add(f"dropout, 0.5, evaluation/{form}", evaluation, [x])
        file.add(f"dropout, 0.5, after 5 words/{form}", lambda x: dropped(x, 0.5, first_block=2), [x])
    for (form, a), (_, b) in zip(one_operand(), one_operand()):
        file.add(f"add_dropout, 0.3/{form}", lambda a, b: a + dropped(b, 0.3), [a, b])
        for p in (0, 1):
            file.add(f"add_dropout, {p}/{form}", lambda a, b: a + torch.nn.functional.dropout(b, p), [a, b])
        file.add(f"add_dropout, 0.5, evaluation/{form}", lambda a, b: a + b, [a, b])
    return file
