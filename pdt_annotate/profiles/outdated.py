"""Functions that lack annotations and are others than a profile has seen: changed, moved, or new since.

They are what a commit brings, so a check from a profile alone must not pass those that the compiler reads: what ran
inside `forward`, and what is called from there. That is told by names, as the source has them.
"""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pdt_annotate.profiles.digest import digest_of
from pdt_annotate.profiles.match import Matched
from pdt_annotate.profiles.present import CODE
from pdt_annotate.profiles.profile import Profile, ProfiledOwner
from pdt_annotate.profiles.record import path_from
from pdt_annotate.profiles.unseen import ProjectFiles
from pdt_annotate.source.imports import DefinitionPlace, NameResolver, dotted_name
from pdt_annotate.source.pages import Sources
from pdt_annotate.source.survey import Class, Function, read_survey
from pdt_annotate.values.slots import Finding, Owner

FORWARD, CONSTRUCTOR = "forward", "__init__"
LOCALS = "<locals>"
MOST_TARGETS = 3


@dataclass(frozen=True)
class Newer:
    """Functions without annotations that a profile knows nothing of, or no longer.

    Args:
        failing: those that the compiler reads, as far as the profile and the source tell.
        told: others that are new, in files where something ran inside `forward`.
    """

    failing: tuple[Finding, ...]
    told: tuple[Finding, ...]


def find_newer(
    profile: Profile, matched: Matched, root: str, is_wanted: Callable[[Owner], bool], *, all_that_ran: bool = False
) -> Newer:
    """Compare the functions of a profile, and what it says stood beside them, with the present source.

    Args:
        profile: of any number of runs.
        matched: what it says of the present source.
        root: the directory whose files may be annotated.
        is_wanted: which functions are asked about.
        all_that_ran: take all that ran for what the compiler reads, also where it is known what ran inside `forward`.
    """
    functions = {place for place in profile.places if place.line}
    counted = functions if all_that_ran else functions & profile.in_forward or functions
    changed = [matched.changed[place] for place in sorted(counted & matched.changed.keys())]
    files = ProjectFiles(root, matched.modules.values())
    new = _new_functions(profile, files)
    moved = list(_find_moved(sorted(counted & matched.gone), new, root))
    known = matched.owners if counted == functions else matched.in_forward
    began = [*filter(None, map(_function, known)), *(function for function, _ in (*changed, *moved))]
    told, called = _tell_new(new, began, _Calls(files)) if new else ((), ())
    found = [(function, finding) for function, finding in (*changed, *moved, *called) if is_wanted(function.owner)]
    failing = {function.owner: finding for function, finding in reversed(found)}
    others = (finding for function, finding in told if is_wanted(function.owner) and function.owner not in failing)
    return Newer(tuple(failing[owner] for owner in sorted(failing)), tuple(others))


Told = tuple[Function, Finding]


def _tell_new(
    new: Sequence[Function], began: Iterable[Function], calls: _Calls
) -> tuple[Sequence[Told], Sequence[Told]]:
    """Of each new function that it is one; those that are called from where it began apart."""
    callers = calls.reached_from(began)
    near = {caller.owner.file for caller in began}
    others = (f for f in new if f.owner not in callers and f.owner.file in near and f.node.name != CONSTRUCTOR)
    called = (f for f in new if f.owner in callers)
    return (
        [(f, _new(f, "the profile knows nothing of it")) for f in others],
        [(f, _new(f, f"`{callers[f.owner]}` leads to it, and the profile knows nothing of it")) for f in called],
    )


def _new(function: Function, what: str) -> Finding:
    return Finding(CODE, f"`{function.owner.qualname}` is new: {what}", function.place)


def _function(owner: Owner) -> Function | None:
    survey = read_survey(owner.file)
    return survey.function(owner) if survey else None


def _new_functions(profile: Profile, files: ProjectFiles) -> list[Function]:
    """Those without annotations that did not stand in the files when the profile was made; none where that is not
    known."""
    listed = {(each.path, each.qualname) for recording in profile.recordings for each in recording.unseen}
    if not listed:
        return []
    known = listed | {(place.path, place.qualname) for place in profile.places}
    return [
        function
        for survey in files.all()
        for function in survey.functions
        if function.bare and _may_be_compiled(function)
        if (path_from(files.root, survey.file), function.owner.qualname) not in known
    ]


def _may_be_compiled(function: Function) -> bool:
    """Whether it is not a kind of function that is never compiled by itself."""
    makes_values = (isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function.node))
    is_plain = isinstance(function.node, ast.FunctionDef) and not any(makes_values)
    return is_plain and LOCALS not in function.owner.qualname


def _find_moved(places: Sequence[ProfiledOwner], new: Sequence[Function], root: str) -> Iterator[Told]:
    """Where functions are now that have another name or file, and are otherwise what they were."""
    words = {f"def {place.qualname.rpartition('.')[2]}(" for place in places}
    pages = Sources(root).pages_with(words) if places else ()
    surveys = (read_survey(page.file) for page in pages if page.file.endswith(".py"))
    elsewhere = chain.from_iterable(survey.functions for survey in surveys if survey)
    candidates = {function.owner: function for function in (*elsewhere, *new) if function.bare}
    for place in places:
        name = place.qualname.rpartition(".")[2]
        for function in candidates.values():
            if _digest_as(name, function) == place.digest:
                message = f"`{place.qualname}` of {place.path} is here now: what was seen there is not used"
                yield function, Finding(CODE, message, function.place)


def _digest_as(name: str, function: Function) -> str:
    """The digest that a function would have by another name."""
    node = copy.copy(function.node)
    node.name = name
    return digest_of(node)


class _Calls:
    """Which functions lead to which others, by the names in their source."""

    def __init__(self, files: ProjectFiles) -> None:
        self.names = NameResolver(files)

    def reached_from(self, functions: Iterable[Function]) -> dict[Owner, str]:
        """What is called from functions, and from that, and so on; each with the name of what leads to it."""
        found: dict[Owner, str] = {}
        pending = list(functions)
        begun = {function.owner for function in pending}
        while pending:
            caller = pending.pop()
            for function in self._called_by(caller):
                if function.owner not in begun:
                    begun.add(function.owner)
                    found[function.owner] = caller.owner.qualname
                    pending.append(function)
        return found

    def _called_by(self, caller: Function) -> Iterator[Function]:
        """What a function calls by name; of the modules that its class mentions, `forward`, which a call runs."""
        family = self._family(caller)
        for node in ast.walk(caller.node):
            if isinstance(node, ast.Call):
                yield from self._meant(caller, dotted_name(node.func), family)
        if caller.in_class:
            yield from _methods(family, FORWARD)

    def _meant(self, caller: Function, dotted: str, family: Sequence[Class]) -> Iterator[Function]:
        """What a dotted name that is called may be: a function, a class, or a method of one that is mentioned."""
        place = self.names.find(caller.owner.file, dotted) if dotted else None
        cls = _class_at(place)
        if cls is not None:
            yield from () if list(_methods([cls], FORWARD)) else _methods([cls], CONSTRUCTOR)
        elif place is not None:
            yield from _functions_at(place)
        elif "." in dotted:
            yield from _methods(family, dotted.rpartition(".")[2])

    def _family(self, function: Function) -> list[Class]:
        """The class of a method with its bases, and all classes that they or the function mention."""
        own = _class_at(DefinitionPlace(function.owner.file, function.in_class)) if function.in_class else None
        found: dict[Owner, Class] = {}
        pending = [own] if own else []
        while pending:
            cls = pending.pop()
            found[cls.owner] = cls
            bases = (_class_at(self.names.find(cls.owner.file, base)) for base in cls.bases)
            pending += [base for base in bases if base and base.owner not in found]
        nodes = [(function.owner.file, function.node), *((cls.owner.file, cls.node) for cls in found.values())]
        mentioned = (cls for file, node in nodes for cls in self._mentioned(file, node))
        return list({cls.owner: cls for cls in (*found.values(), *mentioned)}.values())

    def _mentioned(self, file: str, node: ast.AST) -> Iterator[Class]:
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Name, ast.Attribute)) and (dotted := dotted_name(inner)):
                cls = _class_at(self.names.find(file, dotted))
                yield from [cls] if cls else []


def _class_at(place: DefinitionPlace | None) -> Class | None:
    survey = read_survey(place.file) if place else None
    return survey.class_named(place.qualname) if survey and place else None


def _functions_at(place: DefinitionPlace) -> Iterator[Function]:
    survey = read_survey(place.file)
    yield from (f for f in (survey.functions if survey else ()) if f.owner.qualname == place.qualname)


def _methods(classes: Iterable[Class], name: str) -> Iterator[Function]:
    """The methods of a name that classes define themselves."""
    for cls in classes:
        yield from _functions_at(DefinitionPlace(cls.owner.file, f"{cls.owner.qualname}.{name}"))


def renewal(profile: Profile, paths: Sequence[str]) -> str:
    """The command that makes a profile anew, as far as it is known: a profile has the names of what ran.

    What else was given for it (the example calls, the arguments of a program) stands as an ellipsis.

    Args:
        profile: what was read.
        paths: from where.
    """
    labels = sorted({recording.label for recording in profile.recordings} - {""})
    programs = [label for label in labels if ":" not in label]
    file = os.path.relpath(paths[0]) if len(paths) == 1 and not os.path.isdir(paths[0]) else "FILE"
    if programs:
        return f"pdt-annotate run --save-profile {file} -- {programs[0]} …"
    targets = labels if len(labels) <= MOST_TARGETS else []
    return " ".join(["pdt-annotate observe", *(targets or ["TARGET"]), "-i … --save-profile", file])
