"""The judges of mends that need no compiler: undone, they leave files as they were; public names stay; calls fit.

These are the calls that the project makes of functions whose parameters a mend has changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.search.mend.make import Mended
from pdt_annotate.source.call_sites import CallSites
from pdt_annotate.source.imports import defined_in
from pdt_annotate.source.survey import Function
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Failure, Verdict

UNDONE = "undone"
PUBLIC = "public names"
CALLS = "calls fit"


def judge_mends(mended: Mended) -> tuple[Verdict, ...]:
    """What each of them says of the mends."""
    judges = {UNDONE: _changed_for_good, PUBLIC: _lost_names, CALLS: _unfit_calls}
    return tuple(
        Verdict(name, failure is None, failure)
        for name, judge in judges.items()
        for failure in [next(judge(mended), None)]
    )


def _changed_for_good(mended: Mended) -> Iterator[Failure]:
    """The files that are not what they were, once every mend is undone."""
    undone = mended.without(mended.mends)
    for file, weave in undone.weaves.items():
        if weave.source != mended.disk.source(file):
            yield Failure("undone, the mends leave another source", place=Place(file))


def _lost_names(mended: Mended) -> Iterator[Failure]:
    """The names at the top of a module, and in its classes, that the mends have taken away."""
    for file, source in mended.sources.items():
        before, after = (set(_names(ast.parse(each))) for each in (mended.disk.source(file), source))
        for name in sorted(before - after):
            yield Failure(f"the mends take `{name}` away", place=Place(file))


def _names(tree: ast.Module) -> Iterator[str]:
    for name, node in defined_in(tree).items():
        yield name
        if isinstance(node, ast.ClassDef):
            yield from (f"{name}.{inner}" for inner in defined_in(ast.Module(node.body, [])))


def _unfit_calls(mended: Mended) -> Iterator[Failure]:
    """The calls in the project that fitted a function before its parameters were changed, and fit no longer."""
    old, new = CallSites(mended.disk), CallSites(mended.project)
    files = sorted(file for file in mended.disk.modules.values() if mended.disk.is_own(file))
    for sites in (old, new):
        sites.read(file for file in files if sites.project.page(file))
    for file in mended.sources:
        after = {each.owner.qualname: each for each in mended.project.survey(file).functions}
        for function in mended.disk.survey(file).functions:
            now = after.get(function.owner.qualname)
            if now is not None and _parameters(now) != _parameters(function):
                fitted, fitting = (len(sites.places_of(each)) for sites, each in ((old, function), (new, now)))
                if fitting < fitted:
                    yield Failure(f"a call of `{function.owner.qualname}` fits no longer", place=function.place)


def _parameters(function: Function) -> tuple[tuple[str, object, bool], ...]:
    return tuple((each.name, each.kind, each.has_default) for each in function.parameters)
