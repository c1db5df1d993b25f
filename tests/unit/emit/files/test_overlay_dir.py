"""`--overlay`: what is kept, and what is left alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import make_outcome

from pdt_annotate.emit.files import overlay_dir
from pdt_annotate.overlays import manifest
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome, Overlaid
from pdt_annotate.values.runs import SpecSource, Target

BEFORE, AFTER = b"def scale(x, n):\n    return x * n\n", b"def scale(x, n: int):\n    return x * n\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of installed packages, with `pkg` of the distribution pkg-dist in it."""
    folder = tmp_path / "site"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg_dist-1.0.dist-info").mkdir()
    (folder / "pkg/mod.py").write_bytes(BEFORE)
    (folder / "pkg_dist-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: pkg-dist\nVersion: 1.0\n")
    (folder / "pkg_dist-1.0.dist-info/RECORD").write_text("pkg/mod.py,,\n")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def make(tmp_path: Path, *modules: str) -> Outcome:
    changes = ((name, str(tmp_path / f"site/{name.replace('.', '/')}.py")) for name in modules)
    overlaid = tuple(Overlaid(name, FileChange(file, BEFORE, AFTER)) for name, file in changes)
    return replace(make_outcome(tmp_path), overlaid=overlaid)


def emit(outcome: Outcome, directory: Path | str, write_back: WriteBack = WriteBack.IN_PLACE) -> str:
    target = Target("model.py:Net", "", "", "Net")
    options = Options((target,), SpecSource(), outcome.root, write_back=write_back, overlay=str(directory))
    return overlay_dir.emit(outcome, options)


def files(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


class TestLeavesAlone:
    def test_everything_where_no_overlay_is_asked_for(self, tmp_path: Path, site: Path) -> None:
        before = files(tmp_path)
        assert emit(make(tmp_path, "pkg.mod"), "") == ""
        assert files(tmp_path) - before == {"model.py"}

    def test_a_directory_behind_a_link_that_leads_out(self, tmp_path: Path, site: Path) -> None:
        for name in ("kept", "elsewhere"):
            (tmp_path / name).mkdir()
        (tmp_path / "kept/manifest.json").write_bytes(manifest.dump(()))
        (tmp_path / "kept/pkg").symlink_to("../elsewhere")
        with pytest.raises(UserError, match="a link leads out of"):
            emit(make(tmp_path, "pkg.mod"), tmp_path / "kept")
        assert not files(tmp_path / "elsewhere")

    @pytest.mark.parametrize("write_back", [WriteBack.DIFF, WriteBack.CHECK])
    def test_everything_on_a_dry_run(self, write_back: WriteBack, tmp_path: Path, site: Path) -> None:
        said = emit(make(tmp_path, "pkg.mod"), tmp_path / "kept", write_back)
        assert said == f"1 third-party file would be kept in {tmp_path / 'kept'}"
        assert not (tmp_path / "kept").exists()

    def test_a_directory_that_holds_something_else(self, tmp_path: Path, site: Path) -> None:
        outcome = make(tmp_path, "pkg.mod")
        with pytest.raises(UserError, match="no overlay"):
            emit(outcome, site)
        assert (site / "pkg/mod.py").read_bytes() == BEFORE

    def test_the_originals(self, tmp_path: Path, site: Path) -> None:
        emit(make(tmp_path, "pkg.mod"), tmp_path / "kept")
        assert (site / "pkg/mod.py").read_bytes() == BEFORE


def test_the_copies_and_what_they_stand_for(tmp_path: Path, site: Path) -> None:
    said = emit(make(tmp_path, "pkg.mod", "lone"), tmp_path / "kept")
    assert said == f"kept 2 third-party files in {tmp_path / 'kept'}"
    assert files(tmp_path / "kept") == {"manifest.json", "pkg/mod.py", "lone.py"}
    assert (tmp_path / "kept/pkg/mod.py").read_bytes() == AFTER
    kept = manifest.load(str(tmp_path / "kept"))
    assert kept["pkg.mod"] == manifest.ManifestEntry(
        "pkg.mod", "pkg/mod.py", "pkg-dist", "1.0", manifest.digest(BEFORE), manifest.digest(AFTER)
    )
    assert (kept["lone"].distribution, kept["lone"].version) == ("", "")


def test_without_third_party_code_the_overlay_is_empty(tmp_path: Path) -> None:
    emit(make(tmp_path), tmp_path / "kept")
    assert manifest.load(str(tmp_path / "kept")) == {}


def test_an_overlay_is_brought_up_to_date(tmp_path: Path, site: Path) -> None:
    emit(make(tmp_path, "pkg.mod", "gone"), tmp_path / "kept")
    emit(make(tmp_path, "lone"), tmp_path / "kept")
    assert set(manifest.load(str(tmp_path / "kept"))) == {"pkg.mod", "gone", "lone"}


def test_what_stands_for_another_version_is_dropped(tmp_path: Path, site: Path) -> None:
    emit(make(tmp_path, "pkg.mod"), tmp_path / "kept")
    (site / "pkg/mod.py").write_bytes(BEFORE + b"# 1.1\n")
    emit(make(tmp_path, "lone"), tmp_path / "kept")
    assert set(manifest.load(str(tmp_path / "kept"))) == {"lone"}


def test_of_distributions_that_share_a_package_the_one_with_the_file(tmp_path: Path, site: Path) -> None:
    other = site / "another-2.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: another\nVersion: 2.0\n")
    (other / "RECORD").write_text("pkg/more.py,,\n")
    (site / "pkg/more.py").write_bytes(BEFORE)
    emit(make(tmp_path, "pkg.mod", "pkg.more"), tmp_path / "kept")
    found = {name: entry.distribution for name, entry in manifest.load(str(tmp_path / "kept")).items()}
    assert found == {"pkg.mod": "pkg-dist", "pkg.more": "another"}


def test_the_same_result_gives_the_same_bytes(tmp_path: Path, site: Path) -> None:
    made = []
    for name in "ab":
        emit(make(tmp_path, "pkg.mod", "lone"), tmp_path / name)
        made.append((tmp_path / name / "manifest.json").read_bytes())
    assert made[0] == made[1]
    assert json.loads(made[0])["version"] == manifest.VERSION
