"""Calls that were observed, as plain data: what a draft of example calls is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pdt_annotate.values.slots import Owner

Described = Mapping[str, Any]
"""Arguments by parameter, as JSON holds them: None, flags and numbers as they are; of a tensor `{"tensor": "float32",
"shape": [2, 3]}`; `{"list": […]}`, `{"tuple": […]}`, `{"dict": [["key", …], …]}`; of all else `{"type": "str"}`."""


@dataclass(frozen=True)
class SeenCall:
    """A call of a function, with what the module that it is a method of was made with, as JSON; "" is not known."""

    owner: Owner
    call: str
    cls: str
    arguments: str
    made: str


@dataclass(frozen=True)
class ObservedCall:
    """A call of a function.

    Args:
        file: where the function stands now.
        qualname: its qualified name.
        call: what ran, for people: the id of a test, or the name of a program.
        cls: the dotted name of the class of the module that it was called on; "" for a plain function.
        arguments: what it got, without `self`.
        made: what the module was constructed with; None where that is not known.
    """

    file: str
    qualname: str
    call: str
    cls: str
    arguments: Described
    made: Described | None
