"""The first code in each Python process of a recorded program: waits for the project's code, then starts the recorder.

If our package is not installed, it also lends the package to processes that use an overlay.

Python imports `sitecustomize` at its start. Ours takes its own folder off the import path and runs
the program's own `sitecustomize`, if there is one. It imports nothing else and sets no profile function until an audit
hook reports that a file under the root begins to run, so processes without code of the project cost nothing. Any
failure here only prints one line on stderr.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "sitecustomize"
OURS = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
ROOT = "PDT_ANNOTATE_RUN_ROOT"
PACKAGES = "PDT_ANNOTATE_RUN_PACKAGES"
OVERLAY = "PDT_ANNOTATE_OVERLAY"
PACKAGE = "pdt_annotate"
RECORDER = f"{PACKAGE}.profiles.recording.recorder"
OLDEST = (3, 11)


class StartHook:
    """An audit hook that starts the recorder at the first file of the project, and reports later files to it."""

    def __init__(self, root: str) -> None:
        self.roots = tuple({os.path.join(path, "") for path in (root, os.path.realpath(root))})
        self.libraries = tuple(os.path.join(path, "") for path in {sys.prefix, sys.base_prefix})
        self.recorder: Any = None
        self.installed: Any = None
        self.busy = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "exec" and not self.busy:
            self.busy = True  # to look at a file runs code of ours, which may be below the root
            try:
                if self.is_ours(args[0].co_filename):
                    self.meet()
                self.busy = False
            except Exception as error:  # the program must go on without us
                message = f"pdt-annotate: this process is not observed: {type(error).__name__}: {error}"
                print(message, file=sys.stderr)
        elif event == "os.exec" and self.recorder is not None:
            self.recorder.save()  # another program replaces this one

    def is_ours(self, file: str) -> bool:
        """Whether a file is below the root: a rough answer, which the recorder refines."""
        for root in self.roots:
            if file.startswith(root):
                return not self.is_installed(file, root)
        outside = file.startswith(self.libraries) or not os.path.isabs(file)
        return not outside and os.path.realpath(file).startswith(self.roots)

    def is_installed(self, file: str, root: str) -> bool:
        """Whether a file below the root belongs to an environment inside it."""
        self.installed = self.installed or names_in("values", "installed.py")["is_installed"]
        return bool(self.installed(file, root))

    def meet(self) -> None:
        if self.recorder is None:
            # The Python that started us lends packages that are missing here, for this import only.
            lender = lend()
            try:
                recorder = importlib.import_module(RECORDER)
            finally:
                sys.meta_path.remove(lender)
            self.recorder = recorder.start()
        self.recorder.watch()


def names_in(*path: str) -> dict[str, Any]:
    """The names in a file of ours, which runs by its path: our package may be on no path yet."""
    names: dict[str, Any] = {"__name__": f"{PACKAGE}_{path[-1].removesuffix('.py')}"}
    file = os.path.join(OURS, *path)
    with open(file, encoding="utf-8") as source:
        exec(compile(source.read(), file, "exec"), names)
    return names


def lend() -> Any:
    """Install the finder that lends our package, unless the program has imported one, and the packages it imports."""
    places = dict(pair.split("=", 1) for pair in os.environ[PACKAGES].split(os.pathsep))
    place = places.pop(PACKAGE)
    present = getattr(sys.modules.get(PACKAGE), "__file__", None)
    place = os.path.dirname(os.path.dirname(present)) if present else place
    return names_in("interpreters", "lending.py")["lend"](place, places)


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
        sys.addaudithook(StartHook(root))
    if os.environ.get(OVERLAY) and os.environ.get(PACKAGES) and sys.version_info >= OLDEST:
        lend()  # importing our package makes it serve overlays, as if it were installed
    run_next()


if __name__ == NAME:
    begin()
