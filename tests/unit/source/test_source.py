"""Comments, fingerprints, names, files and changes of source."""

import ast
import sys
from pathlib import Path

import pytest
from drafted import write
from type_comments import NOT_READ, READ

from pdt_annotate.mends.patch_stack import PatchStack
from pdt_annotate.source.comments import read_comments
from pdt_annotate.source.fingerprints import Matter, make_fingerprints
from pdt_annotate.source.identifiers import bound_names, import_folder, mentions
from pdt_annotate.source.imports import Sources
from pdt_annotate.source.module import read_module
from pdt_annotate.source.text import Text, decode
from pdt_annotate.values.edits import Edit


def test_comments_are_read_of_files_with_marks_and_know_what_is_around() -> None:
    assert [c.text for c in read_comments("x = '# pdt: skip'  # type: x\n").all] == ["# type: x"]
    assert read_comments("# nothing of ours\n").all == ()
    source = '# pdt: a\nf(  # pdt: b\n    # pdt: c\n"""\n""")  # pdt: d\n\nif x:\n    # pdt: e\n    pass\n'
    found = [(c.line, c.column, c.alone, c.statement) for c in read_comments(source).all]
    assert found == [(1, 1, True, 0), (2, 5, False, 2), (3, 5, True, 2), (5, 7, False, 2), (8, 5, True, 0)]


@pytest.mark.parametrize(
    ("source", "ignored"),
    [
        ("# pdt: ignored", []),
        ("# pdt: ignore-file", []),
        ("# type: ignore[x]", []),
        ("x = '# pdt: ignore'", []),
        ("x = 1  # pdt: ignore[PDT037]", [(1, ("PDT037",))]),
        ("x = 1  # noqa # pdt:ignore [pdt037, PDT10] as it is meant", [(1, ("PDT037", "PDT10"))]),
        ("x = 1  # pdt: ignore as it is meant", [(1, ("",))]),
        ("x = 1  # pdt: ignore[]", [(1, ())]),
        ("# pdt: ignore[PDT037]\nx = 1", [(2, ("PDT037",))]),
        ("f(\n    # pdt: ignore\n    x,\n)", [(3, ("",))]),
    ],
)
def test_what_is_ignored_and_on_which_line(source: str, ignored: list[tuple[int, tuple[str, ...]]]) -> None:
    found = read_comments(f"{source}\nx = 1  # pdt: here\n").ignores
    assert [(ignore.line, ignore.selectors) for ignore in found] == ignored


@pytest.mark.parametrize(("source", "read"), [*((source, True) for source in READ), *((s, False) for s in NOT_READ)])
def test_a_signature_that_is_read_and_one_that_is_not(source: str, read: bool) -> None:
    last = read_module("model.py", source.encode()).functions[-1]
    assert isinstance(last.node, ast.FunctionDef) and last.type_comments and (last.misread is None) is read


SOURCE = """\
class Net:
    def forward(self, x, mask=None):
        y = x * 2
        return y


def other(x, mask=None):
    y = x * 2
    y = x * 2
    return y
"""
FILE = "/project/model.py"


def prints(source: str, *matters: Matter, name: str = "model.py") -> list[str]:
    return list(make_fingerprints(matters, lambda file: name, {FILE: source.encode()}))


def matter(line: int, name: str = "", code: str = "PDT037") -> Matter:
    return Matter(code, FILE, line, name)


def test_lines_that_move_and_annotations_of_a_header_change_no_fingerprint() -> None:
    moved = "import torch\n\n\n" + SOURCE
    assert prints(SOURCE, matter(2), matter(3), matter(9)) == prints(moved, matter(5), matter(6), matter(12))
    annotated = SOURCE.replace(
        "(self, x, mask=None)", "(\n        self, x: Tensor, mask: Optional[Tensor] = None\n    )"
    )
    assert prints(SOURCE, matter(2), matter(2, "mask")) == prints(annotated, matter(2), matter(3, "mask"))


def test_code_file_function_slot_and_text_tell_apart_and_the_same_line_is_counted() -> None:
    matters = [matter(2, code="PDT038"), matter(2, "x"), matter(2, "mask"), *map(matter, (2, 3, 4, 7, 8, 9))]
    found = [*prints(SOURCE, *matters), *prints(SOURCE, matter(2), name="other.py")]
    assert len(set(found)) == len(found)
    first, second = prints(SOURCE, matter(8), matter(9))
    assert (first.partition(":")[0], first[-2:], second[-2:]) == (second.partition(":")[0], ":1", ":2")


def test_what_has_no_place_or_does_not_parse_is_known_by_its_message() -> None:
    nowhere = [Matter("PDT059", "", 0, message=message) for message in ("one", "two", "one")]
    one, two, again = prints(SOURCE, *nowhere)
    assert one != two and one.endswith(":1") and again == one[:-1] + "2"
    broken = [Matter("PDT059", FILE, 3, message=message) for message in ("one", "two")]
    assert len(set(prints("def f(", *broken))) == 2


@pytest.mark.parametrize(
    ("source", "name", "is_there"),
    [
        ("self.field", "field", True),
        ("self.ﬁeld", "field", True),
        ("self.ﬁeld", "ﬁeld", True),
        ("self.ﬁeld", "fold", False),
        ("self.field", "ﬁeld", False),  # Python never uses this spelling of a name; the argument must be normalized
    ],
)
def test_mentions(source: str, name: str, is_there: bool) -> None:
    assert mentions(source.encode(), name) is is_there


@pytest.mark.parametrize(
    "source",
    [
        *("from os import *\n", "def __getattr__(name): ...\n", "globals()['f'] = 1\n"),
        *("def f():\n    global g\n    g = 1\n", "import sys\nsys.modules[__name__] = object()\n", "def f(:\n"),
        "# coding: nonsense\n",
        None,
    ],
)
def test_what_the_text_does_not_tell(source: str | None, tmp_path: Path) -> None:
    if source is not None:
        (tmp_path / "model.py").write_text(source)
    assert bound_names((tmp_path / "model.py").as_posix()) is None


INSIDE = frozenset("s") if (3, 12) <= sys.version_info < (3, 14) else frozenset()
"""The variables of comprehensions, in versions of Python that do not distinguish them."""


@pytest.mark.filterwarnings("error")
def test_every_way_to_bind_a_name(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import a.b, c as d\nfrom e import f\nif a:\n    g = 1\nelse:\n    (h, [i]) = 1, [2]\n"
        "for j in ():\n    pass\nwith open('\\d') as k:\n    pass\nclass L:\n    m = 1\n"
        "def n(o):\n    p = 1\n    return lambda q: q\nprint((r := 2), [s for s in ()])\n"
        "match a:\n    case t:\n        del t\n"
    )
    assert (bound_names(str(tmp_path / "model.py")) or frozenset()) - INSIDE == frozenset("adfghijkLnrt")


def test_files_by_name_and_the_folders_of_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"src/pkg/__init__.py": "", "src/pkg/net.py": "", "src/flat.py": "", "beside/near.py": ""})
    monkeypatch.chdir(tmp_path)
    sources = Sources(str(tmp_path))
    assert sources.file_of("pkg") == str(tmp_path / "src/pkg/__init__.py")
    assert sources.file_of("pkg.net") == str(tmp_path / "src/pkg/net.py")
    assert sources.file_of("near") == ""
    assert sources.file_of("near", str(tmp_path / "beside")) == str(tmp_path / "beside/near.py")
    files = ("src/pkg/net.py", "src/pkg/__init__.py", "src/flat.py")
    assert {import_folder(str(tmp_path / file)) for file in files} == {tmp_path / "src"}


TEXT = Text(b"one two three\n")


def woven(*changes: tuple[str, str, int]) -> PatchStack:
    """The text after these numbered changes: the text where each begins, the new text, the number of removed bytes."""
    weave = PatchStack.of(TEXT)
    for number, (at, new, removed) in enumerate(changes):
        weave = weave.change([(number, Edit(weave.body.index(at.encode()), new, removed=removed))])
    return weave


SEVERAL = (("two", "2 + 2", 3), ("2 +", "4 -", 3), ("one ", "", 4))
WOVEN: dict[str, tuple[tuple[tuple[str, str, int], ...], dict[frozenset[int], bytes]]] = {
    "nothing": ((), {frozenset(): TEXT.body}),
    "several": (SEVERAL, {frozenset(): b"4 - 2 three\n", frozenset({0, 1, 2}): TEXT.body}),
    "two apart": (
        (("one", "1", 3), ("three", "3", 5)),
        {frozenset({0}): b"one two 3\n", frozenset({1}): b"1 two three\n"},
    ),
    "a change of a change goes with it": (
        (("two", "f(two)", 3), ("f(two", "g(two", 5)),
        {frozenset({0}): TEXT.body, frozenset({1}): b"one f(two) three\n"},
    ),
    "what is put inside a change goes with it": (
        (("two", "f(two)", 3), ("two", "x, ", 0)),
        {frozenset(): b"one f(x, two) three\n", frozenset({0}): TEXT.body},
    ),
    "a change around a change needs it": (
        (("two", "2", 3), ("one 2 three", "all", 11)),
        {frozenset({1}): b"one 2 three\n", frozenset({0}): TEXT.body},
    ),
    "what is put where a change took something away goes with it": (
        ((" two", "", 4), (" three", ": new", 0)),
        {frozenset(): b"one: new three\n", frozenset({0}): TEXT.body},
    ),
    "whole lines stay by themselves": (
        (("one", "zero\n", 0), ("zero", "less\n", 0)),
        {frozenset({0}): b"less\n" + TEXT.body},
    ),
}
"""Changes, and the resulting text for each set of changes that are left out."""


@pytest.mark.parametrize(("changes", "expected"), WOVEN.values(), ids=WOVEN)
def test_changes_upon_changes(changes: tuple[tuple[str, str, int], ...], expected: dict[frozenset[int], bytes]) -> None:
    weave = woven(*changes)
    assert TEXT.edit(weave.edits) == weave.body
    assert {left_out: (weave.without(left_out) if left_out else weave).body for left_out in expected} == expected


def test_each_edit_has_the_number_of_its_change_and_keeps_its_order() -> None:
    changed = PatchStack.of(TEXT).change([(3, Edit(4, "2", removed=3))])
    weave = changed.change([(7, Edit(changed.body.index(b"three"), "", removed=5))])
    found = [(number, edit.text, edit.removed) for number, edit in weave.numbered]
    assert found == [(3, "", 3), (3, "2", 0), (7, "", 5)]
    weave = PatchStack.of(TEXT).change([(0, Edit(4, "a")), (1, Edit(4, "b", removed=3))])
    assert weave.body == TEXT.edit(weave.edits) == b"one ab three\n"


def test_places_are_traced_to_the_file_and_other_encodings_come_back() -> None:
    assert woven(("two", "f(two)", 3), ("f(two", "g(two", 5)).dependent({0}) == {0, 1}
    assert PatchStack.of(TEXT).edits == ()
    weave = woven(("one", "a much longer one", 3))
    assert weave.trace(weave.body.index(b"two")) == TEXT.body.index(b"two")
    assert weave.trace(3) == TEXT.body.index(b" two")
    assert weave.trace(10_000) == len(TEXT.body)
    source = "# coding: latin-1\nx = 'ä'\n".encode("latin-1")
    weave = PatchStack.of(decode(source))
    edit = Edit(weave.body.index(b"x"), "y", removed=1)
    assert weave.change([(0, edit)]).source == source.replace(b"x =", b"y =")
