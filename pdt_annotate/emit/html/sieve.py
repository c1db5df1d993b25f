"""A list that can be filtered by name and by tone; what filters it works with the page's script, hidden without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pdt_annotate.emit.html.markup import Html, tag

SIGNS = {"bad": "✗", "review": "!", "idle": "○", "ok": "✓"}
"""By the tone of an entry, a class of the style sheet, so that colour is not all there is; what is to be done first."""

FEW = 8
"""Of as many entries a reader needs a filter, and what passes is folded."""


def sign(tone: str) -> Html:
    """The tone for the eye."""
    return tag("span", SIGNS[tone], class_="sign", aria_hidden="true")


def sieve(noun: str, tones: Iterable[str], words: Mapping[str, str]) -> Html | None:
    """A box for parts of names, a button for each tone, and how many entries fit; nothing where there are few.

    The entries have the names as `data-name`, lower case, and the tone as `data-tone`.

    Args:
        noun: what the entries are, in the plural.
        tones: of all of them.
        words: what each tone means here.
    """
    counts = Counter(tones)
    if counts.total() < FEW:
        return None
    label = f"Filter the {noun}"
    box = tag("input", type="search", placeholder="part of a name", aria_label=f"{label} by name")
    buttons = [_button(tone, f"{counts[tone]} {words[tone]}") for tone in SIGNS if counts[tone] and len(counts) > 1]
    told = tag("output", aria_live="polite")
    inside = (box, buttons, told)
    return tag("div", *inside, class_="sieve", role="search", aria_label=label, data_noun=noun, hidden=True)


def _button(tone: str, said: str) -> Html:
    return tag("button", f"{SIGNS[tone]} {said}", type="button", data_tone=tone, aria_pressed="false")
