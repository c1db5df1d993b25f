"""Whose code it is."""

from __future__ import annotations

import os
import sys

import torch

TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


def file_of(cls: type) -> str:
    """The file in which a class is defined; "" where it has none."""
    return str(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")


def is_of_torch(cls: type) -> bool:
    """Whether a class is torch's own."""
    return file_of(cls).startswith(TORCH)
