"""The module tree of a failing target: which parts script and answer alike, and the faults of the others.

From the target down, each part is scripted in isolation and compared with eager mode on the calls recorded for it;
parts below a sound part are not judged. Then, from the deepest unsound part up, the faults: a part itself has the
faults that remain when those of its children are left out.
"""

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any

import torch
import torch.jit._recursive

from pdt_annotate.blame.compare_parts import attempt_recorded, record, traces_alike, with_trial
from pdt_annotate.blame.faults import FaultFinder, FaultsFound
from pdt_annotate.blame.front_end import NOT_ANNOTATED, Types, is_of_torch, missing_annotations
from pdt_annotate.observers.cells import file_of_class
from pdt_annotate.observers.files import make_file_filter
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.isolation import run_isolated
from pdt_annotate.processes.child.prepared import Prepared, copy_built
from pdt_annotate.source.moves import Places
from pdt_annotate.values.budget import UNBOUNDED, Budget
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import function_of, is_a
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import NO_PLACE, Owner, Place
from pdt_annotate.values.verdicts import Answers, Fault, Part, Trial
from pdt_annotate.verify.text_judges import accept_on_purpose


def blame(
    prepared: Prepared, candidate: Candidate, trial: Trial, types: Types, annotated: Candidate
) -> tuple[Part, ...]:
    apply(candidate)
    tree = Tree(prepared, trial, types)
    tree.judge_down()
    apply(annotated)
    tree.find_faults()
    judged = [tree.parts[path] for path in tree.modules if path in tree.parts]
    below = {child for part in judged if not part.is_sound for child in tree.children[part.path]}
    unjudged = [path for path in tree.modules if path in below and path not in tree.parts]
    return (*judged, *(replace(tree.describe(path), answers=Answers.NOT_JUDGED) for path in unjudged))


def judge_paths(prepared: Prepared, candidate: Candidate, paths: Sequence[str]) -> tuple[Part, ...]:
    apply(candidate)
    tree = Tree(prepared, Trial(()), {})
    return tuple(part for group in tree.groups(paths) for part in tree.judge_group(group))


def attempt_module(prepared: Prepared, candidate: Candidate, path: str) -> Trial:
    apply(candidate)
    return Tree(prepared, Trial(()), {}).attempt([path])[0]


@dataclass
class Tree:
    """The modules of one target that are judged while there is time, except torch's own, which script."""

    prepared: Prepared
    trial: Trial
    types: Types
    parts: dict[str, Part] = field(default_factory=dict)
    budget: Budget = field(default_factory=lambda: UNBOUNDED.part("module tree"))

    @cached_property
    def modules(self) -> dict[str, Any]:
        built = self.prepared.built
        if not isinstance(built, torch.nn.Module):
            return {"": built}
        modules = dict(built.named_modules())
        names = ((path, getattr(type(each), "__jit_ignored_attributes__", ())) for path, each in modules.items())
        ignored = {f"{path}.{name}".removeprefix(".") for path, those in names for name in those}
        outside = {path for path, each in modules.items() if is_of_torch(type(each)) or _is_below(path, ignored)}
        return {path: each for path, each in modules.items() if not path or path not in outside}

    @cached_property
    def recorded(self) -> dict[str, list[Call]]:
        return record(self.prepared, self.modules) if len(self.modules) > 1 else {}

    @cached_property
    def labels(self) -> dict[str, str]:
        """By path, a label. Modules share one if they are of one type to the compiler, and so compile alike."""
        return run_isolated(_label, self.modules) or {path: path for path in self.modules}

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """By path, the nearest judged modules below."""
        found: dict[str, list[str]] = {path: [] for path in self.modules}
        for path in filter(None, self.modules):
            above = path.rpartition(".")[0]
            while above not in self.modules:
                above = above.rpartition(".")[0]
            found[above].append(path)
        return found

    def judge_down(self) -> None:
        self.parts[""] = with_trial(self.describe(""), self.trial)
        level, budget = [""], self.budget.part("judging modules")
        while level and not budget.is_spent:
            level = [child for path in level if not self.parts[path].is_sound for child in self.children[path]]
            # The module that was read last is the likeliest cause, and so comes first, in case that time is short.
            for group in sorted(self.groups(level), key=lambda group: -self.read[group[0]]):
                if not budget.is_spent:
                    self.parts.update({part.path: part for part in self.judge_group(group)})
            level = [path for path in level if path in self.parts]

    @cached_property
    def read(self) -> dict[str, int]:
        """By path, how late the compiler read a module, or one inside it, before it gave up; 0 for never."""
        late = {(each.file, each.qualname.rpartition(".")[0]): n for n, each in enumerate(self.trial.compiled, 1)}
        found = dict.fromkeys(self.modules, 0)
        for path, module in self.modules.items():
            own = max(late.get((file_of_class(cls), cls.__qualname__), 0) for cls in type(module).__mro__)
            found[path] = max(own, found[path])
            while path:
                path = path.rpartition(".")[0]
                found[path] = max(own, found.get(path, 0))
        return found

    def groups(self, paths: Sequence[str]) -> list[list[str]]:
        return list(grouped((self.labels.get(path, path), path) for path in paths).values())

    def judge_group(self, paths: Sequence[str]) -> list[Part]:
        """Modules of one type, together: all of them compile, or none does."""
        parts = [self.describe(path) for path in paths]
        trials = run_isolated(self.attempt, paths, self.prepared.built)
        if trials is None:
            return parts

        @cache
        def as_scripted() -> list[Trial]:
            return run_isolated(partial(self.attempt, as_scripted=True), paths, self.prepared.built) or trials

        numbered = enumerate(trials)  # each is asked for at once
        accepted = (accept_on_purpose(trial, lambda: as_scripted()[i]) for i, trial in numbered)  # noqa: B023
        return list(map(with_trial, parts, accepted))

    def attempt(self, paths: Sequence[str], *, as_scripted: bool = False) -> list[Trial]:
        """Compile modules of one type in this process, whose methods are read once, and compare their answers."""
        trials: list[Trial] = []
        compiled: dict[Owner, None] = {}
        eager = dict(copy_built(self.prepared).named_modules())
        for path in paths:
            calls = self.recorded.get(path, ())
            trial = attempt_recorded(self.prepared, self.modules[path], eager[path], calls, as_scripted=as_scripted)
            compiled.update(dict.fromkeys(trial.compiled))
            trials.append(replace(trial, compiled=tuple(compiled)))
        return trials

    def describe(self, path: str) -> Part:
        subject = self.modules[path]
        cls = type(subject) if isinstance(subject, torch.nn.Module) else subject
        name = getattr(cls, "__qualname__", type(cls).__qualname__)
        inside = [module for other, module in self.modules.items() if _is_below(other, {path})]
        own = dict.fromkeys(cls for module in inside for cls in type(module).__mro__ if not is_of_torch(cls))
        classes = dict.fromkeys((file_of_class(cls), cls.__qualname__) for cls in own)
        return Part(path, name, definition_of(cls), size=len(inside), classes=tuple(classes))

    def find_faults(self) -> None:
        is_ours = make_file_filter(self.prepared.root, self.prepared.third_party)
        forwards = ((path, _owner(getattr(type(each), "forward", None))) for path, each in self.modules.items())
        named = grouped((owner, name) for path, owner in forwards if path and owner for name in path.split("."))
        hunt = FaultFinder(self.types, is_ours, named)
        read: dict[str, frozenset[Owner]] = {}
        for path in reversed(self.modules):
            part = self.parts.get(path)
            if part is None or part.is_sound:
                continue
            judged = [child for child in self.children[path] if child in self.parts]
            blamed = tuple(child for child in judged if not self.parts[child].is_sound)
            part = replace(part, blamed=blamed, size=1)
            if part.scripts or self.budget.is_spent:  # no time to look for more faults
                found = FaultsFound((), frozenset(part.compiled), () if part.scripts else part.faults)
            else:
                found = hunt.search(self.modules[path], () if path else self.prepared.methods)
            read[path] = found.read
            below = frozenset().union(*(read[child] for child in blamed))
            classes = (cls for cls in type(self.modules[path]).__mro__ if not is_of_torch(cls))
            own = (found.read - below) | (
                found.read & {_owner(value) for cls in classes for value in vars(cls).values()}
            )
            if part.scripts:
                # If a child answers wrong, it causes wrong answers; a parameter without its type explains them.
                missing = [fault for owner in own if (fault := missing_annotations(owner, self.types.get(owner, ())))]
                part = replace(part, faults=(*in_order(missing), *(() if part.blamed else part.faults)))
            else:
                part = self._whose_faults(hunt, found, part, own)
            calls = self.recorded.get(path, [])
            if part.faults and calls and not self.budget.is_spent:
                module = self.modules[path]
                traces = run_isolated(partial(traces_alike, calls=calls), module, module)
                part = replace(part, calls=len(calls), traces=bool(traces))
            self.parts[path] = part

    def _whose_faults(self, hunt: FaultFinder, found: FaultsFound, part: Part, own: frozenset[Owner]) -> Part:
        """The part with its own faults; those in functions that an unsound child reads belong to the child."""
        new = [fault for fault in found.faults if fault.code != NOT_ANNOTATED]
        inside = (other for path, other in self.parts.items() if _is_below(path, {part.path}))
        below = {fault.failure.message for other in inside for fault in other.faults}
        new = [fault for fault in new if fault.owner is not None or fault.failure.message not in below]
        faults = [fault for fault in hunt.faults.values() if fault.owner in own or fault in new]
        if not faults and not part.blamed:
            faults = [*found.left]
        placed = [
            fault if fault.failure.place.file else replace(fault, failure=replace(fault.failure, place=part.place))
            for fault in faults
        ]
        return replace(part, faults=in_order(placed), hidden=bool(found.left))


def in_order(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Missing annotations first, then by place; those without a place come last."""
    by_place = sorted(faults, key=lambda fault: (not fault.failure.place.file, fault.failure.place))
    return tuple(sorted(by_place, key=lambda fault: fault.code != NOT_ANNOTATED))


def definition_of(subject: Any) -> Place:
    """The definition of a class or function; no place for one that was made at run time."""
    try:
        owner = Owner(inspect.getsourcefile(subject) or "", subject.__qualname__, inspect.findsource(subject)[1] + 1)
    except (OSError, TypeError):
        return NO_PLACE
    return Places().of(owner)


def _owner(value: Any) -> Owner | None:
    function = function_of(value.fget if is_a(value, property) else value)
    return Owner.of(function.__code__) if function else None


def _is_below(path: str, tops: set[str]) -> bool:
    return any(not top or path == top or path.startswith(f"{top}.") for top in tops)


def _label(modules: dict[str, Any]) -> dict[str, str]:
    # Aside, because torch keeps the types that it makes.
    labels: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, module in modules.items():
            try:
                labels[path] = str(id(torch.jit._recursive.get_module_concrete_type(module)))
            except Exception:  # an attribute without a type; its module will fail alone
                labels[path] = path
    return labels
