"""Functions that lack annotations and are others than a profile has seen: changed, or new since.

They are what a commit brings, so a check from a profile alone must not pass those that the compiler reads: what ran
inside `forward`, and what is called from there. That is known by names, as the source has them. What is new is known
because a profile that is complete lists what else its files held, and the files that these import from the project.
They are read when a profile is made complete, not in the processes that are observed.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.profiles.match import Matched
from pdt_annotate.profiles.present import CODE
from pdt_annotate.profiles.profile import Profile, Unseen
from pdt_annotate.profiles.record import path_from
from pdt_annotate.source.imports import dotted_name, imports_of
from pdt_annotate.source.pages import Page, import_folder
from pdt_annotate.source.survey import Class, Definition, Function, Survey, read_survey
from pdt_annotate.values.installed import is_own
from pdt_annotate.values.slots import Finding, Owner

FORWARD, CONSTRUCTOR = "forward", "__init__"
LOCALS = "<locals>"
MOST_TARGETS = 3


def project_files(root: str, files: Iterable[str]) -> list[Survey]:
    """Files, what they import from the project, and so on, whatever the import path of this process.

    Args:
        root: the directory below which the project's files are.
        files: those to begin with; others are found from the folders that they are imported from.
    """
    root, pending = os.path.realpath(root), list(files)
    folders = tuple(dict.fromkeys((*map(str, map(import_folder, pending)), root, os.path.join(root, "src"))))
    found: dict[str, Survey] = {}
    while pending:
        file = pending.pop()
        survey = None if file in found else read_survey(file)
        if survey is not None:
            found[file] = survey
            beside = (os.path.dirname(file), *folders)
            imported = imports_of(Page(file, survey.tree)).values()
            names = [name for each in imported for name in (each.module, f"{each.module}.{each.name}")]
            pending += (each for each in (_file_of(name, beside) for name in names) if each and is_own(each, root))
    return [found[file] for file in sorted(found)]


def _file_of(module: str, folders: Iterable[str]) -> str:
    """The source file of a dotted module in the first folder that has it, "" where none has."""
    path = os.path.join(*module.split("."))
    files = (os.path.join(folder, name) for folder in folders for name in (f"{path}.py", f"{path}/__init__.py"))
    return next(filter(os.path.isfile, files), "")


def list_unseen(profile: Profile, root: str) -> Profile:
    """The profile with the other definitions in the files of each run, as they are now."""
    recordings = []
    for recording in profile.recordings:
        seen = {(sighting.place.path, sighting.place.qualname) for sighting in recording.sightings}
        unseen: list[Unseen] = []
        for survey in project_files(root, (os.path.join(root, source.path) for source in recording.sources)):
            path = path_from(os.path.realpath(root), survey.file)
            names = {function.owner.qualname for function in survey.functions}
            unseen += [Unseen(path), *(Unseen(path, name) for name in sorted(names) if (path, name) not in seen)]
        recordings.append(replace(recording, unseen=tuple(unseen)))
    return Profile(tuple(recordings))


@dataclass(frozen=True)
class Newer:
    """Functions without annotations that a profile knows nothing of, or no longer.

    Args:
        failing: those that the compiler reads, as far as the profile and the source tell, each new `forward` in files
            where something ran inside one, and files that are gone.
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
    known = matched.owners if counted == functions else matched.in_forward
    failing = {Owner(os.path.join(root, p.path), "", 0): f for p in counted if (f := matched.missing.get(p.path))}
    changed = [matched.changed[place] for place in sorted(counted & matched.changed.keys())]
    failing |= {function.owner: finding for function, finding in changed}
    here = [(survey, owner) for owner in known if (survey := read_survey(owner.file))]
    began = [function for survey, owner in here if (function := survey.function(owner))]
    began += [function for function, _ in changed]
    surveys = project_files(root, matched.modules.values())
    new = list(_new_functions(profile, surveys, os.path.realpath(root)))
    callers = _callers(began, new, surveys) if new else {}
    near = {function.owner.file for function in began} | {owner.file for owner in callers}
    told: dict[Owner, Finding] = {}
    for function in new:
        owner = function.owner
        if owner in callers:
            failing[owner] = _new(function, f"`{callers[owner]}` leads to it, and the profile knows nothing of it")
        elif owner.file in near and function.node.name != CONSTRUCTOR:
            found = failing if function.receiver and function.node.name == FORWARD else told
            found[owner] = _new(function, "the profile knows nothing of it")
    return Newer(*(tuple(found[owner] for owner in sorted(found) if is_wanted(owner)) for found in (failing, told)))


def _new(function: Function, what: str) -> Finding:
    return Finding(CODE, f"`{function.owner.qualname}` is new: {what}", function.place)


def _new_functions(profile: Profile, surveys: Iterable[Survey], root: str) -> Iterator[Function]:
    """Those without annotations that did not stand in the files when the profile was made; none where that is not
    known."""
    listed = {(each.path, each.qualname) for recording in profile.recordings for each in recording.unseen}
    known = listed | {(place.path, place.qualname) for place in profile.places}
    for survey in surveys if listed else ():
        path = path_from(root, survey.file)
        for function in survey.functions:
            qualname, node = function.owner.qualname, function.node
            if function.bare and LOCALS not in qualname and (path, qualname) not in known:
                # Generators and coroutines are never compiled by themselves.
                makes_values = (isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node))
                if isinstance(node, ast.FunctionDef) and not any(makes_values):
                    yield function


def _callers(began: Iterable[Function], new: Sequence[Function], surveys: Iterable[Survey]) -> dict[Owner, str]:
    """The new functions that are reachable from the start of the run, each with its caller.

    A call is known by its last name. A class that is mentioned is made, and of a module that is made `forward` runs.
    """
    classes = {cls.owner.qualname: cls for survey in surveys for cls in survey.classes}
    found: dict[Owner, str] = {}
    pending: list[Function | Class] = list(began)
    mentioned: set[Owner] = set()
    while pending:
        caller = pending.pop()
        own = classes.get(caller.in_class) if isinstance(caller, Function) else None
        called, names = _names_in(caller)
        made = [cls for cls in (own, *map(classes.get, names)) if cls and cls.owner not in mentioned]
        mentioned.update(cls.owner for cls in made)
        pending += made
        # What the compiler reads of a class first: a module's `forward`, else the constructor.
        methods = ((cls, {node.name for node in cls.node.body if isinstance(node, Definition)}) for cls in made)
        firsts = ((cls.owner, FORWARD if FORWARD in names else CONSTRUCTOR) for cls, names in methods)
        run = {(owner.file, f"{owner.qualname}.{name}") for owner, name in firsts}
        for function in new:
            is_run = function.node.name in called or (function.owner.file, function.owner.qualname) in run
            if is_run and function.owner not in found:
                found[function.owner] = caller.owner.qualname
                pending.append(function)
    return found


def _names_in(caller: Function | Class) -> tuple[set[str], set[str]]:
    """The last names of what is called, and all names; of a class in its head, its constructor and between methods."""
    parts: list[ast.AST] = [caller.node]
    if isinstance(caller, Class):
        kept = (node for node in caller.node.body if not isinstance(node, Definition) or node.name == CONSTRUCTOR)
        parts = [*caller.node.bases, *caller.node.decorator_list, *kept]
    nodes = [node for part in parts for node in ast.walk(part)]
    called = {dotted_name(node.func).rpartition(".")[2] for node in nodes if isinstance(node, ast.Call)}
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return called, names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def renewal(profile: Profile, paths: Sequence[str]) -> str:
    """The command that renews a profile, with the names of what ran; what else was given for it is an ellipsis.

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
