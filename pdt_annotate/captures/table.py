"""The ways of capturing.

To add one, write its file in `ways`, its line here, its name for type checkers in `settings/literals.py`, and its test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.captures import CaptureClass, Way, Wraps
from pdt_annotate.values.errors import UserError

_WAYS = "pdt_annotate.captures.ways"
_OUT_OF_BOX, _IN_LOOP, _BEST_EFFORT = CaptureClass.OUT_OF_BOX, CaptureClass.HUMAN_IN_THE_LOOP, CaptureClass.BEST_EFFORT
_METHODS = Wraps.METHODS

# What is sound: script compiles branches and loops; dynamo looks again, before every call, at what it assumed of those
# before; lazy tensors are recorded anew in every call. A trace of any kind keeps what Python did in one call; of an
# export that is not strict, as it is by default, torch says that it does not validate all that is baked into it.
WAYS = (
    Way("script", "torch.jit.script", f"{_WAYS}.script:capture", _IN_LOOP, sound=True),
    Way("trace", "torch.jit.trace", f"{_WAYS}.trace:capture_checked", _OUT_OF_BOX, sound=False, wraps=_METHODS),
    Way(
        "trace-adapted",
        "torch.jit.trace, adapted",
        f"{_WAYS}.trace_adapted:capture",
        _OUT_OF_BOX,
        sound=False,
        wraps=Wraps.ALL,
    ),
    Way("trace-mixed", "torch.jit.trace, scripted inside", f"{_WAYS}.trace_mixed:capture", _IN_LOOP, sound=False),
    Way("fx", "torch.fx.symbolic_trace", f"{_WAYS}.fx:capture", _IN_LOOP, sound=False, wraps=_METHODS),
    Way("compile", "torch.compile, fullgraph", f"{_WAYS}.compile:capture_whole", _IN_LOOP, sound=True),
    Way("compile-breaks", "torch.compile", f"{_WAYS}.compile:capture", _BEST_EFFORT, sound=True),
    Way("export", "torch.export", f"{_WAYS}.export:capture", _IN_LOOP, sound=False, wraps=_METHODS),
    Way(
        "export-dynamic",
        "torch.export, dynamic shapes",
        f"{_WAYS}.export:capture_dynamic",
        _IN_LOOP,
        sound=False,
        wraps=_METHODS,
    ),
    Way("make_fx", "make_fx", f"{_WAYS}.make_fx:capture", _OUT_OF_BOX, sound=False),
    Way("lazy", "lazy tensors", f"{_WAYS}.lazy:capture", _BEST_EFFORT, sound=True),
)
"""In the order of the table that people see."""

BY_NAME = {way.name: way for way in WAYS}

FROZEN = {
    "frozen": BY_NAME["script"],
    **{f"frozen-{name}": BY_NAME[name] for name in ("trace", "trace-adapted", "trace-mixed")},
}
"""By name, the ways of which freezing leaves less, of a program in eval mode."""

GRAPHED = {**FROZEN, **BY_NAME}  # by name, the ways whose graph can be shown


def named(texts: Iterable[str], option: str) -> tuple[Way, ...]:
    """The ways that an option names, in its order, each once.

    Args:
        texts: names, several in one separated by commas: ("script,trace", "export").
        option: for the message.

    Raises:
        UserError: there is no such way.
    """
    return tuple(dict.fromkeys(_find(name, option) for name in split(texts)))


def choose(ways: Iterable[str], require: Iterable[str] = ()) -> tuple[Way, ...]:
    """The ways to try, in the order of the table: the names of `--ways`, or all, and the required ones.

    Raises:
        UserError: there is no such way.
    """
    wanted = {*(named(ways, "--ways") or WAYS), *named(require, "--require")}
    return tuple(way for way in WAYS if way in wanted)


def split(texts: Iterable[str]) -> Iterator[str]:
    """The names in the texts of an option."""
    for text in texts:
        yield from filter(None, map(str.strip, text.split(",")))


def graphed(name: str) -> Way:
    """The way whose graph is shown; raises as `named` does."""
    return _find(name, "--of", GRAPHED)


def _find(name: str, option: str, known: Mapping[str, Way] = BY_NAME) -> Way:
    if name in known:
        return known[name]
    hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
    raise UserError(f"{option}: no way of capturing is named {name!r}", hint=hint)
