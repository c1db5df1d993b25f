"""The files of the cache: their owner and mode, files that the cache does not touch, and errors that it survives."""

import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
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
    """Save a document in the cache, and return the cache file."""
    store.keep(root, store.ENTRIES, name, KEPT)
    return Path(store.file_of(root))


def is_known(root: str) -> bool:
    return store.read(root)[store.ENTRIES].get("a") == KEPT


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
        pytest.skip("only root may give a file away: run as root")
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


def test_clean_follows_no_link_and_a_repository_brings_no_cache(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = keep(root)
    _replace_by_a_link(file)
    assert store.clean(root) == str(file)
    assert file.with_name("elsewhere").exists()
    Path(root, ".cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", f"{root}/.cache")
    keep(root)
    assert not is_known(root)


@pytest.mark.parametrize("home", ["", "relative", "/no/such/home"])
def test_without_a_home_it_is_temporary(home: str, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    platformdirs = pytest.importorskip("platformdirs", reason="there is no platformdirs: install it")
    for variables in ({"XDG_CACHE_HOME": "/caches"}, {"XDG_CACHE_HOME": "", "HOME": "/home/somebody"}):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert user_cache._user_directory() == platformdirs.user_cache_dir("pdt-annotate", appauthor=False)


def test_what_is_kept_is_kept_until_it_is_cleaned(root: str, place: Path) -> None:
    assert store.read(root) == {store.ENTRIES: {}, store.COMMANDS: {}}
    assert store.find_root(root) == ""
    assert store.clean(root) == ""
    assert not list(place.iterdir())
    texts = ["plain", "", "é and \u2028", "two\nlines\r", " \0 \\n", os.fsdecode(b"not utf-8: \xff")]
    store.keep(root, store.COMMANDS, "a", {"texts": texts})
    assert store.read(root)[store.COMMANDS] == {"a": {"texts": texts}}
    assert store.find_root(f"{root}/sub/sub") == root
    assert {path.stat().st_mode & 0o777 for path in place.rglob("*")} == {0o700, 0o600}
    file = store.file_of(root)
    assert store.clean(root) == file
    assert {path.name for path in place.rglob("*")} == {user_cache.NAME, store.FOLDER, store.TAG}


def test_the_oldest_entries_and_projects_go_first(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEPT", 2)
    for name in ("old", "middle", "old", "now"):
        keep(root, name)
    assert list(store.read(root)[store.ENTRIES]) == ["old", "now"]
    store.clean(root)
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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "data").mkdir()
    for name in ("pkg/__init__.py", "pkg/model.py", "data/one.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


Change = Callable[[Path], object]

HARMLESS: dict[str, Change] = {
    "nothing": lambda p: None,
    "times": lambda p: [os.utime(file, (1, 1)) for file in p.rglob("*.py")],
    "an unrelated module": lambda p: (p / "setup.py").touch(),
    "an unrelated file of a package": lambda p: (p / "pkg/notes.txt").touch(),
    "an unrelated module of a package": lambda p: (p / "pkg/other.py").touch(),
    "bytecode": lambda p: (p / "pkg/__pycache__").mkdir(),
    "bytecode beside data": lambda p: (p / "data/__pycache__").mkdir(),
    "the cache": lambda p: store.keep(str(p / "data"), store.ENTRIES, "a", {}),
    "a data file's content that was not read": lambda p: (p / "data/one.txt").write_text("other"),
}

HARMFUL: dict[str, Change] = {
    "content of the same length": lambda p: (p / "pkg/model.py").write_text("PKG/model.py"),
    "a deleted file": lambda p: (p / "pkg/model.py").unlink(),
    "a deleted package": lambda p: shutil.rmtree(p / "pkg"),
    "a package in the place of a module": lambda p: (p / "pkg/model").mkdir(),
    "a module in the place of a package": lambda p: (p / "pkg.py").touch(),
    "an extension in the place of a module": lambda p: (p / "pkg/model.abi3.so").touch(),
    "a module that was not there": lambda p: (p / "extra.py").touch(),
    "a new file where a directory was listed": lambda p: (p / "data/two.txt").touch(),
    "a deleted file where a directory was listed": lambda p: (p / "data/one.txt").unlink(),
}


@pytest.mark.parametrize("name", HARMLESS | HARMFUL)
def test_a_state_is_current_until_what_it_is_of_changes(name: str, project: Path) -> None:
    root, package = str(project), str(project / "pkg")
    taken = store.take_state(
        files=[f"{package}/__init__.py", f"{package}/model.py"],
        names=[(root, "pkg"), (root, "extra"), (package, "model"), (package, "__init__")],
        listed=[str(project / "data")],
    )
    (HARMLESS | HARMFUL)[name](project)
    assert store.is_current(taken) is (name in HARMLESS)


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir])
def test_a_file_that_is_missing_may_stay_missing(make: Callable[[Path], None], tmp_path: Path) -> None:
    assert not store.is_current(store.take_state([]))
    taken = store.take_state([str(tmp_path / "missing")])
    assert store.is_current(taken)
    make(tmp_path / "missing")
    assert not store.is_current(taken)


def test_a_file_may_be_taken_for_another_content(project: Path) -> None:
    file = project / "pkg/model.py"
    taken = store.take_state([str(file)], contents={str(file): b"annotated"})
    assert not store.is_current(taken)
    file.write_bytes(b"annotated")
    assert store.is_current(taken)
    assert store.digest_value(["a", [1]]) == store.digest_value(["".join("a"), [1]])
    assert store.digest_value(["ab", "c"]) != store.digest_value(["a", "bc"])


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate `site-packages`, the only one on the path."""
    directory = tmp_path / "site-packages"
    (directory / "torch-2.13.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(directory)])
    monkeypatch.chdir(tmp_path)
    return directory


def test_surroundings_stay_the_same(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.describe_surroundings()
    monkeypatch.setenv("PRE_COMMIT", "1")
    (libraries / "some_module.py").touch()
    (libraries.parent / "own.egg-info").mkdir()
    assert store.describe_surroundings() == before
    monkeypatch.setattr(sys, "path", ["/missing/site-packages"])
    assert store.describe_surroundings()


VARIABLES = {"PYTHONPATH": "lib", "PDT_ANNOTATE_OVERLAY": "typed", "PYTORCH_JIT": "0", "TORCH_LOGS": "all"}


def test_variables_versions_tool_python_and_folder_decide(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    changes: list[Callable[[], object]] = [partial(monkeypatch.setenv, *each) for each in VARIABLES.items()]
    changes += [
        lambda: (libraries / "torch-2.13.0.dist-info").rename(libraries / "torch-2.14.0.dist-info"),
        lambda: monkeypatch.setattr(sys, "version", "3.99"),
        lambda: monkeypatch.setattr(store, "__version__", "99"),
        lambda: monkeypatch.chdir(libraries),
    ]
    seen = {store.describe_surroundings()}
    for number, change in enumerate(changes, 2):
        change()
        seen.add(store.describe_surroundings())
        assert len(seen) == number


def test_each_change_makes_another_tool(libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PACKAGE", str(tmp_path / "worked_on"))
    (tmp_path / "worked_on").mkdir()
    before = store.describe_surroundings()
    (tmp_path / "worked_on" / "new.py").touch()
    assert store.describe_surroundings() != before
    monkeypatch.setattr(store, "PACKAGE", str(libraries / "pdt_annotate"))
    before = store.describe_surroundings()
    (libraries / "pdt_annotate").mkdir()
    (libraries / "pdt_annotate" / "new.py").touch()
    assert store.describe_surroundings() == before


def test_of_another_python_its_file_its_environment_and_its_packages_decide(libraries: Path) -> None:
    place = libraries.parent
    (place / "python").write_text("")

    def describe() -> str:
        return store.describe_other(str(place / "python"), str(place), [str(libraries)])

    before = describe()
    (libraries / "module.py").touch()
    assert describe() == before
    seen = {before}
    (libraries / "torch-2.13.0.dist-info").rename(libraries / "torch-2.14.0.dist-info")
    seen.add(describe())
    (place / "pyvenv.cfg").write_text("version = 3.12.1")
    seen.add(describe())
    (place / "python").write_text("another")
    seen.add(describe())
    (place / "python").unlink()
    assert len({*seen, describe()}) == 5
