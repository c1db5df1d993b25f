"""Calls that are like an example or unlike it, and the statement that decides whether a line runs."""

from pathlib import Path

import pytest
import torch

from pdt_annotate.captures.unsound.compare_graphs import Constant
from pdt_annotate.captures.unsound.lines import deciding
from pdt_annotate.captures.unsound.suspects import draw
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Place

X = torch.tensor([[1.0, 0.0, -2.0]])


def test_constants_are_equal_by_their_shape_dtype_and_elements_and_what_is_no_tensor_stays() -> None:
    value = torch.tensor([1.0, float("nan")])
    assert Constant(value) == Constant(value.clone())
    assert all(Constant(value) != Constant(other) for other in (value.double(), value[None], value + 1))
    call = Call(("text", {"n": 3, "x": X}), {"flag": True}, name="first")
    for drawn in draw(call):
        assert drawn.call.args[0] == "text"
        assert drawn.call.args[1]["n"] == 3
        assert drawn.call.kwargs == {"flag": True}


def test_every_element_and_every_size_is_changed_and_no_size_to_one() -> None:
    mask, index = torch.tensor([True, False]), torch.tensor([0, 4])
    first = next(draw(Call((X, mask, index), name="first")))
    assert first.thorough
    assert first.call.name == "'first' with other values"
    assert [each.tolist() for each in first.call.args] == [[[-1.0, 1.0, 2.0]], [False, True], [1, 5]]
    _, second, *_ = draw(Call((X, torch.tensor([0, 4]))))
    assert second.call.args[1].tolist() == [0, 4]
    assert not second.thorough
    call = Call((torch.ones(2, 3), torch.ones(3, 4)), name="first")
    sizes = [(each.respect, [tuple(value.shape) for value in each.call.args]) for each in draw(call)][3:]
    assert ("size 3", [(2, 4), (4, 4)]) in sizes
    assert {respect for respect, _ in sizes} == {"size 2", "size 3", "size 4"}
    assert not any(1 in shape for _, shapes in sizes for shape in shapes)
    assert not any(each.thorough for each in draw(Call((3,))))


SOURCE = """\
def plain(x):
    return x * 2


def forward(self, x, items):
    if x.sum() > 0:
        return x * 2
    y = x - 1
    for layer in self.layers:
        y = layer(y)
    for i in range(x.shape[0]):
        for layer in self.layers:
            y = layer(y)
    z = [plain(each) for each in items]
    w = y if y.dim() else -y
    while x.norm() > 1:
        x = x / 2
    if len(items) > 9:
        raise ValueError
    return x + y + z + w
"""


@pytest.fixture
def line(tmp_path: Path) -> Place:
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    return Place(str(file))


def at(place: Place, *numbers: int) -> tuple[Place, ...]:
    return tuple(Place(place.file, number) for number in numbers)


@pytest.mark.parametrize(
    ("numbers", "head"),
    [
        ((2,), 2),  # no statement decides
        ((6,), 6),  # the condition of this statement always runs
        ((7,), 6),
        ((8,), 6),  # an earlier branch has returned
        ((13,), 11),  # not the loop over layers
        ((2, 14), 14),  # the statement that calls it
        ((15,), 15),
        ((16,), 16),  # `while` is evaluated every time
        ((17,), 16),
        ((20,), 6),  # a statement that raises decides nothing
    ],
)
def test_the_statement_that_decides(line: Place, numbers: tuple[int, ...], head: int) -> None:
    assert deciding(at(line, *numbers))[0] == Place(line.file, head)


def test_where_nothing_is_known_nothing_decides(tmp_path: Path) -> None:
    assert deciding(())[0] == NO_PLACE
    template = Place(str(tmp_path / "template.py"), 1)
    Path(template.file).write_text("{% no Python %}")
    assert deciding((template,)) == (template, None)
