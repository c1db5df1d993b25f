"""Settings whose values have parts: codes of findings, codes for paths, and files in a format."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Iterable
from typing import Any

from pdt_annotate.settings.kinds import Several, WrongValue, locate

FILE_FORMATS = ("json", "sarif", "junit", "github", "html", "text")
"""What `--output-file` can write."""


class _Listed(Several):
    """A list whose items are read one by one, wherever they are written."""

    def of_toml(self, value: object) -> object:
        texts = super().of_toml(value)
        assert isinstance(texts, tuple)
        return tuple(item for text in texts for item in self.items(text))

    def of_text(self, text: str) -> object:
        texts = super().of_text(text)
        assert isinstance(texts, tuple)
        return self.of_toml(list(texts))

    def of_option(self, value: object) -> object:
        return self.of_toml(list(value) if isinstance(value, tuple) else value)

    def items(self, text: str) -> tuple[str, ...]:
        """What one text says.

        Raises:
            WrongValue: it is not written as it must be.
        """
        raise NotImplementedError


class Codes(_Listed):
    """Codes of findings, or how they begin; a comma may stand between them."""

    takes = "codes of findings such as PDT037, or how they begin"

    def items(self, text: str) -> tuple[str, ...]:
        from pdt_annotate.findings.selection import read_selectors, what_is_wrong  # noqa: PLC0415 - few name codes

        selectors = read_selectors(text)
        wrong, hint = what_is_wrong(selectors)
        if wrong:
            raise WrongValue(f"takes {self.takes} ({wrong})", hint)
        return selectors


CODES = Codes()


class PathCodes(_Listed):
    """Patterns of paths, each with codes: a table in TOML, `PATTERN:CODES` elsewhere.

    A pattern with a slash begins at the directory of the file that has it; any other is for names of files.
    """

    takes = 'a table such as {"tests/*" = ["PDT030"]}, or PATTERN:CODES'

    def of_toml(self, value: object) -> object:
        if isinstance(value, dict):
            value = [f"{pattern}:{','.join(_words(codes, self))}" for pattern, codes in value.items()]
        return super().of_toml(value)

    def items(self, text: str) -> tuple[str, ...]:
        pattern, colon, codes = text.rpartition(":")
        if not (pattern and colon):
            raise self.wrong()
        return tuple(f"{pattern}:{code}" for code in CODES.items(codes))

    def below(self, value: object, directory: str) -> object:
        assert isinstance(value, tuple)
        parts = (text.rpartition(":") for text in value)
        return tuple(f"{_locate_glob(glob, directory)}:{code}" for glob, _, code in parts)


def _words(codes: object, kind: PathCodes) -> tuple[str, ...]:
    words = [codes] if isinstance(codes, str) else codes
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise kind.wrong()
    return tuple(words)


def _locate_glob(glob: str, directory: str) -> str:
    if "/" not in glob:
        return glob
    located = locate(glob, directory)
    return located if os.sep in located else os.path.join(os.curdir, located)


class OutputFiles(_Listed):
    """`FORMAT:PATH`. The first colon ends the format, so that a path may have a drive."""

    takes = f"FORMAT:FILE, where FORMAT is one of {', '.join(FILE_FORMATS)}"

    def of_text(self, text: str) -> object:
        words = shlex.shlex(text, posix=True, punctuation_chars=False)
        words.whitespace_split, words.escape, words.commenters = True, "", ""  # backslashes are Windows' own
        return self.of_toml(list(words))

    def items(self, text: str) -> tuple[str, ...]:
        name, colon, path = text.partition(":")
        if name not in FILE_FORMATS:
            raise WrongValue(f"takes {self.takes}", _meant(name, text))
        if not colon or not path:
            raise WrongValue(f"takes {self.takes}", f"name a file, as in {name}:result.{name}")
        if path == "-":
            raise WrongValue(f"takes {self.takes}", "`--output-format` is for stdout")
        return (text,)

    def written(self, value: Any) -> Iterable[str]:
        """The files, to be tried before a run begins."""
        return [text.partition(":")[2] for text in value]

    def places(self, value: Any) -> Iterable[str]:
        return self.written(value)

    def below(self, value: object, directory: str) -> object:
        assert isinstance(value, tuple)
        parts = (text.partition(":") for text in value)
        return tuple(f"{name}:{locate(path, directory)}" for name, _, path in parts)


def _meant(name: str, text: str) -> str:
    """What someone may have meant who named no format that there is."""
    near = difflib.get_close_matches(name.lower(), FILE_FORMATS, 1) if name != text else ()
    ending = text.rpartition(".")[2].lower()
    if near:
        return f"did you mean {near[0]}{text.removeprefix(name)}?"
    return f"did you mean {ending}:{text}?" if ending in FILE_FORMATS else ""
