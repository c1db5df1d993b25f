"""The cache's directory: whose it is, what it leaves alone, and what it survives."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pdt_annotate.cache import store


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache directory."""
    place = tmp_path / "caches"
    place.mkdir(mode=0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    return place


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


def keep(root: str, name: str = "a") -> Path:
    """Keep a document; its file, where that is."""
    store.write(root, "entries", name, {"file": ["one"]})
    return Path(store.directory_of(root), "entries", f"{name}{store.SUFFIX}")


def is_known(root: str) -> bool:
    return store.read(root, "entries", "a") == {"file": ["one"]}


def test_reading_makes_no_directory(root: str, place: Path) -> None:
    assert store.read(root, "entries", "a") == {}
    assert list(store.names(root, "entries")) == []
    assert store.find_root(root) == ""
    assert store.clean(root) == ""
    assert not list(place.iterdir())


BREAKS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[:-3],
    "longer": lambda content: content + b"file more\n",
    "another text": lambda content: content.replace(b"one", b"two"),
    "another format": lambda content: content.replace(b"cache 2", b"cache 1"),
    "no text": lambda content: b"\xff\x00\\x\n" + content,
}


@pytest.mark.parametrize("change", BREAKS.values(), ids=BREAKS)
def test_what_is_no_document_is_not_read(change: Callable[[bytes], bytes], root: str) -> None:
    file = keep(root)
    file.write_bytes(change(file.read_bytes()))
    assert store.read(root, "entries", "a") == {}


def _open_to_others(path: Path) -> None:
    path.chmod(path.stat().st_mode | 0o020)


def _replace_by_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _give_away(path: Path) -> None:
    if os.getuid():
        pytest.skip("only root can give a file away")
    os.chown(path, 12345, -1)


@pytest.mark.parametrize("above", range(4), ids=["document", "group", "project", "all"])
@pytest.mark.parametrize("change", [_open_to_others, _replace_by_a_link, _give_away])
def test_what_may_be_anothers_is_not_read_nor_written(change: Callable[[Path], None], above: int, root: str) -> None:
    file = keep(root)
    assert is_known(root)
    change([file, *file.parents][above])
    before = file.read_bytes()
    assert store.read(root, "entries", "a") == {}
    store.write(root, "entries", "b", {})
    assert file.with_name("b.txt").exists() == (above == 0)
    assert file.read_bytes() == before


@pytest.mark.parametrize("above", [2, 3], ids=["project", "all"])
def test_clean_follows_no_link(above: int, root: str) -> None:
    file = keep(root)
    _replace_by_a_link([file, *file.parents][above])
    with pytest.raises(OSError, match="link"):
        store.clean(root)
    assert file.exists()


def test_a_repository_brings_no_cache(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies in it, and also where the user's cache directory lies in it."""
    Path(root, store.FORMER, "entries").mkdir(parents=True)
    assert store.find_root(root) == ""
    Path(root, ".cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", f"{root}/.cache")
    keep(root)
    assert store.read(root, "entries", "a") == {}
    assert not os.listdir(f"{root}/.cache")


@pytest.mark.parametrize("home", ["", "relative", "/no/such/home"])
def test_who_has_no_home_has_no_cache(home: str, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.chdir(root)
    keep(root)
    assert store.read(root, "entries", "a") == {}
    assert not os.listdir(root)
    assert not os.path.exists("/no")


def test_a_document_is_kept_until_it_is_cleaned(root: str, place: Path) -> None:
    texts = ["plain", "", "é and \u2028", "two\nlines\r", " \0 \\n", "\n\\", "\\\n", os.fsdecode(b"not utf-8: \xff")]
    store.write(root, "entries", "a", {"file": texts, "said": ["1"]})
    assert store.read(root, "entries", "a") == {"file": texts, "said": ["1"]}
    assert store.find_root(f"{root}/sub/sub") == root
    modes = {path.stat().st_mode & 0o777 for path in place.rglob("*")}
    assert modes == {0o700, 0o600}
    assert store.clean(root) == store.directory_of(root)
    assert [path.name for path in place.rglob("*")] == [store.DIRECTORY, store.TAG]
    assert (place / store.DIRECTORY / store.TAG).read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_the_oldest_go_first(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT", 2)
    for age, name in enumerate(["new", "middle", "old"]):
        path = keep(root, name)
        os.utime(path, (path.stat().st_mtime - 100 * age,) * 2)
    keep(root, "now")
    assert list(store.names(root, "entries")) == ["now", "new"]


def test_projects_that_are_gone_go_and_then_the_oldest(
    tmp_path: Path, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PROJECTS", 2)
    for age, name in enumerate(["project", "old", "gone"]):
        (tmp_path / name).mkdir(exist_ok=True)
        path = keep(str(tmp_path / name)).parents[1] / store.ROOT
        os.utime(path, (path.stat().st_mtime - 100 * age,) * 2)
    (tmp_path / "gone").rmdir()
    (tmp_path / "new").mkdir()
    keep(str(tmp_path / "new"))
    assert is_known(str(tmp_path / "new"))
    assert is_known(root)
    assert not any(is_known(str(tmp_path / name)) for name in ("gone", "old"))


def _write_many(root: str, content: str) -> None:
    for _ in range(50):
        store.write(root, "entries", "shared", {"content": [content * 10_000]})


def test_a_reader_beside_two_writers_meets_whole_documents(root: str) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(root, letter)) for letter in "ab"]
    for writer in writers:
        writer.start()
    seen = []
    file = Path(store.directory_of(root), "entries", f"shared{store.SUFFIX}")
    while any(writer.is_alive() for writer in writers):
        if file.exists():
            seen.append(store.read(root, "entries", "shared"))
    assert [writer.exitcode for writer in writers] == [0, 0]
    seen.append(store.read(root, "entries", "shared"))
    assert all(document["content"] in (["a" * 10_000], ["b" * 10_000]) for document in seen)
    assert os.listdir(file.parent) == [file.name]


def test_a_digest_is_of_values() -> None:
    assert store.digest(["a", [1]]) == store.digest(["".join("a"), [1]])
    assert store.digest(["ab", "c"]) != store.digest(["a", "bc"])
