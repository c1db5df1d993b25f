"""The smaller values: advice, documents, errors, paths, places, texts, time, and the errors of the user's code."""

import ast
import errno
import ntpath
import os
import pickle
import re
import sys
import time
import tomllib
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from pdt_annotate.values import documents, exits, shell
from pdt_annotate.values.budget import UNBOUNDED, Budget, Stopwatch, Timing, add_up
from pdt_annotate.values.documents import DEEPEST, find_fault, parse_json, parse_toml, read_text
from pdt_annotate.values.errors import PdtError, SpecError, TargetError, UserCodeError, UserError, VerificationError
from pdt_annotate.values.installed import is_environment, is_installed, is_own
from pdt_annotate.values.paths import find_way_out, is_of_others, lies_in, named_from, read_bounded, real_path
from pdt_annotate.values.printable import disarm, one_line, printable
from pdt_annotate.values.slots import NO_PLACE, Place, column_at, place_of_error
from pdt_annotate.values.standard_streams import Unfailing
from pdt_annotate.values.torch_releases import DEPRECATION, notice
from pdt_annotate.values.user_code import (
    A_DICT,
    DEVICES,
    FIELDS,
    NO_CUDA,
    NOT_WHOLE,
    SHAPES,
    advise,
    describe_error,
    user_code,
)

needs_posix = pytest.mark.skipif(os.name != "posix", reason="files and a shell of POSIX")
NO_PACKAGE = "attempted relative import with no known parent package"


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("", ""),
        ("KeyError: 'x'", ""),
        ("ValueError: too many dimensions 'str'", ""),
        ("No module named ", ""),
        ("AssertionError: Torch not compiled with CUDA enabled", NO_CUDA),
        ("Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.", NO_CUDA),
        ("Expected all tensors to be on the same device, but found at least two devices", DEVICES),
        ("Expected tensor to have one of the following scalar types: Long, Int; but got torch.FloatTensor", NOT_WHOLE),
        ("TypeError: linear(): argument 'input' (position 1) must be Tensor, not dict", A_DICT),
        ("TypeError: Call.__init__() got an unexpected keyword argument 'heldback'", FIELDS),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x3)", SHAPES),
    ],
)
def test_the_advice_on_an_error(said: str, hint: str) -> None:
    assert advise(said, NO_PLACE) == hint


def test_a_missing_package_is_named() -> None:
    assert advise("ModuleNotFoundError: No module named 'einops'", NO_PLACE).startswith("install einops in ")
    assert advise("ModuleNotFoundError: No module named 'a.b.c'", NO_PLACE).startswith("a.b has no module c: ")


@pytest.mark.parametrize(("dots", "folder", "name"), [(".", "/a", "b.net"), ("..", "", "a.b.net")])
def test_a_relative_import_needs_a_package(dots: str, folder: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "net.py"
    file.parent.mkdir(parents=True)
    file.write_text(f"from {dots}layers import Lin\n")
    said = advise(NO_PACKAGE, Place(str(file), 1, 1))
    assert said == f"name it as a module of its package in {tmp_path}{folder}: {name}:NAME"


def test_the_place_of_a_package_here_goes_without_saying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-net").mkdir()
    monkeypatch.chdir(tmp_path)
    assert advise(NO_PACKAGE, Place("pkg/net.py", 1)) == "name it as a module of its package: pkg.net:NAME"
    assert "rename the directory" in advise(NO_PACKAGE, Place("my-net/net.py", 1))


def test_a_budget_counts_from_when_it_was_made_and_stays_spent() -> None:
    running, over = (Budget(60, time.monotonic() - gone) for gone in (50, 70))
    assert [each.is_spent for each in (UNBOUNDED, running, over, Budget(0))] == [False, False, True, True]
    assert 0 < running.left <= 10
    assert over.left == 0
    part = Budget(60).part("annotations")
    assert (part.steps, round(part.seconds), UNBOUNDED.part("module tree").seconds) == (40, 40, 20)


def test_bytes_that_are_no_text_are_placed(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes("ä = 1\nö = 'x".encode() + b"\xff'")
    with pytest.raises(UserError, match="the file cannot be read: it is not UTF-8") as caught:
        read_text(str(file), "the file")
    assert caught.value.place == Place(str(file), 2, 7)


@needs_posix
@pytest.mark.parametrize("kind", ["pipe", "directory", "device", "NUL"])
def test_what_is_no_file_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    file = {"pipe": f"{tmp_path}/pipe", "directory": str(tmp_path), "device": os.devnull, "NUL": "a\0b"}[kind]
    if kind == "pipe":
        os.mkfifo(file)
    with pytest.raises(UserError, match="the file cannot be read: "):
        read_text(file, "the file")


JSONS = ["[" * 5_000, "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "9" * 5_000, "1" + "0" * 400, '"\\ud800"', "{"]
TOMLS = ["a = " + "[" * 5_000, "a = " + "9" * 5_000, "a = 0x" + "f" * 5_000, "a", 'a = "\\u0000"']


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        *((parse_json, text, r"not valid JSON|nested too deeply|incomplete|bits") for text in JSONS),
        *((parse_toml, text, "not valid TOML") for text in TOMLS),
    ],
)
def test_documents_that_nothing_can_be_done_with(parse: Callable[[str, str], Any], text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse(text, "a file")


def test_a_fault_in_a_document_has_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_fault({"a": [1, {"b": 2**2000}]}) == (("a", 1, "b"), "the number has more than 1024 bits")
    assert find_fault({"a": [1, {"b": 2.5}], "c": None}) is None
    value: list[object] = ["x"]
    for _ in range(40):
        value = [value, value]
    monkeypatch.setattr(documents, "MOST", 1_000)
    assert find_fault(value) == ((), "the document has more than 1,000 values")


KINDS = (UserError, TargetError, SpecError, UserCodeError)


def test_no_error_loses_anything_between_processes() -> None:
    for error in (
        *(kind("it fails", place=Place("a.py", 3), hint="mend it") for kind in KINDS),
        VerificationError("no"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), vars(again), str(again)) == (type(error), vars(error), str(error))
    assert {kind.exit_code for kind in (PdtError, *KINDS)} == {exits.EXIT_USER}
    assert VerificationError.exit_code == exits.EXIT_UNVERIFIED


def test_a_traceback_shows_where_and_what_to_do() -> None:
    shown = traceback.format_exception_only(UserError("it fails", place=Place("a.py", 3, 5), hint="mend it"))
    assert "".join(shown) == "pdt_annotate.errors.UserError: it fails\nat a.py:3:5\nhint: mend it\n"
    assert "".join(traceback.format_exception_only(UserError("it fails"))).endswith("UserError: it fails\n")


@pytest.fixture
def environments(tmp_path: Path) -> Path:
    """A project that contains an environment of each kind."""
    for mark in ("env/pyvenv.cfg", "tools/nested/pyvenv.cfg", "conda/conda-meta/history", "src/pkg/mod.py"):
        (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / mark).write_text("")
    return tmp_path


OWN = "src/pkg/mod.py main.py tools/build.py site_packages/x.py gone/x.py"
INSTALLED = """
    env/lib/python3.11/site-packages/pkg/mod.py env/bin/activate_this.py env/src/editable/mod.py
    tools/nested/share/x.py conda/lib/python3.11/os.py elsewhere/site-packages/x.py
    usr/lib/python3/dist-packages/x.py __pypackages__/3.11/lib/x.py
"""


@pytest.mark.parametrize("path", f"{OWN} {INSTALLED}".split())
def test_what_lies_in_an_environment_of_the_project_is_installed(environments: Path, path: str) -> None:
    assert is_installed(str(environments / path), str(environments)) is (path not in OWN.split())
    assert is_own(str(environments / path), str(environments)) is (path in OWN.split())


def test_where_a_project_lies_and_elsewhere_the_name_of_the_folder_decide(environments: Path) -> None:
    package = environments / "env/lib/site-packages/pkg"
    for root in (environments / "env/src/mine", environments / "env", package):
        assert is_own(str(root / "mod.py"), str(root))
    assert is_installed(str(package / "vendor/site-packages/x.py"), str(package))
    here = str(environments)
    assert is_installed("/usr/lib/python3/dist-packages/x.py", here)
    assert is_installed("/opt/venv/lib/python3.11/site-packages/x.py")
    assert not is_installed("/home/me/project/x.py", here)
    assert not is_own("/home/me/project/x.py", here)
    found = [name for name in ("", "env", "src", "conda") if is_environment(str(environments / name))]
    assert found == ["env", "conda"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with links: inside it, out of it, to a file outside, and to a link."""
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    links = {"within": "sub", "out": "../outside", "sub/new": "../../outside/new", "sub/twice": "../out"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(
    ("path", "link"),
    [
        *((path, "") for path in ("x", "no/such/place", "within/x", "sub/../x", "../project/sub/x", "/elsewhere")),
        ("../outside/new", ""),
        ("out", "out"),
        ("out/new", "out"),
        ("sub/new", "sub/new"),
        ("within/twice/x", "sub/twice"),
        ("../project/out/x", "out"),
        ("out/../project/x", "out"),
    ],
)
def test_a_link_that_leads_out_is_found(path: str, link: str, project: Path) -> None:
    way_out = str(project / link) if link else ""
    assert find_way_out(path, str(project)) == find_way_out(str(project / path), str(project)) == way_out
    assert link or lies_in(path, str(project)) == (path not in ("/elsewhere", "../outside/new"))


@pytest.mark.parametrize("path", ["a/b", "link/b", "a/up/x", "loop", "a/../link/b", "a/./b/", "none/b", "a/up/../up/a"])
def test_real_paths_are_those_of_the_system(path: str, tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for link, target in (("link", "a"), ("a/up", ".."), ("loop", "loop")):
        (tmp_path / link).symlink_to(target)
    assert [real_path(f"{tmp_path}/{path}") for _ in range(2)] == [os.path.realpath(tmp_path / path)] * 2
    assert real_path(os.sep) == os.sep


def test_whose_a_path_is_and_how_it_is_shown(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert named_from(str(project / "a" / "b.py")) == "a/b.py"
    assert named_from(str(project / "b.py"), str(project / "a")) == "../b.py"
    with monkeypatch.context() as patch:
        patch.setattr(os, "path", ntpath)
        patch.setattr(os, "sep", "\\")
        assert named_from(r"D:\work\pkg\model.py", r"D:\work") == "pkg/model.py"
        assert named_from(r"C:\m.py", r"D:\work") == "C:/m.py"
    assert not lies_in(f"{project}-more/x", str(project))
    assert lies_in(str(project), str(project))
    assert not is_of_others(str(project))
    project.chmod(0o777)
    assert is_of_others(str(project))


def test_a_file_is_read_to_a_bound_and_a_pipe_is_not(project: Path) -> None:
    (project / "file").write_bytes(b"four")
    assert read_bounded(str(project / "file"), 4) == b"four"
    with pytest.raises(OSError, match="longer"):
        read_bounded(str(project / "file"), 3)
    os.mkfifo(project / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        read_bounded(str(project / "pipe"), 4)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (NO_PLACE, ""),
        (Place("", 3, 4), ""),
        (Place("a/m.py"), "a/m.py"),
        (Place("a/m.py", 0, 4), "a/m.py"),
        (Place("a/m.py", 3), "a/m.py:3"),
        (Place("a/m.py", 3, 4), "a/m.py:3:4"),
        (Place("/p/m.py", 3, 4).named("m.py"), "m.py:3:4"),
        (Place("m.py", 3, 4).whole_line, "m.py:3"),
    ],
)
def test_only_what_is_known_of_a_place_is_written(place: Place, text: str) -> None:
    assert str(place) == text


@pytest.mark.parametrize(("line", "column"), [("x = y", 5), ("\tä = y", 6), ("'🦆é'; y", 7)])
def test_bytes_are_counted_as_characters(line: str, column: int) -> None:
    assert column_at(line, len(line[: line.index("y")].encode())) == column


@pytest.mark.parametrize(
    ("parse", "source", "place"),
    [
        (ast.parse, "x = 1\nä = 'ö' = )\n", Place("m.py", 2, 11)),
        (ast.parse, "def f():\nreturn 1\n", Place("m.py", 2, 1)),
        (tomllib.loads, "a = 'äö'\nb = 'é' 3\n", Place("m.py", 2, 9)),
    ],
)
def test_an_error_in_a_source_has_its_place(parse: Callable[[str], Any], source: str, place: Place) -> None:
    with pytest.raises((SyntaxError, tomllib.TOMLDecodeError)) as caught:
        parse(source)
    assert place_of_error("m.py", caught.value) == place
    for error in (ValueError("null bytes"), SyntaxError("encoding problem")):
        assert place_of_error("m.py", error) == Place("m.py")


@pytest.mark.parametrize(
    "text", ["", "plain", "a\tb\nc", "ä é 漢字 👩‍👩‍👧", "x::y", " f'{a::b}'", "a:::b", "# ## [x]", "\u00ad\ue000"]
)
def test_a_text_that_does_nothing_stays(text: str) -> None:
    assert disarm(text) == printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb", r"a\rb"),
        ("a\r\nb", "a\nb"),
        ("\x07\x08\x0b\x0c\x7f\x00", r"\x07\x08\x0b\x0c\x7f\x00"),
        ("a\u202eb\u2066", r"a\u202eb\u2066"),
        ("\u2028", r"\u2028"),
        ("\udce9.py", r"\udce9.py"),
    ],
)
def test_a_text_that_acts_is_spelled(text: str, shown: str) -> None:
    assert printable(text) == disarm(text) == shown


@pytest.mark.parametrize(
    ("spell", "text", "shown"),
    [
        (one_line, "a\tb\n::error::c.py", r"a\tb\n::error::c.py"),
        (disarm, "::error::no", r"\x3a:error::no"),
        (disarm, "ok\n \t::add-mask::no", "ok\n \t" + r"\x3a:add-mask::no"),
        (disarm, "x ##[error]no", r"x #\x23[error]no"),
        (disarm, "\x1b::error::", r"\x1b::error::"),
    ],
)
def test_a_name_stays_on_one_line_and_github_obeys_nothing(spell: Callable[[str], str], text: str, shown: str) -> None:
    assert spell(text) == shown


def test_a_stage_ends_where_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter((0.5, 1.0, 3.0, 3.5))
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    seen: list[str] = []
    watch = Stopwatch(seen.append)
    assert watch.read() == add_up(()) == ()
    watch("one")
    watch("two")
    assert seen == ["one", "two"]
    assert watch.read() == (Timing("one", 2.0), Timing("two", 0.5))


def test_what_was_done_often_is_added_up_and_the_longest_comes_first() -> None:
    done = [Timing("quick", 1), Timing("slow", 2), Timing("quick", 0.5)]
    assert add_up(done) == (Timing("slow", 2), Timing("quick", 1.5, 2))


@pytest.mark.parametrize(
    ("is_posix", "words", "line"),
    [
        (True, ["pdt-annotate", "a b.py:Net", "it's.py"], """pdt-annotate 'a b.py:Net' 'it'"'"'s.py'"""),
        (False, ["-i", r"C:\a b\net.py:Net", r"in\calls.py"], r'-i "C:\a b\net.py:Net" in\calls.py'),
    ],
)
def test_commands_as_the_shell_of_each_platform_takes_them(
    is_posix: bool, words: list[str], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "POSIX", is_posix)
    assert shell.join(words) == line
    assert shell.split(line) == words
    with pytest.raises(ValueError):
        shell.split("'open" if is_posix else '"open')


@pytest.mark.parametrize("is_read", [True, False])
def test_a_stream_whose_reader_left_raises_nothing(is_read: bool) -> None:
    reader, writer = os.pipe()
    if not is_read:
        os.close(reader)
    with Unfailing(writer, "wb") as stream:
        assert stream.write(b"abc") == 3
    if is_read:
        assert (os.read(reader, 9), stream.failure) == (b"abc", None)
    else:
        assert stream.failure is not None
        assert stream.failure.errno == errno.EPIPE


@pytest.mark.parametrize(
    ("torch_version", "python", "begin"),
    [
        *((version, (3, 11, 7), "") for version in ("2.6.0+cu124", "2.13.0+cpu", "2.13.1", "", "git")),
        ("2.2.0", (3, 13), ""),
        ("3.0.1", (3, 13), "torch 3.0 calls TorchScript deprecated"),
    ],
)
def test_what_a_release_of_torch_says_to_users(torch_version: str, python: tuple[int, ...], begin: str) -> None:
    said = notice(torch_version, python)
    assert said.startswith(begin)
    assert bool(said) is bool(begin)


def test_what_a_python_adds() -> None:
    assert "torch 2.15 does not support TorchScript on Python 3.14" in notice("2.15.0", (3, 14, 1))
    assert "Python" not in notice("2.15.0", (3, 13))


def double(x):
    return x * 2


def test_the_installed_torch_says_what_is_known_of_it() -> None:
    def heard_of_scripting(ignored: str = "nothing") -> list[warnings.WarningMessage]:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", ignored)
            torch.jit.script(double)
            torch.jit.trace(double, torch.ones(1))
        return heard

    heard = heard_of_scripting()
    assert [str(each.message) for each in heard if not re.match(DEPRECATION, str(each.message))] == []
    shown_to_users = any(issubclass(each.category, FutureWarning) for each in heard)
    assert not shown_to_users or notice(torch.__version__, sys.version_info[:2])
    assert heard_of_scripting(DEPRECATION) == []


def divide(x: int) -> float:
    return 1 / x


@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param({}, 1, id="as it is"),
        pytest.param({"co_linetable": b""}, 0, id="a table of places that ends early"),
        pytest.param({"co_filename": "/no\0/file.py"}, None, id="a file that no system can open"),
    ],
)
def test_the_line_of_an_error(change: dict[str, Any], line: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divide, "__code__", divide.__code__.replace(**change))
    with pytest.raises(UserCodeError) as raised, user_code("running"):
        divide(0)
    assert raised.value.place.file == __file__
    assert line is None or raised.value.place.line == divide.__code__.co_firstlineno + line


def blame(file: Path, source: str) -> UserCodeError:
    with pytest.raises(UserCodeError) as raised, user_code("importing model.py"):
        exec(compile(source, str(file), "exec"), {"__name__": "model"})
    return raised.value


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("x = 1\ndef f(:\n", 2, 7, "SyntaxError: invalid syntax"),
        ("\nimport no_such_package_at_all\n", 2, 1, "No module named 'no_such_package_at_all'"),
        ("\n\nif 'äö': raise SystemExit(4)\n", 3, 10, "it called sys.exit(4)"),
        ("def f():\n    f()\n\nf()\n", 2, 5, "RecursionError"),
        ("import json\ndef f(x):\n    json.loads(x)\nf('{')\n", 3, 5, "importing model.py: JSONDecodeError: "),
        ("import sys\nsys.path.append(PACKAGE)\nimport helper_for_blame\nhelper_for_blame.fail()\n", 4, 1, "KeyError"),
    ],
)
def test_the_innermost_line_of_the_users_is_blamed(
    source: str, line: int, column: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    package, file = tmp_path / "site-packages", tmp_path / "model.py"
    package.mkdir()
    (package / "helper_for_blame.py").write_text("def fail():\n    raise KeyError('k')\n")
    source = source.replace("PACKAGE", repr(str(package)))
    file.write_text(source)
    error = blame(file, source)
    assert (error.place, message in error.message) == (Place(str(file), line, column), True)


def test_our_own_errors_pass_and_a_line_of_no_file_is_that_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="as it was"), user_code("reading"):
        raise SpecError("as it was")
    with pytest.raises(UserCodeError) as raised, user_code("reading"):
        exec("raise ValueError")
    assert raised.value.file == __file__


def test_a_syntax_error_of_the_users_own_has_the_place_where_it_is_raised() -> None:
    error = SyntaxError("odd")
    error.filename, error.lineno, error.offset = 3, "x", -5  # type: ignore[assignment]
    with pytest.raises(UserCodeError, match="running: SyntaxError: odd") as raised, user_code("running"):
        raise error
    assert raised.value.place.file == __file__


class NoText(str):
    def _no(self, *given: object) -> str:
        raise RuntimeError("no text")

    __str__ = __format__ = _no


class Lies(Exception):
    """An exception whose text, class and traceback are unusable."""

    def __str__(self) -> str:
        return NoText("words")

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(f"no {name}")


class LeavesInWords(Exception):
    def __str__(self) -> str:
        raise SystemExit(4)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (Lies, "x", "Lies: words"),
        (LeavesInWords, "x", "LeavesInWords"),
        (ValueError, "long " * 10_000, f"ValueError: {'long ' * 2_000}… (50,000 characters)"),
        (SystemExit, 3, "it called sys.exit(3)"),
    ],
)
def test_an_exception_is_described_whatever_its_class_says(kind: type[BaseException], given: object, said: str) -> None:
    assert describe_error(kind(given)) == said
