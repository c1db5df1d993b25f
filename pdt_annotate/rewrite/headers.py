"""Headers of functions and classes as libcst nodes, their annotations, and the changed nodes as edits of the text.

Lines break where black and `ruff format` break them:

    def f(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
→   def f(
        self, x: Tensor, mask: Optional[Tensor] = None
    ) -> Tensor:
→   def f(
        self,
        x: Tensor,
        mask: Optional[Tensor] = None,
    ) -> Tensor:

The second if the parameters fit on one line. Another layout stays, with more lines.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import libcst as cst

from pdt_annotate.rewrite.source_file import STEP, Piece, SourceFile, width
from pdt_annotate.source.definitions import Function, Scope, opening_line
from pdt_annotate.source.identifiers import normal
from pdt_annotate.source.text import NEWLINE
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Owner

RETURN = "return"
NOTHING, SPACE = cst.SimpleWhitespace(""), cst.SimpleWhitespace(" ")

Item = cst.Param | cst.ParamSlash | cst.ParamStar  # a parameter, `/` or `*`

_FIELDS = ("posonly_params", "posonly_ind", "params", "star_arg", "kwonly_params", "star_kwarg")
_PASS = cst.SimpleStatementSuite([cst.Pass()], leading_whitespace=NOTHING)
_WHITE = re.compile(rb"[ \t\f]*")
_BREAK = re.compile(rb"[,(]?[ \t\f\r\n]*")


@dataclass(frozen=True, eq=False)
class Header:
    """A function or class of a file as a node, without decorators, and with `pass` for its body."""

    module: cst.Module
    node: cst.FunctionDef | cst.ClassDef
    start: int

    def code(self, node: cst.FunctionDef | cst.ClassDef | None = None) -> str:
        """The text up to the colon."""
        return self.module.code_for_node((node or self.node).with_changes(body=_PASS)).rpartition("pass")[0]


@lru_cache(maxsize=1024)
def read_header(file: SourceFile, node: Scope) -> Header | None:
    """The header of a definition; None if libcst cannot parse it, or would write it in another way."""
    text, start, body = file.text, file.text.start(node), node.body[0]
    line = text.line_start(opening_line(text, body))
    end = text.start(body) if line == text.line_start(body.lineno) else line + len(text.indent(line))
    code = text.body[start:end].decode() + "pass"
    try:
        module = cst.parse_module(code)
    except (cst.ParserSyntaxError, RecursionError):
        return None
    found = module.body[0] if module.code == code else None
    return Header(module, found, start) if isinstance(found, cst.FunctionDef | cst.ClassDef) else None


def annotate(node: cst.FunctionDef, types: Mapping[str, str]) -> cst.FunctionDef:
    """The function with types for its parameters, by name, and for its result."""

    def put(item: Item) -> Item:
        if not isinstance(item, cst.Param) or normal(item.name.value) not in types:
            return item
        spaces = {}
        if isinstance(item.equal, cst.AssignEqual):  # PEP 8 wants spaces around the `=` after an annotation
            sides = ("whitespace_before", "whitespace_after")
            missing = {side: SPACE for side in sides if getattr(item.equal, side).empty}
            spaces = {"equal": item.equal.with_changes(**missing)}
        annotation = cst.Annotation(cst.parse_expression(types[normal(item.name.value)]))
        return item.with_changes(annotation=annotation, **spaces)

    returns = cst.Annotation(cst.parse_expression(types[RETURN])) if RETURN in types else node.returns
    return node.with_changes(params=_change(node.params, put), returns=returns)


def _change(params: cst.Parameters, change: Callable[[Item], Item]) -> cst.Parameters:
    """The parameters, each of them changed."""

    def changed(value: Any) -> Any:
        if isinstance(value, Sequence):
            return [change(each) for each in value]
        return change(value) if isinstance(value, Item) else value

    return params.with_changes(**{field: changed(getattr(params, field)) for field in _FIELDS})


def _items(params: cst.Parameters) -> list[Item]:
    found: list[Item] = []
    _change(params, lambda item: found.append(item) or item)  # type: ignore[func-returns-value]
    return found


def _tail(item: Item) -> Any:
    """The white space after a parameter and its comma."""
    if isinstance(item.comma, cst.Comma):
        return item.comma.whitespace_after
    return item.whitespace_after_param if isinstance(item, cst.Param) else item.whitespace_after


def _end(item: Item, white: cst.BaseParenthesizableWhitespace, *, comma: bool = True) -> Item:
    """The parameter with other white space after it; by default with a comma."""
    field = "whitespace_after_param" if isinstance(item, cst.Param) else "whitespace_after"
    if isinstance(item.comma, cst.Comma):
        return item.with_changes(comma=item.comma.with_changes(whitespace_after=white))
    if comma:
        return item.with_changes(comma=cst.Comma(whitespace_after=white), **{field: NOTHING})
    return item.with_changes(**{field: white})


def _is_plain_break(white: cst.CSTNode) -> bool:
    """Whether white space is one newline without a comment."""
    is_break = isinstance(white, cst.ParenthesizedWhitespace)
    return is_break and not white.empty_lines and white.first_line.comment is None  # type: ignore[attr-defined]


class Signature:
    """A function of a file; `step` is the further indent of a parameter on a line of its own."""

    def __init__(self, file: SourceFile, function: Function, header: Header) -> None:
        text, node = file.text, function.node
        self.text, self.header, self.owner = text, header, function.owner
        self.indent = text.indent(header.start)
        self.step = text.indent(text.line_start(node.body[0].lineno)).removeprefix(self.indent) or STEP
        self.newline = text.newline_before(text.line_start(node.lineno + 1))

    def code(self, node: cst.FunctionDef | cst.ClassDef) -> str:
        """The text before the colon."""
        return self.header.code(node.with_changes(whitespace_before_colon=NOTHING))[:-1]

    def rest(self, edits: Iterable[Edit]) -> str:
        """The text after the signature on its line, with these edits."""
        close = self.header.start + len(self.code(self.header.node).encode())
        end = self.text.line_start(self.text.line(close) + 1)
        inside = (each for each in edits if close < each.offset < end)
        return self.text.edited(inside, close, end).decode().rstrip("\r\n")

    @lru_cache(maxsize=1024)  # noqa: B019 - trials of the search change few signatures of a file
    def edits(self, pieces: tuple[tuple[str, Piece], ...], rest: str, limit: int) -> tuple[Edit, ...]:
        """The edits that write the types of parameters, by name, and of the result."""
        by_name, old = {normal(name): piece for name, piece in pieces}, self.header.node
        assert isinstance(old, cst.FunctionDef)
        node = annotate(old, {name: text for name, (text, _) in by_name.items()})
        params = (normal(each.name.value) for each in _items(node.params) if isinstance(each, cst.Param))
        added = [(": ", by_name[name]) for name in params if name in by_name]
        added += [(" -> ", by_name[RETURN])] if RETURN in by_name else []
        new = self.code(self._wrap(node, rest, limit))
        return tuple(find_edits(self.code(old), new, self.header.start, added, self.owner))

    def _wrap(self, node: cst.FunctionDef, rest: str, limit: int) -> cst.FunctionDef:
        """Break the lines that annotations made longer than the limit."""
        unbroken, lines = (NEWLINE.split(f"{self.indent}{self.code(each)}{rest}") for each in (self.header.node, node))
        pairs = enumerate(zip(unbroken, lines, strict=True))
        grown = [number for number, (before, after) in pairs if width(before) <= limit < width(after)]
        items = _items(node.params)
        if not grown or not items:
            return node
        inner, outer = (line_break(self.newline, indent) for indent in (self.indent + self.step, self.indent))
        lead, tail = node.whitespace_before_params, _tail(items[-1])
        inside = self.header.module.code_for_node(node.params)
        if len(lines) == 1:
            # Not if only a comment makes the line too long: ruff does not count every comment that black does, and both
            # leave one parameter a line unchanged.
            several = len(items) > 1 and not isinstance(items[-1].comma, cst.Comma)
            is_long = width(f"{self.indent}{self.code(node)}:") > limit
            fits = several and is_long and width(f"{self.indent}{self.step}{inside.strip()}") <= limit
            new = {items[-1]: _end(items[-1], outer, comma=False)} if fits else _spread(items, inner, outer)
            lead = inner
        elif _is_plain_break(lead) and _is_plain_break(tail) and len(NEWLINE.findall(inside)) == 1:
            new = _spread(items, inner, tail.with_deep_changes(tail.first_line, whitespace=NOTHING))
        else:
            new = self._fill(node, items, lines, grown, limit)
        params = _change(node.params, lambda item: new.get(item, item))
        return node.with_changes(whitespace_before_params=lead, params=params)

    def _fill(
        self, node: cst.FunctionDef, items: Sequence[Item], lines: Sequence[str], grown: Sequence[int], limit: int
    ) -> dict[Item, Item]:
        """Break lines of a longer signature before they get too long, with the indent of its other lines."""
        write = self.header.module.code_for_node
        done = self.indent + self.code(node.with_changes(params=cst.Parameters(), returns=None))[:-1]
        # By line, the columns after commas with another parameter on the same line.
        cuts: dict[int, list[tuple[int, Item]]] = defaultdict(list)
        for item in items:
            done += write(item)
            *above, line = NEWLINE.split(done.removesuffix(write(_tail(item))))
            rest = lines[len(above)][len(line) :].strip()
            if isinstance(item.comma, cst.Comma) and len(above) in grown and rest and rest[0] not in "#)\\":
                cuts[len(above)].append((len(line), item))
        new: dict[Item, Item] = {}
        for number, found in cuts.items():
            line = lines[number]
            # The indent of the parameters below; of those on the line if there are none.
            is_last = number + 1 == len(lines) or lines[number + 1].lstrip().startswith(")")
            if is_last and number == 0:
                continue
            other = line if is_last else lines[number + 1]
            indent = other[: len(other) - len(other.lstrip(" \t\f"))]
            used = width(line[: found[0][0]])
            ends = [*(start for start, _ in found[1:]), len(line)]
            for (start, item), end in zip(found, ends, strict=True):
                piece = line[start:end]
                if used + width(piece) > limit:
                    new[item] = _end(item, line_break(self.newline, indent))
                    used, piece = width(indent), piece.lstrip()
                used += width(piece)
        return new


def _spread(items: Sequence[Item], inner: cst.ParenthesizedWhitespace, last: Any) -> dict[Item, Item]:
    """One parameter a line, with a comma after the last."""
    return {each: _end(each, last if each is items[-1] else inner) for each in items}


def line_break(newline: str, indent: str) -> cst.ParenthesizedWhitespace:
    line = cst.TrailingWhitespace(newline=cst.Newline(value=newline))
    return cst.ParenthesizedWhitespace(first_line=line, last_line=cst.SimpleWhitespace(indent))


def find_edits(old: str, new: str, offset: int, added: Iterable[tuple[str, Piece]], owner: Owner) -> Iterator[Edit]:
    """The edits that turn the text at an offset into the text of its changed node.

    `added` is the text that was added, in source order; otherwise only white space differs, and the commas before it.
    Raises ValueError if anything else differs.
    """
    before, after, pending = old.encode(), new.encode(), list(added)
    at, place = 0, 0
    while place < len(after):
        lead, (text, slot) = pending[0] if pending else ("", ("", None))
        whole = (lead + text).encode()
        if whole and after.startswith(whole, place) and not before.startswith(whole, at):
            yield from [Edit(offset + at, lead, owner)] if lead else []
            yield Edit(offset + at, text, owner, slot)
            place += len(whole)
            del pending[0]
        elif before[at : at + 1] == after[place : place + 1]:
            at, place = at + 1, place + 1
        else:
            gone = _WHITE.match(before, at).end()  # type: ignore[union-attr]
            end = _BREAK.match(after, place).end()  # type: ignore[union-attr]
            if before[gone : gone + 1] in (b"\r", b"\n") or at == len(before):
                end = place + 1 if at < len(before) else len(after)
            yield Edit(offset + at, after[place:end].decode(), owner, removed=gone - at)
            at, place = gone, end
    if pending or at < len(before):
        raise ValueError(f"{old!r} cannot become {new!r}")
