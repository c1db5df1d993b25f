"""Whether a call fits the signature it is for."""

from __future__ import annotations

import inspect

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def label(call: Call, index: int) -> str:
    """How messages and reports name a call: its name, or its number; `index` counts from 0."""
    return call.name or f"call {index + 1}"


def check_binding(call: Call, signature: inspect.Signature, label: str) -> None:
    """Check that the arguments of a call fit a signature without `self`.

    Raises:
        SpecError: they do not; the message names the call and the parameter.
    """
    try:
        signature.bind(*call.args, **call.kwargs)
    except TypeError as error:
        raise SpecError(f"{label}: {_explain(call, signature, str(error))}", hint=_advise(call, signature)) from None


def _explain(call: Call, signature: inspect.Signature, message: str) -> str:
    """Python's message, and the parameters where it says only that there are too many arguments."""
    if "too many positional" not in message:
        return message
    names = [p.name for p in signature.parameters.values() if p.kind in BY_POSITION]
    return f"{len(call.args)} positional arguments for {len(names)} parameters ({', '.join(names) or 'none'})"


def _advise(call: Call, signature: inspect.Signature) -> str:
    names = [p.name for p in signature.parameters.values() if p.kind not in VARIADIC]
    unknown = next((name for name in call.kwargs if name not in names), None)
    near = did_you_mean(unknown, names) if unknown is not None else ""
    if near:
        return near
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return f"the parameters are {signature.replace(parameters=plain, return_annotation=signature.empty)}"
