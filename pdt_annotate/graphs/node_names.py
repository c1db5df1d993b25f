"""The names of nodes and values for people, the same in text, DOT, SVG and the page; and paths of modules."""

import itertools
import keyword
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from pdt_annotate.source.identifiers import snake_case
from pdt_annotate.values.graphs import GraphNode, GraphValue
from pdt_annotate.values.slots import Place

FAMILIES = {  # which operators look alike, by a word of their names
    "convolution": "conv fold",
    "matrix": "linear addmm matmul bmm mm baddbmm addbmm einsum bilinear attention embedding lstm gru rnn",
    "norm": "norm dropout",
    "activation": "relu gelu silu sigmoid tanh softmax elu hardswish hardsigmoid hardtanh softplus mish glu clamp",
    "pool": "pool interpolate upsample pad grid",
    "shape": "view reshape flatten unflatten transpose permute cat stack chunk split select slice squeeze unsqueeze "
    "expand repeat size dim numel contiguous movedim unbind index gather scatter narrow roll flip as_strided t",
    "arithmetic": "add sub rsub mul div floordiv remainder neg pow exp log sqrt rsqrt sum mean max min abs sin cos "
    "prod where lt gt le ge eq ne cumsum argmax argmin topk sort masked",
}

_BY_WORD = {word: family for family, words in FAMILIES.items() for word in words.split()}
CONTROL = frozenset({"prim::If", "prim::Loop"})
QUIET = frozenset({"None", "True", "False"})  # arguments that a node is not drawn with
QUIET_NUMBERS = dict.fromkeys(("alpha", "beta", "groups", "dilation"), "1")
QUIET_NUMBERS |= {"output_padding": "0", "momentum": "0.1", "eps": "1e-05"}
"""Values that only mean that the caller passed no other."""


def operator(kind: str) -> str:
    """The operator's own name: of "torch.nn.modules.conv.Conv2d", "Conv2d"."""
    name = kind.rpartition("::")[2].rpartition(".")[2] or kind
    return name.lower() if kind in CONTROL else name


def family(kind: str) -> str:
    """The class of the style sheet by which an operator is coloured: "convolution", "control", "other"."""
    if kind in CONTROL:
        return "control"
    name = operator(kind)
    words = [name.lower(), *snake_case(name).split("_")]
    whole = [word.rstrip("0123456789d") or word for word in reversed(words)]
    # "adaptive_avg_pool2d", "layer_norm", "log_softmax": the last word names the family.
    for word in (*reversed(words), *whole):
        if word in _BY_WORD:
            return _BY_WORD[word]
        for stem, family in _BY_WORD.items():
            if len(stem) > 3 and word.startswith(stem):
                return family
    return "other"


def shape(value: GraphValue) -> str:
    """ "[8,3] float32", or "int" without a shape."""
    return " ".join(filter(None, (sizes(value), value.dtype)))


def sizes(value: GraphValue) -> str:
    """ "[8,3]", or "List[int]" without a shape."""
    return value.type if value.shape is None else f"[{','.join(map(str, value.shape))}]"


def line(place: Place) -> str:
    return flat(f"{os.path.basename(place.file)}:{place.line}") if place.file else ""


def plain(name: str) -> str:
    """The name of an input as the program has it: of "x.1", "x"."""
    return re.sub(r"\.\d+$", "", name)


def argument_name(node: GraphNode, index: int) -> str:
    """The operator's name for one of its inputs; "" if it has none."""
    return node.arguments[index] if index < len(node.arguments) else ""


def is_quiet(name: str, text: str) -> bool:
    """Whether a constant argument is obvious: "dilation" if it is "[1, 1]", None."""
    usual = QUIET_NUMBERS.get(name)
    return text in QUIET or (usual is not None and {each.strip() for each in text.strip("[]").split(",")} == {usual})


def flat(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)


def shortened(text: str, width: int) -> str:
    text = flat(text)
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def facts_text(facts: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}" for name, text in facts.items())


def accessed(path: str, lists: Collection[str] = ()) -> str:
    """The expression with which a method of a module reads a path; at the paths in `lists`, modules can be indexed."""
    said, before = "self", ""
    for name in filter(None, path.split(".")):
        if name.isidentifier() and not keyword.iskeyword(name):
            said = f"{said}.{name}"
        else:
            said = f"{said}[{name}]" if before in lists else f"getattr({said}, {name!r})"
        before = below(before, name)
    return said


def below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def parent_of(path: str) -> str:
    return path.rpartition(".")[0]


def cut(path: str, depth: int) -> str:
    """The path of the module that many steps below the target: "layer1" for "layer1.0.conv" and 1."""
    return ".".join(path.split(".")[:depth])


def shared(paths: Iterable[Sequence[str]]) -> list[str]:
    """The names with which all paths begin."""
    steps = zip(*paths, strict=False)
    return [names[0] for names in itertools.takewhile(lambda names: len(set(names)) == 1, steps)]


def relative(path: str, prefix: str) -> str:
    """A module's path from another on: of "layer1.0.conv1" in "layer1.0", "conv1"; "" for that module itself."""
    return path.removeprefix(prefix).removeprefix(".") if f"{path}.".startswith(f"{prefix}.") else path
