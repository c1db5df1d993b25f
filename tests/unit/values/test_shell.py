"""Commands as the shells of each platform take them."""

from __future__ import annotations

import pytest

from pdt_annotate.values import shell

WORDS = ["pdt-annotate", "a b.py:Net", "-i", "it's.py"]


def test_posix() -> None:
    assert shell.join(WORDS) == """pdt-annotate 'a b.py:Net' -i 'it'"'"'s.py'"""
    assert shell.split(shell.join(WORDS)) == WORDS
    with pytest.raises(ValueError):
        shell.split("'open")


def test_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "POSIX", False)
    words = ["pdt-annotate", r"C:\a b\net.py:Net", "-i", r"in\calls.py"]
    assert shell.join(words) == r'pdt-annotate "C:\a b\net.py:Net" -i in\calls.py'
    assert shell.split(shell.join(words)) == words
    with pytest.raises(ValueError):
        shell.split('"open')
