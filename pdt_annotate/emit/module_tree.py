"""The module tree of a target that failed, for any renderer: its nesting, and the text for each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pdt_annotate.emit.words import abbreviate, plural
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Answers, Blame, Fault, Part

TO = "…"  # between the first and the last of numbered names
SAID: Mapping[Answers, str] = {
    Answers.ALIKE: "scripts, answers alike on {calls}",
    Answers.NOT_CALLED: "scripts; no example calls it",
    Answers.DIFFER: "scripts, answers otherwise than eager",
    Answers.RAISE: "scripts, raises where eager does not",
    Answers.UNKNOWN: "does not script",
    Answers.NOT_JUDGED: "not judged, for lack of time",
}


@dataclass(frozen=True)
class Node:
    """Neighbours that look alike: their paths from the node above, and the children of the first."""

    parts: tuple[Part, ...]
    names: tuple[str, ...]
    children: tuple[Node, ...]

    @property
    def part(self) -> Part:
        return self.parts[0]

    @property
    def name(self) -> str:
        return abbreviate(self.names, TO)


def grow(blame: Blame) -> Node:
    return _grow(blame.parts[:1], ("",), (*blame.parts, *blame.unjudged))


def verdict(node: Node) -> str:
    part = node.part
    calls = plural(min(each.calls for each in node.parts), "call") + (" each" if len(node.parts) > 1 else "")
    said = SAID[part.answers].format(calls=calls)
    if part.is_sound or part.answers is Answers.NOT_JUDGED:
        return f"{said} (with {plural(part.size - 1, 'module')} inside)" if part.size > 1 else said
    unjudged = [child for child in node.children if child.part.answers is Answers.NOT_JUDGED]
    late = {name: each for child in unjudged for name, each in zip(child.names, child.parts, strict=True)}
    own, held = _shared_out(part, tuple(late.values()))
    below = abbreviate([*(_inside(path, part.path) for path in part.blamed), *(n for n in late if late[n] in held)], TO)
    if below:
        return f"{said}; its own fault, and that of {below}" if own else f"{said}; the fault of {below}"
    is_certain = not late or any(_is_in(fault, (part,)) for fault in own)
    return f"{said}; its own fault" if is_certain else f"{said}; its own fault, or that of what was not judged"


def in_the_way(blame: Blame) -> str:
    """ "1 line is in the way, in 1 of 41 modules, of which 9 were not judged for lack of time" """
    shared_out = [(part, *_shared_out(part, blame.unjudged)) for part in blame.parts]
    faulty = {each.path for part, own, held in shared_out for each in ((part, *held) if own else held)}
    lines = {fault.failure.place.whole_line for part in blame.parts for fault in part.faults}
    unjudged = sum(part.size for part in blame.unjudged)
    modules = sum(part.size for part in blame.parts if not part.is_function) + unjudged
    inside = f"in {len(faulty)} of {plural(modules, 'module')}" if modules > 1 else ""
    verb = "is" if len(lines) == 1 else "are"
    lines_there = f"{plural(len(lines), 'line')} {verb} in the way" if all(each.file for each in lines) else ""
    left = f"of which {unjudged} {'was' if unjudged == 1 else 'were'} not judged for lack of time" if unjudged else ""
    return ", ".join(filter(None, (lines_there, inside, left))) if faulty else ""


def group_kept(kept: Sequence[Part]) -> list[tuple[Part, str]]:
    """The first of the parts with one definition, with the paths of them all: "stem, layers.0 to layers.2"."""
    groups: dict[tuple[str, Place], list[Part]] = {}
    for part in kept:
        groups.setdefault((part.name, part.place), []).append(part)
    paths = ([part.path or "the target" for part in group if not part.is_function] for group in groups.values())
    return [(group[0], abbreviate(each, "to")) for group, each in zip(groups.values(), paths, strict=True)]


def _grow(parts: Sequence[Part], names: Sequence[str], all_parts: Sequence[Part]) -> Node:
    top = parts[0]
    below = [part for part in all_parts if _inside(part.path, top.path)]
    groups = (list(group) for _, group in groupby(_nearest(below), key=lambda part: _signature(part, below)))
    children = (_grow(group, [_inside(part.path, top.path) for part in group], below) for group in groups)
    return Node(tuple(parts), tuple(names), tuple(children))


def _nearest(parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if not any(_inside(part.path, other.path) for other in parts)]


def _signature(part: Part, parts: Sequence[Part]) -> tuple[Any, ...]:
    """A key that is equal for parts that look alike."""
    below = [other for other in parts if _inside(other.path, part.path)]
    children = tuple((_inside(child.path, part.path), _signature(child, below)) for child in _nearest(below))
    faults = tuple((fault.code, fault.failure) for fault in part.faults)
    return (part.name, part.place, part.answers, faults, children)


def _shared_out(part: Part, unjudged: Sequence[Part]) -> tuple[list[Fault], list[Part]]:
    """The faults of a part outside its unjudged submodules, and the unjudged submodules that contain the others."""
    held = [each for each in unjudged if any(_is_in(fault, (each,)) for fault in part.faults)]
    return [fault for fault in part.faults if not _is_in(fault, held)], held


def _is_in(fault: Fault, parts: Sequence[Part]) -> bool:
    owner = fault.owner
    return owner is not None and any((owner.file, owner.qualname.rpartition(".")[0]) in each.classes for each in parts)


def _inside(path: str, top: str) -> str:
    """The rest of the path of a part that is below another part; "" if it is not below."""
    return path if not top else path.removeprefix(f"{top}.") if path.startswith(f"{top}.") else ""
