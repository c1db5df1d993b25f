"""No command writes outside the project, through a link in it or where pyproject.toml says so.

Each attack is a clone in which something was put, and a command that its reader gives. Beside the clone lies what must
stay as it is.
"""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from projects import Entries, Ran, entries, environment, prepare, run_tool, scratch
from tally import LEFT, WRONG, Means, Tally, side_by_side

LEAST = 18

MODEL = "def f(x, k):\n    return x * k\n"
PROFILE = "net.sqlite"
OBSERVE = ("observe", "model.py:f", "-a", "f32[2]", "-a", "3", "--save-profile", PROFILE)
ONLY_PROFILE = ("--profile", PROFILE)
CHECK = ("hook", "--check", "--profile", PROFILE, "model.py")
DONE, REFUSED = 0, 2
OUT = "leads out of"
LINKS = {
    "report": "../outside/profile",
    "new": "../outside/new",
    "twice": "report",
    "out": "../outside/docs",
    "stubs/model.pyi": "../../outside/docs/new.pyi",
}


@dataclass(frozen=True)
class Attack:
    """What was put into a clone, the command of its reader, its exit code and what it says."""

    words: tuple[str, ...]
    says: str = OUT
    links: Mapping[str, str] = field(default_factory=lambda: LINKS)
    pyproject: str = ""
    code: int = REFUSED


def attacks() -> Iterator[Attack]:
    for words in (
        ("--json", "report"),
        ("--json", "new"),
        ("--html", "twice"),
        ("--html", "out/new.html"),
        ("--output-file", "sarif:out/../new"),
        ("--stubs", "out"),
        ("--stubs", "stubs"),
        ("--baseline", "out/new", "--update-baseline", "--check"),
    ):
        yield Attack((*ONLY_PROFILE, *words))
    yield Attack(("init", "model.py:f", "-o", "out/inputs.py"))
    model, package = {"model.py": "../outside/model.py"}, {"pkg": "../outside"}
    yield Attack(ONLY_PROFILE, "model.py no longer exists: its observations are not used", model, code=DONE)
    yield Attack(("model.py:f", *OBSERVE[2:6]), OUT, model)
    yield Attack(("pkg/model.py:f", *OBSERVE[2:6]), OUT, package)
    for line in (
        "json = '../outside/profile'",
        "html = '{outside}/profile'",
        "stubs = 'out/profile'",
        "output-file = 'text:.git/hooks/pre-commit'",
        "save-profile = '../outside/profile'",
        "root = '..'",
    ):
        yield Attack(CHECK, "pyproject.toml:2", pyproject=f"[tool.pdt-annotate]\n{line}\n")


def run(means: Means, tally: Tally) -> None:
    every = list(attacks())
    drawn = means.random("escapes").sample(every, min(len(every), means.times(len(every))))
    with scratch() as folder:
        recorded = folder / "recorded"
        recorded.mkdir()
        (recorded / "model.py").write_text(MODEL)
        prepare(OBSERVE, recorded)
        side_by_side(lambda each: attack(folder / str(each[0]), each[1], recorded / PROFILE, tally), enumerate(drawn))


def attack(place: Path, made: Attack, profile: Path, tally: Tally) -> None:
    project, outside = place / "project", place / "outside"
    for folder in (project / ".git" / "hooks", outside / "docs"):
        folder.mkdir(parents=True)
    for name in ("profile", "docs/a.md"):
        (outside / name).write_text("# not to be touched\n")
    is_linked = made.links is not LINKS
    (outside / "model.py" if is_linked else project / "model.py").write_text(MODEL)
    shutil.copy(profile, project)
    for name, target in made.links.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).symlink_to(target)
    if made.pyproject:
        (project / "pyproject.toml").write_text(made.pyproject.format(outside=outside))
    before = _kept(place)
    ran = run_tool(made.words, project, environment(place / "home"))
    tally.count(f"{' '.join(made.words)} {made.pyproject}", *faults(place, made, before, ran))
    shutil.rmtree(place)


def faults(place: Path, made: Attack, before: Entries, ran: Ran) -> Iterator[tuple[str, str]]:
    yield from ran.faults()
    if ran.code != made.code or made.says not in ran.said:
        yield WRONG, f"exit {ran.code}, and not {made.code}, or {made.says!r} was not said: {ran.said[-400:]}"
    if changed := sorted({path for path, _ in before.items() ^ _kept(place).items()}):
        yield WRONG, f"what lies outside has changed: {changed}"
    if left := [str(path) for path in place.rglob("*.tmp")]:
        yield LEFT, f"{left}"


def _kept(place: Path) -> Entries:
    """What no run may change."""
    return {**entries(place / "outside"), **entries(place / "project" / ".git")}
