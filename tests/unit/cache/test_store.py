"""The cache's directory: what it leaves alone, and what it survives."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pdt_annotate.cache import store


def test_reading_makes_no_directory(tmp_path: Path) -> None:
    assert store.read(str(tmp_path), "entries", "a") == {}
    assert list(store.names(str(tmp_path), "entries")) == []
    assert store.clean(str(tmp_path)) == ""
    assert not list(tmp_path.iterdir())


BREAKS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": lambda content: content[:-3],
    "longer": lambda content: content + b"file more\n",
    "another text": lambda content: content.replace(b"one", b"two"),
    "another format": lambda content: content.replace(b"cache 1", b"cache 2"),
    "no text": lambda content: b"\xff\x00\\x\n" + content,
}


@pytest.mark.parametrize("change", BREAKS.values(), ids=BREAKS)
def test_what_is_no_document_is_not_read(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    store.write(str(tmp_path), "entries", "a", {"file": ["one"]})
    (file,) = tmp_path.glob("*/entries/*")
    file.write_bytes(change(file.read_bytes()))
    assert store.read(str(tmp_path), "entries", "a") == {}


def test_a_root_that_cannot_be_written_has_no_cache(tmp_path: Path) -> None:
    (tmp_path / store.DIRECTORY).write_text("a file in the place of the directory")
    store.write(str(tmp_path), "entries", "a", {"file": ["one"]})
    assert store.read(str(tmp_path), "entries", "a") == {}
    assert os.listdir(tmp_path) == [store.DIRECTORY]


def test_clean_leaves_a_directory_that_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / store.DIRECTORY).mkdir()
    (tmp_path / store.DIRECTORY / "diary").touch()
    assert store.clean(str(tmp_path)) == ""
    assert (tmp_path / store.DIRECTORY / "diary").exists()


def test_a_document_is_kept_until_it_is_cleaned(tmp_path: Path) -> None:
    texts = ["plain", "", "é and \u2028", "two\nlines\r", " \0 \\n", os.fsdecode(b"not utf-8: \xff")]
    store.write(str(tmp_path), "entries", "a", {"file": texts, "said": ["1"]})
    assert store.read(str(tmp_path), "entries", "a") == {"file": texts, "said": ["1"]}
    assert store.find_root(str(tmp_path / "sub" / "sub")) == str(tmp_path)
    assert store.clean(str(tmp_path)) == str(tmp_path / store.DIRECTORY)
    assert not list(tmp_path.iterdir())


def test_git_and_backups_pass_the_cache_by(tmp_path: Path) -> None:
    store.write(str(tmp_path), "entries", "a", {})
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    done = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    tag = (tmp_path / store.DIRECTORY / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT", 2)
    for age, name in enumerate(["new", "middle", "old"]):
        store.write(str(tmp_path), "entries", name, {})
        path = tmp_path / store.DIRECTORY / "entries" / f"{name}{store.SUFFIX}"
        os.utime(path, (path.stat().st_mtime - 100 * age,) * 2)
    store.write(str(tmp_path), "entries", "now", {})
    assert list(store.names(str(tmp_path), "entries")) == ["now", "new"]


def _write_many(root: str, content: str) -> None:
    for _ in range(50):
        store.write(root, "entries", "shared", {"content": [content * 10_000]})


def test_a_reader_beside_two_writers_meets_whole_documents(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(str(tmp_path), letter)) for letter in "ab"]
    for writer in writers:
        writer.start()
    seen = []
    while any(writer.is_alive() for writer in writers):
        if (tmp_path / store.DIRECTORY / "entries" / f"shared{store.SUFFIX}").exists():
            seen.append(store.read(str(tmp_path), "entries", "shared"))
    assert [writer.exitcode for writer in writers] == [0, 0]
    seen.append(store.read(str(tmp_path), "entries", "shared"))
    assert all(document["content"] in (["a" * 10_000], ["b" * 10_000]) for document in seen)
    assert len(list((tmp_path / store.DIRECTORY / "entries").iterdir())) == 1


def test_a_digest_is_of_values() -> None:
    assert store.digest(["a", [1]]) == store.digest(["".join("a"), [1]])
    assert store.digest(["ab", "c"]) != store.digest(["a", "bc"])
