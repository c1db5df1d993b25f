"""The catalogue is complete, and its examples show what they say."""

import re

import pytest
import torch
from compiler_messages import compile_failure, load

from pdt_annotate.findings.catalogue import CatalogueEntry, entries, entry
from pdt_annotate.findings.messages import classify

NOT_COMPILED = {
    "PDT033", "PDT034", "PDT035", "PDT036", "PDT052", "PDT062", "PDT063", "PDT080", "PDT081", "PDT092", "PDT093",
    "PDT094", "PDT095",
}  # fmt: skip
"""Examples of several files, or of what no source text shows."""

COMPILES = {
    "PDT030", "PDT031", "PDT032", "PDT037", "PDT038", "PDT039", "PDT057", "PDT058", "PDT060", "PDT061", "PDT064",
    "PDT065", "PDT066", "PDT067", "PDT068", "PDT069", "PDT070", "PDT079", "PDT087", "PDT088", "PDT089", "PDT090",
    "PDT091", "PDT096", "PDT097", "PDT098", *(code for code in entries() if "PDT082" <= code <= "PDT086"),
    *(code for code in entries() if code >= "PDT100"),
}  # fmt: skip
"""Examples that are sound for the compiler; the finding is about the evidence or the answers."""

OTHER_MESSAGE = {"PDT017": "PDT008", "PDT056": "PDT002"}
"""What the compiler says where legalize already knew better, and what it says of a library."""


def example(code, folder):
    return load(entry(code).example, folder).f


def test_codes_are_in_order_and_titles_differ():
    assert list(entries()) == sorted(entries())
    assert len({each.title for each in entries().values()}) == len(entries())
    with pytest.raises(KeyError):
        entry("PDT999")


@pytest.mark.parametrize("each", entries().values(), ids=list(entries()))
def test_entries_are_complete(each: CatalogueEntry):
    assert entry(each.code) is each
    assert re.fullmatch(r"PDT\d{3}", each.code)
    assert each.title and not each.title.endswith(".") and len(each.title) <= 72
    assert each.meaning.endswith(".") and each.advice.endswith(".")
    compile(each.example, each.code, "exec")


@pytest.mark.parametrize("code", sorted(entries().keys() - NOT_COMPILED - COMPILES))
def test_examples_provoke_their_message(code, tmp_path):
    failure = compile_failure(example(code, tmp_path))
    assert failure is not None
    assert classify(failure.text) == OTHER_MESSAGE.get(code, code)


@pytest.mark.parametrize("code", sorted(COMPILES))
def test_examples_about_evidence_and_answers_compile(code, tmp_path):
    assert compile_failure(example(code, tmp_path)) is None


def test_examples_of_other_answers_differ(tmp_path):
    answers, seen, lost = (example(code, tmp_path) for code in ("PDT060", "PDT068", "PDT065"))
    x = torch.ones(1)
    assert (answers(x).item(), torch.jit.script(answers)(x).item()) == (1, 101)
    items = {"eager": [0], "scripted": [0]}
    seen(x, items["eager"]), torch.jit.script(seen)(x, items["scripted"])
    assert items == {"eager": [0, 1], "scripted": [0]}
    assert lost(x) is torch.float32
    assert type(torch.jit.script(lost)(x)) is int


def test_the_example_of_what_cannot_be_saved_cannot(tmp_path):
    scripted = torch.jit.script(example("PDT069", tmp_path))
    assert scripted(2) == 2
    with pytest.raises(RuntimeError, match="Could not export Python function call"):
        torch.jit.save(scripted, str(tmp_path / "saved.pt"))
