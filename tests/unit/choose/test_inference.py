"""Types that are inferred from the source for functions that no example runs."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.choose.inference import Inference
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.project import Project
from pdt_annotate.values.slots import Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

INT, FLOAT = TypeExpr("int"), TypeExpr("float")
DICTS = TypeExpr("list", (TypeExpr("dict", (TypeExpr("str"), TENSOR)),))


def infer(folder: Path, source: str, **seen: TypeExpr) -> tuple[Inference, dict[str, Function]]:
    """The inferred types and the functions of a file. The observations are of the parameters and locals of `main`."""
    file = folder / "model.py"
    file.write_text(dedent(source))
    project = Project(str(folder), {"model": str(file)})
    functions = {f.owner.qualname: f for f in project.read(str(file)).functions}
    main = next(f for f in functions.values() if f.node.name == "main")
    found: dict[Slot, Sequence[Observation]] = {}
    for name, type_ in seen.items():
        kind = SlotKind.LOCAL if name.startswith("local_") else SlotKind.PARAMETER
        slot = Slot(main.owner, kind, name.removeprefix("local_"))
        if name.startswith("self_"):
            slot = Slot(Owner(main.owner.file, main.in_class, 0), SlotKind.ATTRIBUTE, name.removeprefix("self_"))
        found[slot] = [Observation(slot, type_)]
    inference = Inference(project, found)
    inference.read([str(file)])
    return inference, functions


def passed(folder: Path, source: str, name: str, parameter: str, **seen: TypeExpr) -> list[str]:
    """The types passed for a parameter of a function."""
    inference, functions = infer(folder, source, **seen)
    return [str(type_) for type_ in inference.passed(functions[name], parameter)]


def told(folder: Path, source: str, name: str, parameter: str, **seen: TypeExpr) -> list[str]:
    inference, functions = infer(folder, source, **seen)
    return [str(type_) for type_ in inference.passed_or_made(functions[name], parameter)]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        *((call, []) for call in ("pass", "other(1)", "helper()", "helper(1, 2, 3)", "helper(k=1)")),
        *((call, []) for call in ("helper(*rest)", "helper(**rest)", "helper(rest)")),
        ("helper(0.5)", ["float"]),
        ("helper(x=3)", ["int"]),
        ("helper(3); helper(0.5); helper(4)", ["int", "float"]),
        ("helper(len(y))", ["int"]),
        ("helper(y)", ["Tensor"]),
        ("z = y.shape; helper(z[0])", ["int"]),
        ("z, w = y, 1; helper(w)", ["int"]),
        ("for i in range(3): helper(i)", ["int"]),
        ("z: float = other(); helper(z)", ["float"]),
        # A test before the call excludes None.
        ("helper(n)", ["Union[int, None]"]),
        ("if n is not None: helper(n)", ["int"]),
        ("if n is not None and z: helper(n)", ["int"]),
        ("if n is None: pass\n    else: helper(n)", ["int"]),
        ("if n is None: raise ValueError\n    helper(n)", ["int"]),
        ("assert n is not None\n    helper(n)", ["int"]),
    ],
)
def test_arguments_give_their_types(tmp_path: Path, call: str, expected: list[str]) -> None:
    source = f"def helper(x): pass\ndef main(y, n, rest):\n    {call}\n"
    assert passed(tmp_path, source, "helper", "x", y=TENSOR, n=TypeExpr("Union", (INT, NONE))) == expected


HANDED_ON = "def inner(a, n=2): pass\ndef outer(b, m): inner(b, m)\ndef main(y): outer(y, 0.5)\n"
LOCAL = "def f(x): pass\ndef main(local):\n    local = local[0]\n    f(local)\n"
METHODS = """
class Head:
    def loss(self, x): pass
    def check(self, x): pass
class Net:
    def __init__(self, size): pass
    def check(self, x): pass
    def main(self, y):
        self.head.loss(y)
        self.check(self.depth)
        Net(3)
"""


@pytest.mark.parametrize(
    ("source", "name", "parameter", "expected"),
    [
        pytest.param(HANDED_ON, "inner", "a", ["List[Dict[str, Tensor]]"], id="through what was not entered either"),
        pytest.param(HANDED_ON, "inner", "n", ["float"], id="through what was not entered either, another"),
        pytest.param("def f(x): f(x)\ndef main(y): f(y)\n", "f", "x", ["List[Dict[str, Tensor]]"], id="itself"),
        pytest.param(LOCAL, "f", "x", ["int"], id="a local goes first"),
        pytest.param("def f(x): pass\ndef main(m: int): f(m)\n", "f", "x", ["int"], id="annotated"),
        pytest.param(METHODS, "Head.loss", "x", ["List[Dict[str, Tensor]]"], id="of another object"),
        pytest.param(METHODS, "Net.check", "x", ["float"], id="one's own, with an attribute"),
        pytest.param(METHODS, "Head.check", "x", [], id="of the same name"),
        pytest.param(METHODS, "Net.__init__", "size", ["int"], id="a constructor"),
    ],
)
def test_what_functions_are_passed(tmp_path: Path, source: str, name: str, parameter: str, expected: list[str]) -> None:
    seen = {"y": DICTS, "self_depth": FLOAT, "local": DICTS, "local_local": INT}
    assert passed(tmp_path, source, name, parameter, **seen) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x", []),
        ("x = y[0]", []),
        ("if x is None: x = [y]", ["Union[List[Tensor], None]"]),
        ("if x is None: x = make(y)", ["Union[List[Tensor], None]"]),
        ("if x is None: x = []", []),
        ("if x is None:\n        x = []\n        x.append(y)", ["Union[List[Tensor], None]"]),
        ("if x is None:\n        x = {}\n        x['a'] = y", ["Union[Dict[str, Tensor], None]"]),
        ("take(x)", ["float"]),
        ("take(x); other(x)", ["float"]),
        ("hand(x)", ["float"]),
    ],
)
def test_what_the_body_makes_of_a_parameter_without_argument(tmp_path: Path, body: str, expected: list[str]) -> None:
    source = f"""
def make(t):
    return [t, t + 1]
def take(v: float): pass
def hand(v): take(v)
def f(y, x):
    {body}
def main(y): f(y.relu(), unknown)
"""
    assert told(tmp_path, source, "f", "x", y=TENSOR) == expected


@pytest.mark.parametrize(
    ("body", "use", "expected", "is_guess"),
    [
        ("pass", "f(x)", "None", False),
        ("raise ValueError", "f(x)", "None", False),
        ("return make(x)", "y = f(x)", "None", False),
        ("return make(x)", "a, b = f(x); a, b, c = f(x)", "None", False),
        ("return 3", "f(x)", "int", False),
        ("return len(x)", "a, b = f(x)", "int", False),
        ("return x, 3", "f(x)", "Tuple[Tensor, int]", False),
        ("if x: return None\n    return x", "f(x)", "Union[Tensor, None]", False),
        ("return make(x), 3", "f(x)", "Tuple[Tensor, int]", True),
        ("return make(x)", "(a, b) = f(x)", "Tuple[Tensor, Tensor]", True),
        ("pass", "a, b, c = f(x)", "Tuple[Tensor, Tensor, Tensor]", True),
    ],
)
def test_the_result_of_an_unknown_function(tmp_path: Path, body: str, use: str, expected: str, is_guess: bool) -> None:
    inference, functions = infer(tmp_path, f"def f(x):\n    {body}\ndef main(x):\n    {use}\n", x=TENSOR)
    type_, guessed = inference.result(functions["f"])
    assert (str(type_), guessed) == (expected, is_guess)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", []),
        ("return make(x)", []),
        ("return [make(x)]", []),
        ("return make(x) if x.any() else 2", ["int"]),
        ("return list(make(x)) if x.any() else [None, None]", ["List[None]"]),
        ("if x.any(): return [x.size(0), 1]\n    return x if x.all() else None", ["Tensor", "None", "List[int]"]),
    ],
)
def test_what_returns_tell_one_by_one(tmp_path: Path, body: str, expected: list[str]) -> None:
    inference, functions = infer(tmp_path, f"def main(x):\n    {body}\n", x=TENSOR)
    assert list(map(str, inference.returns(functions["main"]))) == expected


@pytest.mark.parametrize(
    ("attribute", "kind", "expected"),
    [
        ("nothing", "list", None),
        ("unknown", "list", None),
        ("rows", "list", "List[int]"),
        ("rows", "dict", "Dict[int, int]"),
        ("names", "dict", "Dict[str, Tensor]"),
        ("limits", "dict", "Dict[int, float]"),
    ],
)
def test_what_methods_put_into_an_attribute(tmp_path: Path, attribute: str, kind: str, expected: str | None) -> None:
    source = """
class Table:
    def __init__(this, limit=0.5):
        this.limit = limit
    def read(this):
        return this.rows
    def write(this, x):
        this.unknown.append(make())
        this.rows[0] = len(x)
        other.nothing.append(3)
        this.limits[0] = this.limit
    def main(self, x, y=None):
        self.names["x"] = make()
        self.names["y"] = x.relu()
"""
    inference, methods = infer(tmp_path, source, x=TENSOR)
    found = inference.put_into(tuple(methods.values()), attribute, kind)
    assert (found and str(found)) == expected


@pytest.mark.parametrize(
    ("calls", "body", "expected"),
    [
        ("helper(1); helper(0.5)", "pass", ["int", "float"]),
        ("helper(1); helper(None)", "pass", ["int", "None"]),
        ("helper(y); helper(1)", "pass", ["Tensor"]),
        ("helper([y]); helper([1])", "pass", ["List[Tensor]"]),
        ("helper(y); helper(1)", "return isinstance(x, int)", ["Tensor", "int"]),
    ],
)
def test_the_first_of_contradicting_places_is_right(tmp_path: Path, calls: str, body: str, expected: list[str]) -> None:
    source = f"def helper(x): {body}\ndef main(y):\n    {calls}\n"
    assert told(tmp_path, source, "helper", "x", y=TENSOR) == expected


KEPT = """
    class Box:
        def __init__(self, n, m, k=0):
            self.n = n
            self.size = m + 1
            self.all = [k]

        def main(self): pass

    def make():
        return Box(0.5, 0.5)
"""


@pytest.mark.parametrize(("parameter", "expected"), [("n", ["int"]), ("m", ["float"]), ("k", [])])
def test_what_objects_keep_goes_before_the_source(tmp_path: Path, parameter: str, expected: list[str]) -> None:
    assert told(tmp_path, KEPT, "Box.__init__", parameter, self_n=INT, self_size=INT, self_all=INT) == expected
