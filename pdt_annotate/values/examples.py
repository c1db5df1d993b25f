"""Observed calls as plain data, from which example calls are drafted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pdt_annotate.values.slots import Owner

Described = Mapping[str, Any]
"""Arguments by parameter, in JSON's types. None, flags and numbers are unchanged. A tensor is `{"tensor": "float32",
"shape": [2, 3]}`, containers are `{"list": […]}`, `{"tuple": […]}` and `{"dict": [["key", …], …]}`, and everything else
is `{"type": "str"}`."""


@dataclass(frozen=True)
class SeenCall:
    """A call of a function; `arguments`, and the arguments that constructed the module (`made`), are JSON or ""."""

    owner: Owner
    call: str
    cls: str
    arguments: str
    made: str


@dataclass(frozen=True)
class ObservedCall:
    """A call of a function.

    Args:
        file: the file that defines the function now.
        call: a name for people: the id of the test, or the name of the program, that ran.
        cls: the dotted name of the class of the module that it was called on; "" for a plain function.
        arguments: its arguments without `self`.
        made: the arguments that constructed the module; None if they are not known.
    """

    file: str
    qualname: str
    call: str
    cls: str
    arguments: Described
    made: Described | None
