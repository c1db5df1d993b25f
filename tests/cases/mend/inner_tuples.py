"""Classes that `namedtuple` makes in functions."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
from collections import namedtuple


{}
"""
)
FORM = Form("""\
import collections
from collections import namedtuple


def f(x, y):
    {}
""")
FORM_2 = Form("""\
{}
    out = namedtuple("Out", "a b")
    return out(x, y)
""")
FORM_3 = Form("""\
import collections
from collections import namedtuple


{}
""")

COMPILED = Form("from collections import namedtuple\n" + NET.text)

CASES = [
    *FORM.alone(
        'out = namedtuple("Out", x)\nreturn out(x, y)',
        'out = namedtuple(x, "a b")\nreturn out(x, y)',
        'out = namedtuple("Out", ["a", "b"], defaults=[1])\nreturn out(x)',
        'out = namedtuple("Out", "a b")\nreturn out',
        'out = namedtuple("Out", "a b")\nout = out(x, y)\nreturn out',
        'if x: out = namedtuple("Out", "a b")\nreturn out(x, y)',
        'z = out(x, y) if x else y; out = namedtuple("Out", "a b")',
        'out = other("Out", "a b")\nreturn out(x, y)',
        'namedtuple = x\nout = namedtuple("Out", "a b")\nreturn out(x, y)',
        'out = namedtuple("f", "a b")\nreturn out(x, y)',
        'return namedtuple("Out", "a b")',
    ),
    *FORM_2.alone(
        "def f(x, y):",
        "from other import namedtuple\ndef f(x, y):",
        "def g():\n    from collections import namedtuple\ndef f(x, y):",
    ),
    *FORM_3.mends(
        (
            (
                'def f(x, y):\n    out = namedtuple("Out", ["a", "b"])  # both\n    z = out(x, y)\n'
                "    return z if x else out(y, x)"
            ),
            (
                'Out = namedtuple("Out", ["a", "b"])\n\n\ndef f(x, y):\n    z = Out(x, y)\n'
                "    return z if x else Out(y, x)"
            ),
        ),
        (
            'def f(x, y):\n    return collections.namedtuple("Out", "a b")(x, y)',
            'Out = collections.namedtuple("Out", "a b")\n\n\ndef f(x, y):\n    return Out(x, y)',
        ),
        (
            'def f(x):\n    return namedtuple("Out", "a")(x)\ndef g(x):\n    return namedtuple("Out", "b")(x)',
            (
                'Out = namedtuple("Out", "a")\n\n\ndef f(x):\n    return Out(x)\ndef g(x):\n'
                '    return namedtuple("Out", "b")(x)'
            ),
        ),
    ),
    *COMPILED.compiles(
        'out = namedtuple("Out", ["a", "b"])\ny = out(x, x * 2)\nx = y.a + y.b',
        'y = namedtuple("Out", "a b")(x, b=x * 2)\nx = y.a + y.b',
        'out = namedtuple("Out", ["a"])\nx = out(x).a + out(x * 2)[0]',
    ),
]
