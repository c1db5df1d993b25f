"""The code that is left out of a function, the functions that this makes unreliable, and code that does not change."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.blame.cuts import Cut, CutFunction, cut_out, read_definition
from pdt_annotate.values.slots import Owner

SOURCE = """
    def f(x, n=2, *rest, flag=False, **options):
        y = g(x)
        if flag:
            y = h(y)
            z = y + 1
        for i, row in enumerate(options):
            y += row
        while n > 3:
            n = step(n)
        with lock():
            n = n + 1
        return y
"""
# Lines:  1 def  2 y  3 if  4 y  5 z  6 for  7 +=  8 while  9 step  10 with  11 n  12 return


NOTHING = Cut()


def anatomy(cut: Cut = NOTHING, source: str = SOURCE, suspects: frozenset[str] = frozenset()) -> CutFunction:
    definition = ast.parse(dedent(source).strip()).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return CutFunction(definition, cut, suspects)


def left(cut: Cut, source: str = SOURCE, result: str = "") -> str:
    definition = cut_out(anatomy(cut, source), result)
    compile(ast.Module([definition], []), "f.py", "exec")  # every node keeps its position
    return ast.unparse(definition)


def lines(*numbers: int) -> Cut:
    return Cut(frozenset(numbers))


def unreliable(cut: Cut, suspects: frozenset[str] = frozenset()) -> set[int]:
    return {statement.lineno for statement in anatomy(cut, suspects=suspects).unreliable}


def test_without_a_cut_nothing_changes() -> None:
    assert left(Cut()) == ast.unparse(ast.parse(dedent(SOURCE)))
    assert unreliable(Cut()) == set()
    assert not anatomy().is_opaque()


@pytest.mark.parametrize(
    ("line", "expected", "gone"),
    [
        (4, "if flag:\n        z = y + 1", "h(y)"),
        (3, "if len([0]) > 0:\n        y = h(y)", "if flag"),
        (8, "while len([0]) > 0:\n        n = step(n)", "n > 3"),
        (6, "for _ in range(1):\n        y += row", "enumerate"),
        (10, "    n = n + 1\n    return y", "with"),
        (12, "raise RuntimeError('')", "return"),
    ],
)
def test_a_statement_is_left_out_and_what_is_in_it_stays(line: int, expected: str, gone: str) -> None:
    text = left(lines(line))
    assert expected in text
    assert gone not in text


def test_what_is_left_compiles_and_keeps_a_known_result_unless_a_return_shows_it() -> None:
    assert "for i, row in enumerate(options):\n        pass" in left(lines(7))
    text = left(lines(2), "def f(x):\n    try:\n        x = x + 1\n    except ValueError:\n        pass\n    return x")
    assert text == "def f(x):\n    x = x + 1\n    return x"
    assert left(Cut(signature=True)).startswith("def f(x, n, flag):\n")
    assert left(Cut(parameters=frozenset("n"))).startswith("def f(x, flag):\n")
    assert left(Cut(whole=True), result="Tensor").endswith("-> Tensor:\n    raise RuntimeError('')")
    assert "->" not in left(lines(5), result="Tensor")


def test_what_uses_a_lost_name_signature_result_or_attribute_is_unreliable() -> None:
    assert unreliable(lines(2)) == {2, 4, 5, 7, 12}
    assert unreliable(lines(5)) == {5}
    assert unreliable(Cut(signature=True)) == {6, 7}
    assert unreliable(Cut(names=frozenset("y"))) == {4, 5, 7, 12}
    assert unreliable(lines(4)) == {4}
    assert unreliable(lines(9)) == {9}
    assert unreliable(Cut(), frozenset(["step"])) == {9}
    assert not anatomy(suspects=frozenset(["step"])).is_reliable(9, "")
    assert anatomy(suspects=frozenset(["step"])).is_reliable(11, "")
    source = "def f(self, x):\n    self.a = x\n    y = self.a + 1\n    return self.b"
    found = anatomy(Cut(frozenset([2]), attributes=frozenset("a")), source)
    assert {statement.lineno for statement in found.unreliable} == {2, 3}
    for cut in Cut(signature=True), Cut(parameters=frozenset("n")), lines(12), Cut(whole=True):
        assert anatomy(cut).is_opaque()
    assert not anatomy(lines(5, 9)).is_opaque()
    assert not anatomy(lines(12), SOURCE.replace("):\n        y = g", ") -> int:\n        y = g")).is_opaque()
    assert not anatomy(lines(2), "def f(x):\n    print(x)").is_opaque()
    assert anatomy(lines(2), "def f(x):\n    yield x").is_opaque()


def test_a_definition_has_the_lines_and_columns_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("import x\n\n\nclass A:\n    @x.deco\n    def f(self):\n        return 1\n")
    definition = read_definition(Owner(str(file), "A.f", 5))
    assert definition is not None
    assert (definition.name, definition.lineno, definition.body[0].lineno) == ("f", 6, 7)
    assert (definition.col_offset, definition.body[0].col_offset) == (4, 8)
    assert read_definition(Owner(str(file), "A.f", 50)) is None
    assert read_definition(Owner(str(tmp_path / "none.py"), "f", 1)) is None


@pytest.mark.parametrize(
    ("message", "reliable"),
    [
        ("z is not defined in the false branch", False),
        ("Type mismatch: z is set to type int in the true branch and type Tensor in the false branch", False),
        ("y is not defined in the false branch", True),
        ("undefined value z", True),
    ],
)
def test_what_a_branch_does_not_assign_because_it_was_left_out(message: str, reliable: bool) -> None:
    assert anatomy(lines(5)).is_reliable(3, message) is reliable
