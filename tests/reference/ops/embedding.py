"""Reference values of autograd/ops/embedding.h."""
import torch
from torch import randn
from torch.nn.functional import embedding

from reference_file import ReferenceFile

IDS = {
    "plain": torch.tensor([[1, 4, 2], [0, 3, 1]]),
    "same ids": torch.tensor([2, 2, 0, 2, 2, 4, 0]),
    "one id": torch.tensor(3),
    "rank 3": torch.tensor([[[0, 1], [2, 0]]]),
    "one place": torch.tensor([[2]]),
    "empty": torch.zeros(2, 0, dtype=torch.int64),
}


def make():
    file = ReferenceFile()
    for form, ids in IDS.items():
        file.add(f"embedding/{form}", lambda w, ids: embedding(ids, w), [randn(5, 3)], [ids])
        file.add(f"embedding, padding 2/{form}", lambda w, ids: embedding(ids, w, 2), [randn(5, 3)], [ids])
    long = torch.randint(0, 13, (4, 11))
    file.add("embedding/long", lambda w, ids: embedding(ids, w), [randn(13, 19)], [long])
    file.add("embedding, padding 2/long", lambda w, ids: embedding(ids, w, 2), [randn(13, 19)], [long])
    repeated = randn(5, 1).expand(5, 3)
    file.add("embedding/repeated", lambda w, ids: embedding(ids, w), [repeated], [IDS["plain"]])
    file.add("embedding/size 1", lambda w, ids: embedding(ids, w), [randn(1, 1)], [torch.tensor([[0]])])
    file.add("embedding/width 1", lambda w, ids: embedding(ids, w), [randn(5, 1)], [IDS["plain"]])
    file.add("embedding/width 0", lambda w, ids: embedding(ids, w), [randn(5, 0)], [IDS["plain"]])
    return file
