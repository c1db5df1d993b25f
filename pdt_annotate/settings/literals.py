"""The values of settings that have only a few, as types for who calls the library: a checker refuses others."""

from __future__ import annotations

from typing import Literal, TypeAlias

MendName: TypeAlias = Literal["", "exact", "frozen", "all"]
ScopeName: TypeAlias = Literal["compiled", "observed"]
ReturnsName: TypeAlias = Literal["needed", "all", "none"]
SpellingName: TypeAlias = Literal["auto", "typing", "modern"]
ThirdPartyName: TypeAlias = Literal["leave", "overlay"]

WayName: TypeAlias = Literal[
    "script",
    "trace",
    "trace-adapted",
    "trace-mixed",
    "fx",
    "compile",
    "compile-breaks",
    "export",
    "export-dynamic",
    "make_fx",
    "lazy",
]
"""The ways of capturing."""

GraphName: TypeAlias = WayName | Literal["frozen", "frozen-trace", "frozen-trace-adapted", "frozen-trace-mixed"]
"""What a graph can be made of."""
