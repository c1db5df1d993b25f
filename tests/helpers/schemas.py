"""The schemas that our machine output is held against: our own, and the standard's."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
from repository import DATA

OUTPUT_SCHEMA: dict[str, Any] = json.loads(
    resources.files("pdt_annotate.emit").joinpath("output.schema.json").read_text("utf-8")
)
OUTPUT_VALIDATOR = jsonschema.Draft202012Validator(OUTPUT_SCHEMA)
SARIF_SCHEMA: dict[str, Any] = json.loads(DATA.joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
