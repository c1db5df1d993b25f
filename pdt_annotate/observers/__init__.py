"""Record the types that flow at run time, on MonkeyType's tracer. Runs in the child, beside the user's code."""

from pdt_annotate.observers.attributes import AttributeWatch
from pdt_annotate.observers.classes import describe_classes
from pdt_annotate.observers.files import (
    imported_elsewhere,
    imported_libraries,
    imported_under,
    make_code_filter,
    make_file_filter,
)
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.tracer import Tracer

__all__ = [
    "AttributeWatch",
    "Store",
    "Tracer",
    "describe_classes",
    "imported_elsewhere",
    "imported_libraries",
    "imported_under",
    "make_code_filter",
    "make_file_filter",
]
