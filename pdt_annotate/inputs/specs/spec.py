"""The content of a spec in any format, and the placeholder in a draft for a value that a person has to write."""

from __future__ import annotations

import linecache
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.places import Place, column_at
from pdt_annotate.values.runs import Call

EXAMPLE = "torch.randn(2, 3)"  # the value that an error suggests if nothing shows another type


@dataclass(frozen=True)
class RunSettings:
    """The settings of the whole run.

    `dtype` is the name of a floating dtype for the model and for tensors that name none; with `mode` None the model
    keeps the mode in which it was constructed. Gradients are recorded unless `no_grad` is set, since a model may
    differentiate inside `forward`.
    """

    seed: int = 0
    device: str = "cpu"
    dtype: str | None = None
    mode: Literal["eval", "train"] | None = None
    no_grad: bool = False


@dataclass(frozen=True)
class Recipe:
    """A description of a spec's `build`, from which it can be written as code.

    Args:
        name: an expression for the definition in the spec's module: "model()"; "" if the class is called.
        arguments: makes the arguments of that call, new ones each time.
        state: the file of a state dict to load afterwards, and `key` its key in that file; "" for none.
        unsaid: further effects of `build`.
    """

    name: str = ""
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]] = lambda: ((), {})
    state: str = ""
    key: str | None = None
    unsaid: str = ""


@dataclass(frozen=True)
class Spec:
    """Example calls, and the construction of the model (`build`; None if the spec has none).

    If the spec has a function or a class's arguments, `build` constructs a fresh model on every call. It seeds nothing:
    a caller who wants equal models calls `seed_generators` before each. `recipe` describes it. `language` is the
    language of the spec's file.
    """

    calls: tuple[Call, ...] = ()
    build: Callable[[], object] | None = None
    settings: RunSettings = field(default_factory=RunSettings)
    language: Literal["python", "yaml"] = "python"
    recipe: Recipe | None = None


def seed_generators(seed: int) -> None:
    """Seed every random number generator that a model or a spec is likely to draw from."""
    import torch  # noqa: PLC0415 - checking a spec needs no torch

    random.seed(seed)
    try:
        accelerator = torch.accelerator.current_accelerator()
    except RuntimeError:  # from torch 2.6; later versions return None
        accelerator = None
    if accelerator is None:
        torch.default_generator.manual_seed(seed)  # `manual_seed` keeps a stack trace for each missing device
    else:
        torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def fill_in(name: str, example: str = EXAMPLE) -> Any:
    """A placeholder for a value that `pdt-annotate init` could not know; it raises, whatever its return type says.

    Args:
        name: the parameter that needs the value.
        example: a possible value, as source text.

    Raises:
        SpecError: always, with the place of the call.
    """
    frame = sys._getframe(1)
    file, line = frame.f_code.co_filename, frame.f_lineno
    # The column of the expression that the frame evaluates, if Python knows it.
    _, _, offset, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    place = Place(file, line, 0 if offset is None else column_at(linecache.getline(file, line), offset))
    hint = f"write a value in place of fill_in(…), such as {example}"
    raise SpecError(f"{name} is still to be filled in", place=place, hint=hint)
