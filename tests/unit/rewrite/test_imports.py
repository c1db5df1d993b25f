"""Imports: the ones that are enough, the from-imports that grow, and the place for new lines."""

from __future__ import annotations

import pytest
from rewrite_case import LIST, Case, info

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
    "at the end": ("from typing import List\n", "from typing import List, Optional\n"),
    "in order": ("from typing import Any, List, Tuple\n", "from typing import Any, List, Optional, Tuple\n"),
    "in front": ("from typing import Tuple, Union, List\n", "from typing import Tuple, Union, List, Optional\n"),
    "in order of both": ("from typing import Tuple\n", "from typing import List, Optional, Tuple\n"),
    "no order": ("from typing import Tuple, Any\n", "from typing import Tuple, Any, List, Optional\n"),
    "aliases": ("from typing import Any as A, Tuple\n", "from typing import Any as A, List, Optional, Tuple\n"),
    "comment": ("from typing import Any  # noqa\n", "from typing import Any, List, Optional  # noqa\n"),
    "parentheses": ("from typing import (Any)\n", "from typing import (Any, List, Optional)\n"),
    "trailing comma": ("from typing import (Any,)\n", "from typing import (Any, List, Optional,)\n"),
    "backslash": ("from typing import \\\n    Any\n", "from typing import \\\n    Any, List, Optional\n"),
    "one name a line": (
        "from typing import (\n    Any,  # a\n    Tuple,  # t\n)\n",
        "from typing import (\n    Any,  # a\n    List,\n    Optional,\n    Tuple,  # t\n)\n",
    ),
    "one name a line, at the end": (
        "from typing import (\n    Any,  # a\n)\n",
        "from typing import (\n    Any,  # a\n    List,\n    Optional,\n)\n",
    ),
    "one name a line, no last comma": (
        "from typing import (\n  Any,\n  Dict\n)\n",
        "from typing import (\n  Any,\n  Dict,\n  List,\n  Optional\n)\n",
    ),
    "several names a line": (
        "from typing import (\n    Any, Dict,\n    Set,\n)\n",
        "from typing import (\n    Any, Dict,\n    List, Optional, Set,\n)\n",
    ),
    "with other statements": ("import os; from typing import Any; os\n", None),
}


@pytest.mark.parametrize(("head", "expected"), GROWING.values(), ids=GROWING.keys())
def test_a_from_import_grows(head: str, expected: str | None) -> None:
    wanted = expected or head.replace("Any", "Any, List, Optional")
    source = "import torch\n" + head + DEF
    Case(source).param("f", "x", TENSORS).becomes(
        "import torch\n" + wanted + "def f(x: Optional[List[torch.Tensor]]): pass\n"
    )


def test_a_relative_import_grows() -> None:
    source = "from .shapes import Disc\ndef f(x): pass\n"
    Case(source).param("f", "x", TypeExpr("pkg.shapes.Box")).becomes(
        "from .shapes import Box, Disc\ndef f(x: Box): pass\n", classes=info("pkg.shapes.Box")
    )


def test_other_from_imports_do_not_grow() -> None:
    source = "from typing_extensions import Self\nfrom a.typing import Any\ndef f(x): pass\n"
    Case(source).param("f", "x", LIST).becomes(
        source.replace("def f(x)", "from typing import List\ndef f(x: List[int])")
    )


NEW = "from typing import List\n"
PLACES = {
    "an empty top": ("def f(x): pass\n", f"{NEW}\n\ndef f(x): pass\n"),
    "blank lines at the top": ("\n\ndef f(x): pass\n", f"{NEW}\n\ndef f(x): pass\n"),
    "behind the last import": (
        "import a\nimport b\n\ndef f(x): pass\n",
        f"import a\nimport b\n{NEW}\ndef f(x): pass\n",
    ),
    "close to code": ("import a\ny = 1\ndef f(x): pass\n", f"import a\n{NEW}y = 1\ndef f(x): pass\n"),
    "behind the docstring": ('"""Doc."""\n\n\ndef f(x): pass\n', f'"""Doc."""\n\n{NEW}\n\ndef f(x): pass\n'),
    "behind a crowded docstring": (
        '"""Doc."""\ny = 1\ndef f(x): pass\n',
        f'"""Doc."""\n\n{NEW}\ny = 1\ndef f(x): pass\n',
    ),
    "behind the future": (
        "from __future__ import annotations\n\n\ndef f(x): pass\n",
        f"from __future__ import annotations\n\n{NEW}\n\ndef f(x): pass\n",
    ),
    "below the interpreter line": (
        "#!/usr/bin/python\n# coding: utf-8\n# about f\ndef f(x): pass\n",
        f"#!/usr/bin/python\n# coding: utf-8\n{NEW}\n\n# about f\ndef f(x): pass\n",
    ),
    "below the licence": (
        "# Licence\n\n# about f\n@d\ndef f(x): pass\n",
        f"# Licence\n\n{NEW}\n\n# about f\n@d\ndef f(x): pass\n",
    ),
    "above a skipped function": (
        "# pdt: skip\ndef g(x): pass\ndef f(x): pass\n",
        f"{NEW}\n\n# pdt: skip\ndef g(x): pass\ndef f(x): pass\n",
    ),
    "not in a try": (
        "import a\ntry:\n    import b\nexcept ImportError:\n    b = None\ndef f(x): pass\n",
        f"import a\n{NEW}try:\n    import b\nexcept ImportError:\n    b = None\ndef f(x): pass\n",
    ),
    "not under TYPE_CHECKING": (
        "from a import TYPE_CHECKING\nif TYPE_CHECKING:\n    from typing import List\ndef f(x): pass\n",
        f"from a import TYPE_CHECKING\n{NEW}if TYPE_CHECKING:\n    from typing import List\ndef f(x): pass\n",
    ),
    "never behind a definition": (
        "import a\ndef f(x): pass\nfrom typing import Any, List\n",
        f"import a\n{NEW}def f(x): pass\nfrom typing import Any, List\n",
    ),
    "behind an import over lines": (
        "from a import (\n    b,\n)\ndef f(x): pass\n",
        f"from a import (\n    b,\n)\n{NEW}def f(x): pass\n",
    ),
}


@pytest.mark.parametrize(("source", "expected"), PLACES.values(), ids=PLACES.keys())
def test_places_a_new_import(source: str, expected: str) -> None:
    Case(source).param("f", "x", LIST).becomes(expected.replace("def f(x)", "def f(x: List[int])"))


def test_one_statement_a_module_in_a_fixed_order() -> None:
    result = Case(DEF).param("f", "x", TENSORS).run()
    assert result.imports == ("from typing import List, Optional", "from torch import Tensor")
    assert result.source.startswith(b"from typing import List, Optional\nfrom torch import Tensor\n\n\ndef f")
