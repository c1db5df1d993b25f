"""`verify --against`: compares the results of an edited model, and the ways of capturing it, with its earlier source.

The earlier sources are those of a git revision, or of a directory. They are imported over the files on disk, which do
not change; the example calls are those on disk.
"""

import ast
import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from pdt_annotate.captures.table import modules_of, named
from pdt_annotate.emit.capture_rows import reasons_of
from pdt_annotate.flows.captures import try_all
from pdt_annotate.flows.observe import import_ahead
from pdt_annotate.flows.verify import judge_in_python
from pdt_annotate.processes import tasks
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.source.imports import DefinitionPlace, NameResolver, Relatives, Sources
from pdt_annotate.source.scopes import defined_names
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.capture_results import Fate
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.paths import lies_in
from pdt_annotate.values.runs import Observed, Target
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.verdicts import AS_BEFORE, Failure, Verdict

WAYS = "script,trace,export"
HINT = "name a revision, such as HEAD or main, or a directory with the earlier files"
REPEATABLE = "remove what differs between two runs, such as the time or random numbers without a seed"


def verify_against(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """Compare the targets with their earlier sources; the outcome has a verdict for each call, way and lost name."""
    relatives = Relatives(NameResolver(Sources(options.root)))
    earlier, there = read_earlier(options.against, options.root)
    import_ahead(options, zygote, *modules_of(named([WAYS], "")))
    verdicts: list[Verdict] = []
    for target in options.targets:
        file = target.file or relatives.names.sources.file_of(target.module)
        path = os.path.relpath(os.path.realpath(file), os.path.realpath(options.root))
        if path in there or not file or not lies_in(file, options.root):
            verdicts += _judge(options, zygote, target, earlier, progress)
        elif os.path.isdir(options.against):
            raise UserError(f"--against: the directory {options.against} has no {path}", hint=HINT)
        else:
            verdicts.append(Verdict(AS_BEFORE, True, note=f"{target.text} is new: {options.against} has no {path}"))
    for file, text in earlier.items():  # public names at the top of a module, or in a class of it, that are gone
        with contextlib.suppress(SyntaxError, ValueError):  # no target imports the file
            tree = ast.parse(_now(file))
            imported = {each.asname or each.name for each in ast.walk(tree) if isinstance(each, ast.alias)}
            lost = sorted({*defined_names(ast.parse(text))} - {*defined_names(tree)})
            gone = (each for each in lost if each.partition(".")[0] not in imported and "._" not in f".{each}")
            gone = (each for each in gone if not _is_inherited(relatives, file, each))
            failures = (Failure(f"`{name}` no longer exists", place=Place(file)) for name in gone)
            verdicts += (Verdict(AS_BEFORE, False, failure) for failure in failures)
    place = _only_edit(earlier)
    for index, verdict in enumerate(verdicts):
        if place.file and verdict.failure and not verdict.failure.place.line:
            verdicts[index] = replace(verdict, failure=replace(verdict.failure, place=place))
    return Outcome(options.targets, options.root, verdicts=tuple(verdicts), verified=all(each.ok for each in verdicts))


def _only_edit(earlier: Mapping[str, bytes]) -> Place:
    """The line of the only edit; no place if several places were edited, since any of them may be the cause."""
    edits: list[Place] = []
    for file, text in earlier.items():
        before, now = text.splitlines(), _now(file).splitlines()
        codes = SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
        edits += [Place(file, min(low + 1, len(now))) for tag, _, _, low, _ in codes if tag != "equal"]
    return edits[0] if len(edits) == 1 else NO_PLACE


def _now(file: str) -> bytes:
    return Path(file).read_bytes() if os.path.exists(file) else b""


def _is_inherited(relatives: Relatives, file: str, name: str) -> bool:
    cls, _, method = name.rpartition(".")
    found = relatives.names.class_at(DefinitionPlace(file, cls))
    return found is not None and relatives.method(found, method) is not None


def _judge(
    options: Options, zygote: Zygote, target: Target, earlier: Mapping[str, bytes], progress: Progress
) -> Iterator[Verdict]:
    progress("importing torch and your code")
    after = tasks.open_session(options, zygote, target, first=True, with_libraries=True)
    before = tasks.open_session(options, zygote, target, earlier, with_libraries=True)
    progress("comparing the calls in Python")
    run = tasks.TargetRun(target, before, Observed((), (), ()))
    for verdict in judge_in_python(options, zygote, run, after, earlier):
        if verdict.note:
            raise UserError(f"the edit of {target.text} cannot be judged: {verdict.note}", hint=REPEATABLE)
        yield replace(verdict, judge=AS_BEFORE)
    keys, earlier_keys = (dict.fromkeys(tasks.state_keys(each)) for each in (after, before))
    lacks = "of an earlier model cannot be loaded, because it lacks"
    for some, others, said in ((earlier_keys, keys, "no longer has"), (keys, earlier_keys, lacks)):
        changed = [key for key in some if key not in others]
        if changed:
            more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
            yield Verdict(AS_BEFORE, False, Failure(f"state_dict() {said} `{changed[0]}`{more}"))
    ways = named([WAYS], "")
    old = try_all(options, zygote, target, "as before", progress, ways, earlier)
    new = try_all(options, zygote, target, "as it is", progress, ways)
    for was, now in zip(old.captures, new.captures, strict=True):
        if was.fate is not Fate.SAME:
            continue
        reason = next(reasons_of(now), None) if now.fate is not Fate.SAME else None
        said = f"capturing with `{now.way}` succeeded before, and fails now"
        failure = Failure(f"{said}: {reason.text}", place=reason.place) if reason else None
        yield Verdict(AS_BEFORE, failure is None, failure)


def read_earlier(against: str, root: str) -> tuple[dict[str, bytes], frozenset[str]]:
    """The earlier text of each Python file below the root that is different now, and the paths of all earlier files.

    Raises `UserError` if git cannot read them.
    """
    if os.path.isdir(against):
        files = [str(file.relative_to(root)) for file in sorted(Path(root).rglob("*.py"))]
        there = [path for path in files if Path(against, path).is_file()]
        changed = [path for path in there if Path(against, path).read_bytes() != Path(root, path).read_bytes()]
    elif against.startswith("-"):
        raise UserError(f"--against: {against} is not a revision", hint=HINT)
    else:
        there = _list(root, against, "ls-tree", "-r", "--name-only", "-z", against, ".")
        changed = _list(root, against, "diff", "--name-only", "--relative", "-z", against, "--", "*.py")

    def read(path: str) -> bytes:
        is_folder = os.path.isdir(against)
        return Path(against, path).read_bytes() if is_folder else _git(root, against, "show", f"{against}:./{path}")

    return {os.path.join(root, path): read(path) for path in changed if path in there}, frozenset(there)


def _list(root: str, against: str, *words: str) -> list[str]:
    return _git(root, against, *words).decode().split("\0")[:-1]


def _git(root: str, against: str, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"").decode(errors="replace").strip() or str(error)
        reason = f"is not a directory, and git reports: {said.removeprefix('fatal: ')}"
        raise UserError(f"--against: {against} {reason}", hint=HINT) from error
    return done.stdout
