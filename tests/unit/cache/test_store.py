"""The cache's files: whose they are, what they leave alone, and what they survive."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pdt_annotate.cache import store
from pdt_annotate.values import user_cache

KEPT = {"state": {"files": {"one": "1"}}}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache directory."""
    place = tmp_path / "caches"
    place.mkdir(mode=0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    return place


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


def keep(root: str, name: str = "a") -> Path:
    """Keep a document; the file of the cache."""
    store.keep(root, store.ENTRIES, name, KEPT)
    return Path(store.file_of(root))


def is_known(root: str) -> bool:
    return store.read(root)[store.ENTRIES].get("a") == KEPT


def test_reading_makes_no_directory(root: str, place: Path) -> None:
    assert store.read(root) == {store.ENTRIES: {}, store.COMMANDS: {}}
    assert store.find_root(root) == ""
    assert store.clean(root) == ""
    assert not list(place.iterdir())


BREAKS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[:-3],
    "longer": lambda content: content + b"{}",
    "a list": lambda content: b"[]",
    "another group": lambda content: content.replace(b"entries", b"others"),
    "no group": lambda content: content.replace(b"{}", b"[]"),
    "no text": lambda content: b"\xff\x00\\x\n" + content,
    "too deep": lambda content: b"[" * 100_000,
}


@pytest.mark.parametrize("change", BREAKS.values(), ids=BREAKS)
def test_what_is_no_cache_is_not_read_and_written_over(change: Callable[[bytes], bytes], root: str) -> None:
    file = keep(root)
    file.write_bytes(change(file.read_bytes()))
    assert store.read(root) == {store.ENTRIES: {}, store.COMMANDS: {}}
    keep(root)
    assert is_known(root)


def _open_to_others(path: Path) -> None:
    path.chmod(path.stat().st_mode | 0o020)


def _replace_by_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _give_away(path: Path) -> None:
    if os.getuid():
        pytest.skip("only root can give a file away")
    os.chown(path, 12345, -1)


@pytest.mark.parametrize("above", range(3), ids=["file", "folder", "all"])
@pytest.mark.parametrize("change", [_open_to_others, _replace_by_a_link, _give_away])
def test_what_may_be_anothers_is_not_read_nor_followed(change: Callable[[Path], None], above: int, root: str) -> None:
    file = keep(root)
    content = file.read_bytes()
    assert is_known(root)
    change([file, *file.parents][above])
    assert not is_known(root)
    store.keep(root, store.ENTRIES, "b", {})
    moved = file if above else file.with_name("elsewhere")
    assert not moved.exists() or moved.read_bytes() == content


def test_clean_follows_no_link(root: str) -> None:
    file = keep(root)
    _replace_by_a_link(file)
    assert store.clean(root) == str(file)
    assert file.with_name("elsewhere").exists()


def test_a_repository_brings_no_cache(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(root, ".cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", f"{root}/.cache")
    keep(root)
    assert not is_known(root)


@pytest.mark.parametrize("home", ["", "relative", "/no/such/home"])
def test_who_has_no_home_has_one_among_the_temporary_files(
    home: str, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(root)
    file = keep(root)
    assert is_known(root)
    assert file.parents[2] == tmp_path
    assert not os.listdir(root)
    assert not os.path.exists("/no")


@pytest.mark.skipif(os.name == "nt", reason="there, platformdirs is asked")
def test_where_platformdirs_says_there_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    platformdirs = pytest.importorskip("platformdirs")
    for variables in ({"XDG_CACHE_HOME": "/caches"}, {"XDG_CACHE_HOME": "", "HOME": "/home/somebody"}):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert user_cache._user_directory() == platformdirs.user_cache_dir("pdt-annotate", appauthor=False)


def test_what_is_kept_is_kept_until_it_is_cleaned(root: str, place: Path) -> None:
    texts = ["plain", "", "é and \u2028", "two\nlines\r", " \0 \\n", os.fsdecode(b"not utf-8: \xff")]
    store.keep(root, store.COMMANDS, "a", {"texts": texts})
    assert store.read(root)[store.COMMANDS] == {"a": {"texts": texts}}
    assert store.find_root(f"{root}/sub/sub") == root
    modes = {path.stat().st_mode & 0o777 for path in place.rglob("*")}
    assert modes == {0o700, 0o600}
    file = store.file_of(root)
    assert store.clean(root) == file
    assert {path.name for path in place.rglob("*")} == {user_cache.NAME, store.FOLDER, store.TAG}


def test_the_oldest_go_first(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT", 2)
    for name in ("old", "middle", "old", "now"):
        keep(root, name)
    assert list(store.read(root)[store.ENTRIES]) == ["old", "now"]


def test_the_oldest_projects_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PROJECTS", 2)
    for age, name in enumerate(["young", "old", "oldest"]):
        file = keep(str(tmp_path / name))
        os.utime(file, (file.stat().st_mtime - 100 * (age + 1),) * 2)
    keep(str(tmp_path / "new"))
    assert [is_known(str(tmp_path / name)) for name in ("new", "young", "old")] == [True, True, False]


def _keep_many(root: str, content: str) -> None:
    for _ in range(50):
        store.keep(root, store.ENTRIES, "shared", {"content": [content * 10_000]})


def test_a_reader_beside_two_writers_meets_whole_documents(root: str) -> None:
    context = multiprocessing.get_context("fork")
    keep(root)
    writers = [context.Process(target=_keep_many, args=(root, letter)) for letter in "ab"]
    for writer in writers:
        writer.start()
    seen = []
    while any(writer.is_alive() for writer in writers):
        seen.append(store.read(root)[store.ENTRIES])
    assert [writer.exitcode for writer in writers] == [0, 0]
    seen.append(store.read(root)[store.ENTRIES])
    assert all("a" in entries for entries in seen), "no file was ever half"
    assert seen[-1]["shared"]["content"] in (["a" * 10_000], ["b" * 10_000])
    assert len(os.listdir(os.path.dirname(store.file_of(root)))) == 1


def test_a_digest_is_of_values() -> None:
    assert store.digest_value(["a", [1]]) == store.digest_value(["".join("a"), [1]])
    assert store.digest_value(["ab", "c"]) != store.digest_value(["a", "bc"])
