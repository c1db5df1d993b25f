"""A `# type:` comment that the compiler cannot parse becomes an annotation, or another comment.

The compiler takes every `# type:` comment in a function for its signature, except `# type: ignore` and `# type:
ignore[code]` at the end of a line.

Message: `expected type comment but found`, `The annotation prefix in line`, or `Return type line '# type: (...) -> ...'
    not found on multiline type annotation`.
Kind: Exact.
Needs: The comment is no signature. It becomes an annotation if it is on the assignment of a variable, and has only
    names of typing, of torch, and of Python's types.
Before:
    size = x.shape[0]  # type: ignore[index, misc]  # batch
    sizes = []  # type: List[int]
    self.last = x  # type: Tensor
After:
    # batch
    size = x.shape[0]  # type: ignore
    sizes: List[int] = []
    self.last = x  # Tensor
"""

import ast
import re
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import TYPE_COMMENT
from pdt_annotate.mends.kit.construction import called_from
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.comments import RETURN_OF_SEVERAL, Comment
from pdt_annotate.source.definitions import Scope, first_line
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import statement_at
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

IGNORED = re.compile(r"#\s*type:\s*ignore\b(?P<codes>\[[^\]]*\])?\s*(?P<rest>.*)")
READ = re.compile(r"# type: ignore(\[[a-zA-Z-]+\])?")
TYPED = re.compile(r"#\s*type:\s*(?P<type>[^(#\s][^#]*?)\s*(?:#\s*(?P<note>.*))?")
TYPES = frozenset(("bool", "float", "int", "str", "list", "dict", "tuple", "None"))


def find(site: FunctionContext) -> Iterator[Mend]:
    for each in (site, *called_from(site, site.node)):
        lines = range(first_line(each.node), (each.node.end_lineno or 0) + 1)
        comments = [comment for comment in each.module.comments.all if comment.line in lines]
        is_signed = any(RETURN_OF_SEVERAL in comment.text for comment in comments)
        for comment in comments:
            statement = statement_at(each.node, comment.line)
            # The comments of parameters are parts of a signature.
            is_part = is_signed and isinstance(statement, Scope)
            if statement and not is_part and (edits := _edits(each, comment, statement)):
                yield each.mend(each.node, f"rewrite the comment `{comment.text}`", edits)


def _edits(site: FunctionContext, comment: Comment, statement: ast.stmt) -> list[Edit]:
    start, removed = site.text.offset(comment.line, comment.column), len(comment.text.encode())
    if READ.fullmatch(comment.text):
        return []
    if ignored := IGNORED.fullmatch(comment.text):
        codes = ignored["codes"] or ""
        new = f"# type: ignore{codes}" if READ.fullmatch(f"# type: ignore{codes}") else "# type: ignore"
        above = [site.insert_before(statement, f"# {rest}")] if (rest := ignored["rest"].lstrip("# ")) else []
        return [*above, Edit(start, new, removed=removed)]
    typed = TYPED.fullmatch(comment.text)
    if typed is None:
        return []
    note = f"# {typed['note']}" if typed["note"] else ""
    match statement:
        case ast.Assign([ast.Name() as target]) if _is_annotated(site, statement, comment, typed["type"]):
            before = len(site.text.body[:start].rstrip())
            kept = Edit(start, note, removed=removed) if note else Edit(before, "", removed=start + removed - before)
            return [Edit(site.span(target)[1], f": {typed['type']}"), kept]
    return [Edit(start, f"# {typed['type']}  {note}".rstrip(), removed=removed)]


def _is_annotated(site: FunctionContext, assign: ast.Assign, comment: Comment, type_: str) -> bool:
    """Whether a comment at the end of an assignment can be an annotation of its name."""
    is_at_end = comment.line == assign.end_lineno and site.span(assign)[0] == site.span(assign.targets[0])[0]
    is_outer = any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(site.node))
    is_in_class = any(isinstance(node, ast.ClassDef) for node in site.around(assign))
    return is_at_end and not is_outer and not is_in_class and _is_known(site, type_)


def _is_known(site: FunctionContext, text: str) -> bool:
    """Whether a type has only names of typing and torch, and of Python's types."""
    try:
        type_ = parse_expression(text)
    except SyntaxError:
        return False
    meant = [site.meaning(ast.Name(name)) for name in names_in(type_) - TYPES]
    are_known = all(each.partition(".")[0] in ("typing", "torch") and each != "typing.Any" for each in meant)
    return are_known and not isinstance(type_, ast.Tuple)


RULE = MendRule("type_comments", MendKind.EXACT, said(TYPE_COMMENT), find)
