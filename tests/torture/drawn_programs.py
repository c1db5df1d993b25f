"""Programs that nobody wrote: definitions, statements and names drawn, in every dress that Python's grammar allows."""

import random
from collections.abc import Iterator

NAMES = (
    "x", "value", "ﬁ", "ϵ", "µ", "K", "ªb", "\u017felf", "变量",
    "é", "é", "_", "__init__", "type", "match", "List", "torch",
)  # fmt: skip
DEFAULTS = ("", "", "=1", " = None", "=[]", "= ()", "=lambda: (yield)", "=b''", "=(\n    3\n)", "=1  # why\n  ")
NEWLINES = ("\n", "\n", "\r\n", "\r")
HEADS = (
    "", "", "# -*- coding: latin-1 -*-\n", "\ufeff", "'''doc\nof it'''\n",
    "from __future__ import annotations\n", "\f\n", "#!x\n\n",
)  # fmt: skip
IMPORTS = (
    "",
    "import torch\n",
    "from typing import (\n    List,\n    Dict as D,\n)\n",
    "from typing import *\n",
    "import typing as t; import torch as T\n",
)
DECORATORS = ("", "", "@staticmethod\n", "@torch.no_grad()  # x\n", "@(\n  x\n)\n", "# pdt: skip\n")
STATEMENTS = (
    "pass", "{n} = []", "{n} = 1; {n} = 2", "{n}: int = 3", "{n} = {n} = 4", "return {n}", "({n}) = 1",
    "global g_{n}", "if (q := 1): {n} = None", "for {n} in (): pass", "{n} = '''\n  def f(x): pass\n'''",
    "self.{n} = {{}}", "try:\n{i}  {n} = 1\n{i}except Exception: pass", "def inner({n}): return {n}", "{n} = \\\n  1",
    "# type: (int) -> int", "with x as {n}: pass", '{n} = f"{{x!r:>{{w}}}}"', "del {n}", "{n} = lambda {n}: {n}",
)  # fmt: skip


class Program:
    """A drawn source, in bytes of the encoding that it declares."""

    def __init__(self, drawn: random.Random) -> None:
        self._drawn = drawn
        self._indent = drawn.choice(("  ", "    ", "\t"))
        head = drawn.choice(HEADS)
        text = "".join((head, drawn.choice(IMPORTS), *self._definitions("", 0)))
        text = text.replace("\n", drawn.choice(NEWLINES))
        text = text if drawn.random() < 0.8 else text.rstrip()
        is_latin = "latin-1" in head
        self.content = text.encode("latin-1", "ignore") if is_latin else text.encode()

    def _definitions(self, indent: str, depth: int) -> Iterator[str]:
        for _ in range(self._drawn.randint(1, 4 - depth)):
            yield from self._definition(indent, depth)
            yield "\n" * self._drawn.randint(0, 2)

    def _definition(self, indent: str, depth: int) -> Iterator[str]:
        inner = indent + self._indent
        decorator = self._drawn.choice(DECORATORS)
        yield "".join(f"{indent}{line}\n" for line in decorator.splitlines())
        name = self._drawn.choice(NAMES)
        if depth < 2 and self._drawn.random() < 0.4:
            yield f"{indent}class {name}{self._drawn.choice(('', '()', '(object,)'))}:\n"
            yield from self._definitions(inner, depth + 1)
            return
        word = self._drawn.choice(("def", "def", "def ", "async def"))
        yield f"{indent}{word} {name}({self._parameters()}){self._drawn.choice(('', ' ', ' -> None', ' -> (int)'))}:"
        if self._drawn.random() < 0.2:
            yield " return 1  # end\n"
            return
        yield self._drawn.choice(("\n", "  # pdt: skip\n", "  # type: (...) -> int\n", " # :)\n"))
        for _ in range(self._drawn.randint(1, 4)):
            statement = self._drawn.choice(STATEMENTS).format(n=self._drawn.choice(NAMES), i=inner)
            yield f"{inner}{statement}\n"

    def _parameters(self) -> str:
        names = self._drawn.sample(NAMES, self._drawn.randint(0, 4))
        joint = self._drawn.choice((", ", ",", ",\n        ", ",  # one\n    "))
        written = [
            f"{self._drawn.choice(('', '', '', '*, ', '*', '**'))}{name}{self._drawn.choice(DEFAULTS)}"
            for name in names
        ]
        return joint.join(written) + self._drawn.choice(("", "", ","))
