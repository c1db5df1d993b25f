"""Values that no code passes: annotations, defaults, and what the body makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import draft_of, draft_text, write


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
def test_annotations_and_defaults(parameter: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = "Net(3)(torch.rand(3), unknown)\n" if parameter == "n" else ""
    assert f"    {line}" in draft_of(f"x, {parameter}", tests, tmp_path, monkeypatch)


def test_uses_say_what_a_blank_looks_like(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"f.py": "def f(boxes, mode):\n    mode.lower()\n    return [b['a'] for b in boxes]\n"})
    monkeypatch.chdir(tmp_path)
    text = draft_text(tmp_path, "f:f")
    assert 'fill_in("boxes", \'[{"key": torch.randn(2, 3)}]\')' in text
    assert "used like List[Dict[str, Tensor]]" in text
    assert 'fill_in("mode", \'"text"\')' in text


def test_an_annotated_none_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = draft_of("x, mask: torch.Tensor = None", "Net(3)(torch.rand(3))\n", tmp_path, monkeypatch)
    assert "mask" not in text
