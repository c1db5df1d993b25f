"""Small repositories for the tests of `init`, and the drafts for them."""

import ast
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from pdt_annotate.inputs.drafting import draft
from pdt_annotate.inputs.target import parse
from pdt_annotate.source.imports import NameResolver, Sources

IMPORTS = "import torch\nfrom torch import nn\n\n"

NET = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)
    def forward(self, %s):
        return x
"""
TEST = "import torch\nfrom net import Net\n\n"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, by path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return folder


def names_in(folder: Path) -> NameResolver[Sources]:
    return NameResolver(Sources(str(folder)))


def draft_text(folder: Path, target: str) -> str:
    """The draft for a target, with the folder as the root."""
    return draft(parse(target), str(folder), "inputs.py").text


def draft_of(signature: str, tests: str, folder: Path) -> str:
    """The functions of a draft for a module whose forward has these parameters."""
    write(folder, {"net.py": NET % signature, "test_net.py": TEST + tests})
    text = draft_text(folder, "net:Net")
    ast.parse(text)
    return text[text.index("def model") :]


def calls_of(text: str) -> list[str]:
    """Each example call as one line."""
    tree = ast.parse(text)
    return [ast.unparse(node.value) for node in ast.walk(tree) if isinstance(node, ast.Yield) and node.value]
