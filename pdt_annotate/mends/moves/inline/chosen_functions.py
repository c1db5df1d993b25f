"""If the constructor stores one of several functions in an attribute, a call of it becomes a call of a new method.

Constants of the object show which function the constructor stored. In the scripted model, the new method tests them,
and computes what this lambda, method or function computes. In Python, it calls the attribute as before.

Message: `failed to convert Python type: 'method'`, `Expected a single top-level function`, `overloaded`, or
    `Compiled functions can't take variable number of arguments` of a function of torch.
Kind: Exact. Frozen for a lambda or partial function that keeps variables of the constructor.
Needs:
    - Only the constructor assigns the attribute, outside of loops. It stores a lambda, a partial function, a method of
      the object or `F.max_pool2d`, at least in some cases.
    - The calls pass the same number of arguments, and the functions take as many. Only methods have defaults. If all
      are methods with the same parameters, they may be called in any way.
    - Calls pass arguments by position. If no function is a lambda or a method, all calls may also pass the same ones by
      name.
    - Variables of the constructor that a lambda reads are assigned at most once. Attributes store their values.
Before:
    def __init__(self, kind):
        super().__init__()
        if kind == "swish":
            self.act = lambda x: x * torch.sigmoid(x)
        else:
            self.act = self._mish

    def _mish(self, x):
        return x * torch.tanh(F.softplus(x))

    def forward(self, x):
        return self.act(x)
After:
    _act_is_lambda: Final[bool]
    _act_is_mish: Final[bool]

    def __init__(self, kind):
        super().__init__()
        self._act_is_lambda = False
        self._act_is_mish = False
        if kind == "swish":
            self.act = lambda x: x * torch.sigmoid(x)
            self._act_is_lambda = True
        else:
            self.act = self._mish
            self._act_is_mish = True

    def _mish(self, x):
        return x * torch.tanh(F.softplus(x))

    def forward(self, x):
        return self._call_act(x)

    def _call_act(self, x):
        if not torch.jit.is_scripting():
            return self.act(x)
        elif self._act_is_lambda:
            return x * torch.sigmoid(x)
        elif self._act_is_mish:
            return self._mish(x)
        else:
            raise AttributeError("act")
"""

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.mends.kit.blocks import LOOPS, before, ends_line, if_python, nested
from pdt_annotate.mends.kit.branches import as_statement
from pdt_annotate.mends.kit.construction import attribute_stores, declare_constants, is_set_later, uses
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.mends.kit.stored import StoredFunction, calls_of_attributes, is_about_function, settings_in
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.syntax import choices, last_name, numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class _Setting:
    """An assignment of the constructor, and the code for the function that it stores."""

    setting: ast.Assign
    flag: str = ""  # the constant that is true if it does; "" for None, and for a function that the compiler reads
    code: str = ""  # the expression that a method computes in place of the function
    kept: Sequence[str] = ()  # lines behind the setting that keep variables of the constructor


def find(site: FunctionContext) -> Iterator[Mend]:
    for stored in calls_of_attributes(site):
        inner, settings = stored.inner, settings_in(stored.inner, stored.name)
        values = [value for each in settings for value in choices(each.value)]
        is_one = len(values) == 1 and settings[0] in inner.node.body
        if is_one or not any(map(stored.needs_method, values)) or not _are_all(stored, settings):
            continue
        signature = _signature(stored, [value for value in values if not is_none(value)])
        if signature is None or is_set_later(site, stored.name):
            continue
        if chosen := [edit for each in settings for edit in as_statement(inner, each)]:
            yield inner.mend(settings[0], f"choose the function in `{stored.name}` by an `if`", chosen)
            continue
        read = _read(stored, settings, signature[1])
        added = _added(stored, read, *signature) if read else None
        if added is not None:
            new = f"{site.function.receiver}.{stored.method}"
            edits = [*(site.replace(call.func, new) for call in stored.calls), *added]
            keeps = any(each.kept for each in read or ())
            yield site.mend(stored.calls[0], f"call the function in `{stored.name}` by a method", edits, frozen=keeps)


def _are_all(stored: StoredFunction, settings: Sequence[ast.Assign]) -> bool:
    """Whether the assignments are all settings of an attribute, each in lines of its own, and run at most once."""
    inner, name = stored.inner, stored.name
    around = {outer for each in settings for outer in inner.around(each)} - {inner.node}
    are_lines = all(inner.begins_line(each) and ends_line(inner, each) for each in settings)
    is_plain = are_lines and not any(isinstance(outer, (*LOOPS, ast.Try, Scope)) for outer in around)
    return is_plain and len(settings) == len(list(attribute_stores(inner.node, name)))


def _signature(stored: StoredFunction, values: Sequence[ast.expr]) -> tuple[str, Sequence[str]] | None:
    """The parameters of the method, and the arguments that it passes on; None if the functions do not fit the calls."""
    inner, calls = stored.inner, stored.calls
    lambdas = [each.args for each in values if isinstance(each, ast.Lambda)]
    methods = list(filter(None, map(stored.method_of, values)))
    if inner.cls and any(inner.relatives.is_overridden(inner.cls, each.node.name) for each in methods):
        return None
    texts = {ast.unparse(each.node.args) for each in methods}
    if len(methods) == len(values) and len(texts) == 1 and "*" not in (text := texts.pop()):
        return text, [each.name for each in methods[0].parameters]
    shapes = {(len(call.args), tuple(sorted(each.arg or "*" for each in call.keywords))) for call in calls}
    (number, words), *others = shapes
    is_starred = "*" in words or any(isinstance(arg, ast.Starred) for call in calls for arg in call.args)
    known = [*lambdas, *(each.node.args for each in methods)]
    are_plain = not any(each.vararg or each.kwarg or each.kwonlyargs or each.posonlyargs for each in known)
    if others or is_starred or not are_plain or (words and known):
        return None
    names = {tuple(arg.arg for arg in each.args) for each in lambdas}
    names |= {tuple(each.name for each in method.parameters[:number]) for method in methods}
    is_given = all(each.value is not None for method in methods for each in method.parameters[number:])
    if not is_given or any(len(each) != number for each in names):
        return None
    free = (each for each in numbered("x") if each not in words)
    first = names.pop() if len(names) == 1 else tuple(itertools.islice(free, number))
    return ", ".join((inner.function.receiver, *first, *words)), [*first, *(f"{each}={each}" for each in words)]


def _read(stored: StoredFunction, settings: Sequence[ast.Assign], passed: Sequence[str]) -> list[_Setting] | None:
    """The assignments with their code; None if a method cannot run the code of a lambda or partial function."""
    site, inner, name = stored.site, stored.inner, stored.name
    found, flags, args = list[_Setting](), dict[str, str](), ", ".join(passed)
    words = [word for word, sign, _ in (each.partition("=") for each in passed) if sign]
    for setting in settings:
        value, meant, code = setting.value, inner.meaning(setting.value), None
        if isinstance(value, ast.Lambda):
            code, word = stored.as_code(setting, passed), "lambda"
        elif stored.is_partial(value):
            code, word = stored.call_of_partial(value, passed, words), last_name(value.args[0])
        elif stored.method_of(value):
            word = inner.self_attribute(value)
            code = f"{site.function.receiver}.{word}({args})", []
        elif meant.startswith("torch.") and last_name(value)[:1].islower():
            code, word = (f"{site.spell(meant)}({args})", []), last_name(value)
        else:
            found.append(_Setting(setting))
            continue
        if code is None:
            return None
        text, kept = code
        wanted = numbered(f"_{name.strip('_')}_is_{word.strip('_')}", 2)
        free = (each for each in wanted if each not in flags.values() and not any(uses(site, each)))
        flag = flags[text] if text in flags else flags.setdefault(text, next(free))
        found.append(_Setting(setting, flag, text, kept))
    return found


def _added(
    stored: StoredFunction, settings: Sequence[_Setting], parameters: str, passed: Sequence[str]
) -> list[Edit] | None:
    """The edits that set the constants and add the method; None if its name means something else."""
    site, inner, name = stored.site, stored.inner, stored.name
    own, flags = site.function.receiver, {each.flag: each.code for each in settings if each.flag}
    call = f"return {own}.{name}({', '.join(passed)})"
    lines = [if_python(site, call)]
    for flag, code in flags.items():
        lines += [f"elif {own}.{flag}:", f"    return {code}"]
    are_known = all(each.flag or is_none(each.setting.value) for each in settings)
    lines += ["else:", f'    raise AttributeError("{name}")' if are_known else f"    {call}"]
    added = stored.add_method(nested("\n".join(lines), f"def {stored.method}({parameters}):"))
    if added and site.cls:
        first = next(each for each in inner.node.body if settings[0].setting in ast.walk(each))
        added.append(inner.insert_before(first, "\n".join(f"{own}.{flag} = False" for flag in flags)))
        for each in settings:
            lines = [*each.kept, *([f"{own}.{each.flag} = True"] if each.flag else [])]
            earlier = set(before(inner, each.setting))
            ran = {one.flag for one in settings if not earlier.isdisjoint((one.setting, *inner.around(one.setting)))}
            lines += [f"{own}.{flag} = False" for flag in sorted(ran - {each.flag, ""})]
            added += [inner.insert_behind(each.setting, "\n".join(lines))] if lines else []
        added += declare_constants(site, site.cls, *flags)
    return added


RULE = MendRule("chosen_functions", MendKind.EXACT, is_about_function, find)
