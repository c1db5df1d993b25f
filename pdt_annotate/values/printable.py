"""Makes text from outside safe to show: nothing in it moves a cursor, hides other text, or is run as a command.

Names of files, keys of specs, messages of exceptions and lines of source come from others. Standard library only, and
without `re`, because a cached answer is shown through this module too.
"""

KEPT = "\n\t"

# Controls of bidirectional text, which show the characters of a line in another order (CVE-2021-42574).
REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ENDING = frozenset("\u2028\u2029")  # these end a line only by Unicode's rules

COMMAND, OLD_COMMAND = "::", "##["
"""Commands to GitHub's runner: at the beginning of a line after white space, and anywhere in a line."""


def printable(text: str) -> str:
    r"""The text with its control characters and surrogates spelled as Python escapes.

    >>> printable("a\x1b[31m\tb\nc")
    'a\\x1b[31m\tb\nc'
    """
    return text if text.isprintable() else "".join(map(_spelled, text.replace("\r\n", "\n")))


def one_line(text: str) -> str:
    r"""The printable text on one line.

    >>> one_line("a\nb.py")
    'a\\nb.py'
    """
    return text if text.isprintable() else "".join(_spelled(char, kept="") for char in text)


def disarm(text: str) -> str:
    r"""The printable text, with no commands that GitHub's runner would obey in the log of a step.

    >>> print(disarm("it said\n  ::error::no"))
    it said
      \x3a:error::no
    """
    return "\n".join(map(_disarmed, printable(text).split("\n"))).replace(OLD_COMMAND, r"#\x23[")


def in_json(text: str) -> str:
    r"""A document in JSON or the like, with the same characters as JSON escapes in its strings: its value is unchanged.

    >>> print(in_json('{"a": "x\u202ey"}'))
    {"a": "x\u202ey"}
    """
    acting = {ord(char): f"\\u{ord(char):04x}" for char in set(text) if _acts(char) and char not in KEPT}
    return text.translate(acting).replace(OLD_COMMAND, r"#\u0023[")


def _disarmed(line: str) -> str:
    bare = line.lstrip()
    return f"{line[: len(line) - len(bare)]}\\x3a{bare[1:]}" if bare.startswith(COMMAND) else line


def _spelled(char: str, kept: str = KEPT) -> str:
    return char if char.isprintable() or char in kept or not _acts(char) else char.encode("unicode_escape").decode()


def _acts(char: str) -> bool:
    """Whether it is a control character, a surrogate or a line end, or turns text around; no joiner of emojis is."""
    return (
        char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in REORDERING or char in ENDING
    )
