"""`pdt-annotate explain CODE`."""

import json
import re
import textwrap

import click
from click.shell_completion import CompletionItem

from pdt_annotate.cli.group import main_group
from pdt_annotate.findings import catalogue
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.errors import UserError

LOOSE = re.compile(r"(?:PDT)?[-_ ]?0*(\d{1,3})")  # people also type pdt4, 4, PDT-004


def complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    found = (entry for code, entry in catalogue.entries().items() if code.startswith(incomplete.upper()))
    return [CompletionItem(entry.code, help=entry.title) for entry in found]


@main_group.command()
@click.argument("code", default="", shell_complete=complete_code)
@click.option("--all", "everything", is_flag=True, help="Explain every finding.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the output on stdout.",
)
def explain(code: str, everything: bool, output_format: str) -> None:
    """Explain a finding, such as PDT010, and what to do about it. Without CODE, list all findings."""
    shown = [_find(code)] if code else list(catalogue.entries().values())
    if output_format == "json":
        keys = ("code", "title", "meaning", "example", "advice")
        facts = [{key: getattr(each, key).strip() for key in keys} for each in shown]
        click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    elif code or everything:
        click.echo("\n\n".join(map(_explained, shown)))
    else:
        click.echo("\n".join(f"{each.code}  {each.title}" for each in shown))


def _find(code: str) -> catalogue.CatalogueEntry:
    loose = LOOSE.fullmatch(code.upper())
    known = catalogue.entries().get(f"PDT{int(loose[1]):03}" if loose else code)
    if known is None:
        near = did_you_mean(code.upper(), catalogue.entries()) if any(map(str.isdecimal, code)) else ""
        listed = "`pdt-annotate explain` lists all"
        raise UserError(f"there is no finding {code}", hint=f"{near} {listed}" if near else listed)
    return known


def _explained(known: catalogue.CatalogueEntry) -> str:
    import shutil  # noqa: PLC0415 - `--help` does not need it

    example = "\n".join(f"    {line}" for line in known.example.strip().splitlines())
    width = min(shutil.get_terminal_size().columns, 100)  # longer lines are hard to read
    meaning, advice = (textwrap.fill(text, width) for text in (known.meaning, f"What to do: {known.advice}"))
    return f"{known.code}  {known.title}\n\n{meaning}\n\n{example}\n\n{advice}"
