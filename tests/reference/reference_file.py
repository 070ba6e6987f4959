"""Files of reference values: what PyTorch returned for given inputs, as tests/reference/reference.h reads them.

Entries of a case are named "case/x0", "case/x1", … (inputs), "case/g0", … (cotangents, one per result),
"case/y0", … (results) and "case/dx0", … (gradients of the inputs). Inputs and cotangents are f32 (or integers, or
booleans), so that a computation in f32 starts from the same numbers as one in f64; results and gradients are f64.
The metadata gives, for each result and gradient, how far PyTorch's own f32 value is from its f64 value, unless that is
very near. A module's parameters are entries "case/w.NAME", in the order of its state dict, and their gradients
"case/dw.NAME".
"""
import copy
import json
import struct

import torch

NEAR = 1e-7  # distances up to this are not stored: no tolerance is so small
DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64", torch.bool: "BOOL"}


def save_safetensors(path, tensors, metadata=None):
    """Writes {name: tensor} in the order given; see tensor/safetensors.h for the format."""
    header, data = {}, []
    if metadata:
        header["__metadata__"] = metadata
    end = 0
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [end, end + len(raw)],
        }
        data.append(raw)
        end += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        file.writelines(data)


def load_safetensors(path):
    """{name: tensor} of a file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    dtypes = {name: dtype for dtype, name in DTYPES.items()}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = dtypes[entry["dtype"]]
        if end == begin:  # frombuffer refuses nothing
            tensors[name] = torch.empty(entry["shape"], dtype=dtype)
        else:
            tensors[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=dtype).reshape(entry["shape"])
    return tensors


def distance(got, want):
    """max |got - want| / max(1, max |want|); equal infinities and NaN beside NaN are no distance apart."""
    got, want = got.double(), want.double()
    same = (got == want) | (got.isnan() & want.isnan())
    off = torch.where(same, torch.zeros_like(want), (got - want).abs())
    if off.numel() == 0:
        return 0.0
    size = want.abs()[want.isfinite()]
    return (off.max() / max(1.0, size.max().item() if size.numel() else 0.0)).item()


class ReferenceFile:
    """Gathers cases and writes them."""

    def __init__(self):
        self.tensors, self.distances = {}, {}

    def add(self, case, f, inputs, constants=(), module=None):
        """Runs f(*inputs, *constants), or f(module, *inputs, *constants), in f64 and in f32, backward from a random
        cotangent.

        `inputs` are f32 tensors that want gradients; `constants` are integers or booleans; `module` is in f32. f
        returns a tensor or several; those that are not floating point get no cotangent.
        """
        for i, x in enumerate(inputs):
            self.put(f"{case}/x{i}", x)
        for i, n in enumerate(constants):
            self.put(f"{case}/n{i}", n)
        for name, parameter in module.named_parameters() if module else []:
            self.put(f"{case}/w.{name}", parameter)
        cotangents = {}
        double_module = copy.deepcopy(module).double() if module else None
        wide = self.run(case, f, [x.double() for x in inputs], constants, cotangents, double_module)
        narrow = self.run(case, f, list(inputs), constants, cotangents, copy.deepcopy(module))
        for i, g in cotangents.items():
            self.put(f"{case}/g{i}", g)
        for name, want in wide.items():
            self.want(name, want, narrow[name])

    def run(self, case, f, inputs, constants, cotangents, module):
        leaves = {f"x{i}": x.clone().requires_grad_() for i, x in enumerate(inputs)}
        results = f(*([module] if module else []), *leaves.values(), *constants)
        results = results if isinstance(results, (tuple, list)) else [results]
        got, roots, seeds = {}, [], []
        for i, y in enumerate(results):
            got[f"{case}/y{i}"] = y.detach()
            if y.requires_grad:
                if i not in cotangents:
                    cotangents[i] = torch.randn(y.shape)
                roots.append(y)
                seeds.append(cotangents[i].to(y.dtype))
        torch.autograd.backward(roots, seeds)
        if module:
            leaves.update((f"w.{name}", parameter) for name, parameter in module.named_parameters())
        for name, x in leaves.items():
            got[f"{case}/d{name}"] = torch.zeros_like(x) if x.grad is None else x.grad
        return got

    def put(self, name, tensor):
        """An entry that is an input."""
        assert name not in self.tensors, name
        assert tensor.dtype != torch.float64, f"{name}: inputs are f32, so that f32 and f64 start alike"
        self.tensors[name] = tensor.detach().clone()

    def want(self, name, wide, narrow):
        """An entry that is a result: its f64 value, and how far PyTorch's f32 value is from that."""
        assert name not in self.tensors, name
        self.tensors[name] = wide
        if wide.dtype == torch.float64 and distance(narrow, wide) > NEAR:
            self.distances[name] = f"{distance(narrow, wide):.3g}"

    def save(self, path):
        save_safetensors(path, self.tensors, self.distances)
