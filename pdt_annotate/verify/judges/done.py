"""What one call did, and where things are in it, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torch.utils import _pytree as pytree

from pdt_annotate.verify.judges.clones import is_size


@dataclass(frozen=True)
class Done:
    """What one call did: its answer, or what it raised.

    Args:
        passed: the arguments by what messages call them, as the call has left them.
        before: the same as they were, in containers of their own: a tensor that was changed in place is the same one.
    """

    passed: Mapping[str, Any]
    before: Mapping[str, Any]
    answer: Any = None
    error: Exception | None = None


def name_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by what messages call them."""
    return {
        **{f"argument {number}": value for number, value in enumerate(args, start=1)},
        **{f"argument `{name}`": value for name, value in kwargs.items()},
    }


def leaves_of(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is in the values and is no container, each with where it is."""
    for where, value in values.items():
        for path, leaf in pytree.tree_flatten_with_path(value, is_leaf=is_size)[0]:
            yield f"{where}{pytree.keystr(path)}", leaf
