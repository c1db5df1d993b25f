"""Usages in tests, examples and documentation, and recorded calls."""

import ast
import os
from pathlib import Path
from typing import Any

import pytest
from drafted import IMPORTS, NET, TEST, names_in, write

from pdt_annotate.inputs.drafting import Draft, draft
from pdt_annotate.inputs.drafting.inline_expressions import DraftExpression, is_importable, is_test
from pdt_annotate.inputs.drafting.subject import read_subject
from pdt_annotate.inputs.drafting.usages import Usages, find_usages, modules_with, text_of
from pdt_annotate.inputs.target import parse
from pdt_annotate.source.imports import Sources
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.runs import ObservedCall

WITH_HELPERS = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self, width=3, *, depth=1):
        super().__init__()
    def forward(self, x, mask=None, *, scale=1.0):
        return x
    def encode(self, x):
        return x
def helper(x, n):
    return x
def make():
    return Net(3)
def foreign():
    return unknown(3)
net = Net(3)
"""
HEAD = "import pytest\nimport torch\nimport net as module\nfrom net import Net, helper, make\n"


def find(code: str, folder: Path, target: str = "net:Net") -> Usages:
    write(folder, {"net.py": WITH_HELPERS, "tests/test_net.py": HEAD + code})
    names = names_in(folder)
    return find_usages(read_subject(parse(target), names), names)


def spell(found: Usages) -> list[str]:
    """The usages as calls, by name. "?" is a value that is only known at run time."""
    passed = [{name: text.text if text else "?" for name, text in u.passed.items()} for u in found.usages]
    calls = [", ".join(f"{name}={text}" for name, text in each.items()) for each in passed]
    return [f"{usage.entry}({call})" for usage, call in zip(found.usages, calls, strict=True)]


NO_USAGES = [
    *("Other = 3\nOther(Net)", "def test(net):\n    net(3)", "class Net: pass\nNet()(3)"),
    "def test():\n    Net = make_other()\n    Net(3)(4)",
    *(f"net = Net()\nnet{call}" for call in ("(*args)", "(**kwargs)", "(1, 2, 3)", "(1, x=2)", "(y=1)", ".unknown(3)")),
    "net = Net().encode\nnet(3)",
    "net = net\nnet(3)",
    "@pytest.fixture\ndef net():\n    return Net()\ndef test(net):\n    net(3)",
]


@pytest.mark.parametrize(
    ("target", "code", "usages"),
    [
        *(("net:Net", code, []) for code in NO_USAGES),
        ("net:Net", "Net()(3)", ["forward(x=3)"]),
        (
            "net:Net",
            "net = Net(4).eval().to('cpu')\nnet(3, scale=2.0, mask=None)",
            ["forward(x=3, mask=None, scale=2.0)"],
        ),
        ("net:Net", "net = torch.jit.script(Net())\nnet(3)", ["forward(x=3)"]),
        ("net:Net", "net = module.Net()\nnet.forward(3)", ["forward(x=3)"]),
        ("net:Net", "net = Net()\nnet(unknown, 2)", ["forward(x=?, mask=2)"]),
        ("net:Net", "import math as mask\nNet()(mask.pi)", ["forward(x=?)"]),
        ("net:Net", "def test():\n    n = Net()\n    n(3)", ["forward(x=3)"]),
        ("net:Net", "def test():\n    from net import Net as N\n    N()(3)", ["forward(x=3)"]),
        ("net:Net", "if __name__ == '__main__':\n    print(Net()(3).shape)", ["forward(x=3)"]),
        ("net:helper", "helper(1, n=2)\nmodule.helper(3, 4)", ["helper(x=1, n=2)", "helper(x=3, n=4)"]),
        ("net:Net.encode", "net = Net()\nnet.encode(3)\nnet(4)", ["encode(x=3)"]),
        ("net:foreign", "module.foreign()(3, mask=4)\nmodule.foreign(3)\nNet()(5)", ["(0=3, mask=4)"]),
        ("net:foreign", "net = module.foreign()\nnet(*args)\nnet(**kwargs)", []),
    ],
)
def test_usages(target: str, code: str, usages: list[str], project: Path) -> None:
    assert spell(find(code, project, target)) == usages


@pytest.mark.parametrize(("target", "own"), [("net:make", "make()(3)"), ("net:net", "module.net(3)")])
def test_calls_of_others_of_the_class_are_apart(target: str, own: str, project: Path) -> None:
    found = find(f"{own}\nNet(3)(4)", project, target)
    assert spell(found) == ["forward(x=3)", "forward(x=4)"]
    assert [usage.construction is None or usage.construction.as_target for usage in found.usages] == [True, False]


def test_places_and_constructions_in_documentation_too(project: Path) -> None:
    found = find("def test_it():\n    net = Net(4, depth=2)\n    net(3)\n", project)
    own, (usage,) = found.constructions[1:], found.usages
    assert found.constructions[0] == usage.construction
    assert usage.construction is not None and usage.construction.place == "tests/test_net.py:6:11"
    assert usage.construction.passed == {"width": DraftExpression("4"), "depth": DraftExpression("2")}
    assert (usage.place, usage.inside) == ("tests/test_net.py:7:5", "test_it")
    assert [construction.place for construction in own] == ["net.py:17:7", "net.py:14:12"]
    write(project, {"README.md": "Use:\n```python\nfrom net import Net\nNet()(3)\n```\n"})
    (usage,) = find("", project).usages
    assert usage.place == "README.md:4:1"


X = {"tensor": "float32", "shape": [2, 5]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"type": "str"}, None),
        ({"list": [1, {"type": "net.Box"}]}, None),
        ({"tensor": "float8_e4m3fn", "shape": [2]}, None),
        (None, "None"),
        (0.5, "0.5"),
        (X, "torch.randn(2, 5)"),
        ({"tensor": "float64", "shape": []}, "torch.randn((), dtype=torch.float64)"),
        ({"tensor": "int64", "shape": [3]}, "torch.randint(0, 2, (3,))"),
        ({"tensor": "uint8", "shape": []}, "torch.randint(0, 2, (), dtype=torch.uint8)"),
        ({"tensor": "bool", "shape": [1, 2]}, "torch.ones((1, 2), dtype=torch.bool)"),
        ({"tuple": [1]}, "(1,)"),
        ({"dict": [["a", {"list": [True, X]}]]}, "{'a': [True, torch.randn(2, 5)]}"),
    ],
)
def test_text_that_makes_a_value_of_the_kind(value: Any, text: str | None) -> None:
    assert text_of(value) == text
    assert text is None or ast.parse(text, mode="eval")


def drafted(folder: Path, *calls: ObservedCall) -> Draft:
    return draft(parse("net:Net"), str(folder), "inputs.py", observed=calls)


def call(folder: Path, name: str, cls: str = "net.Net", made: Any = None, **arguments: Any) -> ObservedCall:
    return ObservedCall(str(folder / "net.py"), "Net.forward", name, cls, arguments, made)


def test_calls_and_the_construction_are_as_they_ran_without_what_is_default(project: Path) -> None:
    test = f"{TEST}def test_it():\n    Net(7)(torch.zeros(1))\n\ndef test_more():\n    Net(5)(torch.zeros(3, 5), k=4)\n"
    folder = write(project, {"net.py": NET % "x, mask=None, mode='sum', k=1", "test_net.py": test})
    one = call(folder, "test_net.py::test_it[3]", made={"width": 5}, x=X, mask=None, mode={"type": "str"}, k=1)
    two = call(folder, "train.py", made={"width": 5}, x=X, mask=X, mode={"type": "str"}, k=1)
    made = drafted(folder, one, two)
    assert made.blanks == () and "return Net(5)" in made.text
    assert "    x = torch.randn(2, 5)  # as in test_net.py::test_it[3], observed" in made.text
    assert 'yield Call((x,), name="test_it[3]")' in made.text
    assert 'yield Call((torch.randn(2, 5),), {"mask": torch.randn(2, 5)}, name="train.py")' in made.text
    assert "torch.zeros(3, 5)" in made.text and "torch.zeros(1)" not in made.text


def test_what_a_call_does_not_show_is_filled_in_and_without_one_there_is_no_draft(project: Path) -> None:
    write(project, {"net.py": NET % "x, mode"})
    made = drafted(project, call(project, "train.py", made={"width": 5}, x=X, mode={"type": "str"}))
    assert [name for name, _ in made.blanks] == ["mode"] and "torch.randn(2, 5)" in made.text
    for calls in ((), (call(project, "test_other", "net.Other", x=X),)):
        with pytest.raises(TargetError, match="the profile has no call of net:Net"):
            drafted(project, *calls)


def pages(folder: Path, *words: str) -> list[str]:
    return [os.path.relpath(page.file, folder) for page in modules_with(words, str(folder), Sources(str(folder)))]


FOLDERS = (".hidden/a.py", "build/a.py", "node_modules/a.py", "__pycache__/a.py", "env/a.py")
PASSED_OVER = {"data.txt": "Net", "broken.py": "Net(", "other.py": "Other", **dict.fromkeys(FOLDERS, "Net")}


@pytest.mark.parametrize(("file", "text"), PASSED_OVER.items())
def test_not_looked_into(file: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, {file: text})
    if file.startswith("env"):
        (tmp_path / "env/pyvenv.cfg").touch()
    assert pages(tmp_path, "Net") == []


def test_tests_are_known_and_come_first_and_documentation_last(tmp_path: Path) -> None:
    fenced = "```python\nNet()\n```\n"
    files = {"README.md": fenced, "net.py": "Net", "examples/run.py": "Net", "tests/unit/test_a.py": "Net"}
    write(tmp_path, files | {"net_test.py": "Net", "tests/conftest.py": "Net"})
    tests = ["net_test.py", "tests/conftest.py", "tests/unit/test_a.py"]
    assert pages(tmp_path, "Net") == [*tests, "examples/run.py", "net.py", "README.md"]
    names = ("net.py", "latest.py", "tests/util.py", "test_net.py", "a/conftest.py")
    assert [is_test(name) for name in names] == [False, False, True, True, True]


def test_the_lines_of_markdown_are_the_files(tmp_path: Path) -> None:
    write(tmp_path, {"README.md": "# Net\n\n```python\nnet = Net()\n```\n\n```python\n>>> Net()\n```\n"})
    (page,) = modules_with(["Net"], str(tmp_path), Sources(str(tmp_path)))
    assert page.tree.body[0].lineno == 4
    assert not is_importable(page)
