"""`torch.jit.trace` of a module in which some submodules are scripted, so that the trace bakes nothing in.

These are the submodules in which a trace bakes something in, or the nearest module around one that scripts and helps.
The result is proven: traces of the example calls are the same, and there are no warnings.
"""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.captures.capturable import AbsentError, Capturable, Captured
from pdt_annotate.captures.examine import baked_into
from pdt_annotate.captures.unsound.suspects import Trace
from pdt_annotate.captures.ways import jit
from pdt_annotate.values.capture_results import Baked
from pdt_annotate.values.errors import line_of
from pdt_annotate.values.slots import Finding

SOUND = "PDT089"


class MixError(Exception):
    """No choice of submodules makes the trace sound; the message says which was tried, and why it failed."""


def capture(subject: Capturable) -> Captured:
    """Script the parts that need it, and trace the rest; raises `MixError`."""
    paths, baked = parts_to_script(subject)
    mixed = jit.capture(replace(subject, callee=with_scripted(subject.callee, paths)))
    code = [
        f"`model.{path} = torch.jit.script(model.{path})`"
        if all(part.isidentifier() for part in path.split("."))
        else f'`model.set_submodule("{path}", torch.jit.script(model.get_submodule("{path}")))`'
        for path in paths
    ]
    message = f"with {_listed(paths)} scripted, the trace bakes nothing in: first {'; '.join(code)}; then trace `model`"
    return replace(mixed, findings=lambda: (Finding(SOUND, message, baked[0].place),))


def parts_to_script(subject: Capturable, tracing: Trace = jit.trace) -> tuple[tuple[str, ...], tuple[Baked, ...]]:
    """Return the submodules to script so that a trace bakes nothing in, and the values that it bakes in without that.

    They are the fewest and smallest: if one does not script, or its call still bakes something in, the module around it
    replaces it. Raises `MixError` if none suffice, and `AbsentError` if there is nothing to script, or no submodule.
    """
    if not isinstance(subject.callee, torch.nn.Module):
        raise AbsentError("a function has no submodules")
    baked = _baked_into(subject, tracing)
    if not baked:
        raise AbsentError("a trace bakes nothing in, so no part has to be scripted")
    paths, left, why = frozenset[str](), frozenset(each.path for each in baked), ""
    while left:
        wanted = paths | left
        paths = frozenset(path for path in wanted if not any(_is_in(path, each) for each in wanted - {path}))
        if "" in paths:
            raise MixError(f"the values that a trace bakes in come from the target itself, not from a submodule{why}")
        left, why = _left_by(subject, paths, tracing)
    return tuple(sorted(paths)), baked


def _baked_into(subject: Capturable, tracing: Trace) -> tuple[Baked, ...]:
    """The values that a trace bakes in, with paths from the module. An adapter holds the module as `module`."""
    baked = baked_into(subject, tracing)
    if tracing in (jit.trace, jit.trace_for_file):
        return baked
    return tuple(replace(each, path=each.path.removeprefix("module").removeprefix(".")) for each in baked)


def with_scripted(module: Any, paths: Sequence[str]) -> Any:
    """The module with the submodules of these paths scripted, in their place."""
    for path in paths:
        module.set_submodule(path, torch.jit.script(module.get_submodule(path)))
    return module


def _left_by(subject: Capturable, paths: frozenset[str], tracing: Trace) -> tuple[frozenset[str], str]:
    """The modules to script in addition, or instead of those in them; and why, for people."""
    for path in paths:
        try:
            torch.jit.script(subject.callee.get_submodule(path))
        except Exception as error:  # the compiler may raise anything
            return frozenset({path.rpartition(".")[0]}), f": `{path}` does not script ({line_of(error)})"
    try:
        left = _baked_into(replace(subject, renew=lambda: with_scripted(subject.renew(), sorted(paths))), tracing)
    except RuntimeError as error:  # a scripted module returns a value that the tracer cannot take, such as a number
        found = frozenset(path.rpartition(".")[0] for path in paths)
        return found, f": with {_listed(paths)} scripted it cannot be traced ({line_of(error)})"
    modules = {path: subject.callee.get_submodule(path) for path in paths}
    held = {path: [each for each in left if _lies_in(each, path, module)] for path, module in modules.items()}
    others = frozenset(each.path for each in left if not any(each in inside for inside in held.values()))
    why = f": with {_listed(paths)} scripted, {left[0].message} ({left[0].place})" if left else ""
    return others | {path.rpartition(".")[0] for path, inside in held.items() if inside}, why


def _lies_in(baked: Baked, path: str, module: torch.nn.Module) -> bool:
    """Whether something is baked in inside a module: scripted parts have no path, only lines."""
    if baked.path:
        return _is_in(baked.path, path)
    for cls in map(type, module.modules()):
        lines, first = inspect.getsourcelines(cls)
        if inspect.getsourcefile(cls) == baked.place.file and first <= baked.place.line < first + len(lines):
            return True
    return False


def _is_in(path: str, other: str) -> bool:
    """Whether a module is another or is inside it."""
    return not other or path == other or path.startswith(f"{other}.")


def _listed(paths: Iterable[str]) -> str:
    return ", ".join(f"`{path}`" for path in sorted(paths))
