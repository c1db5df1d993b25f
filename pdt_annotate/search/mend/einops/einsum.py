"""Equations of `einops.einsum` as those of `torch.einsum`, whose axes are single letters."""

from __future__ import annotations

import string


def equation(pattern: str) -> str | None:
    """What torch.einsum takes for a pattern; None where einops refuses it.

    >>> equation("b i d, b j d -> b i j"), equation("b heads i, b heads j -> b")
    ('b i d, b j d -> b i j', 'a b c, a b d -> a')
    """
    inputs, arrow, output = pattern.partition("->")
    sides = [side.split() for side in inputs.split(",")]
    names = dict.fromkeys(name for side in sides for name in side if name != "...")
    made = [name for name in output.split() if name != "..."]
    is_sound = arrow and len(set(made)) == len(made) and names.keys() >= set(made) and all(map(_is_name, names))
    if not is_sound or len(names) > len(string.ascii_letters):
        return None
    letters = dict(zip(names, _letters(list(names), made), strict=False)) | {"...": "..."}
    spelled = [" ".join(letters[name] for name in side) for side in (*sides, output.split())]
    return ", ".join(spelled[:-1]) + " -> " + spelled[-1]


def _is_name(text: str) -> bool:
    return text.isidentifier() and text.strip("_") == text


def _letters(names: list[str], made: list[str]) -> list[str]:
    """The names themselves, where they are letters; else those that einops takes.

    torch sums in the order of the letters: einops's are in that of appearance.
    """
    summed = [name for name in names if name not in made]
    is_same = all(name in string.ascii_letters for name in names) and summed == sorted(summed)
    return names if is_same else list(string.ascii_letters)
