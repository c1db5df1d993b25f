"""Whole drafts: the usages that become calls, and the blanks."""

from pathlib import Path

import pytest
from drafted import IMPORTS, calls_of, draft_of, draft_text, write

from pdt_annotate.inputs.drafting import draft
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import TargetError

NET = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self%s):
        pass
    def forward(self, x, y=None):
        pass
"""


def test_nothing_is_imported_and_a_file_may_be_one_that_cannot_be(project: Path) -> None:
    bomb = "raise SystemExit('imported')\n"
    files = {"net.py": bomb + NET % "", "test_net.py": bomb + "from net import Net\nNet()(3)\n"}
    write(project, {**files, "my-net.py": NET % ", n", "easy-net.py": NET % ""})
    assert "x = 3  # as in test_net.py:3" in draft_text(project, "net:Net")
    write(project, {"bare.py": f"{IMPORTS}class Net(nn.Module): pass\n"})
    assert "def model" not in draft_text(project, "easy-net.py:Net") + draft_text(project, "bare.py:Net")
    with pytest.raises(TargetError, match="cannot import this file"):
        draft_text(project, "my-net.py:Net")


def test_blanks_have_the_lines_of_the_draft_and_what_a_library_makes_is_one(project: Path) -> None:
    write(project, {"net.py": NET % ", n", "f.py": "import lib\ndef make():\n    return lib.net()\n"})
    made = draft(parse("net:Net"), str(project), "inputs.py")
    assert [name for name, _ in made.blanks] == ["n", "x", "y"]
    lines = made.text.splitlines()
    assert all(f'{name} = fill_in("{name}"' in lines[place.line - 1] for name, place in made.blanks)
    assert 'yield Call(fill_in("the arguments", "(torch.randn(2, 3),)"))' in draft_text(project, "f:make")


def test_calls_of_a_model_that_is_constructed_otherwise(project: Path) -> None:
    """Tensors may not fit the draft's model, so they become blanks. Other values are copied."""
    net = NET % ", n" + "def make():\n    return Net(3)\n"
    test = "import torch, net\nnet.make()(torch.ones(3))\nnet.Net(4)(torch.ones(4), torch.zeros(4))\n"
    write(project, {"net.py": net, "test_net.py": test})
    made = draft(parse("net:make"), str(project), "inputs.py")
    assert [name for name, _ in made.blanks] == ["y"]
    assert 'y = fill_in("y")  # None by default; test_net.py:3:1 passes torch.zeros(4)' in made.text


def test_the_construction_is_that_whose_calls_show_most(project: Path) -> None:
    test = "from net import Net\nNet(1)(3)\nNet(1)(4)\nNet(2)(5, y=6)\n"
    write(project, {"net.py": NET % ", n", "test_net.py": test})
    made = draft(parse("net:Net"), str(project), "inputs.py")
    assert not made.blanks
    assert "return Net(2)" in made.text
    tests = "Net(1)\nNet(2)(torch.ones(2))\na = Net(3)\na(torch.ones(3))\na(torch.zeros(3))\nNet(unknown)(3)\n"
    text = draft_of("x", tests, project)
    assert "return Net(3)" in text and "# as in test_net.py:6" in text
    assert calls_of(text)[0] == "Call((x,))" and "x = torch.ones(3)  # as in test_net.py:7" in text
    assert "torch.ones(2)" not in text


def test_what_a_factory_returns_is_called_as_the_project_does(project: Path) -> None:
    test = "import torch\nfrom net import make\ndef test_it():\n    net = make()\n    net(torch.ones(3), y=4)\n"
    write(project, {"net.py": "def make():\n    return unknown(3)\n", "test_net.py": test})
    made = draft(parse("net:make"), str(project), "inputs.py")
    assert made.text.endswith('    yield Call((torch.ones(3),), {"y": 4}, name="test_it")\n')
    assert "import torch\n" in made.text and not made.blanks


LAID_OUT = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self, config, *, depth=1):
        super().__init__()
    def forward(self, x, mask=None, scale=1.0):
        return x
"""


TEST = """
import math
import numpy as np
import torch as th
from pkg import Net
from pkg.config import Config, DEFAULT

def test_it():
    net = Net(Config(DEFAULT), depth=2)
    net(th.randn(2, 3), mask=None)
    net(th.from_numpy(np.full((2, 3), math.pi, dtype="float32")), mask=th.ones(2, 3, dtype=th.bool), scale=2.0)
"""


EXPECTED = '''"""Example calls for `pdt-annotate pkg:Net -i inputs.py`; drafted by `pdt-annotate init`."""

import math

import numpy as np
import torch

from pdt_annotate import Call

from pkg import Net
from pkg.config import Config, DEFAULT


def model():
    # as in tests/test_net.py:9:11
    return Net(Config(DEFAULT), depth=2)


def calls():
    x = torch.randn(2, 3)  # as in tests/test_net.py:10:5
    mask = None  # as in tests/test_net.py:10:5
    yield Call((x,), {"mask": mask}, name="test_it")
    # as in tests/test_net.py:11:5
    yield Call(
        (torch.from_numpy(np.full((2, 3), math.pi, dtype='float32')),),
        {"mask": torch.ones(2, 3, dtype=torch.bool), "scale": 2.0},
        name="test_it 2",
    )
    yield Call((torch.randn(2, 3),), {"mask": None}, name="held back", held_back=True)
'''


def test_layout_and_a_nested_class_that_is_reached_from_its_outermost(project: Path) -> None:
    config = "DEFAULT = 3\nclass Config:\n    def __init__(self, width):\n        self.width = width\n"
    files = {"pkg/__init__.py": "from .net import Net\n", "pkg/net.py": LAID_OUT, "pkg/config.py": config}
    write(project, files | {"tests/test_net.py": TEST})
    assert draft_text(project, "pkg:Net") == EXPECTED
    outer = f"{IMPORTS}class Outer:\n    class Net(nn.Module):\n        def __init__(self, n):\n            pass\n"
    write(project, {"net.py": outer, "test_net.py": "from net import Outer\nOuter.Net(3)\n"})
    text = draft_text(project, "net:Outer.Net")
    assert "from net import Outer\n" in text
    assert "    return Outer.Net(3)\n" in text


def test_without_usages_what_is_required_is_a_blank(project: Path) -> None:
    assert draft_of("x", "", project) == (
        "def model():\n"
        '    width = fill_in("width", "16")  # no code in the project passes it; e.g. 16\n'
        "    return Net(width)\n"
        "\n\n"
        "def calls():\n"
        '    x = fill_in("x")  # no code in the project passes it; e.g. torch.randn(2, 3)\n'
        "    yield Call((x,))\n"
        '    yield Call((x,), name="held back", held_back=True)\n'
    )


def test_what_tests_pass_needs_no_blank(project: Path) -> None:
    tests = "net = Net(3)\nnet(torch.rand(3))\nnet(torch.rand(3), torch.ones(3))\nnet(torch.rand(3), mask=None)\n"
    text = draft_of("x, mask=None", tests, project)
    assert "fill_in" not in text
    assert calls_of(text) == [
        "Call((x,))",
        "Call((torch.rand(3),), {'mask': torch.ones(3)})",
        "Call((torch.rand(3),), {'mask': None})",
        "Call((torch.rand(3),), name='held back', held_back=True)",
    ]


def test_a_plain_class_is_constructed_by_a_call(project: Path) -> None:
    box = "class Box:\n    def __init__(self, n):\n        self.n = n\n    def grow(self, by):\n        self.n += by\n"
    write(project, {"box.py": box, "test_box.py": "from box import Box\nb = Box(3)\nb.grow(2)\nBox(1)\n"})
    calls = calls_of(draft_text(project, "box:Box"))
    assert calls[0] == "Call((n,))"
    assert "Call((by,), method='grow')" in calls
    assert "def model" not in draft_text(project, "box:Box")


def test_none_by_default_is_a_second_call_with_one_blank(project: Path) -> None:
    text = draft_of("x, mask=None", "def test_it():\n    Net(3)(torch.randn(2, 3))\n", project)
    assert text.count("fill_in(") == 1
    assert "# None by default; no code in the project passes it; e.g. torch.randn(2, 3)" in text
    assert calls_of(text) == [
        "Call((x,), name='test_it')",
        "Call((x,), {'mask': mask}, name='with mask')",
        "Call((torch.randn(2, 3),), {'mask': mask}, name='held back', held_back=True)",
    ]


HELD_BACK = {
    "{'flag': True}": "flag=False",
    "{'scale': 0.5}": "scale=1.0; scale=0.0",
    "{'k': 3}": "k=2; *, k=2",
    "": "dim=1; k=-1; mode='max'; sizes=(2, 3); *args, **kwargs",
}
"""Parameters, by the value that the held-back call passes for them."""


@pytest.mark.parametrize(
    ("parameter", "held_back"), [(each, passed) for passed, some in HELD_BACK.items() for each in some.split("; ")]
)
def test_numbers_and_flags_vary_in_the_call_that_is_held_back(parameter: str, held_back: str, project: Path) -> None:
    first, second = calls_of(draft_of(f"x, {parameter}", "Net(3)(torch.rand(3))\n", project))
    assert first == "Call((x,))"
    arguments = f"(x,), {held_back}" if held_back else "(torch.rand(3),)"
    assert second == f"Call({arguments}, name='held back', held_back=True)"


@pytest.mark.parametrize(
    ("parameter", "line"),
    [
        ("n: int", "n = 2  # any int"),
        ("n: bool", "n = True  # any bool"),
        ("n: torch.Tensor", 'n = fill_in("n")  # annotated torch.Tensor; no code'),
        ("n=[]", 'n = fill_in("n")  # [] by default; no code'),
        ("n", 'n = fill_in("n")  # test_net.py:4:1 passes a value known only at run time'),
    ],
)
def test_annotations_and_defaults(parameter: str, line: str, project: Path) -> None:
    tests = "Net(3)(torch.rand(3), unknown)\n" if parameter == "n" else ""
    assert f"    {line}" in draft_of(f"x, {parameter}", tests, project)
    assert "mask" not in draft_of("x, mask: torch.Tensor = None", "Net(3)(torch.rand(3))\n", project)


def test_uses_say_what_a_blank_looks_like(project: Path) -> None:
    write(project, {"f.py": "def f(boxes, mode):\n    mode.lower()\n    return [b['a'] for b in boxes]\n"})
    text = draft_text(project, "f:f")
    assert 'fill_in("boxes", \'[{"key": torch.randn(2, 3)}]\')' in text
    assert "used like List[Dict[str, Tensor]]" in text
    assert 'fill_in("mode", \'"text"\')' in text
    files = {"f.py": "def f(x, n, dim):\n    return x * n\n", "test_f.py": "from f import f\nf(None or 1, 3, 1)\n"}
    varied = calls_of(draft_text(write(project, files), "f:f"))[-1]
    assert varied == "Call((x, 4, dim), name='held back', held_back=True)", "with literals and without random tensors"
