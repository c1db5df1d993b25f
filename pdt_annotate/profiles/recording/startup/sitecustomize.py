"""What every Python process of a recorded program runs first: wait for code of the project, then start the recorder.

Where our package is not installed, it also lends that to processes that are served an overlay.

Python imports `sitecustomize` at its start. Ours puts the import path as it would be without it and runs the
program's own `sitecustomize`, if there is one. It imports nothing else and sets no profile function until a file under
the root begins to run, which it hears by an audit hook: so processes that have nothing of the project in them cost
nothing. Whatever fails here is one line on stderr and no more.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "sitecustomize"
INSTALLED = os.path.normpath(os.path.join(HERE, "..", "..", "..", "values", "installed.py"))
ROOT = "PDT_ANNOTATE_RUN_ROOT"
PACKAGES = "PDT_ANNOTATE_RUN_PACKAGES"
OVERLAY = "PDT_ANNOTATE_OVERLAY"
PACKAGE = "pdt_annotate"
RECORDER = f"{PACKAGE}.profiles.recording.recorder"
LENDING = ("interpreters", "lending.py")
OLDEST = (3, 11)


class Doorkeeper:
    """An audit hook that starts the recorder with the first file of the project, and tells it of those that follow."""

    def __init__(self, root: str) -> None:
        self.roots = tuple({os.path.join(path, "") for path in (root, os.path.realpath(root))})
        self.libraries = tuple(os.path.join(path, "") for path in {sys.prefix, sys.base_prefix})
        self.recorder: Any = None
        self.installed: Any = None
        self.busy = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "exec" and not self.busy and self.is_ours(args[0].co_filename):
            self.busy = True
            try:
                self.meet()
                self.busy = False
            except Exception as error:  # the program goes on without us
                warn(error)
        elif event == "os.exec" and self.recorder is not None:
            self.recorder.save()  # another program takes the place of this one

    def is_ours(self, file: str) -> bool:
        """Whether a file is below the root: a rough answer, which the recorder refines."""
        for root in self.roots:
            if file.startswith(root):
                return not self.is_installed(file, root)
        outside = file.startswith(self.libraries) or not os.path.isabs(file)
        return not outside and os.path.realpath(file).startswith(self.roots)

    def is_installed(self, file: str, root: str) -> bool:
        """Whether a file below the root belongs to an environment there."""
        if self.installed is None:
            self.installed = import_file(INSTALLED)
        return bool(self.installed.is_installed(file, root))

    def meet(self) -> None:
        if self.recorder is None:
            self.recorder = import_recorder().start()
        self.recorder.watch()


def import_file(file: str) -> Any:
    """A file of ours as a module of its own: our package may be on no path yet."""
    spec = importlib.util.spec_from_file_location(f"_pdt_annotate_{os.path.basename(file)[:-3]}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def import_recorder() -> Any:
    """The recorder's module. What this Python lacks is lent by the one that started us, for this import alone."""
    lender = lend()
    try:
        return importlib.import_module(RECORDER)
    finally:
        sys.meta_path.remove(lender)


def lend() -> Any:
    """Put up what lends our package, unless the program has imported one itself, and what that imports."""
    places = dict(pair.split("=", 1) for pair in os.environ[PACKAGES].split(os.pathsep))
    place = places.pop(PACKAGE)
    module: dict[str, Any] = {"__name__": f"{PACKAGE}_lending"}
    file = os.path.join(place, PACKAGE, *LENDING)
    with open(file, encoding="utf-8") as source:
        exec(compile(source.read(), file, "exec"), module)
    present = getattr(sys.modules.get(PACKAGE), "__file__", None)
    return module["lend"](os.path.dirname(os.path.dirname(present)) if present else place, places)


def warn(error: BaseException) -> None:
    print(f"pdt-annotate: this process is not observed: {type(error).__name__}: {error}", file=sys.stderr)


def run_next() -> None:
    """Run the `sitecustomize` that Python would have found without this one."""
    spec = importlib.machinery.PathFinder.find_spec(NAME)
    if spec is not None and spec.loader is not None:
        module = sys.modules[NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def begin() -> None:
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != HERE]
    root = os.environ.get(ROOT, "")
    if root and sys.version_info >= OLDEST:
        sys.addaudithook(Doorkeeper(root))
    if os.environ.get(OVERLAY) and os.environ.get(PACKAGES) and sys.version_info >= OLDEST:
        lend()  # our package serves overlays as it is imported, as it is where it is installed
    run_next()


if __name__ == NAME:
    begin()
