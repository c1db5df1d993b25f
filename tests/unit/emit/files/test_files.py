"""`git apply` and `patch -p1` accept the output of `--diff`; files that cannot be written; and `--overlay`."""

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import golden
import golden_outcomes
import pytest
from changes import annotate as rewrite
from outcomes import make_outcome

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.emit.files import (
    ELSEWHERE,
    assert_led_by_no_link,
    assert_within,
    assert_writable,
    diff,
    overlay_dir,
    write_document,
)
from pdt_annotate.emit.words import TIMES
from pdt_annotate.overlays import manifest
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.source.project import Project
from pdt_annotate.source.text import decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome, Overlaid
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.slots import Annotation, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr

TOOLS = {"git": ["git", "apply", "-"], "patch": ["patch", "-p1"], "posix": ["patch", "-p1", "--posix"]}


def outcome_of(root: Path, *changes: tuple[str, bytes, bytes]) -> Outcome:
    return Outcome((), str(root), tuple(FileChange(str(root / name), old, new) for name, old, new in changes))


def apply(tool: str, outcome: Outcome, patch: bytes) -> None:
    """Write the original files, and patch them with a tool."""
    for change in outcome.changes:
        Path(change.file).parent.mkdir(parents=True, exist_ok=True)
        Path(change.file).write_bytes(change.before)
    # Otherwise git would use the top of the enclosing repository as the root of the paths.
    env = {"GIT_CEILING_DIRECTORIES": str(Path(outcome.root).parent), "PATH": os.environ["PATH"]}
    done = subprocess.run(TOOLS[tool], input=patch, cwd=outcome.root, capture_output=True, check=False, env=env)
    assert done.returncode == 0, done.stderr.decode() + patch.decode(errors="replace")
    assert [Path(change.file).read_bytes() for change in outcome.changes] == [c.after for c in outcome.changes]


CONTENTS = {
    "plain": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "last line without newline": (b"a\nb", b"a\nb: int"),
    "final newline lost": (b"a\nb\n", b"a\nb"),
    "mixed ends": (b"a\r\nb\nc\r\n", b"a\r\nb: int\nc: int\r\n"),
    "from empty": (b"", b"a\n"),
    "looks like a header": (b"-- a\n++ b\nc\n", b"++ a\n-- b\nc\n"),
}


@pytest.mark.parametrize("tool", ["git", "posix"])
@pytest.mark.parametrize("content", CONTENTS)
def test_tools_apply_any_bytes(tmp_path: Path, tool: str, content: str) -> None:
    outcome = outcome_of(tmp_path, ("model.py", *CONTENTS[content]))
    apply(tool, outcome, diff.render(outcome))
    assert diff.render_explained(outcome) == diff.render(outcome)


def test_files_come_in_order_names_are_quoted_and_without_a_change_there_is_no_diff(tmp_path: Path) -> None:
    assert diff.render(outcome_of(tmp_path)) == diff.render(outcome_of(tmp_path, ("m.py", b"same", b"same"))) == b""
    outcome = outcome_of(tmp_path, ("b.py", b"", b"x\n"), ("a.py", b"", b"x\n"))
    text = diff.render(outcome)
    assert text == diff.render_for_people(outcome, False)
    assert text.index(b"b/a.py") < text.index(b"b/b.py")
    outcome = outcome_of(tmp_path, ('quo"te\ttab.py', b"a\n", b"b\n"))
    apply("git", outcome, diff.render(outcome))


def emitted(outcome: Outcome, color: Color = Color.AUTO, *, explain: bool = False) -> bytes:
    stdout = io.BytesIO()
    diff.emit(outcome, Options((), SpecSource(), outcome.root, explain=explain, color=color), stdout)
    return stdout.getvalue()


def test_notes_and_colour_go_where_they_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    outcome = make_outcome(tmp_path)
    assert emitted(outcome).startswith(b"--- a/model.py\n+++ b/model.py\n@@ ")
    assert b"\x1b" not in emitted(outcome)
    assert b"\x1b[32m+from typing import Optional\x1b[0m\n" in emitted(outcome, Color.ALWAYS)
    assert emitted(outcome, explain=True) == diff.render_explained(outcome)
    beside = emitted(outcome, Color.ALWAYS, explain=True)
    assert beside == diff.render_for_people(outcome, True)
    assert b"\x1b[2m" in beside
    assert (tmp_path / "model.py").read_bytes() == outcome.changes[0].before
    plain = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9\r\n+x\r\n y\n\\ No newline at end of file\n"
    painted = diff.paint(plain)
    assert {int(code) for code in re.findall(rb"\x1b\[(\d+)m", painted)} == {0, 1, 31, 32, 36}
    assert re.sub(rb"\x1b\[\d+m", b"", painted) == plain


SOURCES = {
    "model.py": b"from torch import Tensor\n\n\ndef f(x):\n    return x\n",
    "no final newline.py": b"from torch import Tensor\ndef f(x): return x",
    "new/deep/crlf.py": b"from torch import Tensor\r\n\r\n\r\ndef f(x):\r\n    return x\r\n",
    "crlf without the last.py": b"from torch import Tensor\r\ndef f(x): return x",
    "lone carriage return.py": b"from torch import Tensor\ra = 1\r\ndef f(x):\n    return x\n",
    "bom.py": b"\xef\xbb\xbffrom torch import Tensor\ndef f(x):\n    return x\n",
    "café.py": b"# coding: latin-1\nfrom torch import Tensor\ndef f(x):\n    return 'caf\xe9'\n",
    "form feed.py": b"from torch import Tensor\n\x0c\ndef f(x):\n    return x\n",
    "like a diff.py": b"from torch import Tensor\n'''\n--- a/x\n+++ b/x\n@@ -1 +1 @@ f\n'''\ndef f(x): return x\n",
}


def annotate(root: Path, *names: str, **sources: bytes) -> Outcome:
    """The outcome of annotating `f(x)` in files below the root: some of `SOURCES`, or the given texts."""
    modules: dict[str, str] = {}
    annotations: list[Annotation] = []
    for name, source in {**{name: SOURCES[name] for name in names}, **sources}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source)
        modules[f"module{len(modules)}"] = str(file)
        line = 1 + len(re.findall(rb"\r\n|\r|\n", source[: source.index(b"def f")]))
        slot = Slot(Owner(str(file), "f", line), SlotKind.PARAMETER, "x")
        annotations.append(Annotation(slot, TENSOR, evidence=(Observation(slot, TENSOR, 3, ("a\nb", "c")),)))
    rendered = render(Plan().with_(annotations), Evidence(Project(str(root), modules), ()))
    assert len(rendered.changes) == len(modules)
    return Outcome((), str(root), rendered.changes, rendered.written, verified=True)


def without_notes(explained: bytes) -> bytes:
    lines = (line for line in re.split(rb"(?<=\n)", explained) if not line.startswith(b"# "))
    return b"".join(re.sub(rb"^(@@ -\S+ \+\S+ @@) .*\n", rb"\1\n", line) for line in lines)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", [*SOURCES, ""])
def test_tools_apply_notes_on_any_bytes_and_names(tmp_path: Path, tool: str, name: str) -> None:
    outcome = annotate(tmp_path, *([name] if name else SOURCES))
    plain, explained = diff.render(outcome), diff.render_explained(outcome)
    assert explained.startswith(b"# ")
    assert without_notes(explained) == plain
    apply(tool, outcome, plain)
    if tool != "posix":
        apply(tool, outcome, explained)


@pytest.mark.parametrize("name", ["masked_attention", "speech_encoder"])
@pytest.mark.parametrize("tool", ["git", "patch"])
def test_tools_apply_the_notes_of_a_fixture(tmp_path: Path, tool: str, name: str) -> None:
    outcome = golden_outcomes.load(name, tmp_path)
    explained = diff.render_explained(outcome)
    assert without_notes(explained) == (golden.FIXTURES / name / "expected.diff").read_bytes()
    apply(tool, outcome, explained)


def test_each_hunk_has_its_own_notes_and_names_cannot_break_out_of_their_line(tmp_path: Path) -> None:
    outcome = annotate(tmp_path, far=b"import torch\n" + 20 * b"\n" + b"def f(x):\n    return x\n")
    (change,) = outcome.changes
    first = replace(change, after=b"# new\n" + change.after, edits=(Edit(0, "# new\n"), *change.edits))
    lines = diff.render_explained(replace(outcome, changes=(first,))).split(b"\n")
    assert [line.endswith(b"@@") for line in lines if line.startswith(b"@@")] == [True, False]
    assert f"seen: Tensor{TIMES}3 in a b, c\n".encode() in diff.render_explained(annotate(tmp_path, "model.py"))
    shown = diff.render_for_people(annotate(tmp_path, "new/deep/crlf.py"), False).decode()
    (line,) = [line for line in shown.split("\n") if line.startswith("+def")]
    # No \r moves the cursor of a terminal.
    assert re.fullmatch(rf"\+def f\(x: Tensor\): +{diff.POINTER}x: Tensor{TIMES}3", line)
    assert "# new/deep/crlf.py" not in shown


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
    *(slot(SlotKind.PARAMETER, name, "first", 3) for name in "xyz"),
    slot(SlotKind.RETURN, "return", "first", 3),
    slot(SlotKind.ATTRIBUTE, "seen", "Net", 4),
    slot(SlotKind.LOCAL, "self.n", "Net.__init__", 6, 9),
    *(slot(SlotKind.PARAMETER, name, "Net.forward", 10) for name in "éx"),
    slot(SlotKind.LOCAL, "acc", "Net.forward", 10, 16),
    slot(SlotKind.LOCAL, "acc", "Net.forward.<locals>.inner", 18, 19),
    slot(SlotKind.PARAMETER, "x", "first", 23),
)


def annotated(source: bytes, *slots: Slot) -> tuple[tuple[str, ...], list[diff.Mark]]:
    """The lines that the rewrite changes, and the marks in them."""
    ints = TypeExpr("list", (TypeExpr("int"),))
    wanted = [Annotation(each, TENSOR if each.name in "xé" else ints) for each in slots]
    change = rewrite("m.py", source, wanted)
    return decode(change.after).lines, diff.find_marks(change, wanted)


def marked(source: bytes, *slots: Slot) -> list[tuple[str, int, str]]:
    lines, marks = annotated(source, *slots)
    return [(each.annotation.slot.name, each.line, lines[each.line - 1][each.start : each.end]) for each in marks]


def test_each_is_found_at_its_name_and_what_is_not_written_has_no_mark() -> None:
    change = FileChange("m.py", SOURCE.encode(), SOURCE.encode())
    assert diff.find_marks(change, [Annotation(each, TENSOR) for each in WANTED]) == []
    wanted = [slot(kind, "x", "A", 1) for kind in (SlotKind.PARAMETER, SlotKind.RETURN)]
    assert marked(b"class A: pass\ndef f(x: int): pass\n", *wanted, slot(SlotKind.PARAMETER, "x", "f", 2)) == []
    table = b"from __future__ import annotations\nclass A:\n    x: int\n"
    assert [name for name, _, _ in marked(table, slot(SlotKind.ATTRIBUTE, "n", "A", 2))] == ["n"]
    lines, marks = annotated(SOURCE.encode(), *WANTED)
    assert {mark.annotation.slot for mark in marks} == set(WANTED)
    assert [(mark.line, mark.start) for mark in marks] == sorted((mark.line, mark.start) for mark in marks)
    for mark in marks:
        text = lines[mark.line - 1]
        named = mark.annotation.slot.name
        assert text[: mark.start].rstrip().endswith("->" if named == "return" else f"{named}:")
        assert text[mark.start : mark.end] in ("Tensor", "torch.Tensor", "List[int]")
    source = b"# coding: latin-1\r\n# caf\xe9\r\ndef f(x, y='\xe9'):\r\n    return x\r\n"
    (_, _, x), (_, _, returned) = marked(
        source, slot(SlotKind.PARAMETER, "x", "f", 3), slot(SlotKind.RETURN, "return", "f", 3)
    )
    assert x.endswith("Tensor")
    assert returned == "List[int]"


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
    found = marked(source.encode(), *(slot(SlotKind.ATTRIBUTE, name, "A", 4) for name in ("x", "size")))
    assert [(name, text) for name, _, text in found] == [("x", "Tensor"), ("size", "List[int]")]
    assert found[0][1] == line


def test_what_can_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("as it was")
    for place in ("old", "new", "deep/down/new"):
        assert_writable(str(tmp_path / place), "--html")
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "as it was"


@pytest.mark.parametrize(
    ("place", "reason", "hint"),
    [(".", "Is a directory", "name a file in this directory"), ("old/new", "Not a directory", "/old is a file")],
)
def test_what_cannot_be_written_is_refused_with_the_reason(place: str, reason: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    with pytest.raises(UserError, match=f"--html cannot be written: {reason}") as raised:
        assert_writable(str(tmp_path / place), "--html")
    assert raised.value.file == str(tmp_path / place)
    assert hint in raised.value.hint


@pytest.mark.parametrize("folder", ["", "missing"])
def test_a_result_is_kept_where_it_can_be(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.html").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / folder))
    with pytest.raises(UserError, match="cannot write the file: Is a directory") as raised:
        write_document(str(tmp_path / "page.html"), b"an hour's work")
    if folder:
        assert raised.value.hint == ELSEWHERE
    else:
        kept = Path(raised.value.hint.removeprefix("its content is in "))
        assert (kept.name, kept.read_bytes()) == ("page.html", b"an hour's work")


def test_what_a_link_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "in").symlink_to("sub")
    (root / "out").symlink_to("..")
    for path in ("x", "sub/x", "in/x", "no/such/x"):
        assert_within([str(root / path)], str(root))
        assert_led_by_no_link(str(root / path), str(root), "--json")
    with pytest.raises(UserError, match="a symbolic link leads out of"):
        assert_within([str(root / "x"), str(root / "out" / "x")], str(root))
    with pytest.raises(UserError, match=r"--json cannot be written: the symbolic link .*out leads out of the project"):
        assert_led_by_no_link(str(root / "out" / "x"), str(root), "--json")
    assert_led_by_no_link(str(tmp_path / "x"), str(root), "--json")


BEFORE, AFTER = b"def scale(x, n):\n    return x * n\n", b"def scale(x, n: int):\n    return x * n\n"


def install(site: Path, name: str, version: str, file: str) -> None:
    (site / "pkg").mkdir(parents=True, exist_ok=True)
    (site / file).write_bytes(BEFORE)
    known = site / f"{name.replace('-', '_')}-{version}.dist-info"
    known.mkdir()
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (known / "RECORD").write_text(f"{file},,\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of installed packages, which contains `pkg` of the distribution pkg-dist."""
    install(tmp_path / "site", "pkg-dist", "1.0", "pkg/mod.py")
    # Reading the metadata of all installed packages would take a second each time.
    others = [place for place in sys.path if "site-packages" not in place]
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *others])
    return tmp_path / "site"


Emit = Callable[..., str]


@pytest.fixture
def emit(tmp_path: Path, site: Path) -> Emit:
    def run(*modules: str, to: str = "kept", write_back: WriteBack = WriteBack.IN_PLACE) -> str:
        changes = ((name, str(site / f"{name.replace('.', '/')}.py")) for name in modules)
        overlaid = tuple(Overlaid(name, FileChange(file, BEFORE, AFTER)) for name, file in changes)
        outcome = replace(make_outcome(tmp_path), overlaid=overlaid)
        options = Options((), SpecSource(), outcome.root, write_back=write_back, overlay=to and str(tmp_path / to))
        return overlay_dir.emit(outcome, options)

    return run


def files(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


def test_without_an_overlay_and_on_a_dry_run_nothing_is_written(tmp_path: Path, emit: Emit) -> None:
    before = files(tmp_path)
    assert emit("pkg.mod", to="") == ""
    for write_back in (WriteBack.DIFF, WriteBack.CHECK):
        said = emit("pkg.mod", write_back=write_back)
        assert said == f"copies of 1 third-party file would be written to {tmp_path / 'kept'}"
    assert files(tmp_path) - before == {"model.py"}


def test_a_directory_of_something_else_or_behind_a_link_is_left_alone(tmp_path: Path, emit: Emit) -> None:
    for name in ("kept", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "kept/manifest.json").write_bytes(manifest.dump(()))
    (tmp_path / "kept/pkg").symlink_to("../elsewhere")
    with pytest.raises(UserError, match="a symbolic link leads out of"):
        emit("pkg.mod")
    with pytest.raises(UserError, match="do not belong to an overlay"):
        emit("pkg.mod", to="site")
    assert not files(tmp_path / "elsewhere")
    assert (tmp_path / "site/pkg/mod.py").read_bytes() == BEFORE


def test_the_copies_and_what_they_stand_for(tmp_path: Path, emit: Emit) -> None:
    assert emit("pkg.mod", "lone") == f"wrote copies of 2 third-party files to {tmp_path / 'kept'}"
    assert files(tmp_path / "kept") == {"manifest.json", "pkg/mod.py", "lone.py"}
    assert (tmp_path / "kept/pkg/mod.py").read_bytes() == AFTER
    assert (tmp_path / "site/pkg/mod.py").read_bytes() == BEFORE
    kept = manifest.load(str(tmp_path / "kept"))
    assert kept["pkg.mod"] == manifest.ManifestEntry(
        "pkg.mod", "pkg/mod.py", "pkg-dist", "1.0", manifest.digest(BEFORE), manifest.digest(AFTER)
    )
    assert (kept["lone"].distribution, kept["lone"].version) == ("", "")
    emit("pkg.mod", "lone", to="again")
    assert (tmp_path / "again/manifest.json").read_bytes() == (tmp_path / "kept/manifest.json").read_bytes()


def test_an_overlay_is_brought_up_to_date(tmp_path: Path, site: Path, emit: Emit) -> None:
    seen = []
    for modules in ([], ["pkg.mod", "gone"], ["lone"]):
        emit(*modules)
        seen.append(set(manifest.load(str(tmp_path / "kept"))))
    (site / "pkg/mod.py").write_bytes(BEFORE + b"# 1.1\n")
    emit("lone")
    seen.append(set(manifest.load(str(tmp_path / "kept"))))
    assert seen == [set(), {"pkg.mod", "gone"}, {"pkg.mod", "gone", "lone"}, {"gone", "lone"}]


def test_of_distributions_that_share_a_package_the_one_with_the_file(tmp_path: Path, site: Path, emit: Emit) -> None:
    install(site, "another", "2.0", "pkg/more.py")
    emit("pkg.mod", "pkg.more")
    found = {name: entry.distribution for name, entry in manifest.load(str(tmp_path / "kept")).items()}
    assert found == {"pkg.mod": "pkg-dist", "pkg.more": "another"}
