"""Reference values of autograd/ops/losses.h."""
import torch
from torch import inf, randint, randn
from torch.nn.functional import cross_entropy, mse_loss

from ops.forms import numbers
from reference_file import ReferenceFile


def make():
    file = ReferenceFile()
    for reduction in ("none", "sum", "mean"):
        for smoothing in (0, 0.1, 0.3, 1):
            add_cross_entropy(file, reduction, smoothing)
        add_mse(file, reduction)
    return file


def add_cross_entropy(file, reduction, smoothing):
    def add(form, logits, targets, ignored=-100):
        """PyTorch wants the classes on axis 1, so the axes before them are made one."""

        def f(logits, targets):
            y = cross_entropy(
                logits.reshape(-1, logits.shape[-1]),
                targets.reshape(-1),
                reduction=reduction,
                ignore_index=ignored,
                label_smoothing=smoothing,
            )
            return y.reshape(targets.shape) if reduction == "none" else y

        key = f"cross_entropy, {reduction}, smoothing {smoothing}, ignoring {ignored}"
        file.add(f"{key}/{form}", f, [logits], [targets])

    add("[N, V]", randn(6, 5), randint(0, 5, (6,)))
    add("[B, T, V]", randn(2, 3, 5), randint(0, 5, (2, 3)))
    add("[V]", randn(5), torch.tensor(2))
    add("one class", randn(3, 1), torch.zeros(3, dtype=torch.int64))
    add("size 1", randn(1, 1), torch.tensor([0]))
    add("long", 3 * randn(5, 67), randint(0, 67, (5,)))
    add("repeated", randn(2, 1, 5).expand(2, 3, 5), torch.tensor([[4], [1]]).expand(2, 3))
    add("large logits", numbers((1e4, -1e4, 9999), (100, 0, -100)), torch.tensor([1, 0]))
    if smoothing == 0:  # with smoothing the loss is infinite
        impossible = numbers((-inf, 0, 1), (2, -inf, -inf))
        add("classes of -infinity", impossible, torch.tensor([2, 0]))
    some_ignored = torch.tensor([[3, -100, 1], [-100, 0, -100]])
    add("some ignored", randn(2, 3, 5), some_ignored)
    add("class ignored", randn(2, 3, 5), some_ignored.clamp(min=0), ignored=0)
    add("other number ignored", randn(2, 3, 5), some_ignored.clamp(min=-1), ignored=-1)
    # The mean over nothing is NaN in PyTorch, 0 here, with gradients of 0: a batch of padding changes nothing.
    if reduction != "mean":
        add("all ignored", randn(2, 5), torch.tensor([-100, -100]))
        add("no items", randn(0, 5), torch.zeros(0, dtype=torch.int64))


def add_mse(file, reduction):
    f = lambda x, target: mse_loss(x, target, reduction=reduction)
    for form, shape in [("plain", (2, 3, 4)), ("long", (3, 67)), ("size 1", (1, 1)), ("scalar", ()), ("empty", (2, 0))]:
        file.add(f"mse_loss, {reduction}/{form}", f, [randn(shape), randn(shape)])
    repeated = [randn(2, 1).expand(2, 3), randn(1, 3).expand(2, 3)]
    file.add(f"mse_loss, {reduction}/repeated", f, repeated)
