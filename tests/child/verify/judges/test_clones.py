"""Copies of arguments: what is copied, and what has an identity."""

from __future__ import annotations

import collections
import dataclasses
import enum
import threading
from typing import NamedTuple

import torch

from pdt_annotate.verify.judges.clones import clone

X = torch.tensor([1.0, 2.0])


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: torch.Tensor


@dataclasses.dataclass
class State:
    items: list[int]


class TestClone:
    def test_what_has_an_identity_is_shared(self) -> None:
        module, lock, sentinel = torch.nn.Linear(1, 1), threading.Lock(), object()
        shared = [module, lock, sentinel, State, len, self.test_what_has_an_identity_is_shared, Colour.RED, torch]
        assert all(old is new for old, new in zip(shared, clone(shared), strict=True))

    def test_classes_of_containers_stay(self) -> None:
        values = [
            Point(1, X),
            X.shape,
            collections.OrderedDict(a=X),
            collections.defaultdict(list, a=[X]),
            collections.deque([X], maxlen=2),
            torch.max(torch.ones(2, 2), 1),
            torch.nn.utils.rnn.pack_sequence([X]),
        ]
        assert [type(value) for value in clone(values)] == [type(value) for value in values]

    def test_nothing_that_a_call_does_comes_back(self) -> None:
        tensor, items, state = X.clone(), [1], State([1])
        copy, copied_items, copied_state = clone((tensor, items, state))
        copy.add_(1)
        copied_items.append(2)
        copied_state.items.append(2)
        assert torch.equal(tensor, X) and items == [1] and state == State([1])

    def test_gradients_are_asked_for_as_before(self) -> None:
        leaf = X.clone().requires_grad_()
        kept, result, plain = clone((leaf, leaf * 2, X))
        assert (kept.requires_grad, result.requires_grad, plain.requires_grad) == (True, True, False)
        assert result.is_leaf

    def test_a_generator_draws_the_same_each_time(self) -> None:
        generator = torch.Generator().manual_seed(3)
        one, two = (torch.rand(2, generator=clone(generator)) for _ in range(2))
        assert torch.equal(one, two)

    def test_what_cannot_be_copied_is_shared(self) -> None:
        class Holder:
            def __init__(self) -> None:
                self.result = X.clone().requires_grad_() * 2

        holder = Holder()
        assert clone(holder) is holder
