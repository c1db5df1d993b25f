"""Targets and example calls in the forms of a command line, and the possible targets in a directory.

A target is `pkg.module:Net.method` or `path/file.py:make().method`; example calls are `FILE[:NAME]`, or `--arg` texts.
Nothing is imported: the possible targets are read from the sources.
"""

import contextlib
import difflib
import errno
import itertools
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pdt_annotate.source.identifiers import is_dotted, normal
from pdt_annotate.values.errors import SpecError, TargetError
from pdt_annotate.values.paths import project_files
from pdt_annotate.values.runs import SpecSource, Target

EXAMPLES = """\
a target is MODULE:NAME or FILE.py:NAME; write a space between two targets:
    pkg.model:Net, src/model.py:Net.encode, pkg.model:make_net()"""

SPEC_HINT = """\
give a file of example calls, or one example call on the command line:
    pdt-annotate {target} -i inputs.py    # example_inputs = [(torch.randn(2, 3),)]
    pdt-annotate {target} -a 'f32[2,3]' -a mask=None
or draft a file from the source and its tests:
    pdt-annotate init {target}"""

SOURCES = ("", "src")  # the folders for modules, as in `load.load_module`
MOST = 2_000  # the most files to list; a directory with more is no project
MOST_SHOWN = 3  # the most targets in a hint


def parse(text: str) -> Target:
    """Read a target, or raise a TargetError. Files are looked at only for the error's hint."""
    place, colon, name = text.strip().rpartition(":")
    if not colon or not place or not name:
        raise TargetError(f"{text!r} does not name an object in a module", hint=_complete(text.strip()))
    qualname, called, member = name.partition("()")
    if "(" in qualname + member:
        cls = qualname.partition("(")[0]
        hint = f"define `model` in the spec: def model(): return {cls}(…)"
        raise TargetError(f"{text!r} passes arguments, but a target cannot pass any", hint=hint)
    if not (is_dotted(qualname + member) and member[:1] in ("", ".")):
        raise TargetError(f"{name!r} in the target {text!r} is not a name", hint=EXAMPLES)
    target = Target(text, "", "", normal(qualname), bool(called), normal(member.removeprefix(".")))
    if place.endswith(".py"):
        return replace(target, file=place)
    if not is_dotted(place) or place.endswith(".ipynb"):
        raise TargetError(f"{place!r} in the target {text!r} is neither a module nor a .py file", hint=EXAMPLES)
    return replace(target, module=place)


def _complete(text: str) -> str:
    """A hint with the target that a text without a name likely means."""
    place, dot, name = text.rstrip(":").rpartition(".")
    if text.endswith(("]", "}")):
        return "put a value that contains spaces in quotes: -a 'f32[2, 3]'"
    if os.path.isdir(text):
        return f"{text} is a directory; a target is an object in one of its files: {os.path.join(text, 'FILE.py')}:NAME"
    found = near_targets(text, Path.cwd()) if text else []
    if found:
        return f"did you mean {' or '.join(found)}?"
    if text.rstrip(":").endswith(".py"):
        return f"add the name of the class or function: {text.rstrip(':')}:NAME"
    return f"did you mean {place}:{name}?" if dot and is_dotted(f"{place}.{name}") else EXAMPLES


def spec_source(inputs: str, args: Sequence[str], target: str = "mymodel:Net") -> SpecSource:
    """The source of example calls for a target. Raises SpecError if both or neither are given, or a file is missing."""
    if inputs and args:
        raise SpecError("use either --inputs or --arg for example inputs, not both")
    if args:
        return SpecSource(args=tuple(args))
    if not inputs:
        raise SpecError("no example inputs", hint=SPEC_HINT.format(target=shlex.quote(target)))
    file, name = split_name(inputs)
    if os.path.isdir(file):
        hint = f"name a file in it: -i {os.path.join(file, 'inputs.py')}"
        raise SpecError(f"{file} is a directory, not a file of example inputs", hint=hint)
    if not os.path.isfile(file):
        draft_it = f"pdt-annotate init {shlex.quote(target)} -o {shlex.quote(file)} drafts it"
        raise SpecError(f"no such file of example inputs: {file}", hint=did_you_mean_file(file) or draft_it)
    return SpecSource(file=os.path.abspath(file), name=name)


def split_name(text: str) -> tuple[str, str]:
    """`FILE:NAME` → the file and the name. A file name that contains the colon is not split.

    >>> split_name("inputs.py:small")
    ('inputs.py', 'small')
    """
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier() or os.path.exists(text):
        return text, ""
    return file, normal(name)


def did_you_mean(name: str, known: Iterable[str], shown: str = "{}", most: int = 3) -> str:
    """A hint with the `most` nearest names to a misspelled one, each in the form `shown`; empty if no name is near."""
    hidden = "__" if name.startswith("_") else "_"
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith(hidden)], n=most)
    return f"did you mean {' or '.join(map(shown.format, near))}?" if near else ""


def did_you_mean_file(file: str) -> str:
    """The same for a missing file, from the files in its folder; for a broken link, with the link's destination."""
    try:
        os.stat(file)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return f"the link {file} leads back to itself: put the file there, or make a link to it"
    if os.path.islink(file):
        return f"{file} is a link to {os.readlink(file)}, which does not exist"
    folder, name = os.path.split(os.path.abspath(file))
    siblings = os.listdir(folder) if os.path.isdir(folder) else ()
    return did_you_mean(name, [each for each in siblings if os.path.exists(os.path.join(folder, each))])


def places(directory: Path) -> Iterator[str]:
    """The modules below a directory and its `src`, by dotted name, then the files, by path."""
    files = list(_files(directory))
    for source in SOURCES:
        base = directory / source
        names = (_dotted(file.relative_to(base)) for file in files if file.is_relative_to(base))
        yield from (name for name in names if name)
    yield from (str(file.relative_to(directory)) for file in files)


def names_in(place: str, directory: Path) -> Iterator[str]:
    """The functions, classes and methods of a module or file, by their names in a target; empty if it is missing."""
    file = str(directory / place) if place.endswith(".py") else ""
    if is_dotted(place) and not file:
        path = os.path.join(*place.split("."))
        ends = (f"{path}.py", os.path.join(path, "__init__.py"))
        found = (directory / source / end for source in SOURCES for end in ends)
        file = str(next(filter(os.path.isfile, found), ""))
    from pdt_annotate.source.module import load_module  # noqa: PLC0415 - `--help` does not need it

    module = load_module(file) if file else None
    for name in (each.owner.qualname for each in module.by_line.values()) if module else ():
        if name.count(".") < 2 and ".__" not in name:
            yield name


def near_targets(text: str, directory: Path) -> list[str]:
    """The likely meanings of a text that is not a target: names in a module or file, or places of a definition."""
    place = text.rstrip(":")
    inside = [f"{place}:{name}" for name in names_in(place, directory) if "." not in name]
    parts = place.split(".")
    splits = ((".".join(parts[:at]), ".".join(parts[at:])) for at in range(len(parts) - 1, 0, -1))
    inside = inside or [f"{module}:{name}" for module, name in splits if name in names_in(module, directory)]
    if inside or not text.isidentifier():
        return inside[:MOST_SHOWN]
    head = re.compile(rf"^(?:class|def) {re.escape(text)}\b".encode(), re.MULTILINE)
    return [f"{place}:{text}" for place, _ in itertools.islice(_matches(head, directory), MOST_SHOWN)]


def find_model(directory: Path) -> str:
    """The first target below a directory that is a class of modules, by the names of its bases; "" for none."""
    head = re.compile(rb"^class (\w+)\([^)]*Module\b", re.MULTILINE)
    return next((f"{place}:{found[1].decode()}" for place, found in _matches(head, directory)), "")


def _matches(head: re.Pattern[bytes], directory: Path) -> Iterator[tuple[str, re.Match[bytes]]]:
    """The files with a match, as the module or path that a target names them by."""
    for file in _files(directory):
        with contextlib.suppress(OSError):
            if found := head.search(file.read_bytes()):
                path = file.relative_to(directory)
                yield _dotted(path.relative_to("src") if path.parts[0] == "src" else path) or str(path), found


def _files(directory: Path) -> Iterator[Path]:
    return map(Path, itertools.islice(project_files(str(directory), (".py",)), MOST))


def _dotted(path: Path) -> str:
    """The dotted name of a file below a directory on the path; "" if an import cannot spell it."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""
