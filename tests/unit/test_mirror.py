"""The places of tests: the folder for their cost, and the path and name of the code that they test."""

from pathlib import Path, PurePosixPath

from repository import ROOT

PACKAGE, TESTS = ROOT / "pdt_annotate", ROOT / "tests"

COSTS = ("unit", "child", "cli", "docs")

NAMED_OTHERWISE = {
    "unit/test_layers.py": "the imports of all rooms",
    "unit/test_mirror.py": "the folders of tests",
    "unit/emit/test_twenty_outcomes.py": "every format, on the same outcomes",
    "unit/mends/test_cases.py": "the tables of tests/cases/mend, as text",
    "child/mends/test_cases.py": "the tables of tests/cases/mend, before the compiler",
    "child/test_fixtures.py": "the folders of fixtures/, and benchmarks/lint.py",
    "child/emit/html/test_browser.py": "all pages, in a browser",
    "child/flows/test_script_made.py": "script() of what functions make, beside that of what modules hold",
    "child/processes/child/test_attempt_thorough.py": "the last attempt, beside those of a search",
    "child/processes/child/test_attempt_parts.py": "attempts of parts, beside those of the whole",
    "cli/flows/test_third_party.py": "packages without annotations, from the command to the overlay",
    "cli/test_hook.py": "`hook`, with what is committed",
    "cli/test_cold.py": "the command and script(), in new interpreters",
    "cli/test_completion.py": "the scripts for shells, and what they are answered",
    "cli/test_cuda.py": "models on CUDA, from the command to the result",
    "cli/test_output.py": "the streams of every format",
    "cli/test_save.py": "`save`, which captures.py has",
    "cli/test_packaging.py": "setup.py and what is installed",
    "cli/test_pre_commit.py": ".pre-commit-hooks.yaml",
}
"""The tests that do not test one module, with their subjects."""

FILES = sorted(file.relative_to(TESTS).as_posix() for cost in COSTS for file in (TESTS / cost).rglob("test_*.py"))


def is_of_the_package(place: PurePosixPath) -> bool:
    return (PACKAGE / place).is_dir() or (PACKAGE / place).with_suffix(".py").is_file()


def subjects(file: str) -> list[PurePosixPath]:
    """The possible subjects of a test file: a module or package at its path, the package around it, or a command."""
    path = PurePosixPath(*PurePosixPath(file).parts[1:])
    name = path.stem.removeprefix("test_")
    return [
        path.with_name(name),
        *([path.parent] if path.parent.name == name else []),
        *([PurePosixPath("cli", name)] if file == f"cli/{path.name}" else []),
    ]


def test_a_test_has_the_place_and_name_of_what_it_tests() -> None:
    tests = [file for file in FILES if not file.startswith("docs/")]
    others = [file for file in tests if not any(map(is_of_the_package, subjects(file)))]
    assert sorted(others) == sorted(NAMED_OTHERWISE), "no such module, or no exception any more"
    assert all((PACKAGE / PurePosixPath(*Path(file).parent.parts[1:])).is_dir() for file in FILES), "each is a room"
