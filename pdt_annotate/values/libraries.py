"""The folders of this Python's standard library and installed packages."""

import os
import sysconfig


def _folders(*names: str) -> tuple[str, ...]:
    return tuple({os.path.join(os.path.realpath(sysconfig.get_path(name)), "") for name in names})


LIBRARIES = _folders("stdlib", "purelib", "platlib")
STANDARD = _folders("stdlib", "platstdlib")
