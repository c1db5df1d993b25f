"""Imports: the ones that are enough, the from-imports that grow, and the place for new lines."""

from __future__ import annotations

import pytest
from rewrite_case import LIST, Case, info

from pdt_annotate.values.style import Sorting, Style
from pdt_annotate.values.types import TENSOR, TypeExpr

TENSORS = TypeExpr("Optional", (TypeExpr("list", (TENSOR,)),))
DEF = "def f(x): pass\n"

ENOUGH = {
    "names": "from typing import List, Optional\nfrom torch import Tensor\n",
    "in a try with the same names": (
        "try:\n    from typing import List, Optional\nexcept ImportError:\n"
        "    from typing_extensions import List, Optional\nfrom torch import Tensor\n"
    ),
    "in a with": "import typing as t\nwith open('x'):\n    import torch\n",
    "in the arm without type checker": (
        "import typing\nif not typing.TYPE_CHECKING:\n    import torch\n    from typing import List, Optional\n"
    ),
}


@pytest.mark.parametrize("head", ENOUGH.values(), ids=ENOUGH.keys())
def test_adds_nothing_to_what_is_enough(head: str) -> None:
    assert Case(head + DEF).param("f", "x", TENSORS).run().imports == ()


GROWING = {
    "at the end": "from typing import List«, Optional»\n",
    "in order": "from typing import Any, List«, Optional», Tuple\n",
    "in front": "from typing import Tuple, Union, List«, Optional»\n",
    "in order of both": "from typing import «List, Optional, »Tuple\n",
    "no order": "from typing import Tuple, Any«, List, Optional»\n",
    "aliases": "from typing import Any as A«, List, Optional», Tuple\n",
    "comment": "from typing import Any«, List, Optional»  # noqa\n",
    "parentheses": "from typing import (Any«, List, Optional»)\n",
    "trailing comma": "from typing import (Any«, List, Optional»,)\n",
    "backslash": "from typing import \\\n    Any«, List, Optional»\n",
    "one name a line": "from typing import (\n    Any,  # a\n«    List,\n    Optional,\n»    Tuple,  # t\n)\n",
    "one name a line, at the end": "from typing import (\n    Any,  # a\n«    List,\n    Optional,\n»)\n",
    "one name a line, no last comma": "from typing import (\n  Any,\n  Dict«,\n  List,\n  Optional»\n)\n",
    "several names a line": "from typing import (\n    Any, Dict,\n    «List, Optional, »Set,\n)\n",
    "an alias alone": "from typing import Any as A\n«from typing import List, Optional\n»",
    "with other statements": "import os; from typing import Any«, List, Optional»; os\n",
}


@pytest.mark.parametrize("head", GROWING.values(), ids=GROWING.keys())
def test_a_from_import_grows(head: str) -> None:
    Case(f"import torch\n{head}def f(x«: Optional[List[torch.Tensor]]»): pass\n").param("f", "x", TENSORS).becomes()


def test_a_relative_import_grows() -> None:
    case = Case("from .shapes import «Box, »Disc\ndef f(x«: Box»): pass\n")
    case.param("f", "x", TypeExpr("pkg.shapes.Box")).becomes(classes=info("pkg.shapes.Box"))


PLACES = {
    "an empty top": "«from typing import List\n\n\n»def f(x): pass\n",
    "blank lines at the top": "«from typing import List\n»\n\ndef f(x): pass\n",
    "behind the last import": "import os\nimport sys\n«from typing import List\n»\ndef f(x): pass\n",
    "close to code": "import os\n«from typing import List\n»y = 1\ndef f(x): pass\n",
    "behind the docstring": '"""Doc."""\n\n«from typing import List\n\n»\ndef f(x): pass\n',
    "behind a crowded docstring": '"""Doc."""\n«\nfrom typing import List\n\n»y = 1\ndef f(x): pass\n',
    "behind the future": "from __future__ import annotations\n\n«from typing import List\n\n»\ndef f(x): pass\n",
    "below the interpreter line": (
        "#!/usr/bin/python\n# coding: utf-8\n«from typing import List\n\n\n»# about f\ndef f(x): pass\n"
    ),
    "below the licence": "# Licence\n\n«from typing import List\n\n\n»# about f\n@d\ndef f(x): pass\n",
    "above a skipped function": "«from typing import List\n\n\n»# pdt: skip\ndef g(x): pass\ndef f(x): pass\n",
    "not in a try": (
        "import os\n«from typing import List\n»try:\n    import b\nexcept ImportError:\n    b = None\ndef f(x): pass\n"
    ),
    "not under TYPE_CHECKING": (
        "from abc import TYPE_CHECKING\n«from typing import List\n»if TYPE_CHECKING:\n    from typing import List\n"
        "def f(x): pass\n"
    ),
    "not in a from import of others": (
        "«from typing import List\n\n»from typing_extensions import Self\nfrom a.typing import Any\ndef f(x): pass\n"
    ),
    "never behind a definition": "import os\n«from typing import List\n»def f(x): pass\nfrom typing import Any, List\n",
    "behind an import over lines": "from abc import (\n    b,\n)\n«from typing import List\n»def f(x): pass\n",
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES.keys())
def test_places_a_new_import(text: str) -> None:
    Case(text.replace("def f(x)", "def f(x«: List[int]»)")).param("f", "x", LIST).becomes()


BOTH = TypeExpr("tuple", (LIST, TENSOR, TypeExpr("own.shapes.Box")))
SECTIONS = {
    "none of them": (
        "import os\n«from typing import List, Tuple\n»\nimport numpy\n«from torch import Tensor\n»\nimport own\n"
        "«from own.shapes import Box\n»\nfrom . import x\n"
    ),
    "behind the future": (
        "from __future__ import division\n\n«from typing import List, Tuple\n\nfrom torch import Tensor\n\n"
        "from own.shapes import Box\n\n»from . import x\n"
    ),
    "in the order of modules": (
        "import typing as t\n\nimport aaa\nimport zzz\nfrom Sss import s\n«from torch import Tensor\n"
        "»from uuu import u\n\nfrom own.a10 import a\n«from own.shapes import Box\n»"
    ),
    "below a heading": (
        "# About.\n\nimport typing as t\n\n# others\n«from torch import Tensor\n»from zzz import z\n\n# ours\n"
        "from own.a import a\n«from own.shapes import Box\n»"
    ),
    "without blank lines": (
        "import typing as t\nimport numpy\n«from torch import Tensor\nfrom own.shapes import Box\n»from . import x\n"
    ),
    "no order": (
        "from own.z import z\nimport numpy\nimport math\nimport aaa\n«from torch import Tensor\n»from own.a import a\n"
        "«from own.shapes import Box\n»import typing as t\n"
    ),
    "apart from each other": (
        "import os\n«from typing import List, Tuple\n»\nos.x = 1\n\nimport numpy\n«from torch import Tensor\n»\n"
        "numpy.x = 1\n\nimport own\n«from own.shapes import Box\n»"
    ),
    "a star": (
        "from zzz import *\nimport own\n«from typing import List, Tuple\nfrom torch import Tensor\n"
        "from own.shapes import Box\n»"
    ),
}
SORTING = Sorting(known_first_party=frozenset({"own"}))


@pytest.mark.parametrize("head", SECTIONS.values(), ids=SECTIONS)
def test_sections(head: str) -> None:
    typed = "t.Tuple[t.List[int], Tensor, Box]" if " t\n" in head else "Tuple[List[int], Tensor, Box]"
    case = Case(f"{head}\n\ndef f(x«: {typed}»):\n    pass\n").param("f", "x", BOTH)
    case.becomes(classes=info("own.shapes.Box"), style=Style(sorting=SORTING))


SORTINGS = {
    "kinds mixed": (
        Sorting(force_sort_within_sections=True),
        "import abc\nfrom os import path\n«from typing import List, Optional\n»import zlib\n",
    ),
    "kinds apart": (Sorting(lines_between_types=1), "import abc\nimport zlib\n«\nfrom typing import List, Optional\n»"),
    "from first": (Sorting(from_first=True), "from abc import ABC\n«from typing import List, Optional\n»import abc\n"),
    "one name a line": (
        Sorting(force_single_line=True),
        "«from typing import List\n»from typing import Mapping\n«from typing import Optional\n»from zlib import b\n",
    ),
    "one name a line, but of typing": (
        Sorting(force_single_line=True, single_line_exclusions=frozenset({"typing"})),
        "from typing import «List, »Mapping«, Optional»\n",
    ),
    "constants first": (Sorting(), "from typing import TYPE_CHECKING, Any«, List, Optional», cast\n"),
    "by letters alone": (
        Sorting(order_by_type=False),
        "from typing import Any, cast«, List, Optional», TYPE_CHECKING\n",
    ),
    "too long a line": (
        Sorting(line_length=40),
        "from typing import «(\n    »Dict,«\n    List,\n   » Mapping,«\n    Optional,\n   » Tuple«,\n)»\n",
    ),
    "too long a line, ends anew": (
        Sorting(line_length=40),
        "from typing import «(\n    »Any,«\n   » Callable,«\n   » Dict«,\n    List,\n    Optional,\n)»\n",
    ),
    "too long already": (Sorting(line_length=30), "from typing import Any, Callable, Dict«, List, Optional»\n"),
    "too long a new line": (
        Sorting(line_length=30),
        "import os\n«from typing import (\n    List,\n    Optional,\n)\n»",
    ),
}


@pytest.mark.parametrize(("sorting", "head"), SORTINGS.values(), ids=SORTINGS)
def test_settings_of_isort(sorting: Sorting, head: str) -> None:
    tensor = "import torch\n" if sorting.lines_between_types or sorting.from_first else "from torch import Tensor\n"
    name = "torch.Tensor" if tensor.startswith("import") else "Tensor"
    case = Case(f"{head}\n{tensor}\n\ndef f(x«: Optional[List[{name}]]»):\n    pass\n").param("f", "x", TENSORS)
    case.becomes(style=Style(sorting=sorting))


def test_one_statement_a_module_in_a_fixed_order() -> None:
    result = Case(DEF).param("f", "x", TENSORS).run()
    assert result.imports == ("from typing import List, Optional", "from torch import Tensor")
    assert result.source.startswith(b"from typing import List, Optional\n\nfrom torch import Tensor\n\n\ndef f")


def test_an_import_stands_above_a_decorator_whose_expression_is_further_down() -> None:
    case = Case("@(\n    d\n)\ndef f(x):\n    return x\n").param("f", "x", LIST)
    assert case.run().source.decode().startswith("from typing import List\n\n\n@(\n    d\n)\ndef f(x: List[int]):\n")
