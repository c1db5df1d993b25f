"""Matches a profile with the present source: observations of unchanged functions, and findings on the others."""

import ast
import functools
import glob
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from pdt_annotate.profiles.profile import Profile, ProfiledOwner, Source, load_class, load_type
from pdt_annotate.profiles.record import digest_of, path_from, statement_lines
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.identifiers import bound_names
from pdt_annotate.source.imports import parents
from pdt_annotate.source.module import Module, load_function, load_module
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.runs import Observed, ObservedCall
from pdt_annotate.values.slots import NO_PLACE, ClassInfo, ClassKind, Finding, Observation, Owner, Place, Slot, SlotKind

CODE = "PDT070"


@dataclass(frozen=True)
class Matched:
    """A profile in terms of the present source."""

    observed: Observed  # the observations with the present files and lines, separately for each run
    modules: Mapping[str, str]  # dotted name → present file, of the files in the profile
    in_forward: frozenset[Owner]  # the functions that ran inside a module's `forward`
    findings: tuple[Finding, ...]  # the things that are gone, or have changed
    # The changed functions without annotations, each in its present form, with its finding.
    changed: Mapping[ProfiledOwner, tuple[Function, Finding]]
    missing: Mapping[str, Finding]  # the missing files, each with its finding


def match(profile: Profile, root: str, modules: Mapping[str, str] | None = None) -> Matched:
    """Match by file or module, qualified name and digest; lines and the path of the checkout may differ.

    Only files in `modules` (dotted name → file) count; None: the profile's files under the root.
    """
    present = _Present(profile, root, modules)
    known = present.modules()
    classes, gone = present.classes()
    observations = sorted(present.observations(gone), key=lambda observation: observation.slot.sort_key)
    in_forward = {owner for place in profile.in_forward if (owner := present.owner(place))}
    return Matched(
        observed=Observed(tuple(observations), tuple(classes[name] for name in sorted(classes)), ()),
        modules=known,
        in_forward=frozenset(in_forward),
        findings=tuple(sorted(present.findings, key=lambda finding: (finding.place, finding.message))),
        changed=present.changed,
        missing=present.missing,
    )


def observed_calls(profile: Profile, root: str) -> Iterator[ObservedCall]:
    """The calls of functions whose files exist; a function may have changed, as long as its name exists."""
    sources = {source.path: source for recording in profile.recordings for source in recording.sources}
    for recording in profile.recordings:
        for each in recording.examples:
            path = each.place.path
            file = locate(sources.get(path, Source(path, "")), root, {})
            if file:
                made = json.loads(each.made) if each.made else None
                yield ObservedCall(file, each.place.qualname, each.call, each.cls, json.loads(each.arguments), made)


class _Present:
    """Finds the places and classes of a profile in the present source, and reports the missing ones."""

    def __init__(self, profile: Profile, root: str, modules: Mapping[str, str] | None) -> None:
        self.profile = profile
        self.root = root
        self.imported = modules
        self._counting = None if modules is None else set(modules.values())
        self.sources = {source.path: source for recording in profile.recordings for source in recording.sources}
        self.in_forward = profile.in_forward
        # Files of MonkeyType, which knows no root and also traces libraries.
        self._by_name = {place.path for place in profile.places if place.line and not place.digest}
        self.findings: dict[Finding, None] = {}
        self.changed: dict[ProfiledOwner, tuple[Function, Finding]] = {}
        self.missing: dict[str, Finding] = {}
        self.owner = functools.cache(self._owner)
        self._module_of = functools.cache(self._read)

    def modules(self) -> dict[str, str]:
        """Dotted name → file, of the profile's files that exist and parse."""
        found = ((source.module, self._module_of(path)) for path, source in sorted(self.sources.items()))
        return {name: known.file for name, known in found if known is not None}

    def classes(self) -> tuple[dict[str, ClassInfo], set[str]]:
        """The classes by name, and the names of missing ones. Of several versions of a class, the first counts."""
        texts = dict.fromkeys(text for recording in self.profile.recordings for text in recording.classes)
        now = [(info.name, self._class_now(info)) for info in map(load_class, reversed(texts))]
        found = {name: info for name, info in now if info is not None}
        gone = {name for name, _ in now} - found.keys()
        types = {sighting.type for recording in self.profile.recordings for sighting in recording.sightings}
        for name in {name for text in types for name in load_type(text).names if "." in name} - found.keys() - gone:
            if info := self._class_named(name):
                found[name] = info
        return found, gone

    def observations(self, gone: set[str]) -> Iterator[Observation]:
        for recording in self.profile.recordings:
            for sighting in recording.sightings:
                owner, type_, number = self.owner(sighting.place), load_type(sighting.type), sighting.statement
                if owner is None or not gone.isdisjoint(type_.names):
                    continue
                function = load_function(owner) if number else None
                lines = (0, *statement_lines(function.node)) if function else (0,)
                if 0 <= number < len(lines):
                    slot, label = Slot(owner, SlotKind(sighting.kind), sighting.name, lines[number]), recording.label
                    calls = tuple(call if label in ("", call) else f"{call} of {label}" for call in sighting.calls)
                    yield Observation(slot, type_, sighting.count, calls)

    def _class_now(self, info: ClassInfo) -> ClassInfo | None:
        """The class with its present file; None if the file lacks it now. A library's class is unchanged."""
        info = replace(info, importable=info.importable and self._may_import(info))
        if not info.file:
            return info
        known = self._module_of(info.file)
        if known is None:
            return None
        # The module may have it by a `class` statement, or by a name that it binds, as in `Pair = namedtuple(…)`.
        outermost, has_class = info.qualname.partition(".")[0], known.class_named(info.qualname) is not None
        if known.class_named(outermost) is None:
            bound = bound_names(known.file)
            has_class = bound is None or outermost in bound
        if info.importable and not has_class:
            self._report(f"the class `{info.qualname}` no longer exists: its values are not used", Place(known.file))
            return None
        return replace(info, file=known.file)

    def _class_named(self, name: str) -> ClassInfo | None:
        """A class that no run described, from the source; None unless it is a plain class or a NamedTuple."""
        module, _, qualname = name.rpartition(".")
        known = next((self._module_of(each.path) for each in self.sources.values() if each.module == module), None)
        cls = known.class_named(qualname) if known else None
        bases = tuple(base.rpartition(".")[2] for base in cls.bases) if cls else ()
        if known is None or cls is None or cls.decorators or bases not in ((), ("object",), ("NamedTuple",)):
            return None
        if bases != ("NamedTuple",):
            return ClassInfo(name, module, qualname, ClassKind.PLAIN, known.file, cls.place.line)
        fields = tuple((field, read_annotation(text)) for field, text in cls.annotated)
        return ClassInfo(name, module, qualname, ClassKind.NAMEDTUPLE, known.file, cls.place.line, fields, ("tuple",))

    def _may_import(self, info: ClassInfo) -> bool:
        """Whether an annotation may import a class, which runs its module: the word of a profile is not enough.

        It may if the module is the project's file with the class, or if the project imports the module or any other of
        its package anyway. Modules of the standard library have little in common, so there the module must be the same.
        """
        module, package = info.module, info.module.partition(".")[0]
        known = self._module_of(info.file) if info.file in self.sources else None
        if known:
            path, named = PurePath(known.file), tuple(module.split("."))
            parts = path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts
            if parts[-len(named) :] == named:
                return True
        name = module if package in sys.stdlib_module_names else package
        return package == "builtins" or name in self._imported_packages

    @functools.cached_property
    def _imported_packages(self) -> frozenset[str]:
        """The imports of the profile's files, by whole names and by packages."""
        found: set[str] = set()
        for known in filter(None, map(self._module_of, self.sources)):
            for node, _ in known.imports:
                named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                    named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                found.update(name for each in named for name in (each, *parents(each)))
        return frozenset(found)

    def _owner(self, place: ProfiledOwner) -> Owner | None:
        """The present function or class of a place; None if it is gone, changed, or must not be annotated."""
        known = self._module_of(place.path)
        if known is None:
            return None
        if not place.line:
            if known.class_named(place.qualname) is not None:
                return Owner(known.file, place.qualname, 0)
            self._report(
                f"the class `{place.qualname}` no longer exists: its attributes are not used", Place(known.file)
            )
            return None
        # The nearest first, since lines may have moved.
        named = [function for function in known.functions if function.owner.qualname == place.qualname]
        named.sort(key=lambda function: abs(function.owner.line - place.line))
        if not named:
            message = f"`{place.qualname}` no longer exists in the observed form: its observations are not used"
            self._report(message, Place(known.file))
        elif place.digest:
            same = (function.owner for function in named if digest_of(function.node) == place.digest)
            if owner := next(same, None):
                return owner
            now = named[0]
            if now.bare:
                when = "ran inside forward" if place in self.in_forward else "was observed"
                message = f"`{place.qualname}` has changed since it {when}: its observations are not used"
                self.changed[place] = now, self._report(message, now.place)
        elif len(named) == 1:
            return named[0].owner
        else:
            many = f"`{place.qualname}` is defined {len(named)} times"
            self._report(f"{many}, and the profile does not say which one was observed", named[0].place)
        return None

    def _read(self, path: str) -> Module | None:
        """The module in a file of the profile; None if it is gone, broken, or must not be annotated."""
        file = locate(self.sources.get(path, Source(path, "")), self.root, self.imported or {})
        if not file and path not in self._by_name:
            self.missing[path] = self._report(f"the file {path} no longer exists: its observations are not used")
        if not file or (self._counting is not None and file not in self._counting):
            return None
        known = load_module(file)
        if known is None:
            self._report("the file cannot be parsed: its observations are not used", Place(file))
        return known

    def _report(self, message: str, place: Place = NO_PLACE) -> Finding:
        finding = Finding(CODE, message, place)
        self.findings[finding] = None
        return finding


def locate(source: Source, root: str, modules: Mapping[str, str]) -> str:
    """The present file of a source, or "".

    The same path from the root comes first, then the module of that name: the one that the run imported, the one in the
    root, or the one in the only folder of the root that has it. Files are spelled as in `modules`.
    """
    real_root = os.path.realpath(root)
    candidates = _candidates(source, root, modules)
    found = next((file for file in candidates if os.path.isfile(file) and path_from(real_root, file)), "")
    spelled = {os.path.realpath(file): file for file in modules.values()}
    return spelled.get(os.path.realpath(found), found) if found else ""


def _candidates(source: Source, root: str, modules: Mapping[str, str]) -> Iterator[str]:
    yield os.path.join(root, source.path)
    yield modules.get(source.module, "")
    path = os.path.join(*source.module.split("."))
    names = (f"{path}.py", os.path.join(path, "__init__.py"))
    yield from (os.path.join(root, name) for name in names)
    inside = [str(file) for name in names for file in Path(root).glob(f"*/{glob.escape(name)}") if file.is_file()]
    yield from inside if len(inside) == 1 else ()
