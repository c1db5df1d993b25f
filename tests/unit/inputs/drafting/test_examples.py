"""The example calls of an entry, beyond those that usages show."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import calls_of, draft_of, draft_text, write


def test_none_by_default_is_a_second_call_with_one_blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = draft_of("x, mask=None", "def test_it():\n    Net(3)(torch.randn(2, 3))\n", tmp_path, monkeypatch)
    assert text.count("fill_in(") == 1
    assert "# None by default; no code in the project passes it; e.g. torch.randn(2, 3)" in text
    assert calls_of(text) == [
        "Call((x,), name='test_it')",
        "Call((x,), {'mask': mask}, name='with mask')",
        "Call((torch.randn(2, 3),), {'mask': mask}, name='held back', held_back=True)",
    ]


def test_a_default_that_no_test_leaves_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = draft_of("x, mask=None", "Net(3)(torch.rand(3), torch.ones(3))\n", tmp_path, monkeypatch)
    assert "Call((x,), name='without mask')" in calls_of(text)


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
    parameter: str, held_back: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = draft_of(f"x, {parameter}", "Net(3)(torch.rand(3))\n", tmp_path, monkeypatch)
    first, second = calls_of(text)
    assert first == "Call((x,))"
    arguments = f"(x,), {held_back}" if held_back else "(torch.rand(3),)"
    assert second == f"Call({arguments}, name='held back', held_back=True)"


def test_literals_that_no_random_tensor_goes_with_are_varied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"f.py": "def f(x, n, dim):\n    return x * n\n", "test_f.py": "from f import f\nf(None or 1, 3, 1)\n"}
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert calls_of(draft_text(tmp_path, "f:f"))[-1] == "Call((x, 4, dim), name='held back', held_back=True)"
