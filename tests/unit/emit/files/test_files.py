"""What is said ahead of files that cannot be written; and `--overlay`: what is kept, and what is left alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import make_outcome

from pdt_annotate.emit.files import (
    ELSEWHERE,
    assert_led_by_no_link,
    assert_within,
    assert_writable,
    overlay_dir,
    write_document,
)
from pdt_annotate.overlays import manifest
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Overlaid
from pdt_annotate.values.runs import SpecSource


def test_what_can_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("as it was")
    for place in ("old", "new", "deep/down/new"):
        assert_writable(str(tmp_path / place), "--html")
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "as it was"


@pytest.mark.parametrize(
    ("place", "reason", "hint"),
    [(".", "Is a directory", "name a file in it"), ("old/new", "Not a directory", "/old is a file")],
)
def test_what_cannot_be_written_is_refused_with_the_reason(place: str, reason: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    with pytest.raises(UserError, match=f"--html cannot be written: {reason}") as raised:
        assert_writable(str(tmp_path / place), "--html")
    assert raised.value.file == str(tmp_path / place)
    assert hint in raised.value.hint


@pytest.mark.parametrize("folder", ["", "missing"])
def test_a_result_that_cannot_be_written_is_kept_where_it_can(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.html").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / folder))
    with pytest.raises(UserError, match="cannot write the file: Is a directory") as raised:
        write_document(str(tmp_path / "page.html"), b"an hour's work")
    if folder:
        assert raised.value.hint == ELSEWHERE
    else:
        kept = Path(raised.value.hint.removeprefix("what it was to hold is in "))
        assert (kept.name, kept.read_bytes()) == ("page.html", b"an hour's work")


def test_what_a_link_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "in").symlink_to("sub")
    (root / "out").symlink_to("..")
    for path in ("x", "sub/x", "in/x", "no/such/x"):
        assert_within([str(root / path)], str(root))
        assert_led_by_no_link(str(root / path), str(root), "--json")
    with pytest.raises(UserError, match="a link leads out of"):
        assert_within([str(root / "x"), str(root / "out" / "x")], str(root))
    with pytest.raises(UserError, match=r"--json cannot be written: the link .*out leads out of the project"):
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
    """A directory of installed packages, with `pkg` of the distribution pkg-dist in it."""
    install(tmp_path / "site", "pkg-dist", "1.0", "pkg/mod.py")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
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
        assert said == f"1 third-party file would be kept in {tmp_path / 'kept'}"
    assert files(tmp_path) - before == {"model.py"}


def test_a_directory_of_something_else_or_behind_a_link_is_left_alone(tmp_path: Path, emit: Emit) -> None:
    for name in ("kept", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "kept/manifest.json").write_bytes(manifest.dump(()))
    (tmp_path / "kept/pkg").symlink_to("../elsewhere")
    with pytest.raises(UserError, match="a link leads out of"):
        emit("pkg.mod")
    with pytest.raises(UserError, match="no overlay"):
        emit("pkg.mod", to="site")
    assert not files(tmp_path / "elsewhere")
    assert (tmp_path / "site/pkg/mod.py").read_bytes() == BEFORE


def test_the_copies_and_what_they_stand_for(tmp_path: Path, emit: Emit) -> None:
    assert emit("pkg.mod", "lone") == f"kept 2 third-party files in {tmp_path / 'kept'}"
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
