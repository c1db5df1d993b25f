"""What a spec says, whatever its format."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pdt_annotate.values.runs import Call


@dataclass(frozen=True)
class RunSettings:
    """How the whole run is set up.

    `dtype` is the name of a floating dtype for the model and for tensors that name none; `mode` None leaves the model
    in the mode in which it was constructed. Gradients are recorded unless `no_grad` says otherwise, since a model may
    differentiate inside `forward`.
    """

    seed: int = 0
    device: str = "cpu"
    dtype: str | None = None
    mode: Literal["eval", "train"] | None = None
    no_grad: bool = False


@dataclass(frozen=True)
class Recipe:
    """What `build` of a spec does, for whoever writes it down.

    Args:
        name: what the spec's module defines, as an expression: "model()"; "" where the class is called.
        arguments: what it is called with, made anew on every call.
        state: the file of a state dict that is loaded then, and `key` its place in that; "" for none.
        unsaid: what else `build` does.
    """

    name: str = ""
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]] = lambda: ((), {})
    state: str = ""
    key: str | None = None
    unsaid: str = ""


@dataclass(frozen=True)
class Spec:
    """Example calls, and how the model is constructed (`build`; None where the spec does not say).

    `build` constructs a fresh model on every call where the spec gives a function or a class's arguments. It seeds
    nothing: a caller who wants equal models calls `seed_generators` before each; `recipe` says what it does.
    `language` is that of its file.
    """

    calls: tuple[Call, ...] = ()
    build: Callable[[], object] | None = None
    settings: RunSettings = field(default_factory=RunSettings)
    language: Literal["python", "yaml"] = "python"
    recipe: Recipe | None = None


def seed_generators(seed: int) -> None:
    """Seed every random number generator that a model or a spec is likely to draw from."""
    import torch  # noqa: PLC0415 - a spec is checked without

    random.seed(seed)
    try:
        accelerator = torch.accelerator.current_accelerator()
    except RuntimeError:  # of torch 2.6; later versions answer None
        accelerator = None
    if accelerator is None:
        torch.default_generator.manual_seed(seed)  # the other notes a stack trace for each device that is not there
    else:
        torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
