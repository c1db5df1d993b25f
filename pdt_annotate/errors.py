"""The errors that the library raises, by the name that programs know them by."""

from pdt_annotate.values.errors import (
    NothingTaken,
    PdtError,
    SpecError,
    TargetError,
    UserCodeError,
    UserError,
    VerificationError,
)

__all__ = ["NothingTaken", "PdtError", "SpecError", "TargetError", "UserCodeError", "UserError", "VerificationError"]
