"""Reference values of optimisers, clipping (f64 and f32) and schedules (f64).

An optimiser's case has the parameters "x0", "x1", their gradients at each of 10 steps "g0", "g1", and the parameters
after each step "y0", "y1". A clipping's has gradients "x0", …, what becomes of them "y0", …, and their norm "norm". A
schedule's has the learning rates of 50 steps, "y0".
"""
import math

import torch
from torch import optim, randn, tensor
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from reference_file import ReferenceFile

OPTIMIZERS = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "SGD, weight decay": lambda p: optim.SGD(p, lr=0.1, weight_decay=0.3),
    "SGD, momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "SGD, momentum, weight decay": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.3),
    "SGD, nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "SGD, nesterov, weight decay": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.3),
    "Adam": lambda p: optim.Adam(p),
    "Adam, lr": lambda p: optim.Adam(p, lr=0.1),
    "Adam, betas": lambda p: optim.Adam(p, lr=0.1, betas=(0.5, 0.98)),
    "Adam, eps": lambda p: optim.Adam(p, lr=0.1, eps=0.1),
    "Adam, weight decay": lambda p: optim.Adam(p, lr=0.1, weight_decay=0.3),
    "AdamW": lambda p: optim.AdamW(p),
    "AdamW, lr": lambda p: optim.AdamW(p, lr=0.1),
    "AdamW, betas": lambda p: optim.AdamW(p, lr=0.1, betas=(0.5, 0.98)),
    "AdamW, eps": lambda p: optim.AdamW(p, lr=0.1, eps=0.1),
    "AdamW, weight decay": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.3),
    "AdamW, no weight decay": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0),
    # The learning rate is halved before every step.
    "SGD, nesterov, lr falls": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "AdamW, lr falls": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.3),
    # The second parameter has a gradient at odd steps only.
    "SGD, nesterov, gradients missing": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "Adam, gradients missing": lambda p: optim.Adam(p, lr=0.1),
    "AdamW, gradients missing": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.3),
}


def ten_steps(case, make, start, gradients, dtype):
    """The parameters after each step."""
    parameters = [p.to(dtype).requires_grad_() for p in start]
    optimizer = make(parameters)
    paths = [[] for _ in parameters]
    for step in range(10):
        if "lr falls" in case:
            optimizer.param_groups[0]["lr"] /= 2
        for parameter, gradient in zip(parameters, gradients):
            parameter.grad = gradient[step].to(dtype)
        if "gradients missing" in case and step % 2 == 0:
            parameters[1].grad = None
        optimizer.step()
        for path, parameter in zip(paths, parameters):
            path.append(parameter.detach().clone())
    return [torch.stack(path) for path in paths]


def add_optimizers(file):
    for case, make in OPTIMIZERS.items():
        start = [randn(3, 4), randn(5)]
        gradients = [randn(10, 3, 4), randn(10, 5)]
        gradients[0][:, 0] = 0  # as of a word that does not occur
        gradients[0][:, 1] *= 1e-7
        gradients[1][3:, 0] = 0
        for i, (p, g) in enumerate(zip(start, gradients)):
            file.put(f"{case}/x{i}", p)
            file.put(f"{case}/g{i}", g)
        wide = ten_steps(case, make, start, gradients, torch.float64)
        narrow = ten_steps(case, make, start, gradients, torch.float32)
        for i in range(len(start)):
            file.want(f"{case}/y{i}", wide[i], narrow[i])


def clipped(gradients, clip, dtype):
    """The gradients after clipping, and what clip returns."""
    parameters = [torch.zeros(g.shape, dtype=dtype, requires_grad=True) for g in gradients]
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.to(dtype, copy=True)
    result = clip(parameters)
    return [parameter.grad for parameter in parameters], result


def add_clipping(file):
    some, hundred = [randn(3, 4), randn(5), randn(2, 1, 2)], [100 * randn(3, 4), randn(5)]
    zero = [torch.zeros(3, 4), torch.zeros(5)]
    three_four = [tensor([3.0, 0.0]), tensor([4.0])]  # norm 5
    for case, gradients, limit in [
        ("clip by norm/above the limit", some, 1.5),
        ("clip by norm/far above the limit", hundred, 0.125),
        ("clip by norm/below the limit", some, 20.0),
        ("clip by norm/at the limit", three_four, 5.0),
        ("clip by norm/zero", zero, 1.0),
        ("clip by value/some above", some, 0.5),
        ("clip by value/none above", some, 20.0),
    ]:

        def clip(parameters):
            if "value" in case:
                return clip_grad_value_(parameters, limit)
            return clip_grad_norm_(parameters, limit)

        wide, norm = clipped(gradients, clip, torch.float64)
        narrow, narrow_norm = clipped(gradients, clip, torch.float32)
        file.put(f"{case}/limit", tensor(limit))
        for i, gradient in enumerate(gradients):
            file.put(f"{case}/x{i}", gradient)
            file.want(f"{case}/y{i}", wide[i], narrow[i])
        if norm is not None:
            file.want(f"{case}/norm", norm, narrow_norm)


def noam(width, warmup):
    """Vaswani et al. (2017), equation 3; PyTorch has none."""
    return lambda n: width**-0.5 * min((n + 1) ** -0.5, (n + 1) * warmup**-1.5)


# By PyTorch's count the first step is 0. A factor of lambda is one of the optimiser's lr.
SCHEDULES = {
    "constant": (0.3, lambda o: optim.lr_scheduler.ConstantLR(o, factor=1, total_iters=1)),
    "linear": (0.4, lambda o: optim.lr_scheduler.LinearLR(o, start_factor=0.25, end_factor=1, total_iters=20)),
    "linear to zero": (0.4, lambda o: optim.lr_scheduler.LinearLR(o, start_factor=1, end_factor=0, total_iters=49)),
    "step": (0.4, lambda o: optim.lr_scheduler.StepLR(o, step_size=7, gamma=0.5)),
    "step by tenths": (0.4, lambda o: optim.lr_scheduler.StepLR(o, step_size=20)),
    "cosine": (0.4, lambda o: optim.lr_scheduler.CosineAnnealingLR(o, T_max=49, eta_min=0.1)),
    # PyTorch's would rise again after its last step.
    "cosine, then constant": (
        0.4,
        lambda o: optim.lr_scheduler.LambdaLR(o, lambda n: (1 + math.cos(math.pi * min(n, 20) / 20)) / 2),
    ),
    "noam": (1.0, lambda o: optim.lr_scheduler.LambdaLR(o, noam(512, 10))),
    "noam, factor": (2.0, lambda o: optim.lr_scheduler.LambdaLR(o, noam(64, 100))),
}


def add_schedules(file):
    for case, (lr, make) in SCHEDULES.items():
        optimizer = optim.SGD([torch.zeros(1, requires_grad=True)], lr)
        schedule = make(optimizer)
        rates = []
        for _ in range(50):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        rates = tensor(rates, dtype=torch.float64)
        file.want(f"schedule, {case}/y0", rates, rates)


def make():
    file = ReferenceFile()
    add_optimizers(file)
    add_clipping(file)
    add_schedules(file)
    return file
