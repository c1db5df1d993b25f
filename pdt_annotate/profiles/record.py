"""Observations → a profile: paths from the root, functions by digest, types as text.

The digest is computed from the syntax tree without annotations, type parameters, docstrings and positions. Unlike
`ast.dump`, it is the same on every Python: it skips empty fields, and orders the others by name.
"""

import ast
import functools
import hashlib
import os
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pdt_annotate.profiles import profile
from pdt_annotate.source.definitions import Definition, Scope
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.module import load_function
from pdt_annotate.values.installed import is_own
from pdt_annotate.values.runs import Observed, SeenCall
from pdt_annotate.values.slots import ClassInfo, Observation, Owner
from pdt_annotate.values.types import TypeExpr

REMEMBERED = 16_384  # functions whose digests are cached, because a recorded program saves often
SKIPPED = frozenset(("annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"))
MAIN = "__main__"
SPAWNED = "__mp_main__"  # the main program's name in child processes that multiprocessing spawns


@functools.lru_cache(maxsize=REMEMBERED)
def digest_of(function: Definition) -> str:
    """The digest of a function, the same on every Python from 3.11 on."""
    return hashlib.sha256("\n".join(_tokens(function)).encode("ascii")).hexdigest()[:32]  # 128 bits


def statement_lines(function: Definition) -> tuple[int, ...]:
    """The line of each statement, in the same order for two functions of one digest."""
    lines: list[int] = []
    pending: list[Any] = [function]
    while pending:
        value = pending.pop()
        if isinstance(value, ast.stmt):
            lines.append(value.lineno)
        if isinstance(value, ast.AST):
            value = [part for _, part in _fields(value)]
        if isinstance(value, list):
            pending += reversed(value)
    return tuple(lines)


def _tokens(function: Definition) -> Iterator[str]:
    """The tree as text, outermost first. Iterative: an expression may be nested deeper than Python recurses."""
    pending: list[Any] = [function]
    while pending:
        value = pending.pop()
        if isinstance(value, _Token):
            yield value
        elif isinstance(value, list):
            pending += [_Token("]"), *reversed(value), _Token("[")]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.Constant):
            parts = [part for name, field in _fields(value) for part in (_Token(name), field)]
            name = "Assign" if isinstance(value, ast.AnnAssign) else type(value).__name__
            pending += [_Token(")"), *reversed(parts), _Token(f"({name}")]
        else:
            # A constant with its type, in ASCII. Hexadecimal, because Python limits the length of decimals.
            constant = value.value if isinstance(value, ast.Constant) else value
            yield f"{type(constant).__name__} {hex(constant) if type(constant) is int else ascii(constant)}"


class _Token(str):
    """Text of the digest, as opposed to a string of the tree."""


def _fields(node: ast.AST) -> list[tuple[str, Any]]:
    """The fields that count, by name; an annotated assignment counts as a plain one."""
    values: dict[str, Any] = {name: getattr(node, name, None) for name in node._fields if name not in SKIPPED}
    if isinstance(node, ast.AnnAssign):
        values["targets"] = [values.pop("target")]
    if isinstance(node, ast.JoinedStr):
        # Join neighbouring texts, and leave out empty ones: Pythons split them differently.
        joined: list[Any] = []
        for part in node.values:
            text = part.value if isinstance(part, ast.Constant) else None
            if isinstance(text, str) and joined and isinstance(joined[-1], str):
                joined[-1] += text
            elif text != "":
                joined.append(part if text is None else text)
        values["values"] = joined
    if isinstance(node, Scope) and ast.get_docstring(node, clean=False) is not None:
        values["body"] = node.body[1:]
    for name, value in values.items():
        values[name] = [each for each in value if not _says_nothing(each)] if isinstance(value, list) else value
    return sorted((name, value) for name, value in values.items() if value is not None and value != [])


def _says_nothing(node: Any) -> bool:
    """Whether annotating may add or remove the node: `pass`, `x: T`, or the `__annotations__` of a class body."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "__annotations__" for target in node.targets)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.AnnAssign) and node.value is None)


def record(
    observed: Observed,
    *,
    root: str,
    modules: Mapping[str, str],
    label: str,
    run: str = "",
    main: str = "",
    in_forward: Collection[Owner] | None = None,
    examples: Iterable[SeenCall] = (),
) -> profile.Profile:
    """The profile of one run, restricted to files under the root. The present files are read.

    Args:
        modules: dotted name → file, of the imported modules. The main program, and its classes, get the name by which
            other modules would import it.
        label: a short name of the program, for people; the same for all parts of one run.
        run: the id of the run; a new one if it is empty.
        main: the name of the main program; "": it is derived from its file.
        in_forward: the functions that ran inside a module's `forward`; None: all of them.
    """
    if not main and (file := os.path.realpath(modules[MAIN]) if modules.get(MAIN) else ""):
        main = module_name_of(file) or Path(file).stem
    recorder = _Recorder(os.path.realpath(root), main)
    functions = {o.slot.owner for o in observed.observations if o.slot.owner.line}
    reached = functions if in_forward is None else functions.intersection(in_forward)
    paths = ((path_from(recorder.root, file), recorder.mains.get(name, name)) for name, file in modules.items())
    called = ((recorder.place(each.owner), each, recorder.name(each.cls)) for each in examples)
    ran = (profile.CallExample(place, o.call, cls, o.arguments, o.made) for place, o, cls in called if place)
    recording = profile.Recording(
        run=run or uuid.uuid4().hex,
        label=label,
        sources=tuple(profile.Source(path, name) for path, name in paths if path),
        in_forward=tuple(place for owner in reached if (place := recorder.place(owner)) is not None),
        sightings=tuple(s for o in observed.observations if (s := recorder.sighting(o)) is not None),
        classes=tuple(profile.dump_class(recorder.describe(info)) for info in observed.classes),
        examples=tuple(ran),
    )
    return profile.merge([profile.Profile((recording,))])


def path_from(root: str, file: str) -> str:
    """The path of a file from the root, a real path, with slashes; "" for a file outside it, or installed in it."""
    path = os.path.realpath(file)
    return Path(path).relative_to(root).as_posix() if is_own(path, root) else ""


class _Recorder:
    """Converts one run's values for a profile: `root` is a real path, `main` the name of the main program, or ""."""

    def __init__(self, root: str, main: str) -> None:
        self.root = root
        self.mains = dict.fromkeys((MAIN, SPAWNED), main or MAIN)
        self.place = functools.cache(self._place)
        self._statements: dict[Owner, tuple[int, ...]] = {}

    def sighting(self, observation: Observation) -> profile.Sighting | None:
        """The sighting; None if a later run could not find the slot."""
        slot = observation.slot
        place = self.place(slot.owner)
        lines = self._statements.get(slot.owner, ())
        if place is None or (slot.line and slot.line not in lines):
            return None
        statement = lines.index(slot.line) + 1 if slot.line else 0
        type_, calls = profile.dump_type(self._type(observation.type)), profile.first_calls(observation.calls)
        return profile.Sighting(place, slot.kind.value, slot.name, statement, type_, observation.count, calls)

    def _place(self, owner: Owner) -> profile.ProfiledOwner | None:
        """The place; None if it is outside the root, or not in its file: made at run time, or edited away."""
        path = path_from(self.root, owner.file)
        if not path or not owner.line:
            return profile.ProfiledOwner(path, owner.qualname) if path else None
        function = load_function(owner)
        if function is None:
            return None
        self._statements[owner] = statement_lines(function.node)
        return profile.ProfiledOwner(path, owner.qualname, owner.line, digest_of(function.node))

    def describe(self, info: ClassInfo) -> ClassInfo:
        """The class with the path of its file from the root; a library's class has no file."""
        return replace(
            info,
            name=self.name(info.name),
            module=self.mains.get(info.module, info.module),
            file=path_from(self.root, info.file) if info.file else None,
            fields=tuple((name, field and self._type(field)) for name, field in info.fields),
            bases=tuple(map(self.name, info.bases)),
        )

    def _type(self, type_: TypeExpr) -> TypeExpr:
        args = tuple(map(self._type, type_.args))
        return TypeExpr(self.name(type_.name), args, tuple(map(self.name, type_.bases)))

    def name(self, name: str) -> str:
        first, dot, rest = name.partition(".")
        return f"{self.mains[first]}.{rest}" if dot and first in self.mains else name
