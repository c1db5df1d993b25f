"""Nothing that a branch brings runs in a check by a profile, reaches out of the project, or is believed.

Each attack is a clone in which a stranger has put something, and a command that its reader gives. Beside the clone lies
what is not to be touched; what a stranger's program would do is to leave a mark.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

from projects import Ran, Snapshot, environment, finish, prepare, run_tool, scratch, start
from tally import BUG, LEFT, WRONG, Means, Tally, side_by_side

from pdt_annotate.values.user_cache import digest

LEAST = 100

MODEL = "import antigravity_of_ours\n\n\ndef f(x, k):\n    return x * k\n"
PROFILE = "net.sqlite"
CHECK = ("hook", "--check", "--profile", PROFILE, "model.py")
ONLY_PROFILE = ("--profile", PROFILE)
REFUSED, MISSING, DONE = 2, 1, 0
OWNED = "OWNED"
OUT = ("leads out of",)
NO_OVERLAY = "no overlay was served"


@dataclass(frozen=True)
class World:
    """One clone, what lies beside it, and the home of who reads it."""

    place: Path

    @property
    def project(self) -> Path:
        return self.place / "project"

    @property
    def outside(self) -> Path:
        return self.place / "outside"

    @property
    def home(self) -> Path:
        return self.place / "home"

    @property
    def mark(self) -> Path:
        """What a program leaves that should not have run."""
        return self.place / "mark"

    @property
    def program(self) -> str:
        return f"open({str(self.mark)!r}, 'a').close()\n"

    def write(self, name: str, text: str) -> Path:
        file = self.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def link(self, name: str, target: str) -> None:
        file = self.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def configure(self, text: str) -> None:
        self.write("pyproject.toml", text)

    def change_profile(self, script: str) -> None:
        connection = sqlite3.connect(self.project / PROFILE)
        connection.executescript(script)
        connection.close()

    def ours(self, code: str, **variables: str) -> None:
        """Run code with the package, as its reader, in the clone."""
        env = environment(self.home, variables)
        subprocess.run([sys.executable, "-c", code], cwd=self.project, env=env, check=True, capture_output=True)


@dataclass(frozen=True)
class Attack:
    """What a stranger has put into a clone, the command of its reader, and what must come of it.

    Args:
        name: for people.
        put: puts it there.
        words: the command.
        code: how it has to end.
        says: what has to be said.
        variables: what the reader's environment has; `{}` is the clone.
        unsaid: what must not be said.
        program: Python to be run in the place of the tool.
    """

    name: str
    put: Callable[[World], None]
    words: tuple[str, ...] = CHECK
    code: int = MISSING
    says: tuple[str, ...] = ("model.py:4:5: PDT090 f lacks x: Tensor, k: int", "annotations are missing")
    variables: Mapping[str, str] = field(default_factory=dict)
    unsaid: tuple[str, ...] = (OWNED, "\x1b")
    program: str = ""


def nothing(world: World) -> None:
    """The words are the attack."""


def attacks() -> Iterator[Attack]:
    yield from configured()
    yield from linked()
    yield from brought()
    yield from forged_answers()
    yield from forged_overlays()
    yield from forged_profiles()


def configured() -> Iterator[Attack]:
    """Places that pyproject.toml names."""
    places = {
        "above": "../outside/profile",
        "absolute": "{outside}/profile",
        "through a link": "out/profile",
        "of a hook": ".git/hooks/pre-commit",
    }
    lines = ("json = '{}'", "html = '{}'", "stubs = '{}'", "output-file = 'text:{}'", "save-profile = '{}'")

    def put(world: World, line: str, place: str) -> None:
        world.link("out", "../outside")
        world.configure("[tool.pdt-annotate]\n" + line.format(place.format(outside=world.outside)) + "\n")

    for how, place in places.items():
        for line in lines:
            says = ("pyproject.toml:2", line.partition(" ")[0])
            yield Attack(f"configured {line} {how}", partial(put, line=line, place=place), code=REFUSED, says=says)
    for line in ("root = '..'", "inputs = '../outside/run.py'", "baseline = 'out/profile'", "overlay = '../outside/o'"):
        says = ("pyproject.toml:2", line.partition(" ")[0])
        yield Attack(f"configured {line}", partial(put, line=line, place=""), code=REFUSED, says=says)
    table = '[[tool.pdt-annotate.targets]]\ntarget = "../outside/run.py:f"\ninputs = "i.py"\n'
    yield Attack(
        "configured target", partial(World.configure, text=table), ("--check",), REFUSED, ("pyproject.toml:2",)
    )


def linked() -> Iterator[Attack]:
    """Links in the clone that lead out of it, on the way to what the reader names."""

    def put(world: World) -> None:
        world.link("report", "../outside/profile")
        world.link("new", "../outside/new")
        world.link("twice", "report")
        world.link("out", "../outside/docs")
        world.link("stubs/model.pyi", "../../outside/docs/new.pyi")
        world.link("within/in", "../out")

    for words in (
        ("--json", "report"),
        ("--json", "new"),
        ("--html", "twice"),
        ("--html", "out/new.html"),
        ("--output-file", "sarif:out/../new"),
        ("--output-file", "junit:within/in/new"),
        ("--stubs", "out"),
        ("--stubs", "stubs"),
        ("--baseline", "out/new", "--update-baseline", "--check"),
    ):
        yield Attack(f"linked {' '.join(words)}", put, (*ONLY_PROFILE, *words), REFUSED, OUT)
    yield Attack("linked draft", put, ("init", "model.py:f", "-o", "out/inputs.py"), REFUSED, OUT)

    def put_configuration(world: World) -> None:
        world.link("pyproject.toml", "../outside/pyproject.toml")
        world.write("inputs.py", "")

    yield Attack("linked pyproject.toml", put_configuration, ("init", "--config", "model.py:f"), REFUSED, OUT)
    unseen = ("model.py any more: what was seen in it is not used",)
    yield Attack("linked source", partial(replace_source, name="model.py"), ONLY_PROFILE, DONE, unseen)
    for name, file in (("model.py", "model.py"), ("pkg", "pkg/model.py")):
        annotate = (f"{file}:f", "-a", "f32[2]", "-a", "3")
        yield Attack(f"linked target {file}", partial(replace_source, name=name), annotate, REFUSED, OUT)
    yield Attack("linked folder", partial(replace_source, name="pkg"), ONLY_PROFILE, DONE, unseen)


def replace_source(world: World, name: str) -> None:
    """Let what the profile knows lie outside, as it was observed."""
    (world.project / "model.py").rename(world.outside / "model.py")
    for folder in (world.project, world.outside):
        (folder / "antigravity_of_ours.py").write_text("")
    world.link(name, "../outside" if name == "pkg" else "../outside/model.py")
    if name == "pkg":
        world.change_profile("UPDATE source SET path='pkg/model.py'; UPDATE place SET path='pkg/model.py';")


def brought() -> Iterator[Attack]:
    """Programs that the clone brings, for a check by a profile."""

    def put_program(world: World, name: str) -> None:
        world.write(name, world.program)

    for name in ("click.py", "libcst/__init__.py", "sqlite3.py", "json.py", "tomllib.py", "rich.py", "_blake2.py"):
        yield Attack(f"brought {name}", partial(put_program, name=name))
    for name in ("conftest.py", "sitecustomize.py", "setup.py", "antigravity_of_ours.py", "x.pth", "torch/__init__.py"):
        yield Attack(f"brought {name}", partial(put_program, name=name))

    def put_python(world: World, count: int, more: str = "") -> None:
        evil = world.write("evil", f"#!{sys.executable}\n{world.program}")
        evil.chmod(0o755)
        world.write("other.py", "def g(x):\n    return x\n")
        targets = "".join(
            f'[[tool.pdt-annotate.targets]]\ntarget = "model.py:f"\ninputs = "i{number}.py"\n'.replace(
                "model.py:f", "model.py:f" if not number else "model:f"
            )
            for number in range(count)
        )
        world.configure(f"[tool.pdt-annotate]\npython = './evil'\n{more}\n{targets}")
        for number in range(count):
            world.write(f"i{number}.py", world.program)

    yield Attack("brought python", partial(put_python, count=0))
    yield Attack("brought python and inputs", partial(put_python, count=1))
    yield Attack("brought python for two", partial(put_python, count=2))
    yield Attack("brought python and a page", partial(put_python, count=1, more="html = 'out.html'"))
    yield Attack(
        "brought settings shown", partial(put_python, count=1), (*CHECK, "--show-settings"), DONE, ('python = "evil"',)
    )
    evil = "also-run = ['./evil']\nmend = 'exact'"
    refused = ("pyproject.toml:6",)
    yield Attack("brought command", partial(put_python, count=1, more=evil), code=REFUSED, says=refused)

    def put_list(world: World, target: str) -> None:
        """As git brings it: with the modes that it knows, where a clone is the user's cache directory."""
        place = world.project / ".cache/pdt-annotate/writes" / digest(os.fsencode(os.path.realpath(world.project)))
        place.mkdir(parents=True)
        file = os.path.normpath(world.project / target.replace("OUT", str(world.outside)))
        entry = {"file": file, "beside": "", "was": digest(Path(file).read_bytes()), "becomes": digest(b"owned")}
        (place / "list").write_text(json.dumps([entry]))
        (place / "0.old").write_bytes(Path(file).read_bytes())
        (place / "0.new").write_bytes(b"owned")

    for target in ("OUT/profile", "../outside/profile", "model.py"):
        clones = {"XDG_CACHE_HOME": "{}/.cache"}
        yield Attack(f"brought list of {target}", partial(put_list, target=target), variables=clones)
    yield Attack("odd names of files", nothing, (*CHECK, "--", "-rf", "a\nb.py", "\x1b[31m.py", "../x"))


def forged_answers() -> Iterator[Attack]:
    """Answers that the clone brings, or somebody else has put."""
    forge = (
        "import os; from pdt_annotate.cache import commands, state, store; "
        "store.keep('.', store.ENTRIES, 'net', {'state': state.take([os.path.abspath('model.py')])}); "
        f"commands.remember(['--check', 'no.py:f'], '.', ['net'], ['{OWNED}'], [])"
    )
    words, refused = ("--check", "no.py:f"), ("no example inputs", "init no.py:f")

    def put(world: World, change: Callable[[World, Path], None]) -> None:
        caches = world.place / "caches"
        caches.mkdir()
        world.ours(forge, XDG_CACHE_HOME=str(caches))
        ran = run_tool(words, world.project, environment(world.home, {"XDG_CACHE_HOME": str(caches)}))
        if ran.code or OWNED not in ran.said:
            raise AssertionError(f"the forged answer is none, so that the attack is none: {ran}")
        change(world, caches)

    def bring(world: World, caches: Path) -> None:
        """As git does: with the modes that it knows."""
        shutil.copytree(caches / "pdt-annotate", world.project / ".cache" / "pdt-annotate")
        open_to_others(world.project)

    def open_to_others(folder: Path, above: str = "**/*") -> None:
        for path in folder.glob(above):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def open_up(world: World, caches: Path, name: str) -> None:
        open_to_others(caches, name)

    def link(world: World, caches: Path, name: str) -> None:
        path = next(caches.glob(name))
        path.rename(world.place / "moved")
        path.symlink_to(world.place / "moved")

    own, clones = {"XDG_CACHE_HOME": "{}/../caches"}, {"XDG_CACHE_HOME": "{}/.cache"}
    yield Attack("answer in the clone", partial(put, change=bring), words, REFUSED, refused)
    yield Attack("cache in the clone", partial(put, change=bring), words, REFUSED, refused, clones)
    for name in ("*", "*/projects", "*/projects/*.json"):
        opened = partial(put, change=partial(open_up, name=name))
        yield Attack(f"answer open to others: {name}", opened, words, REFUSED, refused, own)
        moved = partial(put, change=partial(link, name=name))
        yield Attack(f"answer behind a link: {name}", moved, words, REFUSED, refused, own)

    def escape(world: World, caches: Path) -> None:
        world.ours(forge.replace(OWNED, "\\x1b[31m"), XDG_CACHE_HOME=str(caches))

    yield Attack("answer with escapes", partial(put, change=escape), words, REFUSED, refused, own, unsaid=("\x1b",))


def forged_overlays() -> Iterator[Attack]:
    """Overlays that stand in for what the tool, or a program, imports."""
    import click  # noqa: PLC0415

    file = Path(click.__file__)

    def put(world: World, change: Callable[[World, Path], object] = lambda world, folder: None) -> None:
        folder = world.project / "overlay"
        copy = world.write("overlay/click/__init__.py", file.read_text() + world.program)
        entry = {"module": "click", "path": "click/__init__.py", "distribution": "click", "version": ""}
        entry |= {"original": sha256(file.read_bytes()).hexdigest(), "annotated": sha256(copy.read_bytes()).hexdigest()}
        manifest = {"format": "pdt-annotate overlay", "version": 1, "files": [entry]}
        world.write("overlay/manifest.json", json.dumps(manifest))
        change(world, folder)

    def edit(world: World, **values: object) -> None:
        manifest = world.project / "overlay" / "manifest.json"
        document = json.loads(manifest.read_text())
        document["files"][0] |= values
        manifest.write_text(json.dumps(document))

    def serve(world: World, folder: Path) -> None:
        """The control: as it is, it is served to whoever asks for it."""
        world.ours(program, PDT_ANNOTATE_OVERLAY=str(folder))
        if not world.mark.exists():
            raise AssertionError("the overlay is none, so that the attack is none")
        world.mark.unlink()

    relative, absolute = {"PDT_ANNOTATE_OVERLAY": "overlay"}, {"PDT_ANNOTATE_OVERLAY": "{}/overlay"}
    program = f"import pdt_annotate\nimport click\nprint({NO_OVERLAY!r})"
    served = "import pdt_annotate\npdt_annotate.overlay('overlay')\nimport click"
    yield Attack("overlay from where a run starts", put, variables=relative)
    yield Attack("overlay for the tool itself", put, variables=absolute)
    trusted = partial(put, change=serve)
    yield Attack("overlay from where a program starts", trusted, (), DONE, (NO_OVERLAY,), relative, program=program)

    def open_up(world: World, folder: Path) -> None:
        serve(world, folder)
        folder.chmod(0o777)

    yield Attack(
        "overlay of everybody", partial(put, change=open_up), (), DONE, (NO_OVERLAY,), absolute, program=program
    )

    def put_copy_outside(world: World, folder: Path) -> None:
        (folder / "click").rename(world.outside / "click")
        (folder / "click").symlink_to(world.outside / "click")

    yield Attack("copy outside", partial(put, change=put_copy_outside), (), 1, OUT, {}, program=served)

    def put_pipe(world: World, folder: Path) -> None:
        (folder / "manifest.json").unlink()
        os.mkfifo(folder / "manifest.json")

    changes: dict[str, Callable[[World, Path], object]] = {
        "above": lambda world, folder: edit(world, path="../overlay/click/__init__.py"),
        "absolute": lambda world, folder: edit(world, path=str(folder / "click/__init__.py")),
        "NUL": lambda world, folder: edit(world, path="click\0"),
        "numbers": lambda world, folder: edit(world, path=3, module=[]),
        "27 MB": lambda world, folder: edit(world, more="x" * 27_000_000),
        "nested": lambda world, folder: (folder / "manifest.json").write_text("[" * 100_000),
        "a pipe": put_pipe,
    }
    says = ("overlay", "manifest.json")
    for name, change in changes.items():
        yield Attack(f"manifest: {name}", partial(put, change=change), (), 1, says, {}, program=served)


def forged_profiles() -> Iterator[Attack]:
    """Profiles that would bring an import into a source, lead elsewhere, or never end."""

    def put_class(world: World, module: str, file: str = "", source: str = "") -> None:
        info = {"name": f"{module}.X", "module": module, "qualname": "X", "kind": "plain", "importable": True}
        info |= {"file": file} if file else {}
        world.change_profile(
            f"INSERT INTO class VALUES (99, '{json.dumps(info)}'); INSERT INTO mention VALUES (1, 99);"
            f"""UPDATE type SET json = '{json.dumps({"name": f"{module}.X"})}' WHERE json LIKE '%"int"%';"""
            f"{source}"
        )

    show = (*ONLY_PROFILE, "--diff")
    unsaid = ("import antigravity\n", "antigravity import", "idlelib", "evil")
    own_module = "UPDATE source SET module = 'antigravity';"
    for name, module, file, source in (
        ("of the library", "antigravity", "", ""),
        ("of a library's part", "idlelib.idle", "", ""),
        ("of an installed package", "evil_package.part", "", ""),
        ("said to be the file's", "antigravity", "model.py", ""),
        ("said to be the file's module", "antigravity", "model.py", own_module),
        ("above the file", "evil.model", "model.py", "UPDATE source SET module = 'evil.model';"),
    ):
        put = partial(put_class, module=module, file=file, source=source)
        yield Attack(f"profile with an import {name}", put, show, DONE, ("+def f(x: Tensor, k):",), unsaid=unsaid)
    endless = (
        "DROP TABLE type; CREATE VIEW type(id, json) AS WITH RECURSIVE n(i) AS "
        '(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, \'{"name":"int"}\' FROM n;'
    )
    deep = '{"args": [' * 500 + '{"name": "int"}' + '], "name": "list"}' * 500
    scripts = {
        "an endless view": endless,
        "another endless view": endless.replace("DROP TABLE type;", "").replace("VIEW type", "VIEW more"),
        "a computed column": "DROP TABLE type; CREATE TABLE type (id INTEGER, json AS (zeroblob(1 << 30)));",
        "a trigger": "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END;",
        "a deep type": f"UPDATE type SET json = '{deep}';",
        "no number": """UPDATE type SET json = '{"name": NaN}';""",
        "an odd column": "ALTER TABLE type ADD COLUMN more TEXT;",
        "half a character": """UPDATE type SET json = '{"name": "\\ud800"}';""",
        "a path above": "UPDATE source SET path = '../outside/run.py'; UPDATE place SET path = '../outside/run.py';",
        "an absolute path": "UPDATE source SET path = '/etc/passwd'; UPDATE place SET path = '/etc/passwd';",
        "a NUL": "UPDATE source SET path = 'a' || char(0); UPDATE place SET path = 'a' || char(0);",
    }
    for name, script in scripts.items():
        put = partial(World.change_profile, script=script)
        yield Attack(f"profile with {name}", put, code=REFUSED, says=("the profile is damaged", PROFILE))
    code = 'x: int = __import__("os").system("id")\ny'
    named = f"UPDATE slot SET name = '{code}';"
    yield Attack(
        "profile with code for a name",
        partial(World.change_profile, script=named),
        show,
        DONE,
        ("nothing to annotate",),
        unsaid=("__import__",),
    )


def run(means: Means, tally: Tally) -> None:
    with scratch() as folder:
        profile = record(folder / "recorded")
        every = list(attacks()) * means.times(1)
        numbered = enumerate(means.random("escapes").sample(every, min(len(every), means.times(len(every)))))
        side_by_side(lambda item: attack(folder / str(item[0]), item[1], profile, tally), numbered)


def record(place: Path) -> Path:
    """A profile of the model, made by the tool."""
    place.mkdir(parents=True)
    (place / "model.py").write_text(MODEL)
    (place / "antigravity_of_ours.py").write_text("")
    prepare(("observe", "model.py:f", "-a", "f32[2]", "-a", "3", "--save-profile", PROFILE), place)
    return place / PROFILE


def attack(place: Path, made: Attack, profile: Path, tally: Tally) -> None:
    world = World(place)
    for folder in (world.project / ".git" / "hooks", world.outside / "docs", world.home):
        folder.mkdir(parents=True)
    for name in ("profile", "docs/a.md", "docs/CACHEDIR.TAG", "pyproject.toml"):
        (world.outside / name).write_text("# not to be touched\n")
    (world.outside / "run.py").write_text(world.program + "def f(x, k):\n    return x\n")
    world.write("model.py", MODEL)
    shutil.copy(profile, world.project)
    try:
        made.put(world)
    except (AssertionError, subprocess.CalledProcessError) as error:
        tally.count(made.name, (WRONG, f"the control: {error}"))
        return
    before = [Snapshot.take(world.outside), Snapshot.take(world.project / ".git")]
    env = environment(world.home, {name: text.format(world.project) for name, text in made.variables.items()})
    tally.count(made.name, *faults(world, made, before, carry_out(made, world, env)))
    shutil.rmtree(place)


def carry_out(made: Attack, world: World, env: Mapping[str, str]) -> Ran:
    if not made.program:
        return finish(start(made.words, world.project, env), env, 60)
    command = [sys.executable, "-c", made.program]
    try:
        done = subprocess.run(command, cwd=world.project, env=env, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return Ran((), -9, b"", b"it did not end")
    return Ran((), done.returncode, done.stdout, done.stderr)


def faults(world: World, made: Attack, before: list[Snapshot], ran: Ran) -> Iterator[tuple[str, str]]:
    if made.program:  # it has tracebacks of its own, which end with an error of ours
        is_ours = not ran.code or b"pdt_annotate.errors." in ran.err
        yield from () if is_ours else [(BUG, ran.said[-600:])]
    else:
        yield from ran.faults()
    unsaid = [words for words in made.says if words not in ran.said]
    if ran.code != made.code or unsaid:
        yield WRONG, f"exit {ran.code}, and not {made.code}, or {unsaid} was not said: {ran.said[-400:]}"
    if world.mark.exists():
        yield WRONG, "what the clone brought was run"
    for snapshot in before:
        now = snapshot.now()
        if snapshot.added(now) or snapshot.changed(now):
            yield WRONG, f"outside, {snapshot.added(now)} came and {snapshot.changed(now)} changed"
    for words in made.unsaid:
        if words in ran.said:
            yield WRONG, f"{words!r} was said: {ran.said[-400:]}"
    if left := [str(path) for path in world.place.rglob("*.tmp")]:
        yield LEFT, f"{left}"
