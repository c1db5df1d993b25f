"""In which respect the arguments of two calls differ, beside sizes and ints, in words."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.captures.exporting.sizes import spelled_path
from pdt_annotate.values.exports import ConstantSeen, NestSeen, Path, Seen, TensorSeen


def difference(these: Mapping[str, Seen], those: Mapping[str, Seen]) -> str:
    """The first thing in which these differ from those; "" where sizes and ints alone do.

    >>> difference({"mask": ConstantSeen("None")}, {"mask": TensorSeen((2, 3), "torch.bool tensor")})
    '`mask` is None, not a 2-d torch.bool tensor'
    """
    for name in (*those, *(name for name in these if name not in those)):
        if name not in these:
            return f"`{name}` is not passed"
        if name not in those:
            return f"`{name}` is passed"
        found = _difference((name,), these[name], those[name])
        if found:
            return found
    return ""


def _difference(path: Path, this: Seen, that: Seen) -> str:
    if isinstance(this, NestSeen) and isinstance(that, NestSeen) and (this.kind, this.keys) == (that.kind, that.keys):
        parts = zip(this.keys, this.parts, that.parts, strict=True)
        return next(filter(None, (_difference((*path, key), a, b) for key, a, b in parts)), "")
    here, there = _told(this), _told(that)
    return f"`{spelled_path(path)}` is {here}, not {there}" if here != there else ""


def _told(seen: Seen) -> str:
    if isinstance(seen, TensorSeen):
        return f"a {len(seen.shape)}-d {seen.kind}"
    if isinstance(seen, NestSeen):
        return f"a {seen.kind} of {', '.join(map(str, seen.keys))}" if seen.kind == "dict" else _told_length(seen)
    return seen.text if isinstance(seen, ConstantSeen) else "an int"


def _told_length(seen: NestSeen) -> str:
    return f"a {seen.kind} of {len(seen.parts)}"
