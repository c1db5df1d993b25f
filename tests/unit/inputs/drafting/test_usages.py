"""Usages in tests, examples and documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import IMPORTS, names_in, write

from pdt_annotate.inputs.drafting.expressions import Expression
from pdt_annotate.inputs.drafting.subject import read_subject
from pdt_annotate.inputs.drafting.usages import Usages, find_usages
from pdt_annotate.inputs.target import parse

NET = f"""{IMPORTS}class Net(nn.Module):
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


def find(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch, target: str = "net:Net") -> Usages:
    write(folder, {"net.py": NET, "tests/test_net.py": HEAD + code})
    monkeypatch.chdir(folder)
    names = names_in(folder)
    return find_usages(read_subject(parse(target), names), names)


def spell(found: Usages) -> list[str]:
    """The usages as calls by name; "?" is what only a run knows."""
    passed = [{name: text.text if text else "?" for name, text in u.passed.items()} for u in found.usages]
    calls = [", ".join(f"{name}={text}" for name, text in each.items()) for each in passed]
    return [f"{usage.entry}({call})" for usage, call in zip(found.usages, calls, strict=True)]


@pytest.mark.parametrize(
    "code",
    [
        "Other = 3\nOther(Net)",
        "def test(net):\n    net(3)",
        "class Net: pass\nNet()(3)",
        "def test():\n    Net = make_other()\n    Net(3)(4)",
        "net = Net()\nnet(*args)",
        "net = Net()\nnet(**kwargs)",
        "net = Net()\nnet(1, 2, 3)",
        "net = Net()\nnet(1, x=2)",
        "net = Net()\nnet(y=1)",
        "net = Net()\nnet.unknown(3)",
        "net = Net().encode\nnet(3)",
        "net = net\nnet(3)",
        "@pytest.fixture\ndef net():\n    return Net()\ndef test(net):\n    net(3)",
    ],
)
def test_no_usage(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert spell(find(code, tmp_path, monkeypatch)) == []


@pytest.mark.parametrize(
    ("code", "usages"),
    [
        ("Net()(3)", ["forward(x=3)"]),
        ("net = Net(4).eval().to('cpu')\nnet(3, scale=2.0, mask=None)", ["forward(x=3, mask=None, scale=2.0)"]),
        ("net = torch.jit.script(Net())\nnet(3)", ["forward(x=3)"]),
        ("net = module.Net()\nnet.forward(3)", ["forward(x=3)"]),
        ("net = Net()\nnet(unknown, 2)", ["forward(x=?, mask=2)"]),
        ("import math as mask\nNet()(mask.pi)", ["forward(x=?)"]),
        ("def test():\n    n = Net()\n    n(3)", ["forward(x=3)"]),
        ("def test():\n    from net import Net as N\n    N()(3)", ["forward(x=3)"]),
        ("if __name__ == '__main__':\n    print(Net()(3).shape)", ["forward(x=3)"]),
    ],
)
def test_calls_of_an_instance(code: str, usages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert spell(find(code, tmp_path, monkeypatch)) == usages


@pytest.mark.parametrize(
    ("target", "code", "usages"),
    [
        ("net:helper", "helper(1, n=2)\nmodule.helper(3, 4)", ["helper(x=1, n=2)", "helper(x=3, n=4)"]),
        ("net:Net.encode", "net = Net()\nnet.encode(3)\nnet(4)", ["encode(x=3)"]),
        ("net:foreign", "module.foreign()(3, mask=4)\nmodule.foreign(3)\nNet()(5)", ["(0=3, mask=4)"]),
        ("net:foreign", "net = module.foreign()\nnet(*args)\nnet(**kwargs)", []),
    ],
)
def test_other_targets(
    target: str, code: str, usages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert spell(find(code, tmp_path, monkeypatch, target)) == usages


@pytest.mark.parametrize(("target", "own"), [("net:make", "make()(3)"), ("net:net", "module.net(3)")])
def test_calls_of_others_of_the_class_are_apart(
    target: str, own: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find(f"{own}\nNet(3)(4)", tmp_path, monkeypatch, target)
    assert spell(found) == ["forward(x=3)", "forward(x=4)"]
    assert [usage.construction is None or usage.construction.as_target for usage in found.usages] == [True, False]


def test_places_and_constructions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = find("def test_it():\n    net = Net(4, depth=2)\n    net(3)\n", tmp_path, monkeypatch)
    own, (usage,) = found.constructions[1:], found.usages
    assert found.constructions[0] == usage.construction
    assert usage.construction is not None and usage.construction.place == "tests/test_net.py:6:11"
    assert usage.construction.passed == {"width": Expression("4"), "depth": Expression("2")}
    assert (usage.place, usage.inside) == ("tests/test_net.py:7:5", "test_it")
    assert [construction.place for construction in own] == ["net.py:17:7", "net.py:14:12"]


def test_documentation_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"README.md": "Use:\n```python\nfrom net import Net\nNet()(3)\n```\n"})
    (usage,) = find("", tmp_path, monkeypatch).usages
    assert usage.place == "README.md:4:1"
