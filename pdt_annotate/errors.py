"""The errors that the library raises, and its warning, by the names that programs know them by."""

from pdt_annotate.values.errors import (
    NothingTaken,
    PdtError,
    PdtWarning,
    SpecError,
    TargetError,
    TraceError,
    UserCodeError,
    UserError,
    VerificationError,
)

__all__ = [
    "NothingTaken",
    "PdtError",
    "PdtWarning",
    "SpecError",
    "TargetError",
    "TraceError",
    "UserCodeError",
    "UserError",
    "VerificationError",
]
