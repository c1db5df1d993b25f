"""What `--diff` prints is taken by the real `git apply` and `patch -p1`, whatever bytes the file holds."""

from __future__ import annotations

import io
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import golden
import golden_outcomes
import pytest
from changes import annotate as rewrite
from outcomes import make_outcome

from pdt_annotate.emit.files import diff
from pdt_annotate.emit.words import TIMES
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.source.project import Project
from pdt_annotate.source.text import decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Annotation, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr

TOOLS = {"git": ["git", "apply", "-"], "patch": ["patch", "-p1"], "posix": ["patch", "-p1", "--posix"]}

CONTENTS = {
    "plain": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "no final newline": (b"a\nb", b"a: int\nb"),
    "last line without newline": (b"a\nb", b"a\nb: int"),
    "final newline lost": (b"a\nb\n", b"a\nb"),
    "crlf": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "mixed ends": (b"a\r\nb\nc\r\n", b"a\r\nb: int\nc: int\r\n"),
    "lone carriage return": (b"a\rb\nc\n", b"a\rb\nC\n"),
    "form feed": (b"a\n\x0cb\nc\n", b"a\n\x0cb: int\nc\n"),
    "bom": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa: int\nb\n"),
    "latin-1": (b"# coding: latin-1\n# caf\xe9\nb\n", b"# coding: latin-1\n# caf\xe9\nb: int\n"),
    "from empty": (b"", b"a\n"),
    "looks like a header": (b"-- a\n++ b\nc\n", b"++ a\n-- b\nc\n"),
}

NAMES = ["model.py", "pkg/sub/model.py", "with space.py", "café.py"]


def outcome_of(root: Path, *changes: tuple[str, bytes, bytes]) -> Outcome:
    for name, before, _ in changes:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(before)
    return Outcome((), str(root), tuple(FileChange(str(root / name), old, new) for name, old, new in changes))


def apply(tool: str, root: Path, patch: bytes) -> None:
    # git would take the enclosing repository's top as the root of the paths.
    env = {"GIT_CEILING_DIRECTORIES": str(root.parent), "PATH": os.environ["PATH"]}
    done = subprocess.run(TOOLS[tool], input=patch, cwd=root, capture_output=True, check=False, env=env)
    assert done.returncode == 0, done.stderr.decode() + patch.decode(errors="replace")


def test_no_change_is_no_diff(tmp_path: Path) -> None:
    assert diff.render(outcome_of(tmp_path)) == b""
    assert diff.render(outcome_of(tmp_path, ("model.py", b"same", b"same"))) == b""


def test_the_file_is_left_alone(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    stdout = io.BytesIO()
    diff.emit(outcome, options_of(tmp_path), stdout)
    assert stdout.getvalue().startswith(b"--- a/model.py\n+++ b/model.py\n@@ ")
    assert (tmp_path / "model.py").read_bytes() == outcome.changes[0].before


@pytest.mark.parametrize("tool", ["git", "posix"])
@pytest.mark.parametrize("content", CONTENTS)
def test_tools_apply_any_bytes(tmp_path: Path, tool: str, content: str) -> None:
    before, after = CONTENTS[content]
    outcome = outcome_of(tmp_path, ("model.py", before, after))
    apply(tool, tmp_path, diff.render(outcome))
    assert (tmp_path / "model.py").read_bytes() == after


@pytest.mark.parametrize("tool", ["git", "posix"])
def test_tools_apply_any_names(tmp_path: Path, tool: str) -> None:
    outcome = outcome_of(tmp_path, *((name, b"a\n", b"b\n") for name in NAMES))
    apply(tool, tmp_path, diff.render(outcome))
    assert {name: (tmp_path / name).read_bytes() for name in NAMES} == dict.fromkeys(NAMES, b"b\n")


def test_git_applies_a_quoted_name(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, ('quo"te\ttab.py', b"a\n", b"b\n"))
    apply("git", tmp_path, diff.render(outcome))
    assert (tmp_path / 'quo"te\ttab.py').read_bytes() == b"b\n"


def test_files_come_in_order(tmp_path: Path) -> None:
    text = diff.render(outcome_of(tmp_path, ("b.py", b"", b"x\n"), ("a.py", b"", b"x\n")))
    assert text.index(b"b/a.py") < text.index(b"b/b.py")


def test_colour_goes_to_terminals_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    outcome = make_outcome(tmp_path)
    plain, forced = io.BytesIO(), io.BytesIO()
    diff.emit(outcome, options_of(tmp_path), plain)
    diff.emit(outcome, options_of(tmp_path, Color.ALWAYS), forced)
    assert b"\x1b" not in plain.getvalue()
    assert b"\x1b[32m+from typing import Optional\x1b[0m\n" in forced.getvalue()


def test_paint_keeps_the_bytes() -> None:
    painted = diff.paint(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9\r\n+x\r\n y\n\\ No newline at end of file\n")
    for code in (b"\x1b[1m", b"\x1b[36m", b"\x1b[31m", b"\x1b[32m", b"\x1b[0m"):
        painted = painted.replace(code, b"")
    assert painted == b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9\r\n+x\r\n y\n\\ No newline at end of file\n"


def options_of(root: Path, color: Color = Color.AUTO) -> Options:
    target = Target("model.py:Net", "", str(root / "model.py"), "Net")
    return Options((target,), SpecSource(), str(root), write_back=WriteBack.DIFF, color=color)


SOURCES = {
    "plain": b"from torch import Tensor\n\n\ndef f(x):\n    return x\n",
    "no final newline": b"from torch import Tensor\ndef f(x): return x",
    "crlf": b"from torch import Tensor\r\n\r\n\r\ndef f(x):\r\n    return x\r\n",
    "crlf without the last": b"from torch import Tensor\r\ndef f(x): return x",
    "lone carriage return": b"from torch import Tensor\ra = 1\r\ndef f(x):\n    return x\n",
    "bom": b"\xef\xbb\xbffrom torch import Tensor\ndef f(x):\n    return x\n",
    "latin-1": b"# coding: latin-1\nfrom torch import Tensor\ndef f(x):\n    return 'caf\xe9'\n",
    "form feed": b"from torch import Tensor\n\x0c\ndef f(x):\n    return x\n",
    "looks like a diff": b"from torch import Tensor\n'''\n--- a/x\n+++ b/x\n@@ -1 +1 @@ f\n'''\ndef f(x): return x\n",
}
MODULES = ["model.py", "with space.py", "new/deep/model.py", "caf\u00e9.py"]


def annotate(root: Path, sources: dict[str, bytes]) -> Outcome:
    """The outcome of annotating `f(x)` in each of these files below the root."""
    modules: dict[str, str] = {}
    annotations: list[Annotation] = []
    for number, (name, source) in enumerate(sources.items()):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source)
        modules[f"module{number}"] = str(file)
        line = 1 + len(re.findall(rb"\r\n|\r|\n", source[: source.index(b"def f")]))
        slot = Slot(Owner(str(file), "f", line), SlotKind.PARAMETER, "x")
        annotations.append(Annotation(slot, TENSOR, evidence=(Observation(slot, TENSOR, 3, ("a\nb", "c")),)))
    rendered = render(Plan().with_(annotations), Project(str(root), modules), {})
    assert len(rendered.changes) == len(sources)
    return Outcome((), str(root), rendered.changes, rendered.written, verified=True)


def without_notes(explained: bytes) -> bytes:
    lines = (line for line in re.split(rb"(?<=\n)", explained) if not line.startswith(b"# "))
    return b"".join(re.sub(rb"^(@@ -\S+ \+\S+ @@) .*\n", rb"\1\n", line) for line in lines)


def test_without_annotations_there_are_no_notes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"a\n")
    outcome = Outcome((), str(tmp_path), (FileChange(str(tmp_path / "a.py"), b"a\n", b"b\n"),))
    assert diff.render_explained(outcome) == diff.render_beside(outcome, False) == diff.render(outcome)


@pytest.mark.parametrize("tool", ["git", "patch"])
@pytest.mark.parametrize("source", SOURCES)
def test_tools_apply_notes_on_any_bytes(tmp_path: Path, tool: str, source: str) -> None:
    outcome = annotate(tmp_path, {"model.py": SOURCES[source]})
    explained = diff.render_explained(outcome)
    assert explained.startswith(b"# model.py:")
    assert without_notes(explained) == diff.render(outcome)
    apply(tool, tmp_path, explained)
    assert (tmp_path / "model.py").read_bytes() == outcome.changes[0].after


@pytest.mark.parametrize("tool", ["git", "patch"])
def test_tools_apply_many_files(tmp_path: Path, tool: str) -> None:
    sources = dict(zip(MODULES, SOURCES.values(), strict=False))
    outcome = annotate(tmp_path, sources)
    apply(tool, tmp_path, diff.render_explained(outcome))
    assert [Path(change.file).read_bytes() for change in outcome.changes] == [c.after for c in outcome.changes]


@pytest.mark.parametrize("name", ["masked_attention", "speech_encoder"])
@pytest.mark.parametrize("tool", ["git", "patch"])
def test_tools_apply_the_notes_of_a_fixture(tmp_path: Path, tool: str, name: str) -> None:
    outcome = golden_outcomes.load(name, tmp_path)
    explained = diff.render_explained(outcome)
    assert without_notes(explained) == (golden.FIXTURES / name / "expected.diff").read_bytes()
    apply(tool, Path(outcome.root), explained)
    assert [Path(change.file).read_bytes() for change in outcome.changes] == [c.after for c in outcome.changes]


def test_each_hunk_has_its_own_notes(tmp_path: Path) -> None:
    outcome = annotate(tmp_path, {"model.py": b"import torch\n" + 20 * b"\n" + b"def f(x):\n    return x\n"})
    (change,) = outcome.changes
    first = replace(change, after=b"# new\n" + change.after, edits=(Edit(0, "# new\n"), *change.edits))
    heads = [
        line
        for line in diff.render_explained(Outcome((), str(tmp_path), (first,), outcome.annotations)).split(b"\n")
        if line.startswith(b"@@")
    ]
    assert [line.endswith(b"@@") for line in heads] == [True, False]


def test_names_cannot_break_out_of_their_line(tmp_path: Path) -> None:
    explained = diff.render_explained(annotate(tmp_path, {"model.py": SOURCES["plain"]}))
    assert f"seen: Tensor{TIMES}3 in a b, c\n".encode() in explained


def test_beside_the_lines_on_a_terminal(tmp_path: Path) -> None:
    shown = diff.render_beside(annotate(tmp_path, {"model.py": SOURCES["crlf"]}), False).decode()
    (line,) = [line for line in shown.split("\n") if line.startswith("+def")]
    # A terminal is moved by no \r.
    assert re.fullmatch(rf"\+def f\(x: Tensor\): +{diff.BESIDE}x: Tensor{TIMES}3", line)
    assert "# model.py" not in shown


def test_where_the_notes_stand(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    piped, colored = io.BytesIO(), io.BytesIO()
    options = Options((), SpecSource(), str(tmp_path), explain=True)
    diff.emit(outcome, options, piped)
    assert piped.getvalue() == diff.render_explained(outcome)
    diff.emit(outcome, Options((), SpecSource(), str(tmp_path), explain=True, color=Color.ALWAYS), colored)
    assert colored.getvalue() == diff.render_beside(outcome, True)
    assert b"\x1b[2m" in colored.getvalue()


INTS = TypeExpr("list", (TypeExpr("int"),))

SOURCE = '''\
import functools

from torch import nn


def first(x, y=1, *, z): return x


class Net(nn.Module):
    """Naïve."""

    def __init__(self, n):
        super().__init__()
        self.seen = []
        self.n = n

    @functools.cache
    @functools.wraps(first)
    def forward(
        self,
        é, x,
    ):
        acc = []
        acc = acc + [1]
        def inner(q):
            acc = []
            return q
        return inner(x)


if True:
    def first(x):
        return x
'''


def slot(kind: SlotKind, name: str, owner: str, first_line: int, line: int = 0) -> Slot:
    return Slot(Owner("m.py", owner, first_line), kind, name, line)


WANTED = (
    slot(SlotKind.PARAMETER, "x", "first", 6),
    slot(SlotKind.PARAMETER, "y", "first", 6),
    slot(SlotKind.PARAMETER, "z", "first", 6),
    slot(SlotKind.RETURN, "return", "first", 6),
    slot(SlotKind.ATTRIBUTE, "seen", "Net", 9),
    slot(SlotKind.LOCAL, "self.n", "Net.__init__", 12, 15),
    slot(SlotKind.PARAMETER, "é", "Net.forward", 17),
    slot(SlotKind.PARAMETER, "x", "Net.forward", 17),
    slot(SlotKind.LOCAL, "acc", "Net.forward", 17, 23),
    slot(SlotKind.LOCAL, "acc", "Net.forward.<locals>.inner", 25, 26),
    slot(SlotKind.PARAMETER, "x", "first", 32),
)


def annotated(source: bytes, *slots: Slot) -> tuple[list[str], list[diff.Mark]]:
    """The lines that the rewrite makes, and the marks in them."""
    wanted = [Annotation(each, TENSOR if each.name in "xé" else INTS) for each in slots]
    change = rewrite("m.py", source, wanted)
    return decode(change.after).lines, diff.find_marks(change, wanted)


def test_a_source_without_annotations_has_no_marks() -> None:
    change = FileChange("m.py", SOURCE.encode(), SOURCE.encode())
    assert diff.find_marks(change, [Annotation(each, TENSOR) for each in WANTED]) == []


def test_what_is_not_written_has_no_mark() -> None:
    wanted = [slot(kind, "x", "A", 1) for kind in (SlotKind.PARAMETER, SlotKind.RETURN)]
    there = slot(SlotKind.PARAMETER, "x", "f", 2)
    assert annotated(b"class A: pass\ndef f(x: int): pass\n", *wanted, there)[1] == []


def test_each_is_found_where_it_stands() -> None:
    lines, marks = annotated(SOURCE.encode(), *WANTED)
    assert {mark.annotation.slot for mark in marks} == set(WANTED)
    assert [(mark.line, mark.start) for mark in marks] == sorted((mark.line, mark.start) for mark in marks)
    for mark in marks:
        text = lines[mark.line - 1]
        named = mark.annotation.slot.name
        assert text[: mark.start].rstrip().endswith("->" if named == "return" else f"{named}:")
        assert text[mark.start : mark.end] in ("Tensor", "torch.Tensor", "List[int]")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    pass\n", 5),
        ("    y: int = 1\n", 6),
        ("    __annotations__ = {'b': int}\n", 5),
        ("    y: Optional[Dict[str, List[Tuple[int, int, int]]]] = None\n", 8),
    ],
)
def test_attributes_are_marked_in_lines_and_tables(body: str, line: int) -> None:
    source = f"from __future__ import annotations\nfrom typing import *\nfrom torch import Tensor\nclass A:\n{body}"
    wanted = [slot(SlotKind.ATTRIBUTE, name, "A", 4) for name in ("x", "size")]
    lines, marks = annotated(source.encode(), *wanted)
    assert [(mark.annotation.slot.name, lines[mark.line - 1][mark.start : mark.end]) for mark in marks] == [
        ("x", "Tensor"),
        ("size", "List[int]"),
    ]
    assert marks[0].line == line


def test_what_a_table_repeats_has_no_mark() -> None:
    source = b"from __future__ import annotations\nclass A:\n    x: int\n"
    lines, marks = annotated(source, slot(SlotKind.ATTRIBUTE, "n", "A", 2))
    assert "x" in lines[marks[0].line - 1]
    assert [mark.annotation.slot.name for mark in marks] == ["n"]


def test_windows_line_ends_and_another_encoding() -> None:
    source = b"# coding: latin-1\r\n# caf\xe9\r\ndef f(x, y='\xe9'):\r\n    return x\r\n"
    wanted = [slot(SlotKind.PARAMETER, "x", "f", 3), slot(SlotKind.RETURN, "return", "f", 3)]
    lines, marks = annotated(source, *wanted)
    texts = [lines[mark.line - 1][mark.start : mark.end] for mark in marks]
    assert texts[0].endswith("Tensor")
    assert texts[1] == "List[int]"
