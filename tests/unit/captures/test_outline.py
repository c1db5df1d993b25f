"""What may be put under script_if_tracing, as text; which of it will do, tracing says: tests of flows/trace_mend."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent, indent

import pytest

from pdt_annotate.captures.outline import MOST, Outlined, outline
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.mend.site import MendSite, Witnessed
from pdt_annotate.source.project import Project
from pdt_annotate.values.types import TENSOR, TypeExpr

INT, LIST = TypeExpr("int"), TypeExpr("list", (TENSOR,))


def outlined(
    folder: Path, source: str, types: Mapping[str, TypeExpr] | None = None
) -> tuple[Project, list[Outlined | str]]:
    """What may be done about the line that ends with `# here`; names are tensors where nothing else is said."""
    text = dedent(source).lstrip()
    file = str(folder / "model.py")
    Path(file).write_text(text)
    project = Project(str(folder), {"model": file})
    line = 1 + next(number for number, each in enumerate(text.splitlines()) if each.endswith("# here"))
    function = project.function_at(file, line)
    assert function is not None
    known = dict.fromkeys(MendSite(function, project).local_names, (TENSOR,)) | {"return": (TENSOR,)}
    known |= {name: (type_,) for name, type_ in (types or {}).items()}
    shown = Witnessed(types={(file, function.owner.qualname): known})
    return project, list(outline(MendSite(function, project, shown), line))


def first(folder: Path, source: str, types: Mapping[str, TypeExpr] | None = None) -> str:
    """The source with the first change in it."""
    project, found = outlined(folder, source, types)
    made = next(each for each in found if isinstance(each, Outlined))
    mended = Mended(project).add([made.mend], project)
    return next(iter(mended.sources.values())).decode()


def indented(source: str) -> str:
    return indent(source, 8 * " ")


REFUSED = {
    "a layer": "y = self.layer(x) if x.sum() > 0 else x  # here\nreturn y",
    "a method": "if x.sum() > 0:  # here\n    x = self.double(x)\nreturn x",
    "an attribute that is set": "if x.sum() > 0:  # here\n    self.seen = x\nreturn x",
    "a list that is changed": "for row in x:  # here\n    self.rows.append(row)\nreturn x",
    "what is printed": "if x.sum() > 0:  # here\n    print(x)\nreturn x",
    "an import": "if x.sum() > 0:  # here\n    import math\n    x = x * math.pi\nreturn x",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_is_no_pure_function_stays(body: str, tmp_path: Path) -> None:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    _, found = outlined(tmp_path, f"import torch\n\n\nclass Net:\n    def forward(self, x):\n{lines}")
    assert found and all(isinstance(each, str) for each in found)


def test_a_function_in_a_function_stays_with_the_names_around_it(tmp_path: Path) -> None:
    source = """
        import torch

        def make(scale):
            def run(x):
                if x.sum() > 0:  # here
                    x = x * scale
                return x
            return run
    """
    assert outlined(tmp_path, source)[1] == []


def test_a_break_stays_with_its_loop_and_a_return_with_the_end(tmp_path: Path) -> None:
    source = """
        import torch

        class Net:
            def forward(self, x):
                for _ in range(3):
                    if x.sum() > 0:  # here
                        break
                    if x.mean() > 3:
                        return x
                    x = x + 1
                return x
    """
    made = [each for each in outlined(tmp_path, source)[1] if isinstance(each, Outlined)]
    assert len(made) == 1
    assert "            def forward(self, x):\n                return _forward_loop(x)\n" in indented(
        first(tmp_path, source)
    )


def test_a_function_of_the_module_is_decorated(tmp_path: Path) -> None:
    source = """
        import torch


        # Told of below.
        def decay(x):
            for row in x:  # here
                x = x - row
            return x
    """
    expected = source.replace("        def decay", "        @torch.jit.script_if_tracing\n        def decay")
    assert first(tmp_path, source) == dedent(expected).lstrip()


def test_a_branch_becomes_a_function_with_what_it_reads_and_gives(tmp_path: Path) -> None:
    source = """
        import torch


        class Net:
            def forward(self, x, y):
                # Kept.
                if x.sum() > self.floor:  # here
                    # Moved.
                    x, y = y, x
                return x - y
    """
    expected = """
        import torch


        @torch.jit.script_if_tracing
        def _forward_branch(x, y, floor):
            if x.sum() > floor:  # here
                # Moved.
                x, y = y, x
            return x, y


        class Net:
            def forward(self, x, y):
                # Kept.
                x, y = _forward_branch(x, y, self.floor)
                return x - y
    """
    assert first(tmp_path, source) == dedent(expected).lstrip()


def test_the_size_that_a_loop_reads_moves_with_it(tmp_path: Path) -> None:
    source = """
        import torch


        class Net:
            def forward(self, x):
                n = x.size(0)
                for i in range(n):  # here
                    x = x + i
                return x
    """
    assert "    n = x.size(0)\n    for i in range(n)" in first(tmp_path, source, {"n": INT, "i": INT})


def test_what_is_written_to_in_place_is_given_back(tmp_path: Path) -> None:
    source = """
        import torch


        class Net:
            def forward(self, x):
                y = x.clone()
                if x.sum() > 0:  # here
                    y[0] = 1
                return y
    """
    assert "        y = _forward_branch(x, y)\n" in first(tmp_path, source)


def test_a_number_that_is_given_takes_what_uses_it_along(tmp_path: Path) -> None:
    source = """
        import torch


        class Net:
            def forward(self, x):
                n = 0
                while x.sum() > n:  # here
                    n = n + 1
                return x * n
    """
    assert "    return x * n\n\n\nclass" in first(tmp_path, source, {"n": INT})


def test_there_is_an_end_to_what_is_tried(tmp_path: Path) -> None:
    body = "".join(f"        x = x + {number}\n" for number in range(20))
    source = f"class Net:\n    def forward(self, x):\n{body}        if x.sum() > 0:  # here\n            x = -x\n{body}"
    found = outlined(tmp_path, f"{source}        return x\n")[1]
    assert len([each for each in found if isinstance(each, Outlined)]) == MOST
