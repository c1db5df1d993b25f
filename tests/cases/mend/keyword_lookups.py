"""Names that are looked up in `**kwargs`."""

from __future__ import annotations

from mend_cases import Form

from pdt_annotate.values.mends import Variadic

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
"""
)
FORM = Form("def f(x, **kwargs):\n    {}\n")
FORM_2 = Form("{}\n")

CASES = [
    *FORM.alone(
        "return x",
        "return g(x, **kwargs)",
        "return kwargs.get('a') or g(**kwargs)",
        "return kwargs[x]",
        "return kwargs.get('a', x)",
        "return kwargs.get('a', 1) + kwargs.get('a', 2)",
        "return kwargs.get('x')",
        "a = kwargs.get('a')\nreturn a",
        "return kwargs.pop('a') + kwargs.get('a', 1)",
        "kwargs['a'] = 1\nreturn kwargs.get('a')",
        "return kwargs.items()",
        "return kwargs['a b']",
        "return kwargs['a'] if x else 0",
        "if x:\n    return 0\nreturn kwargs['a']",
    ),
    *FORM.alone("return kwargs.get('a')", passed={"f": Variadic(positional=0, names=("a", "b"))}),
    *FORM_2.mends(
        ("def f(x, **kwargs):\n    return x * kwargs.get('a', 2.0)", "def f(x, a=2.0):\n    return x * a"),
        ("def f(x, **kwargs):\n    return x * kwargs['a']", "def f(x, a):\n    return x * a"),
        ("def f(x, **kwargs):\n    return kwargs.pop('b', None), kwargs['a']", "def f(x, a, b=None):\n    return b, a"),
    ),
]
