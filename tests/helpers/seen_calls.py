"""Recorded calls, for tests of the code that is made from them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pdt_annotate.captures.exporting.export_plan import ExportPlan, Wishes, make_plan
from pdt_annotate.values.exports import Building, CallSeen, Exportable, FileImport, NamedParameter, Seen, TensorSeen

BUILDING = Building((FileImport("model", "Net"),), (), "Net()")


def tensor(*shape: int, dtype: str = "float32") -> TensorSeen:
    return TensorSeen(shape, f"torch.{dtype} tensor")


def call(number: int, by_position: Iterable[str] = (), *, held_back: bool = False, **arguments: Seen) -> CallSeen:
    return replace(numbered(number, arguments, by_position), held_back=held_back)


def numbered(number: int, arguments: Mapping[str, Seen], by_position: Iterable[str]) -> CallSeen:
    return CallSeen(number, f"call {number + 1}", arguments, frozenset(by_position))


def of(**arguments: Seen) -> Mapping[str, Seen]:
    """The arguments of one call."""
    return arguments


def calls_of(*each: Mapping[str, Seen]) -> tuple[CallSeen, ...]:
    """Calls with positional arguments, numbered in order."""
    return tuple(numbered(number, arguments, arguments) for number, arguments in enumerate(each))


def exportable(calls: Iterable[CallSeen], *parameters: NamedParameter) -> Exportable:
    """A target with these calls. Without `parameters`, it has the parameters that the calls pass, without defaults."""
    calls = tuple(calls)
    names = dict.fromkeys(name for each in calls for name in each.arguments)
    return Exportable(BUILDING, parameters or tuple(map(NamedParameter, names)), calls, "2.13.0")


def plan_of(calls: Iterable[CallSeen], *parameters: NamedParameter, wishes: Wishes | None = None) -> ExportPlan:
    plan = make_plan(exportable(calls, *parameters), wishes or Wishes())
    assert plan is not None
    return plan
