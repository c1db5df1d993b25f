"""The manifest of a kept overlay: refused manifests, and a round trip."""

import json
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

from pdt_annotate.overlays import manifest
from pdt_annotate.overlays.manifest import ManifestEntry
from pdt_annotate.values.errors import UserError

ENTRY = ManifestEntry("pkg.sub.mod", "pkg/sub/mod.py", "pkg-dist", "1.0", "ab" * 32, "cd" * 32)
UNKNOWN = ManifestEntry("lone", "lone.py", "", "", "ef" * 32, "01" * 32)
OUTSIDE = ("/etc/passwd", "../outside.py", "pkg/../../outside.py")


def write(directory: Path, document: Any) -> str:
    (directory / manifest.MANIFEST).write_text(document if isinstance(document, str) else json.dumps(document))
    return str(directory)


def as_document(**changed: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(manifest.dump([ENTRY]))
    return document | changed


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not the manifest"),
        ({"files": []}, "not the manifest"),
        (as_document(version=2), "format 2, and this version of pdt-annotate reads format 1"),
        (as_document(files=[{"module": "pkg"}]), "damaged"),
        *((as_document(files=[as_document()["files"][0] | {"path": path}]), "damaged") for path in (3, *OUTSIDE)),
        (as_document(files=3), "damaged"),
    ],
)
def test_another_document_is_refused(document: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no overlay in .*: No such file") as refused:
        manifest.load(str(tmp_path))
    assert "--overlay" in refused.value.hint
    with pytest.raises(UserError, match=message) as refused:
        manifest.load(write(tmp_path, document))
    assert refused.value.file == str(tmp_path / manifest.MANIFEST)


def test_what_may_be_replaced(tmp_path: Path) -> None:
    full, later, fine = (tmp_path / name for name in ("full", "later", "fine"))
    for directory in (full, later, fine):
        directory.mkdir()
    (full / "notes.txt").touch()
    write(later, as_document(version=2))
    for path in (full, full / "notes.txt", later):
        with pytest.raises(UserError):
            manifest.assert_replaceable(str(path))
    manifest.assert_replaceable(str(tmp_path / "new"))
    manifest.assert_replaceable(str(fine))
    manifest.assert_replaceable(write(fine, as_document()))


def test_is_read_as_it_was_written_with_keys_of_later_versions_passed_over(tmp_path: Path) -> None:
    assert manifest.dump([ENTRY, UNKNOWN]) == manifest.dump([UNKNOWN, ENTRY])
    write(tmp_path, manifest.dump([ENTRY, UNKNOWN]).decode())
    assert manifest.load(str(tmp_path)) == {"pkg.sub.mod": ENTRY, "lone": UNKNOWN}
    assert (ENTRY.package, UNKNOWN.package) == ("pkg-dist 1.0", "lone")
    document = as_document(made_by="a later version")
    document["files"][0]["size"] = 3
    assert manifest.load(write(tmp_path, document)) == {"pkg.sub.mod": ENTRY}


def test_the_keys_are_those_of_the_documentation_and_where_a_copy_lies() -> None:
    page = (ROOT / "docs/overlay.md").read_text()
    document = as_document()
    for key in (*document, *document["files"][0]):
        assert f'"{key}": ' in page
    assert manifest.copy_path("a.b", "/lib/a/b.py") == "a/b.py"
    assert manifest.copy_path("a.b", "/lib/a/b/__init__.py") == "a/b/__init__.py"
    assert manifest.copy_path("c", "/x/odd.py") == "c.py"
