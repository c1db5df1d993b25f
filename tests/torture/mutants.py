"""Documents that nobody would write: a valid document with pieces inserted, removed, doubled and swapped."""

import random

PIECES: tuple[bytes, ...] = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x1b[31m", b"\x1b]0;t\x07",
    b"\r", b"\t", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"::error::no", b"[" * 3000, b"{a: " * 3000,
    b"(" * 300, b"-" * 20000, b"- " * 3000, b"9" * 5000, b"0x" + b"f" * 5000, b"1e999", b"-0", b"1:99:99", b"-.inf",
    b".nan", b"NaN", b"Infinity", b"null", b"true", b"~", b"{}", b"[]", b"[[[]]]", b'""', b'"\\ud800"', b'"\\0"',
    b"'", b'"', b'"""', b"|\n", b"@", b"`", b"\\", b"#", b"&a *a", b"*a", b"&a [*a, *a]", b"<<: 3", b"<<: [1]",
    b"? [a]: b", b"!!set {a}", b"!!omap [a]", b"!!int 'x'", b"!!float ''", b"!!bool ''", b"!!binary x",
    b"!!timestamp x", b"2020-99-99", b"2020-01-01T99:00:00Z", b"!!python/object:os.system x", b"!x y", b"!<",
    b"%YAML 9.9\n---\n", b"%TAG ! x\n", b"---\n---\n", b"...", b"[[a]]", b"[a.b]\na.b = 1", b"a = 1\na = 2",
    b"\xef\xac\x81", b"\xc2\xb5", b"\xcf\xb5", b"x" * 100_000, b"\n" * 10_000, b"a: &b [" + b"*b, " * 5,
)  # fmt: skip
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (after, after, b",".join([b"*%c" % before] * 9))
    for before, after in zip(b"abcdefgh", b"bcdefghi", strict=True)
)
"""An alias of aliases of aliases: 9 to the 9th values."""


def mutate(drawn: random.Random, sound: bytes) -> bytes:
    """A document that differs from the valid one in at most a few steps, or only a piece, or an empty one."""
    if drawn.random() < 0.02:
        return drawn.choice((b"", BOMB, *PIECES))
    made = bytearray(sound)
    for _ in range(drawn.randint(1, 4)):
        at, piece = drawn.randint(0, len(made)), drawn.choice(PIECES)
        match drawn.choice(("insert", "insert", "replace", "take", "flip", "double")):
            case "insert":
                made[at:at] = piece
            case "replace":
                made[at : at + drawn.randint(1, 12)] = piece
            case "take":
                del made[at : at + drawn.randint(1, 40)]
            case "flip":
                made[at : at + 1] = bytes([drawn.randrange(256)])
            case "double":
                made[at:at] = made[drawn.randint(0, at) : at]
    return bytes(made)
