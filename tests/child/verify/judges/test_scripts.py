"""Scripting with the real compiler: the functions that it read, and how its messages are parsed."""

import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.jit.frontend
from loaded import load
from repository import HELPERS
from torch import nn

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.values.slots import NO_PLACE, Owner, Place
from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.scripts import Compilation

LAYER = """\
from torch import nn

class Layer(nn.Module):
    def forward(self, x):
        return x
"""

MODELS = str(HELPERS / "scripts_models.py")


def compile_(subject: Any) -> Compilation:
    compilation = Compilation()
    compilation.run(subject)
    return compilation


def failure_of(subject: Any) -> Failure:
    failure = compile_(subject).verdict.failure
    assert failure is not None
    return failure


def names(compilation: Compilation) -> list[str]:
    return [owner.qualname for owner in compilation.compiled]


def line_of(function: Callable[..., Any], offset: int) -> int:
    return int(function.__code__.co_firstlineno) + offset


def _layer(file: str) -> Any:
    return load(file, LAYER).Layer()


@pytest.fixture
def models() -> ModuleType:
    """scripts_models, imported again, because the compiler reads a function only once in a process."""
    return load(MODELS)


class TestCompiled:
    def test_functions_and_methods_in_the_order_in_which_they_are_read(self, models: ModuleType) -> None:
        compilation = compile_(models.Net())
        assert compilation.verdict.ok
        assert names(compilation)[:2] == ["Net.forward", "Net.exported"]
        assert set(names(compilation)) == {"Net.forward", "Net.exported", "Net.helper", "Inner.forward", "double"}
        assert isinstance(compilation.scripted, torch.jit.ScriptModule)

    def test_by_file_and_first_line(self, models: ModuleType) -> None:
        code = models.double.__code__
        assert compile_(models.double).compiled == [Owner(code.co_filename, "double", code.co_firstlineno)]

    def test_the_function_that_wraps_stands_on(self, models: ModuleType) -> None:
        assert names(compile_(models.wrapped)) == ["wrapped", "double"]

    def test_of_files_with_the_same_function_at_the_same_line(self, tmp_path: Path) -> None:
        """The code objects of both files are equal."""
        files = [str(tmp_path / name) for name in ("one.py", "two.py")]
        body = nn.Sequential(*(_layer(file) for file in files))
        assert [each.file for each in compile_(body).compiled if each.qualname == "Layer.forward"] == files

    def test_up_to_the_failure_and_overloads(self, models: ModuleType) -> None:
        compilation = compile_(models.calls_count_up)
        assert not compilation.verdict.ok
        assert names(compilation) == ["calls_count_up", "count_up"]
        compilation = compile_(models.uses_over)
        assert compilation.verdict.ok, compilation.verdict
        assert "uses_over" in names(compilation) and "over" in names(compilation)

    def test_a_method_that_is_exported_late(self, models: ModuleType) -> None:
        torch.jit.export(models.Late.other)
        assert compile_(models.Late()).scripted.other(torch.ones(1)).item() == 2

    def test_the_front_end_is_put_back(self, models: ModuleType) -> None:
        users: tuple[Any, ...] = (torch.jit.frontend, torch.jit._recursive, torch.jit._script)
        before = [user.get_jit_def for user in users]
        compile_(models.double)
        compile_(models.star)
        after = [user.get_jit_def for user in users]
        assert before == after and len(set(after)) == 1

    @pytest.mark.parametrize("name", ["Sums", "Size"])
    def test_classes_have_the_names_of_their_module(self, models: ModuleType, name: str) -> None:
        verdict = compile_(getattr(models, name)).verdict
        assert verdict.ok, verdict.failure

    def test_deprecation_is_no_error(self, models: ModuleType) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert compile_(models.double).verdict.ok


class TestFailures:
    def test_place_and_callers_innermost_first(self, models: ModuleType) -> None:
        failure = failure_of(models.calls_count_up)
        assert failure.message == "all inputs of range must be ints, found Tensor (inferred) in argument 0"
        assert failure.kind == "RuntimeError"
        assert failure.place == Place(MODELS, line_of(models.count_up, 1), 12)
        assert failure.chain == (Place(MODELS, line_of(models.calls_count_up, 1), 12),)

    @pytest.mark.parametrize("names", [["calls_star"], ["calls_star", "calls_another"]])
    def test_callers_of_code_that_the_front_end_refuses(self, models: ModuleType, names: list[str]) -> None:
        functions = [getattr(models, name) for name in names]
        chain = failure_of(functions[-1]).chain
        assert chain == tuple(Place(MODELS, line_of(function, 1), 12) for function in functions)

    @pytest.mark.parametrize(
        ("function", "column", "message"),
        [
            ("with_default", 1, 'Expected a default value of type Tensor (inferred) on parameter "n"'),
            ("unknown", 16, "Unknown type name 'Nope'"),
            ("star", 10, "Compiled functions can't take variable number of arguments"),
        ],
    )
    def test_of_a_signature(self, models: ModuleType, function: str, column: int, message: str) -> None:
        failure = failure_of(getattr(models, function))
        assert failure.message.startswith(message)
        assert failure.place == Place(MODELS, line_of(getattr(models, function), 0), column)

    def test_without_a_place_and_of_a_hook(self, models: ModuleType) -> None:
        failure = failure_of(models.Annotated())
        assert failure.message == "Unknown type annotation: 'list[int]' at"
        assert (failure.kind, failure.place, failure.chain) == ("ValueError", NO_PLACE, ())
        net = models.Inner()
        net.register_forward_hook(models.bad_hook)
        assert failure_of(net).message.startswith("Hook 'bad_hook' on module 'Inner' expected")

    def test_the_interpreter_names_the_innermost_line_last(self, models: ModuleType) -> None:
        scripted = compile_(models.calls_fails_when_run).scripted
        with pytest.raises(RuntimeError) as raised:
            scripted(torch.ones(2))
        failure = read_failure(raised.value)
        assert failure.place == Place(MODELS, line_of(models.fails_when_run, 1), 12)
        assert failure.chain == (Place(MODELS, line_of(models.calls_fails_when_run, 1), 12),)
        assert "shape '[7]' is invalid" in failure.text

    def test_a_wrong_argument_at_the_python_boundary(self, models: ModuleType) -> None:
        scripted = compile_(models.double).scripted
        with pytest.raises(RuntimeError) as raised:
            scripted("a")
        assert read_failure(raised.value).message.startswith("double() Expected a value of type 'Tensor'")


class TestQuick:
    """The omitted steps must not change the result."""

    def test_overloaded_methods_are_found(self) -> None:
        for quick in (False, True):
            compilation = Compilation(quick=quick)
            compilation.run(torch.nn.LSTM(2, 3))
            assert compilation.verdict.ok
            assert {"forward__0", "forward__1"} <= set(compilation.scripted._c._method_names())

    def test_the_compiler_is_itself_again_afterwards(self) -> None:
        before = torch.jit._recursive.get_overload_annotations
        Compilation(quick=True).run(torch.nn.Linear(2, 2))
        assert torch.jit._recursive.get_overload_annotations is before


class Called(nn.Module):
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x


class Parent(Called):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


def test_a_module_that_is_called_and_has_no_forward_scripts_to_nothing() -> None:
    failure = failure_of(Called())
    assert "Called defines `__call__` and no `forward`" in failure.message
    assert failure.place == Place(__file__, Called.__call__.__code__.co_firstlineno)
    assert compile_(Parent()).verdict.ok
    assert compile_(nn.Module()).verdict.ok


def test_a_failure_inside_a_wrapper_of_another_file_has_its_own_place(tmp_path: Path) -> None:
    wrapper = "    @functools.wraps(f)\n    def inner(*args):\n        return f(*args)\n\n    return inner\n"
    same = load(tmp_path / "wrapping.py", f"import functools\n\n\ndef same(f):\n{wrapper}").same
    file = str(tmp_path / "inside.py")
    inside = load(file, "def f(x):\n    y = x\n    with x:\n        y = {1}\n    return y\n")
    assert failure_of(same(inside.f)).place.file == file
