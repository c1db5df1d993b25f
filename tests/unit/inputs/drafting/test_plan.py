"""Which usages become calls, and what is left to fill in."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import calls_of, draft_of, draft_text, write


def test_without_usages_what_is_required_is_a_blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert draft_of("x", "", tmp_path, monkeypatch) == (
        "def model():\n"
        '    width = fill_in("width", "16")  # no code in the project passes it; e.g. 16\n'
        "    return Net(width)\n"
        "\n\n"
        "def calls():\n"
        '    x = fill_in("x")  # no code in the project passes it; e.g. torch.randn(2, 3)\n'
        "    yield Call((x,))\n"
        '    yield Call((x,), name="held back", held_back=True)\n'
    )


def test_the_construction_that_is_called_most_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = "Net(1)\nNet(2)(torch.ones(2))\na = Net(3)\na(torch.ones(3))\na(torch.zeros(3))\nNet(unknown)(3)\n"
    text = draft_of("x", tests, tmp_path, monkeypatch)
    assert "return Net(3)" in text and "# as in test_net.py:6" in text
    assert calls_of(text)[0] == "Call((x,))" and "x = torch.ones(3)  # as in test_net.py:7" in text
    assert "torch.ones(2)" not in text


def test_what_tests_pass_needs_no_blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = "net = Net(3)\nnet(torch.rand(3))\nnet(torch.rand(3), torch.ones(3))\nnet(torch.rand(3), mask=None)\n"
    text = draft_of("x, mask=None", tests, tmp_path, monkeypatch)
    assert "fill_in" not in text
    assert calls_of(text) == [
        "Call((x,))",
        "Call((torch.rand(3),), {'mask': torch.ones(3)})",
        "Call((torch.rand(3),), {'mask': None}, held_back=True)",
    ]


def test_a_plain_class_is_constructed_by_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = "class Box:\n    def __init__(self, n):\n        self.n = n\n    def grow(self, by):\n        self.n += by\n"
    write(tmp_path, {"box.py": box, "test_box.py": "from box import Box\nb = Box(3)\nb.grow(2)\nBox(1)\n"})
    monkeypatch.chdir(tmp_path)
    calls = calls_of(draft_text(tmp_path, "box:Box"))
    assert calls[0] == "Call((n,))"
    assert "Call((by,), method='grow')" in calls
    assert "def model" not in draft_text(tmp_path, "box:Box")


def test_what_a_library_makes_is_one_blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"f.py": "import lib\ndef make():\n    return lib.net()\n"})
    monkeypatch.chdir(tmp_path)
    text = draft_text(tmp_path, "f:make")
    assert 'yield Call(fill_in("the arguments", "(torch.randn(2, 3),)"))' in text
