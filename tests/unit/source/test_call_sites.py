"""The functions that a call may refer to."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.source.call_sites import BodyNotes, CallSite, CallSites, read_body
from pdt_annotate.source.project import Project

SOURCE = """
    def helper(x, k=1): pass
    class Base:
        def step(self, x): pass
    class Net(Base):
        def __init__(self, width): pass
        def loss(self, x, y): pass
        def main(self, head, util):
            {call}
    class Head:
        def loss(self, x): pass
        def step(self, x): pass
"""


def read_calls(folder: Path, **sources: str) -> tuple[Project, CallSites, CallSite]:
    """A project of these modules, its calls, and the call in the function `main`."""
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    project = Project(str(folder), {name: str(folder / f"{name}.py") for name in sources})
    sites = CallSites(project)
    sites.read(project.modules.values())
    main = next(f for f in project.read(project.modules["model"]).functions if f.node.name == "main")
    node, *_ = read_body(main.node).calls
    return project, sites, CallSite(main, node)


def callees(folder: Path, call: str, other: str = "") -> list[str]:
    _, sites, place = read_calls(folder, model=dedent(SOURCE).format(call=call), other=other)
    return [function.owner.qualname for function in sites.callees(place)]


CALLS = {
    "": "print(1); helper(); helper(1, 2, 3); helper(1, z=2); helper(*util)",
    "helper": "helper(1); helper(x=1, k=2); util.helper(1)",
    "Net.loss": "self.loss(1, 2)",
    "Head.loss": "head.loss(1); self.head.loss(1)",
    "Base.step": "super().step(1); self.step(1)",
}


@pytest.mark.parametrize(
    ("call", "expected"), [(call, names.split()) for names, calls in CALLS.items() for call in calls.split("; ")]
)
def test_functions_by_name_receiver_and_arguments(tmp_path: Path, call: str, expected: list[str]) -> None:
    assert callees(tmp_path, call) == expected


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("h = Head()", ["Head.step"]),
        ("h = Net(3)", ["Base.step"]),
        *(
            (bound, ["Base.step", "Head.step"])
            for bound in (
                *("h = util or Head()", "h = Head(); h = Net(3)", "h, _ = Head()", "h = torch.Head()", "h = util()"),
                *("h = Head(); (h := util)", "Head = util; h = Head()", "h = Other()", "h = Head()\n    lambda h: h"),
            )
        ),
    ],
)
def test_a_method_of_a_new_object_is_that_of_its_class(tmp_path: Path, bound: str, expected: list[str]) -> None:
    model = dedent(SOURCE).format(call=f"{bound}\n        h.step(1)").replace("\n    lambda", "\n        lambda")
    _, sites, place = read_calls(tmp_path, model=f"{model}class Other:\n    pass\n")
    (call,) = [each for each in read_body(place.function.node).calls if ast.unparse(each) == "h.step(1)"]
    assert [function.owner.qualname for function in sites.callees(CallSite(place.function, call))] == expected


MEANT = {
    "other:far": "far(1)",
    "other:helper": "other.helper(1); o.helper(1); aliased(1)",
    "other:Far.make": "o.Far.make(1)",
    "": "o.nothing(1); torch.helper(1)",
}


def test_the_callers_own_file_comes_before_others_and_its_own_method_after_them(tmp_path: Path) -> None:
    other = "def helper(x): pass\ndef far(x): pass\n"
    assert callees(tmp_path, "helper(1)", other) == ["helper"]
    assert callees(tmp_path, "far(1)", other) == ["far"]
    assert callees(tmp_path, "self.head.main(1, 2)", "class Other:\n    def main(self, a, b): pass\n") == ["Other.main"]
    assert callees(tmp_path, "self.head.main(1, 2)") == ["Net.main"]


@pytest.mark.parametrize(
    ("call", "expected"), [(call, names.split()) for names, calls in MEANT.items() for call in calls.split("; ")]
)
def test_a_name_that_is_imported_means_what_the_import_says(tmp_path: Path, call: str, expected: list[str]) -> None:
    files = {
        "other": "def helper(x): pass\ndef far(x): pass\nclass Far:\n    @staticmethod\n    def make(x): pass\n",
        "third": "def helper(x): pass\ndef far(x): pass\n",
        "model": "import other, torch\nimport other as o\nfrom other import far, helper as aliased\n"
        f"def helper(x): pass\ndef main():\n    {call}\n",
    }
    project, sites, place = read_calls(tmp_path, **files)
    found = list(sites.callees(place))
    assert [f"{project.module_name(f.owner.file)}:{f.owner.qualname}" for f in found] == expected
    assert all([each.call for each in sites.places_of(function)] == [place.call] for function in found)


def test_the_calls_that_may_mean_a_constructor(tmp_path: Path) -> None:
    project, sites, _ = read_calls(tmp_path, model=dedent(SOURCE).format(call="return Net(3), Head()"))
    functions = {f.owner.qualname: f for f in project.read(project.modules["model"]).functions}
    (place,) = sites.places_of(functions["Net.__init__"])
    assert place.call.args and place.function is functions["Net.main"]


def read(source: str) -> BodyNotes:
    (function,) = ast.parse(dedent(source)).body
    assert isinstance(function, ast.FunctionDef)
    return read_body(function)


def test_bindings_calls_and_returns() -> None:
    body = read("""
        def f(self, x):
            a, (b, c) = x
            d: int = 3
            for e in g(x):
                a = e
            self.a = x
            self.b: int = 3
            self.c.d = x
            self.e, y = x
            x[0] = 1
            if x:
                return
            return a
    """)
    once = dict.fromkeys(("b", "c", "d", "e", "y", "self.a", "self.b"), 1)
    assert {name: len(found) for name, found in body.bindings.items()} == {"a": 2, **once}
    assert [ast.unparse(call) for call in body.calls] == ["g(x)"]
    assert [ast.unparse(value) for value in body.returned] == ["a"]


def test_what_is_put_into_containers() -> None:
    body = read("def f(x):\n    a.append(x)\n    b['k'] = x\n    self.c.append(x)\n    self.d[0] = x\n    a.extend(x)")
    parts = {name: [[ast.unparse(p) for p in put] for put in found] for name, found in body.filled.items()}
    assert parts == {"a": [["x"]], "b": [["'k'", "x"]], "self.c": [["x"]], "self.d": [["0", "x"]]}
    assert not read("def f(x):\n    a.b.c.append(x)\n    a[0].append(x)\n    g(x)[0] = 1").filled
