"""What `--diff` prints is taken by the real `git apply` and `patch -p1`, whatever bytes the file holds."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest
from outcomes import make_outcome

from pdt_annotate.emit.files import diff
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.runs import SpecSource, Target

TOOLS = {"git": ["git", "apply", "-"], "patch": ["patch", "-p1", "--posix"]}

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
    done = subprocess.run(
        TOOLS[tool],
        input=patch,
        cwd=root,
        capture_output=True,
        check=False,
        env={"GIT_CEILING_DIRECTORIES": str(root.parent), "PATH": "/usr/bin:/bin:/usr/local/bin"},
    )
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


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("content", CONTENTS)
def test_tools_apply_any_bytes(tmp_path: Path, tool: str, content: str) -> None:
    before, after = CONTENTS[content]
    outcome = outcome_of(tmp_path, ("model.py", before, after))
    apply(tool, tmp_path, diff.render(outcome))
    assert (tmp_path / "model.py").read_bytes() == after


@pytest.mark.parametrize("tool", TOOLS)
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
