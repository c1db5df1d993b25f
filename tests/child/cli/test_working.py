"""Several runs at the same time: their order, their errors, the output of their processes, and their end."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import warm_interpreters
from ended import is_gone_soon
from repository import HELPERS, ROOT

from pdt_annotate.cli.working import Zygotes, run_batch
from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.options import Options
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.runs import SpecSource

LOOP = """\
import sys, warm_interpreters
warm_interpreters.serve_from(sys.argv[1])
from pdt_annotate.cli.working import run_batch
from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.options import Options
from pdt_annotate.values.runs import SpecSource

several = [Options((parse(f"a:{name}"),), SpecSource(args=("1",)), ".") for name in "bcd"]

def work(options, zygotes, progress):
    with zygotes() as zygote:
        session = zygote.session("builtins:str", "state")
        print("ready", flush=True)
        session.run("batch_task:wait")

try:
    run_batch(several, 2, work, lambda text: None)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.fixture
def several(tmp_path: Path) -> list[Options]:
    return [Options((parse(f"a:{name}"),), SpecSource(args=(name,)), str(tmp_path)) for name in "bcd"]


def test_results_come_in_the_order_of_the_runs(several: list[Options]) -> None:
    last = threading.Event()

    def work(options: Options, zygotes: Zygotes, progress: Progress) -> str:
        if options is several[0]:
            assert last.wait(60)
        if options is several[2]:
            last.set()
        return options.targets[0].text

    results = run_batch(several, 3, work, lambda text: None)
    assert [result.value for result in results] == ["a:b", "a:c", "a:d"]
    assert [result.options for result in results] == several


def test_one_that_fails_leaves_the_others_alone_and_progress_names_the_run(several: list[Options]) -> None:
    def work(options: Options, zygotes: Zygotes, progress: Progress) -> int:
        progress("thinking")
        if options is several[1]:
            raise ZeroDivisionError("no")
        return 1

    told: list[str] = []
    results = run_batch(several, 1, work, told.append)
    assert [result.value for result in results] == [1, None, 1]
    assert isinstance(results[1].error, ZeroDivisionError)
    assert told == ["a:b: thinking", "a:c: thinking", "a:d: thinking"]
    assert run_batch([], 3, work, told.append) == []


def test_what_the_processes_print_is_kept_apart(
    several: list[Options], capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "batch_task.py").write_text(
        "import os, sys\ndef talk(state, name):\n    print(name)\n    os.system(f'echo {name} >&2')\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")

    def work(options: Options, zygotes: Zygotes, progress: Progress) -> None:
        with zygotes() as zygote:
            zygote.session("builtins:str", "state").run("batch_task:talk", options.spec.args[0], heard=True)

    results = run_batch(several[:2], 2, work, lambda text: None)
    assert [sorted(result.heard.split()) for result in results] == [[b"b", b"b"], [b"c", b"c"]]
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_an_interrupt_ends_every_process(tmp_path: Path) -> None:
    (tmp_path / "batch_task.py").write_text(
        "import os, pathlib, time\n\n"
        "def wait(state):\n"
        "    pathlib.Path(f'{os.getpid()}.pid').touch()\n    time.sleep(600)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path, HELPERS, ROOT)))}
    command = [sys.executable, "-c", LOOP, warm_interpreters.WarmPopen.servers.folder]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("*.pid"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    children = [int(file.stem) for file in tmp_path.glob("*.pid")]
    assert len(children) == 2
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out.splitlines() == ["ready", "ready", "interrupted"]
    assert all(map(is_gone_soon, children))
