"""The judges of mends that need no compiler: undoing them restores the files, public names stay, and calls still fit.

The calls are those in the project to functions whose parameters a mend has changed.
"""

import ast
from collections.abc import Iterator
from inspect import Parameter, Signature

from pdt_annotate.mends.mended import Mended
from pdt_annotate.source.call_sites import INIT, CallSites
from pdt_annotate.source.definitions import Function, ParameterKind
from pdt_annotate.source.project import Project
from pdt_annotate.source.scopes import defined_names
from pdt_annotate.values.slots import Place
from pdt_annotate.values.verdicts import CALLS, PUBLIC, UNDONE, Failure, Verdict

KINDS = dict(zip(ParameterKind, type(Parameter.KEYWORD_ONLY), strict=True))  # type: ignore[call-overload]


def judge_mends(mended: Mended) -> tuple[Verdict, ...]:
    judges = {UNDONE: _changed_for_good, PUBLIC: _lost_names, CALLS: _unfit_calls}
    return tuple(
        Verdict(name, failure is None, failure)
        for name, judge in judges.items()
        for failure in [next(judge(mended), None)]
    )


def _changed_for_good(mended: Mended) -> Iterator[Failure]:
    """The files that differ from those on disk after every mend is undone."""
    undone = mended.without(mended.mends)
    for file, stack in undone.stacks.items():
        if stack.source != mended.disk.source(file):
            yield Failure("undoing the code changes does not restore the original source", place=Place(file))


def _lost_names(mended: Mended) -> Iterator[Failure]:
    """The names at the top of a module, and in its classes, that the mends have taken away."""
    for file in mended.sources:
        before, after = (set(defined_names(each.read(file).tree)) for each in (mended.disk, mended.project))
        for name in sorted(before - after):
            yield Failure(f"the code changes remove `{name}`", place=Place(file))


def _unfit_calls(mended: Mended) -> Iterator[Failure]:
    """The calls in the project that fitted a function before its parameters were changed, and fit no longer."""
    project = mended.project
    for file in mended.sources:
        for function in mended.disk.read(file).functions:
            now = project.read(file).function_named(function.owner.qualname)
            if now is None or ast.dump(now.node.args) == ast.dump(function.node.args):
                continue
            if _unfit(project, now) > _unfit(mended.disk, function):
                yield Failure(f"a call of `{function.owner.qualname}` no longer matches its signature", place=now.place)


def _unfit(project: Project, function: Function) -> int:
    """How many calls in the project may mean a function and do not fit it."""
    name = function.node.name
    files = project.calling(function.in_class.rpartition(".")[2] if name == INIT else name)
    sites = CallSites(project)
    sites.read(sorted(file for file in files if project.is_own(file) and project.module(file)))
    return sum(not _takes(function, place.call) for place in sites.naming(function))


def _takes(function: Function, call: ast.Call) -> bool:
    """Whether a function takes the arguments of a call; a call that unpacks arguments is assumed to fit."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        return True
    parameters = [Parameter(p.name, KINDS[p.kind], default=p.value or Parameter.empty) for p in function.parameters]
    try:
        Signature(parameters).bind(*call.args, **{each.arg: each.value for each in call.keywords if each.arg})
    except TypeError:
        return False
    return True
