"""Code that may be moved under script_if_tracing, as text (only tracing shows whether it works); and names of ways."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent, indent

import pytest

from pdt_annotate.captures.script_if_tracing import Outlined, outline
from pdt_annotate.captures.table import BY_NAME, WAYS, choose, named
from pdt_annotate.mends.kit.context import FunctionContext, Witnessed
from pdt_annotate.mends.mended import Mended
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import ALLOWANCES
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.types import TENSOR, TypeExpr

INT = TypeExpr("int")
NET = "import torch\n\n\nclass Net:\n    def forward(self, x, y):\n"


def outlined(folder: Path, source: str, types: Mapping[str, TypeExpr]) -> tuple[Project, list[Outlined | str]]:
    """The changes that are possible for the line that ends with `# here`. By default, names are tensors."""
    file = str(folder / "model.py")
    Path(file).write_text(source)
    project = Project(str(folder), {"model": file})
    line = 1 + next(number for number, each in enumerate(source.splitlines()) if each.endswith("# here"))
    function = project.function_at(file, line)
    assert function is not None
    known = dict.fromkeys(FunctionContext(function, project).local_names, (TENSOR,)) | {"return": (TENSOR,)}
    known |= {name: (type_,) for name, type_ in types.items()}
    shown = Witnessed(types={(file, function.owner.qualname): known})
    return project, list(outline(FunctionContext(function, project, shown), line))


def in_net(body: str) -> str:
    return NET + indent(dedent(body).strip("\n"), " " * 8) + "\n"


@pytest.mark.parametrize(
    "body",
    [
        "y = self.layer(x) if x.sum() > 0 else x  # here\nreturn y",
        "if x.sum() > 0:  # here\n    x = self.double(x)\nreturn x",
        "if x.sum() > 0:  # here\n    self.seen = x\nreturn x",
        "for row in x:  # here\n    self.rows.append(row)\nreturn x",
        "if x.sum() > 0:  # here\n    print(x)\nreturn x",
        "if x.sum() > 0:  # here\n    import math\n    x = x * math.pi\nreturn x",
    ],
)
def test_what_is_no_pure_function_stays(body: str, tmp_path: Path) -> None:
    _, found = outlined(tmp_path, in_net(body), {})
    assert found and all(isinstance(each, str) for each in found)


MAKER = """\
def make(scale):
    def run(x):
        if x.sum() > 0:  # here
            x = x * scale
        return x
    return run
"""
DECAY = """\
import torch


# Told of below.
def decay(x):
    for row in x:  # here
        x = x - row
    return x
"""
BREAK = """
    for _ in range(3):
        if x.sum() > 0:  # here
            break
        if x.mean() > 3:
            return x
        x = x + 1
    return x
"""
BRANCH = """
    # Kept.
    if x.sum() > self.floor:  # here
        # Moved.
        x, y = y, x
    return x - y
"""
BRANCHED = """\
import torch


@torch.jit.script_if_tracing
def _forward_branch(x, y, floor):
    if x.sum() > floor:  # here
        # Moved.
        x, y = y, x
    return x, y


class Net:
    def forward(self, x, y):
        # Kept.
        x, y = _forward_branch(x, y, self.floor)
        return x - y
"""


@pytest.mark.parametrize(
    ("source", "types", "part"),
    [
        (DECAY, {}, DECAY.replace("def decay", "@torch.jit.script_if_tracing\ndef decay")),
        (in_net(BREAK), {}, "    def forward(self, x, y):\n        return _forward_loop(x)\n"),
        (in_net(BRANCH), {}, BRANCHED),
        (
            in_net("n = x.size(0)\nfor i in range(n):  # here\n    x = x + i\nreturn x"),
            {"n": INT, "i": INT},
            "    n = x.size(0)\n    for i in range(n)",
        ),
        (
            in_net("y = x.clone()\nif x.sum() > 0:  # here\n    y[0] = 1\nreturn y"),
            {},
            "        y = _forward_branch(x, y)\n",
        ),
        (
            in_net("n = 0\nwhile x.sum() > n:  # here\n    n = n + 1\nreturn x * n"),
            {"n": INT},
            "    return x * n\n\n\nclass",
        ),
    ],
    ids=["a function", "a break", "a branch", "a size", "in place", "a number"],
)
def test_the_first_change(source: str, types: Mapping[str, TypeExpr], part: str, tmp_path: Path) -> None:
    project, found = outlined(tmp_path, source, types)
    made = [each for each in found if isinstance(each, Outlined)]
    (after,) = Mended(project).add([made[0].mend], project).sources.values()
    assert after.decode() == part if part.startswith("import") else part in after.decode()
    assert len(made) == 1 or "break" not in source, "it stays with its loop, and the return with the end"


def test_a_function_in_a_function_stays_and_there_is_an_end_to_what_is_tried(tmp_path: Path) -> None:
    body = "".join(f"x = x + {number}\n" for number in range(20))
    found = outlined(tmp_path, in_net(f"{body}if x.sum() > 0:  # here\n    x = -x\n{body}return x"), {})[1]
    assert len([each for each in found if isinstance(each, Outlined)]) == ALLOWANCES["outlined blocks"].steps
    assert outlined(tmp_path, MAKER, {})[1] == []


def names(ways: object) -> list[str]:
    return [way.name for way in ways]  # type: ignore[attr-defined]


def test_which_ways_are_chosen() -> None:
    assert len(BY_NAME) == len(WAYS)
    assert not [name for name in BY_NAME if set(name) & set(", ")]
    assert choose(()) == WAYS
    assert names(named(["trace, script", "trace", ""], "--ways")) == ["trace", "script"]
    assert names(choose(["trace,script"])) == ["script", "trace"]
    assert names(choose(["trace"], ["fx"])) == ["trace", "fx"], "what is required is tried, too"


@pytest.mark.parametrize(
    ("ways", "require", "message", "hint"),
    [
        (["scirpt"], (), "--ways: no way of capturing is named 'scirpt'", "did you mean script?"),
        ((), ["exprot,script"], "--require: no way of capturing is named 'exprot'", "did you mean export"),
        ((), ["zzz"], "--require: no way of capturing is named 'zzz'", "the ways are script, trace"),
    ],
)
def test_an_unknown_name_has_those_near_to_it(ways: list[str], require: list[str], message: str, hint: str) -> None:
    with pytest.raises(UserError) as raised:
        choose(ways, require)
    assert raised.value.message == message
    assert raised.value.hint.startswith(hint)
