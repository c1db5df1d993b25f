"""The library's functions that take targets: what the command line does, with values instead of text."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pdt_annotate.flows import captures as captures_flow
from pdt_annotate.flows import from_files, from_profile, preflight
from pdt_annotate.flows import observe as observe_flow
from pdt_annotate.graphs.program import ProgramGraph
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.profiles import Profile
from pdt_annotate.settings.make_options import find_root, make_options
from pdt_annotate.settings.options import (
    BUDGET,
    TIMEOUT,
    GraphName,
    MendName,
    Options,
    ReturnsName,
    ScopeName,
    SpellingName,
    ThirdPartyName,
    WayName,
)
from pdt_annotate.values.capture_results import Captures
from pdt_annotate.values.outcome import Outcome

T = TypeVar("T")
Path = str | os.PathLike[str]


def annotate(
    targets: str | Sequence[str] = (),
    inputs: Path = "",
    *,
    args: Sequence[str] = (),
    profiles: Path | Sequence[Path] = (),
    root: Path = "",
    python: Path = "",
    scope: ScopeName = "compiled",
    returns: ReturnsName = "needed",
    spelling: SpellingName = "auto",
    third_party: ThirdPartyName = "leave",
    timeout: float = TIMEOUT,
    budget: float = BUDGET,
    probe: bool = True,
    mend: MendName = "",
    also_run: Sequence[str] = (),
    write_partial: bool = False,
) -> Outcome:
    """Run the targets on example inputs and return the verified annotations. Nothing on disk changes.

    Args:
        targets: one target or several, as on the command line: "pkg.module:Net", "path/file.py:Net.method".
        inputs: a spec file, "FILE" or "FILE:NAME".
        args: one call without a file, as with `--arg`: ["f32[2,3]", "mask=None"].
        profiles: files or directories of observed types. Without inputs nothing is run or compiled.
        root: the directory whose files may be annotated; by default the nearest project above the first target.
        python: the interpreter that runs your code, or the directory of its environment; by default this one.
        scope: "compiled" annotates functions that the compiler reads, "observed" also others that the examples ran.
        returns: "needed", "all" or "none".
        spelling: "typing" for List[int], "modern" for list[int], "auto" follows the project's configuration.
        third_party: "overlay" also annotates functions outside the root, in `outcome.overlaid`; "leave" does not.
        timeout: the time limit for each run of your code, in seconds.
        budget: the time limit for the search for annotations, in seconds.
        probe: also test generated calls, and report wrong results.
        mend: "exact", "frozen" or "all" also changes code if annotations are not enough.
        also_run: commands of the project that must also succeed with the changes.
        write_partial: if the whole fails verification, keep the changes of the largest parts that work.

    Returns:
        the changed files before and after, the annotations with their evidence, the findings, the result of the checks.

    Raises:
        UserError: the target, the spec or your code has an error.
    """
    paths = (profiles,) if isinstance(profiles, (str, os.PathLike)) else profiles
    options = _make_options(
        targets,
        inputs=inputs,
        arg=args,
        profile=paths,
        root=root,
        python=python,
        diff=True,
        scope=scope,
        returns=returns,
        spelling=spelling,
        third_party=third_party,
        timeout=timeout,
        budget=budget,
        no_probe=not probe,
        mend=mend,
        also_run=tuple(also_run),
        write_partial=write_partial,
    )
    return from_profile.annotate(options) if options.runs_nothing else _run(from_files.annotate, options)


def capture(
    targets: str | Sequence[str],
    inputs: Path = "",
    *,
    args: Sequence[str] = (),
    ways: Sequence[WayName] = (),
    root: Path = "",
    python: Path = "",
    timeout: float = TIMEOUT,
) -> tuple[Captures, ...]:
    """Capture the targets in every way, with and without annotations, and compare the results with eager mode.

    Args:
        targets: one target or several.
        inputs: a spec file, "FILE" or "FILE:NAME".
        args: one call without a file.
        ways: names of ways, as in `pdt-annotate captures --ways`; by default all.
        root: the directory of your files; by default the nearest project above the first target.
        python: the interpreter that runs your code, or the directory of its environment; by default this one.
        timeout: the time limit for each run of your code, in seconds.

    Returns:
        for each target and version, the result of every way.

    Raises:
        UserError: the target, the spec or your code has an error, or there is no such way.
    """
    options = _make_options(
        targets, inputs=inputs, arg=args, ways=tuple(ways), root=root, python=python, timeout=timeout
    )
    return _run(captures_flow.captures, options)


def observe(
    targets: str | Sequence[str],
    inputs: Path = "",
    *,
    args: Sequence[str] = (),
    root: Path = "",
    python: Path = "",
    save_profile: Path = "",
    timeout: float = TIMEOUT,
) -> Profile:
    """Run the targets on example inputs and return the observed types, for `annotate(profiles=FILE)` if they are saved.

    Args:
        targets: one target or several.
        inputs: a spec file, "FILE" or "FILE:NAME".
        args: one call without a file.
        root: the directory whose files are observed; by default the nearest project above the first target.
        python: the interpreter that runs your code, or the directory of its environment; by default this one.
        save_profile: the file for the profile.
        timeout: the time limit for each run of your code, in seconds.

    Raises:
        UserError: the target, the spec or your code has an error, or the profile cannot be saved.
    """
    options = _make_options(
        targets, inputs=inputs, arg=args, root=root, python=python, save_profile=save_profile, timeout=timeout
    )
    return _run(observe_flow.observe, options)


def graph(
    target: str,
    inputs: Path = "",
    *,
    of: GraphName = "frozen",
    call: str = "",
    args: Sequence[str] = (),
    root: Path = "",
    python: Path = "",
    timeout: float = TIMEOUT,
) -> ProgramGraph:
    """Capture a target and return its computation graph, with the shapes of one of the example calls.

    Args:
        target: as on the command line.
        inputs: a spec file, "FILE" or "FILE:NAME".
        of: the way of capturing: "script", "frozen", "trace", "fx", "export" and others that `capture` tries.
        call: the name of the call whose shapes are shown; by default the first.
        args: one call without a file.
        root: the directory of your files, whose lines are shown first; by default the nearest project above the target.
        python: the interpreter that runs your code, or the directory of its environment; by default this one.
        timeout: the time limit for each run of your code, in seconds.

    Raises:
        UserError: the target, the spec or your code has an error, or it cannot be captured in that way.
    """
    options = _make_options(
        target, inputs=inputs, of=of, call=call, arg=args, root=root, python=python, timeout=timeout
    )
    (found,) = _run(captures_flow.graph, options)
    return ProgramGraph(found, options.root)


def _run(flow: Callable[[Options, Zygote], T], options: Options) -> T:
    preflight.check(options)
    with Zygote(options.timeout, interpreter=options.interpreter) as zygote:
        return flow(options, zygote)


def _make_options(targets: str | Sequence[str], **values: Any) -> Options:
    """The options of values by the names that the command line has for them."""
    parsed = tuple(map(parse, (targets,) if isinstance(targets, str) else targets))
    return make_options(parsed, find_root(parsed), **{name: _plain(value) for name, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return tuple(map(_plain, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value
