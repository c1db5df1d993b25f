"""Which usages become calls, and what is left to fill in."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import calls_of, draft_of, draft_text, write


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


def test_the_construction_that_is_called_most_is_chosen(project: Path) -> None:
    tests = "Net(1)\nNet(2)(torch.ones(2))\na = Net(3)\na(torch.ones(3))\na(torch.zeros(3))\nNet(unknown)(3)\n"
    text = draft_of("x", tests, project)
    assert "return Net(3)" in text and "# as in test_net.py:6" in text
    assert calls_of(text)[0] == "Call((x,))" and "x = torch.ones(3)  # as in test_net.py:7" in text
    assert "torch.ones(2)" not in text


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


def test_what_a_library_makes_is_one_blank(project: Path) -> None:
    write(project, {"f.py": "import lib\ndef make():\n    return lib.net()\n"})
    text = draft_text(project, "f:make")
    assert 'yield Call(fill_in("the arguments", "(torch.randn(2, 3),)"))' in text


def test_none_by_default_is_a_second_call_with_one_blank(project: Path) -> None:
    text = draft_of("x, mask=None", "def test_it():\n    Net(3)(torch.randn(2, 3))\n", project)
    assert text.count("fill_in(") == 1
    assert "# None by default; no code in the project passes it; e.g. torch.randn(2, 3)" in text
    assert calls_of(text) == [
        "Call((x,), name='test_it')",
        "Call((x,), {'mask': mask}, name='with mask')",
        "Call((torch.randn(2, 3),), {'mask': mask}, name='held back', held_back=True)",
    ]


@pytest.mark.parametrize(
    ("parameter", "held_back"),
    [
        ("flag=False", "{'flag': True}"),
        ("scale=1.0", "{'scale': 0.5}"),
        ("scale=0.0", "{'scale': 0.5}"),
        ("k=2", "{'k': 3}"),
        ("*, k=2", "{'k': 3}"),
        ("dim=1", ""),
        ("k=-1", ""),
        ("mode='max'", ""),
        ("sizes=(2, 3)", ""),
        ("*args, **kwargs", ""),
    ],
)
def test_numbers_and_flags_are_varied_in_the_call_that_is_held_back(
    parameter: str, held_back: str, project: Path
) -> None:
    text = draft_of(f"x, {parameter}", "Net(3)(torch.rand(3))\n", project)
    first, second = calls_of(text)
    assert first == "Call((x,))"
    arguments = f"(x,), {held_back}" if held_back else "(torch.rand(3),)"
    assert second == f"Call({arguments}, name='held back', held_back=True)"


def test_literals_that_no_random_tensor_goes_with_are_varied(project: Path) -> None:
    files = {"f.py": "def f(x, n, dim):\n    return x * n\n", "test_f.py": "from f import f\nf(None or 1, 3, 1)\n"}
    write(project, files)
    assert calls_of(draft_text(project, "f:f"))[-1] == "Call((x, 4, dim), name='held back', held_back=True)"


@pytest.mark.parametrize(
    ("parameter", "line"),
    [
        ("n: int", "n = 2  # any int"),
        ("n: bool", "n = True  # any bool"),
        ("n: torch.Tensor", 'n = fill_in("n")  # annotated torch.Tensor; no code'),
        ("n=[]", 'n = fill_in("n")  # [] by default; no code'),
        ("n", 'n = fill_in("n")  # what test_net.py:4:1 passes only a run knows'),
    ],
)
def test_annotations_and_defaults(parameter: str, line: str, project: Path) -> None:
    tests = "Net(3)(torch.rand(3), unknown)\n" if parameter == "n" else ""
    assert f"    {line}" in draft_of(f"x, {parameter}", tests, project)


def test_uses_say_what_a_blank_looks_like(project: Path) -> None:
    write(project, {"f.py": "def f(boxes, mode):\n    mode.lower()\n    return [b['a'] for b in boxes]\n"})
    text = draft_text(project, "f:f")
    assert 'fill_in("boxes", \'[{"key": torch.randn(2, 3)}]\')' in text
    assert "used like List[Dict[str, Tensor]]" in text
    assert 'fill_in("mode", \'"text"\')' in text


def test_an_annotated_none_is_left_alone(project: Path) -> None:
    text = draft_of("x, mask: torch.Tensor = None", "Net(3)(torch.rand(3))\n", project)
    assert "mask" not in text
