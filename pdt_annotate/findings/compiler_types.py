"""The compiler's own spelling of types → `TypeExpr`: "Optional[Tensor]", "Dict(str, int[])", "__torch__.shapes.Box"."""

import re
from collections.abc import Mapping

from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

NUMBER = TypeExpr("Union", (TypeExpr("int"), TypeExpr("float"), TypeExpr("complex")))
NAMES: Mapping[str, TypeExpr] = {
    **{"Tensor": TENSOR, "NoneType": NONE, "None": NONE, "Any": ANY, "number": NUMBER, "Scalar": NUMBER},
    **{"Device": TypeExpr("torch.device"), "Generator": TypeExpr("torch.Generator")},
    **{name: TypeExpr(name) for name in ("int", "float", "bool", "complex", "str")},
}
CONTAINERS = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Optional": "Optional", "Union": "Union"}
TOKEN = re.compile(r"\s*(\[\]|[\w.]+|[\[\](),?])")
CLASS = re.compile(r"\b__torch__\.([\w.]+\w)")
MANGLING = re.compile(r"___torch_mangle_\d+\.")


def named_classes(text: str) -> list[str]:
    return list(dict.fromkeys(CLASS.findall(MANGLING.sub("", text))))


def parse_type(text: str) -> TypeExpr | None:
    """Parse a type as the compiler prints it; None if no annotation can spell it (a module, function or bare list)."""
    text = MANGLING.sub("", text.replace(" (inferred)", "")).strip()
    tokens = TOKEN.findall(text)
    if "".join(tokens) != text.replace(" ", ""):
        return None
    try:
        type_ = _parse(tokens)
    except LookupError:
        return None
    return None if tokens else type_


def _parse(tokens: list[str]) -> TypeExpr:
    name = tokens.pop(0) if tokens[0] != "(" else "Tuple"  # a schema spells a tuple `(int, str)`
    if name == "Tuple" and tokens[:4] == ["[", "(", ")", "]"]:
        del tokens[:4]
        type_ = TypeExpr("tuple")
    elif name in CONTAINERS and tokens and tokens[0] in ("[", "("):
        closing = {"[": "]", "(": ")"}[tokens.pop(0)]
        args = []
        while tokens[0] != closing:
            args.append(_parse(tokens))
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
        type_ = TypeExpr(CONTAINERS[name], tuple(args))
    elif name.startswith("__torch__."):
        type_ = TypeExpr(name.removeprefix("__torch__."))
    else:
        type_ = NAMES[name]
    while tokens and tokens[0] in ("[]", "?"):
        type_ = TypeExpr("list" if tokens.pop(0) == "[]" else "Optional", (type_,))
    return type_
