"""Functions without annotations that are new or have changed since a profile was made, and that the compiler may read.

The compiler reads the functions that ran inside `forward`, and their callees by the names in the source. New ones are
known because a complete profile lists the other functions in its files, and in the files that these import from the
project. They are read when a profile is completed, not in the observed processes.
"""

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.profiles.match import CODE, Matched
from pdt_annotate.profiles.profile import Profile, Unseen
from pdt_annotate.profiles.record import path_from
from pdt_annotate.source.definitions import Class, Definition, Function
from pdt_annotate.source.identifiers import import_folder
from pdt_annotate.source.imports import Sources, imports_of
from pdt_annotate.source.module import Module, load_function, load_module
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.values.installed import is_own
from pdt_annotate.values.slots import Finding, Owner

FORWARD, CONSTRUCTOR = "forward", "__init__"
MOST_TARGETS = 3


def project_files(root: str, files: Iterable[str]) -> list[Module]:
    """Files below the root, the files they import from there, and so on, on any import path of this process."""
    root, pending = os.path.realpath(root), list(files)
    sources = Sources(root, {str(import_folder(file)): None for file in pending})
    found: dict[str, Module] = {}
    while pending:
        file = pending.pop()
        module = None if file in found else load_module(file)
        if module is not None:
            found[file] = module
            imported = imports_of(module).values()
            names = [name for each in imported for name in (each.module, f"{each.module}.{each.name}")]
            files = (sources.file_of(name, os.path.dirname(file)) for name in names)
            pending += (each for each in files if each and is_own(each, root))
    return [found[file] for file in sorted(found)]


def list_unseen(profile: Profile, root: str) -> Profile:
    """The profile with the other present definitions in the files of each run."""
    recordings = []
    for recording in profile.recordings:
        seen = {(sighting.place.path, sighting.place.qualname) for sighting in recording.sightings}
        unseen: list[Unseen] = []
        for module in project_files(root, (os.path.join(root, source.path) for source in recording.sources)):
            path = path_from(os.path.realpath(root), module.file)
            names = {function.owner.qualname for function in module.functions}
            unseen += [Unseen(path), *(Unseen(path, name) for name in sorted(names) if (path, name) not in seen)]
        recordings.append(replace(recording, unseen=tuple(unseen)))
    return Profile(tuple(recordings))


def find_outdated(
    profile: Profile, matched: Matched, root: str, is_wanted: Callable[[Owner], bool], *, all_that_ran: bool = False
) -> tuple[Finding, ...]:
    """Functions without annotations that the profile does not know, or no longer, and files that are gone.

    Functions count if `is_wanted` says so and they ran inside `forward`, as far as the profile knows; with
    `all_that_ran`, if they ran at all.
    """
    functions = {place for place in profile.places if place.line}
    counted = functions if all_that_ran else functions & profile.in_forward or functions
    found = {Owner(os.path.join(root, p.path), "", 0): f for p in counted if (f := matched.missing.get(p.path))}
    changed = [matched.changed[place] for place in sorted(counted & matched.changed.keys())]
    found |= {function.owner: finding for function, finding in changed}
    observed = frozenset(observation.slot.owner for observation in matched.observed.observations)
    known = observed if counted == functions else matched.in_forward
    began = [*filter(None, map(load_function, known)), *(function for function, _ in changed)]
    modules = project_files(root, matched.modules.values())
    classes = {cls.owner.qualname: cls for module in modules for cls in module.classes}
    new = list(_new_functions(profile, modules, os.path.realpath(root)))
    callers = _callers(began, new, classes) if new else {}
    near = {function.owner.file for function in began} | {owner.file for owner in callers}
    for function in new:
        owner, leads = function.owner, ""
        if owner in callers:
            leads = f"`{callers[owner]}` calls it, but "
        elif owner.file not in near or not function.receiver or function.node.name != FORWARD:
            continue
        message = f"`{owner.qualname}` is new: {leads}the profile has no observations of it"
        found[owner] = Finding(CODE, message, function.place)
    return tuple(found[owner] for owner in sorted(found) if is_wanted(owner))


def _new_functions(profile: Profile, modules: Iterable[Module], root: str) -> Iterator[Function]:
    """Functions without annotations that are newer than the profile; none if the profile lists no other functions."""
    listed = {(each.path, each.qualname) for recording in profile.recordings for each in recording.unseen}
    known = listed | {(place.path, place.qualname) for place in profile.places}
    for module in modules if listed else ():
        path = path_from(root, module.file)
        # The compiler never reads generators and coroutines as separate functions.
        for function in (each for each in module.functions if each.bare and isinstance(each.node, ast.FunctionDef)):
            qualname = function.owner.qualname
            makes_values = (isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(function.node))
            if "<locals>" not in qualname and (path, qualname) not in known and not any(makes_values):
                yield function


def _callers(began: Iterable[Function], new: Sequence[Function], classes: Mapping[str, Class]) -> dict[Owner, str]:
    """The new functions that are reachable from the start of the run, each with its caller.

    A call is matched by its last name. A class that a function or its class mentions counts as a call of the function
    that the compiler reads first: the `forward` of a module, otherwise the constructor.
    """
    firsts: dict[Owner, str] = {}
    for function in new:
        if cls := classes.get(function.in_class):
            has_forward = any(isinstance(each, Definition) and each.name == FORWARD for each in cls.node.body)
            if function.node.name == (FORWARD if has_forward else CONSTRUCTOR):
                firsts[function.owner] = cls.owner.qualname
    found: dict[Owner, str] = {}
    pending = list(began)
    while pending:
        caller = pending.pop()
        parts: list[ast.AST] = [caller.node]
        if cls := classes.get(caller.in_class):
            inside = (each for each in cls.node.body if not isinstance(each, Definition) or each.name == CONSTRUCTOR)
            parts += [*cls.node.bases, *cls.node.decorator_list, *inside]
        nodes = [node for part in parts for node in ast.walk(part)]
        called = {dotted_name(node.func).rpartition(".")[2] for node in nodes if isinstance(node, ast.Call)}
        names = {node.id for node in nodes if isinstance(node, ast.Name)} | {caller.in_class}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for function in new:
            if function.owner not in found and (function.node.name in called or firsts.get(function.owner) in names):
                found[function.owner] = caller.owner.qualname
                pending.append(function)
    return found


def renewal(profile: Profile, paths: Sequence[str]) -> str:
    """The command that renews the profile in these paths, with an ellipsis for unknown arguments."""
    labels = sorted({recording.label for recording in profile.recordings} - {""})
    programs = [label for label in labels if ":" not in label]
    file = os.path.relpath(paths[0]) if len(paths) == 1 and not os.path.isdir(paths[0]) else "FILE"
    if programs:
        return f"pdt-annotate run --save-profile {file} -- {programs[0]} …"
    targets = labels if len(labels) <= MOST_TARGETS else []
    return " ".join(["pdt-annotate observe", *(targets or ["TARGET"]), "-i … --save-profile", file])
