"""The calls of a profile, in terms of the present files."""

from __future__ import annotations

from pathlib import Path

from profiled import observe, owner_of, profile_of, write

from pdt_annotate import profiles
from pdt_annotate.profiles.calls import observed_calls
from pdt_annotate.values.examples import ObservedCall, SeenCall

NET = "def f(x):\n    return x\n"


def test_calls_come_back_from_a_file_for_a_function_that_has_changed_too(tmp_path: Path) -> None:
    net = write(tmp_path, {"net.py": NET})["net"]
    seen = [
        SeenCall(owner_of(net, "f"), "test_f", "__main__.Net", '{"x":1}', ""),
        SeenCall(owner_of(net, "f"), "b", "", '{"x":2}', '{"n":3}'),
    ]
    made = profile_of(tmp_path, {"net": net, "__main__": net}, observe(net, {"f": {"x": ("int",)}}), examples=seen)
    profiles.save(str(tmp_path / "p.sqlite"), made)
    loaded = profiles.load([str(tmp_path / "p.sqlite")])
    assert loaded == made
    write(tmp_path, {"net.py": NET.replace("return x", "return x + 1")})
    assert list(observed_calls(loaded, str(tmp_path))) == [
        ObservedCall(net, "f", "b", "", {"x": 2}, {"n": 3}),
        ObservedCall(net, "f", "test_f", "net.Net", {"x": 1}, None),
    ]
    (tmp_path / "net.py").unlink()
    assert list(observed_calls(loaded, str(tmp_path))) == []
