"""The tools of the rules of mends: blocks, choices, constructors, expressions; and the judges of mends."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mend_cases import RULES
from mended import Mended

from pdt_annotate.mends import mended as mended_files
from pdt_annotate.mends.judge import judge_mends
from pdt_annotate.mends.kit import blocks, construction
from pdt_annotate.mends.kit.callers import own_variadics, untaken_choices
from pdt_annotate.mends.kit.context import FunctionContext, Witnessed
from pdt_annotate.mends.kit.spelled import Expression, is_plain, names_for, spell, strength
from pdt_annotate.mends.kit.spelled import tested as find
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held, HeldValue, LiveFacts, Mend, MendKind
from pdt_annotate.values.slots import Owner, Place
from pdt_annotate.values.types import TENSOR
from pdt_annotate.values.verdicts import Failure


def site_in(folder: Path, source: str, name: str = "f") -> FunctionContext:
    """The site of a function in a module."""
    project = Mended(folder, source).project
    functions = project.read(str(folder / "model.py")).functions
    return FunctionContext(next(f for f in functions if f.node.name == name), project, Witnessed())


ALONE = "    if not torch.jit.is_scripting():\n        a()\n"
ONLY_SCRIPTED = ALONE.replace("if not", "if")


class TestBlocks:
    def first_choice(self, folder: Path, body: str) -> tuple[FunctionContext, list[ast.stmt]]:
        """The site of a function, and the body of the first `if` in it."""
        site = site_in(folder, "def f(x, n, m=None):\n" + "".join(f"    {line}\n" for line in body.split("|")))
        return site, next(node for node in ast.walk(site.node) if isinstance(node, ast.If)).body

    @pytest.mark.parametrize(
        ("body", "names"),
        [
            ("if n:|    print(F.relu(x), n)", ["x", "n"]),
            ("y = x|if n:|    z = y + 1|    print(z)", ["y"]),
            ("if n:|    x = n|    print(x)", ["n"]),
            ("if n:|    x += n", ["x", "n"]),
            ("a, (b, c) = x|if n:|    print(a, c)", ["a", "c"]),
            ("if n:|    print([t for t in x])|print([t for t in n])", ["x"]),
            ("if n:|    print([x for x in x])", ["x"]),
            ("if n:|    print(lambda n: x + n)", ["x"]),
            ("for i in x:|    if n:|        print(i)", ["i"]),
            ("if m:|    y = 1|else:|    y = 2|while n:|    print(y)", []),
            ("with x:|    y = 1|if n:|    print(y)", ["y"]),
            # Names that may have no value cannot be arguments.
            ("while n:|    y = x|if n:|    print(y)", None),
            ("if n:|    print(y)|y = 1", None),
            ("if n:|    del y|    print(y)|y = 2", None),
        ],
    )
    def test_names_read(self, tmp_path: Path, body: str, names: list[str] | None) -> None:
        assert blocks.names_read(*self.first_choice(tmp_path, body)) == names

    @pytest.mark.parametrize(
        ("body", "names"),
        [
            ("if n:|    y = x", []),
            ("if n:|    y = x|print(x)", []),
            ("if n:|    x = n|return x", ["x"]),
            ("y = 1|if n:|    z = y|    y = 2|    x = 1|return x, y", ["y", "x"]),
            ("if n:|    a, b = x|else:|    a = 1|return a", ["a"]),
            ("if n:|    print([t for t in x])|return [t for t in x]", []),
            ("y = 1|while n:|    print(y)|    if n:|        y = 2", ["y"]),
            ("if n:|    x = 1|x += 1", ["x"]),
            ("if n:|    while x:|        y = 1|print(y)", None),
        ],
    )
    def test_names_given(self, tmp_path: Path, body: str, names: list[str] | None) -> None:
        assert blocks.names_given(*self.first_choice(tmp_path, body)) == names

    def test_loops(self, tmp_path: Path) -> None:
        site, block = self.first_choice(tmp_path, "for i in x:|    if n:|        print(i)")
        assert blocks.is_in_loop(site, block[0]) and not blocks.is_in_loop(site, site.node.body[0])

    @pytest.mark.parametrize(
        ("before", "last", "after"),
        [
            ("", "print(  # all\n\n        x)", ALONE.replace("a()", "print(  # all\n\n            x)")),
            (ALONE, "b()", ALONE + "        b()\n"),
            (ONLY_SCRIPTED, "b()", ONLY_SCRIPTED + ALONE.replace("a()", "b()")),
            *(
                (ALONE + between, "b()", ALONE + between + ALONE.replace("a()", "b()"))
                for between in ("    else:\n        c()\n", "    c()\n", "\n")
            ),
        ],
    )
    def test_a_statement_runs_in_python_alone(self, tmp_path: Path, before: str, last: str, after: str) -> None:
        head = "import torch\n\n\ndef f(x):\n"
        site = site_in(tmp_path, f"{head}{before}    {last}\n")
        edits = blocks.in_python_alone(site, site.node.body[-1])
        assert site.text.edit(edits).decode() == head + after

    def test_what_runs_in_python_alone_is_not_looked_into(self, tmp_path: Path) -> None:
        body = f"{ALONE}    if x:\n        def g(): b()\n        '''\n'''\n"
        site = site_in(tmp_path, f"import torch\n\n\ndef f(x):\n{body}")
        found = list(blocks.statements(site.node.body))
        assert [type(s).__name__ for s in found] == ["If", "If", "FunctionDef", "Expr"]
        assert [blocks.can_be_indented(site, s) for s in found] == [True, False, True, False]


class TestCallers:
    """Choices that depend on the arguments of variadic parameters."""

    def at(self, folder: Path, body: str) -> FunctionContext:
        lines = "".join(f"    {line}\n" for line in body.split("|"))
        return site_in(folder, f"def f(x, *args, **kwargs):\n{lines}    return x\n")

    @pytest.mark.parametrize(
        "body",
        [
            *(
                f"if {test}:|    warn()"
                for test in (
                    *("x", "not args", "len(args) == 0", "len(args) > x", "args or x", "print(kwargs)", "args[0]"),
                    *("kwargs.pop('scale', None)", "'scale' not in kwargs", "kwargs.get('scale', True)"),
                )
            ),
            "if args:|    warn()|else:|    x = 1",
            "if x:|    if args:|        warn()",
        ],
    )
    def test_what_may_be_taken_or_cannot_be_spared(self, tmp_path: Path, body: str) -> None:
        assert not list(untaken_choices(self.at(tmp_path, body)))

    @pytest.mark.parametrize(
        "test",
        [
            *("args", "len(args) > 0", "kwargs", "kwargs.get('scale')", "'scale' in kwargs"),
            "len(args) > 0 or kwargs.get('scale', None) is not None",
        ],
    )
    def test_what_nobody_takes(self, tmp_path: Path, test: str) -> None:
        (choice,) = untaken_choices(self.at(tmp_path, f"if {test}:|    warn()"))
        assert ast.unparse(choice.test) == test

    def test_what_they_are_without_anything(self, tmp_path: Path) -> None:
        assert own_variadics(self.at(tmp_path, "pass")) == {"args": (), "kwargs": {}}


BUILT = '''
class Base(nn.Module):
    """Doc."""

    def __init__(self, a):
        super().__init__()
        if a:
            self.a = a
        self.b = a
        self.b += 1

    def forward(self, x):
        return x

    def later(self):
        self.b = 2


class Heir(Base):
    def reset(self):
        self.c = 1


class Stranger:
    def reset(self):
        self.a = 1


def switch(net):
    net.d = 1
'''


class TestConstruction:
    @pytest.fixture
    def site(self, tmp_path: Path) -> FunctionContext:
        return site_in(tmp_path, BUILT, "forward")

    @pytest.mark.parametrize(("attribute", "line"), [("a", 7), ("b", 10), ("c", 6)])
    def test_the_last_statement_that_sets_an_attribute(self, site: FunctionContext, attribute: str, line: int) -> None:
        built = construction.constructor(site)
        assert built and (found := construction.last_setting(built, attribute)) and found.lineno == line

    @pytest.mark.parametrize(
        ("attribute", "later"), [("a", False), ("b", True), ("c", True), ("d", True), ("e", False)]
    )
    def test_who_else_sets_an_attribute(self, site: FunctionContext, attribute: str, later: bool) -> None:
        assert construction.is_set_later(site, attribute) is later

    def test_a_method_of_a_base_sets_an_attribute_later_and_its_constructor_does_not(self, tmp_path: Path) -> None:
        heir = site_in(tmp_path, BUILT, "reset")
        assert construction.is_set_later(heir, "b") and not construction.is_set_later(heir, "a")

    def test_a_line_of_the_class_body_stands_behind_its_docstring(self, site: FunctionContext) -> None:
        assert site.cls
        text = site.text.edit(construction.declare(site, site.cls, "a: int")).decode()
        assert '    """Doc."""\n\n    a: int\n\n    def __init__' in text

    def test_constants_join_those_in_a_list(self, tmp_path: Path) -> None:
        head = "from __future__ import annotations\n\n\nclass Net:\n    __constants__ = "
        site = site_in(tmp_path, head + '["a"]\n\n    def f(self):\n        pass\n')
        assert site.cls
        text = site.text.edit(construction.declare_constants(site, site.cls, "b")).decode()
        assert text.startswith(head + '["a", "b"]\n\n    def')

    def test_lists_of_layers_and_of_lists(self) -> None:
        layers = HeldValue(construction.LISTS[0], length=1, items=("torch.nn.modules.linear.Linear",))
        inner = HeldValue(construction.LISTS[0], length=1, items=(construction.LISTS[1],))
        assert (
            construction.is_list(Held((layers, inner)))
            and not construction.is_list(Held((layers,), lacking=True))
            and not construction.is_list(Held())
        )
        assert not construction.is_list(Held((layers, HeldValue("builtins.NoneType", literal="None"))))
        assert construction.is_list_of_lists(Held((inner,))) and not construction.is_list_of_lists(
            Held((inner, layers))
        )

    @pytest.mark.parametrize(
        ("attribute", "name"),
        [("convs", "conv"), ("_blocks", "block"), ("layers", "one_layer"), ("entries", "entry"), ("emb", "emb_layer")],
    )
    def test_one_is_named_after_its_list(self, tmp_path: Path, attribute: str, name: str) -> None:
        site = site_in(tmp_path, "def f(layer):\n    pass\n")
        assert construction.name_of_one(site, attribute) == name
        assert construction.name_of_one(site, attribute, [name]) != name


JUDGED = """\
LIMIT = 1


class C:
    def f(self, x, **kwargs):
        return x


def g(c, x):
    return c.f(x, scale=2)
"""


class TestJudge:
    def judged(self, folder: Path, old: str, new: str) -> Mapping[str, bool]:
        """The verdicts of the judges if one text is replaced by another."""
        module = Mended(folder, JUDGED)
        edits = {module.file: (Edit(JUDGED.index(old), new, removed=len(old)),)}
        mend = Mend("any", MendKind.EXACT, Owner(module.file, "C.f", 5), Place(module.file, 5, 5), "", edits)
        mended = mended_files.Mended(module.project).add([mend], module.project)
        return {verdict.judge: verdict.ok for verdict in judge_mends(mended)}

    def test_a_change_inside_holds(self, tmp_path: Path) -> None:
        assert all(self.judged(tmp_path, "return x\n", "return x + 0\n").values())

    def test_public_names_stay(self, tmp_path: Path) -> None:
        found = self.judged(tmp_path, "LIMIT = 1", "OTHER = 1")
        assert found == {"undone": True, "public names": False, "calls fit": True}
        assert not self.judged(tmp_path, "def f(", "def h(")["public names"]
        assert self.judged(tmp_path, "LIMIT = 1", "LIMIT: int = 1")["public names"]

    def test_a_call_that_is_gone_is_none_that_fits_no_longer(self, tmp_path: Path) -> None:
        old = JUDGED[JUDGED.index("x, **kwargs") :]
        new = old.replace("x, **kwargs", "x").replace("c.f(x, scale=2)", "x")
        assert self.judged(tmp_path, old, new)["calls fit"]

    @pytest.mark.parametrize(
        ("old", "new", "fits"),
        [("**kwargs", "scale=1", True), (", **kwargs", "", False), ("**kwargs", "gain=1", False)],
    )
    def test_calls_that_fitted_fit(self, tmp_path: Path, old: str, new: str, fits: bool) -> None:
        assert self.judged(tmp_path, old, new)["calls fit"] is fits


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "a", "1"]),
    lambda inner: st.one_of(
        *(
            st.builds(form.format, inner, inner)
            for form in ("({}) + ({})", "({}) ** ({})", "({}) or ({})", "({}) < ({})")
        ),
        *(st.builds(form.format, inner) for form in ("not ({})", "-({})", "({}).b", "g(({}))", "({})[0]", "[({})]")),
        st.builds("({}) if ({}) else ({})".format, inner, inner, inner),
    ),
    max_leaves=5,
).map(lambda text: ast.unparse(ast.parse(text, mode="eval")))


class TestSpelled:
    """Expressions that replace others get parentheses only if they need them."""

    @staticmethod
    def put(folder: Path, outer: str, inner: str) -> str:
        site = site_in(folder, f"def f(x):\n    return {outer}\n")
        value = Expression(inner, strength(ast.parse(f"({inner})", mode="eval").body))
        [returned] = site.node.body
        assert isinstance(returned, ast.Return) and returned.value is not None
        return spell(site, returned.value, names_for({"x": value})).text

    @pytest.mark.parametrize(
        ("outer", "inner", "both"),
        [
            ("g(x)", "a if b else c", "g(a if b else c)"),
            ("y[x]", "a if b else c", "y[a if b else c]"),
            ("not x", "a is None", "not a is None"),
            ("x and y", "a is None", "a is None and y"),
            ("x if y else x", "a if b else c", "(a if b else c) if y else a if b else c"),
            ("[t for t in x]", "a if b else c", "[t for t in (a if b else c)]"),
            ("g(x)", "a\n.b", "g((a\n.b))"),
        ],
    )
    def test_parentheses_come_where_they_are_needed(self, tmp_path: Path, outer: str, inner: str, both: str) -> None:
        assert self.put(tmp_path, outer, inner) == both

    @pytest.mark.parametrize(("text", "plain"), [("a.b.c", True), ("-1", True), ("a[0]", False), ("f()", False)])
    def test_plain_expressions_do_nothing(self, text: str, plain: bool) -> None:
        assert is_plain(ast.parse(text, mode="eval").body) is plain

    @pytest.mark.parametrize(
        ("source", "found"),
        [
            ("x = a or b", []),
            ("x = not a", ["a"]),
            ("if a and not (b or c): pass", ["a", "b", "c"]),
            ("x = 1 if a else b", ["a"]),
            ("assert a, b", ["a"]),
            ("while a > 1: pass", ["a > 1"]),
            ("[a for a in b if c]", ["c"]),
        ],
    )
    def test_what_is_tested(self, source: str, found: list[str]) -> None:
        assert list(map(ast.unparse, find(ast.parse(source)))) == found


@settings(max_examples=100, deadline=None)
@given(outer=EXPRESSIONS, inner=EXPRESSIONS)
def test_the_tree_has_the_inner_in_the_outer(tmp_path_factory: pytest.TempPathFactory, outer: str, inner: str) -> None:
    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.parse(inner, mode="eval").body if node.id == "x" else node

    found = TestSpelled.put(tmp_path_factory.mktemp("a"), outer, inner)
    wanted = Put().visit(ast.parse(outer, mode="eval"))
    assert ast.dump(ast.parse(found, mode="eval")) == ast.dump(wanted)


CHECKED = "def check(x):\n    if type(x) is int:\n        raise TypeError\n\n\ndef f(x):\n    check(x)\n    return x\n"
CALLED = "def g(x, flag):\n    if flag:\n        return x, x\n    return x\n\n\ndef f(x):\n    return g(x, False) + 1\n"
INNER = "def f(x):\n    def g(t):\n        u = t\n        return u\n    return g(x)\n"


@pytest.mark.parametrize(
    ("rule", "source", "owner"),
    [("inner_functions", INNER, "f"), ("dead_branches", CALLED, "g"), ("eager_checks", CHECKED, "f")],
)
def test_a_mend_belongs_to_the_function_that_it_changes(tmp_path: Path, rule: str, source: str, owner: str) -> None:
    module = Mended(tmp_path, source, types={"g": {"return": (TENSOR,)}})
    if rule == "eager_checks":
        module.failures = {"check": Failure("no", "RuntimeError", Place(module.file, 2), (Place(module.file, 7),))}
    found = module.find(RULES[rule])
    assert {mend.owner.qualname for mend in found} == {owner}
    assert rule != "eager_checks" or found[0].left_out == "the check `check(x)`"


def test_a_function_that_reads_an_attribute_is_mended_in_the_method_that_sets_it(tmp_path: Path) -> None:
    keep, read = "def keep(self, x):\n        self.y = x\n", "def forward(self):\n        return self.y\n"
    source = f"class Net(Base):\n    {keep}\n    {read}"
    module = Mended(tmp_path, source, held={"Net": {"y": Held((HeldValue("torch.Tensor"),), late=True)}})

    def found(message: str, *compiled: str) -> list[str]:
        names = frozenset((module.file, name) for name in compiled)
        shown = Witnessed(LiveFacts(module._by_file(module.held)), compiled=names)
        forward = module.project.read(module.file).function_named("Net.forward")
        assert forward
        failure = Failure(message, "RuntimeError", Place(module.file, 6))
        mends = RULES["unset_attributes"].find(FunctionContext(forward, module.project, shown, failure))
        return [mend.owner.qualname for mend in mends]

    assert found("Module 'Net' has no attribute 'y'", "Net.keep", "Net.forward") == ["Net.keep"]
    assert found("Module 'Net' has no attribute 'y'", "Net.forward") == []
    assert found("Module 'Net' has no attribute 'z'", "Net.keep", "Net.forward") == []


def test_a_class_constant_that_a_class_in_another_file_replaces_is_left_alone(tmp_path: Path) -> None:
    base = "class Net:\n    scaled = 2\n\n    def forward(self, x):\n        return x * Net.scaled\n"
    (tmp_path / "model.py").write_text(base)
    (tmp_path / "other.py").write_text("from model import Net\n\n\nclass Other(Net):\n    scaled = 3\n")
    rule = RULES["global_constants"]

    def found(*names: str) -> list[Mend]:
        project = Project(str(tmp_path), {name: str(tmp_path / f"{name}.py") for name in names})
        return list(rule.find(FunctionContext(project.read(str(tmp_path / "model.py")).functions[0], project)))

    assert len(found("model")) == 1
    assert found("model", "other") == []


@pytest.mark.parametrize(
    ("scale", "typed", "moved"),
    [
        ("math.pi", "x", "x"),
        ("math.pi", "x: math.Sized", "x"),
        *((scale, "x", "") for scale in ("SCALE", "abs(x)", "__name__")),
        ("math.pi", "x=math.e", ""),
    ],
)
def test_a_function_of_another_file_is_copied_if_the_file_can_import_all_that_it_reads(
    tmp_path: Path, scale: str, typed: str, moved: str
) -> None:
    sources = {
        "model": "from other import run\n\n\nclass Net:\n    def forward(self, x):\n"
        "        return run(x, layer=lambda t: t + 1)\n",
        "other": f"import math\n\nSCALE, abs = 2, str\n\n\ndef half(x):\n    return x / 2\n\n\n"
        f"def run({typed}, layer: call = 1):\n    return half(layer(x)) * {scale}\n",
    }
    files = {name: tmp_path / f"{name}.py" for name in sources}
    for name, file in files.items():
        file.write_text(sources[name])
    project = Project(str(tmp_path), {name: str(file) for name, file in files.items()})
    function = project.read(str(files["model"])).functions[0]
    found = list(RULES["passed_layers"].find(FunctionContext(function, project)))
    changed = {
        Path(file).stem: text.decode()
        for file, text in mended_files.Mended(project).add(found, project).sources.items()
    }
    assert bool(changed) == bool(moved)
    if changed:
        assert changed == {
            "model": "from math import pi\n\nfrom other import half, run\n\n\nclass Net:\n"
            "    def forward(self, x):\n"
            f"        return self._forward_run(x)\n\n    def _forward_run(self, {moved}):\n"
            "        return half(self._forward_run_layer(x)) * pi\n\n"
            "    def _forward_run_layer(self, t):\n        return t + 1\n"
        }
