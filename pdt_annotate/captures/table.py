"""The ways of capturing.

To add one, write its function in `ways`, a line here, its name for type checkers in `settings/options.py`, and a test.
"""

from collections.abc import Iterable, Mapping

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.capture_results import CaptureClass, Way, Wraps
from pdt_annotate.values.errors import UserError

WAYS_PACKAGE = "pdt_annotate.captures.ways"
EXPORTER = "torch.export._trace"  # the modules that most ways import, with hundreds of others, at their first capture
_OUT_OF_BOX, _IN_LOOP, _BEST_EFFORT = CaptureClass.OUT_OF_BOX, CaptureClass.HUMAN_IN_THE_LOOP, CaptureClass.BEST_EFFORT
_METHODS = Wraps.METHODS

# In the order of the table that people see.
# Why some are sound: script compiles branches and loops; dynamo checks its earlier assumptions before every call; lazy
# tensors are recorded again in every call. A trace of any kind keeps the decisions of Python in one call; torch says
# that an export that is not strict, which is its default, does not validate everything that it keeps.
WAYS = (
    Way("script", "torch.jit.script", "jit:capture_script", _IN_LOOP, sound=True),
    Way("trace", "torch.jit.trace", "jit:capture_checked", _OUT_OF_BOX, sound=False, wraps=_METHODS),
    Way("trace-adapted", "torch.jit.trace, adapted", "jit:capture_adapted", _OUT_OF_BOX, False, Wraps.ALL),
    Way("trace-mixed", "torch.jit.trace, scripted inside", "trace_mixed:capture", _IN_LOOP, sound=False),
    Way("fx", "torch.fx.symbolic_trace", "fx:capture", _IN_LOOP, sound=False, wraps=_METHODS),
    Way("compile", "torch.compile, fullgraph", "compile:capture_whole", _IN_LOOP, sound=True),
    Way("compile-breaks", "torch.compile", "compile:capture", _BEST_EFFORT, sound=True),
    Way("export", "torch.export", "fx:capture_export", _IN_LOOP, sound=False, wraps=_METHODS),
    Way("export-dynamic", "torch.export, dynamic shapes", "fx:capture_dynamic", _IN_LOOP, False, _METHODS),
    Way("make_fx", "make_fx", "fx:capture_made", _OUT_OF_BOX, sound=False),
    Way("lazy", "lazy tensors", "lazy:capture", _BEST_EFFORT, sound=True),
)
BY_NAME = {way.name: way for way in WAYS}

# By name, the ways whose graph gets smaller if it is frozen, in eval mode.
FROZEN = {
    "frozen": BY_NAME["script"],
    **{f"frozen-{name}": BY_NAME[name] for name in ("trace", "trace-adapted", "trace-mixed")},
}
GRAPHED = {**FROZEN, **BY_NAME}  # by name, the ways whose graph can be shown


def modules_of(ways: Iterable[Way]) -> tuple[str, ...]:
    """The modules that the ways need, torch's among them, to be imported once and not in the process of each way."""
    ours = dict.fromkeys(f"{WAYS_PACKAGE}.{way.made_by.partition(':')[0]}" for way in ways)
    late = ours.keys() & {f"{WAYS_PACKAGE}.{name}" for name in ("compile", "fx")}
    return (*ours, *([EXPORTER] if late else ()))


def named(texts: Iterable[str], option: str) -> tuple[Way, ...]:
    """The ways that an option names, in its order, each once; raises `UserError` for an unknown name.

    Several names may be in one text, separated by commas: ("script,trace", "export").
    """
    names = (name.strip() for text in texts for name in text.split(","))
    return tuple(dict.fromkeys(find_way(name, option) for name in names if name))


def choose(ways: Iterable[str], require: Iterable[str] = ()) -> tuple[Way, ...]:
    """The ways to try, in the order of the table: the names of `--ways`, or all, and the required ones."""
    wanted = {*(named(ways, "--ways") or WAYS), *named(require, "--require")}
    return tuple(way for way in WAYS if way in wanted)


def find_way(name: str, option: str, known: Mapping[str, Way] = BY_NAME) -> Way:
    """The known way of this name; raises `UserError` for an unknown name."""
    if name in known:
        return known[name]
    hint = did_you_mean(name, known) or f"the ways are {', '.join(known)}"
    raise UserError(f"{option}: no way of capturing is named {name!r}", hint=hint)
