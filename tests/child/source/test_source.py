"""The compiler and `# type:` comments, the table of torch's operators, and types that the uses of a name imply."""

import ast
import json
import warnings
from pathlib import Path

import pytest
import torch
import torch_operators
from compiler_messages import load
from type_comments import NOT_READ, READ

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.source.definitions import Definition
from pdt_annotate.source.read_type import ATTRIBUTES, FUNCTIONAL, FUNCTIONS, METHODS, read_annotation
from pdt_annotate.source.uses import infer_from_uses, is_used_as_tensor
from pdt_annotate.values.types import TypeExpr


@pytest.mark.parametrize(("source", "read"), [*((source, True) for source in READ), *((s, False) for s in NOT_READ)])
def test_the_compiler_reads_or_stops_at(source: str, read: bool, tmp_path: Path) -> None:
    function = load(source, tmp_path).f
    if read:
        assert str(torch.jit.script(function).schema) == "f(Tensor x, int n) -> Tensor"
    else:
        with pytest.raises(RuntimeError, match=r"type comment|annotation prefix|Return type line|expected \("):
            torch.jit.script(function)


TABLE = json.loads(torch_operators.FILE.read_text())
MADE_FOR_THIS = TABLE["version"] == torch.__version__.partition("+")[0]
OTHER_TORCH = f"the table of operators is of torch {TABLE['version']}: install that, or run `make operators`"
DTYPE, INT = TypeExpr("torch.dtype"), TypeExpr("int")

ARGUMENTS = ("", "x", "1", "x, x", "1, 1", "[1]", "x, 1", "x, x, x", "dtype=torch.int", "[x, x]")
"""Arguments after a Tensor, or alone. Some overload of an operator may accept them."""


def returned(folder: Path, *expressions: str) -> TypeExpr | None:
    """The compiler's type of the first expression that compiles. x is a Tensor."""
    for expression in expressions:
        try:
            found = torch.jit.script(load(f"def f(x: Tensor):\n    return {expression}\n", folder).f)
        except (RuntimeError, torch.jit.frontend.NotSupportedError):
            continue
        return parse_type(str(found.schema.returns[0].type))
    return None


def calls(part: str, name: str) -> list[str]:
    if part == ATTRIBUTES:
        return [f"x.{name}"]
    if part == METHODS:
        return [f"x.{name}({arguments})" for arguments in ARGUMENTS]
    return [f"{part}.{name}({each})" for a in ARGUMENTS for each in (f"x, {a}".removesuffix(", "), a)]


# The part, the step between tested names, and the minimum number that compile with such simple arguments.
@pytest.mark.skipif(not MADE_FOR_THIS, reason=OTHER_TORCH)
@pytest.mark.parametrize(
    ("part", "step", "least"), [(FUNCTIONS, 7, 45), (FUNCTIONAL, 3, 15), (METHODS, 6, 60), (ATTRIBUTES, 1, 30)]
)
def test_the_compiler_agrees(part: str, step: int, least: int, tmp_path: Path) -> None:
    warnings.simplefilter("ignore")
    told = {name: read_annotation(text) for name, text in list(TABLE[part].items())[::step] if text}
    compiled = {name: returned(tmp_path, *calls(part, name)) for name in told}
    agreed = {name: type_ for name, type_ in compiled.items() if type_ is not None}
    assert agreed == {name: INT if told[name] == DTYPE else told[name] for name in agreed}
    assert len(agreed) >= least


@pytest.mark.skipif(not MADE_FOR_THIS, reason=OTHER_TORCH)
@pytest.mark.parametrize("name", ["max", "min", "median", "where"])
def test_of_the_unknown_overloads_differ(name: str, tmp_path: Path) -> None:
    assert TABLE[FUNCTIONS][name] is None
    types = {returned(tmp_path, f"torch.{name}({arguments})") for arguments in ("x", "x, 1", "x, x, x")}
    assert len(types - {None}) > 1


@pytest.mark.skipif(not MADE_FOR_THIS, reason=OTHER_TORCH)
def test_a_stale_table_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make lint` checks the real table."""
    made, stale = torch_operators.FILE.read_text(), tmp_path / "stale.json"
    stale.write_text(made.replace('"relu"', '"rely"'))
    assert (torch_operators.check(stale, made), torch_operators.check(torch_operators.FILE, made)) == (1, 0)
    told = capsys.readouterr().err
    assert "stale.json is stale: run `make operators`" in told and '-  "rely"' in told


def test_the_table_of_another_torch_is_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"version": "1.0.0"}')
    assert torch_operators.check(other, "") == 0
    told, complaint = capsys.readouterr()
    assert not complaint and "other.json was made for torch 1.0.0" in told and "not checked" in told


def body(source: str) -> Definition:
    (node,) = ast.parse(f"def f(self, x, y):\n    {source}").body
    assert isinstance(node, Definition)
    return node


LIKE_TENSORS = {
    True: "return x.shape; return x.size(0); for t in x: print(x.device); x.masked_fill_(y, 0); return y(x[:, 0]); "
    "if x: return x.sum(); x.dtype = 'a'",
    False: "pass; x.append(1); return y.shape; return x['a']; x = y.size(0); return x.dim; return x.split(','); "
    "return x.something_not_there(); return y.f(x).sum()",
}
USES = {
    None: "pass; return y['a']; return x + 1; return f(x); return x[0], x[1:]; return x == 1; return x is None; "
    "return self.x; return y.x.items(); return y[x]; return 'a' in y; for y in range(3): x; "
    f"for y in enumerate(x): pass; for a, b in zip(x, y, x): pass; {LIKE_TENSORS[True]}",
    "Dict[str, Tensor]": "return x['a']; return x[f'{y}']; return x.items(); return 'a' in x; return 'a' not in x",
    "int": "for i in range(x): pass",
    "bool": "return y if x else None; if x: return y; while x: pass; return not x; return x and y; return x == True",
    "str": "return x == 'sum'; return 'sum' != x; return x in ('sum', 'mean'); return x.lower()",
    "List[Tensor]": "x.append(y); return [t for t in x]; for t in x: t.sum()",
    "List[Dict[str, Tensor]]": "for t in x: t['boxes']; for i, t in enumerate(x): t['boxes']; "
    "for a, t in zip(y, x): t['boxes']; for i, (a, t) in enumerate(zip(y, x)): t['boxes']",
    "List[str]": "for name in x: name == 'a'",
    "List[List[Dict[str, Tensor]]]": "for row in x: [t['a'] for t in row]",
    "List[List[List[Tensor]]]": "for x in x: pass",
}
"""Bodies by the type that their uses of `x` imply. Uses as a tensor outweigh others."""


@pytest.mark.parametrize(
    ("source", "expected"), [(source, type_) for type_, bodies in USES.items() for source in bodies.split("; ")]
)
def test_what_uses_speak_for(source: str, expected: str | None) -> None:
    found = infer_from_uses(body(source), "x")
    assert (found and str(found)) == expected


@pytest.mark.parametrize(
    ("source", "expected"), [(source, said) for said, bodies in LIKE_TENSORS.items() for source in bodies.split("; ")]
)
def test_what_is_used_as_tensor(source: str, expected: bool) -> None:
    assert is_used_as_tensor(body(source), "x") is expected
