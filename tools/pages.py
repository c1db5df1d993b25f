"""The generated parts of README.md and docs/, such as the rules, the options and the worked example.

    python tools/pages.py

writes these parts. Each part is between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from pdt_annotate import cli
from pdt_annotate.captures.table import WAYS
from pdt_annotate.choose.legalize import RULES
from pdt_annotate.cli.options import REQUIRED_VERSION, SETTINGS
from pdt_annotate.values.exits import EXPLAINED

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
MODELS = ROOT / "tests" / "helpers" / "data" / "captured"
EXAMPLE = ROOT / "fixtures" / "streaming_conv"


def example_diff() -> str:
    """The golden diff, which test_fixtures.py compares with the result of the tool."""
    return _fenced("diff", (EXAMPLE / "expected.diff").read_text())


def rules() -> str:
    """The table of rules in their order, from the first line of each rule's docstring."""
    return _table(("rule", "observed → annotation"), ((f"`{name}`", _summary(rule)) for name, rule in RULES.items()))


def exits() -> str:
    """The exit codes, as in `--help`."""
    return _table(("code", "meaning"), ((str(code), said) for code, said in EXPLAINED.items()))


def options() -> str:
    """The options of every command, as in `--help`."""
    return "".join(_command(name, command) for name, command in sorted(cli.main_group.commands.items()))


def settings() -> str:
    """The settings in pyproject.toml and the environment, from the declarations of options."""
    known = (each for each in (REQUIRED_VERSION, *SETTINGS) if each.in_pyproject or each.allow_from_autoenv)
    places = {True: "yes, also for one target", False: "yes"}
    rows = (
        (
            f"`{each.long}`",
            each.takes,
            places[each.per_target] if each.in_pyproject else "",
            f"`{each.variable}`" if each.allow_from_autoenv else "",
        )
        for each in known
    )
    return _table(("setting", "value", "in pyproject.toml", "in the environment"), rows)


def ways() -> str:
    """The ways of capturing, from their table."""
    rows = ((f"`{way.name}`", way.title, way.kind.value, "yes" if way.sound else "no") for way in WAYS)
    return _table(("way", "what it is", "class", "sound"), rows)


def captures() -> str:
    """The results of every way on each model, from the table in tests/child/captures/test_examine.py."""
    held = ast.parse((ROOT / "tests" / "child" / "captures" / "test_examine.py").read_text())
    assigned = {ast.unparse(each.targets[0]): each.value for each in held.body if isinstance(each, ast.Assign)}
    names, table = (ast.literal_eval(assigned[name]) for name in ("WAYS", "TABLE"))
    rows = ((f"[{_what_is_in(MODELS / f'{name}.py')}]({_link(name)})", *row.split()) for name, row in table.items())
    return _table(("model", *(f"`{way}`" for way in names)), rows)


def _what_is_in(model: Path) -> str:
    """The first words of a model's docstring."""
    document = ast.get_docstring(ast.parse(model.read_text())) or model.stem
    return re.split(r"[:;.]", document)[0]


def _link(model: str) -> str:
    return f"../{(MODELS / model).relative_to(ROOT)}.py"


PAGES: dict[Path, dict[str, Callable[[], str]]] = {
    README: {"diff": example_diff, "exits": exits},
    DOCS / "rules.md": {"rules": rules},
    DOCS / "options.md": {"options": options},
    DOCS / "captures.md": {"ways": ways, "models": captures},
    DOCS / "configuration.md": {"settings": settings},
}


def fill(page: Path, text: str) -> str:
    """The text of a page, with the current content of every part.

    Raises:
        ValueError: the text does not contain the marks of a part.
    """
    for name, make in PAGES[page].items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        if begin not in text or end not in text:
            raise ValueError(f"{page.name} has no place for {name!r}")
        text = text.partition(begin)[0] + begin + make() + end + text.partition(end)[2]
    return text


def part(page: Path, name: str) -> str:
    """The text of a page between the marks of a part."""
    found = re.search(f"<!-- begin {name} -->\n(.*?)<!-- end {name} -->", page.read_text(), re.DOTALL)
    return found[1] if found else ""


def _command(name: str, command: click.Command) -> str:
    """A command with its options. The name of the default command is left out of the usage."""
    called = "pdt-annotate" if name == cli.DEFAULT_COMMAND else f"pdt-annotate {name}"
    context = click.Context(command, info_name=called)
    given = (param for param in command.params if isinstance(param, click.Option) and not param.hidden)
    records = [(f"`{record[0]}`", record[1]) for option in given if (record := option.get_help_record(context))]
    usage = " ".join((called, *command.collect_usage_pieces(context)))
    table = f"{_table(('option', 'effect'), records)}\n" if records else ""
    return f"## {name}\n\n`{usage}`\n\n{command.get_short_help_str(200)}\n\n{table}"


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}```\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = (head, ("---",) * len(head), *(tuple(cell.replace("|", r"\|") for cell in row) for row in rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _summary(rule: Callable[..., object]) -> str:
    document = rule.__doc__ or ""
    return document.splitlines()[0].replace(" -> ", " → ") if document else ""


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fill(page, page.read_text()))
