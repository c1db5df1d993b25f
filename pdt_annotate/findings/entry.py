"""One entry of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CatalogueEntry:
    """What the documentation says of one code.

    The example is source text with `torch`, `Tensor`, typing's names, `enum` and `dataclasses` in scope. Where a
    compiler message belongs to the code, `f` in it provokes that message.
    """

    code: str
    title: str
    meaning: str
    example: str
    advice: str
