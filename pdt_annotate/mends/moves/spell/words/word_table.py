"""The expressions that the compiler does not know, or knows otherwise, in other words."""

from collections.abc import Mapping

from pdt_annotate.mends.kit.context import DTYPES, TENSORS
from pdt_annotate.mends.kit.patterns import Word, number, tensor
from pdt_annotate.values.mends import MendKind

DTYPES_OF_KINDS: Mapping[str, str] = {"float": "float64", "int": "int64", "bool": "bool"}
WHOLE, PLACED, SCALARS = ("int",), ("torch.Size", "list[int]", "tuple[int]"), ("numpy.float64", "numpy.int64")
ENDS, LINSPACE = {**number("A", "B"), "C": WHOLE}, "torch.linspace(A, B, C, dtype=torch.float64)"
MAYBE_NONE = (*TENSORS, "NoneType", "int", "float", "bool", "str")
FROZEN, SCRIPTED = MendKind.FROZEN, MendKind.SCRIPTED
DRAWN = "float(torch.rand(()))"
FUNCTIONS_OF_MATH = ("sqrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh")

WORDS = (
    *(Word(f"A.{dtype}()", f"A.to(torch.{dtype})", tensor("A")) for dtype in ("bool", "bfloat16")),
    *(Word(f"A.to({kind})", f"A.to(torch.{dtype})", tensor("A")) for kind, dtype in DTYPES_OF_KINDS.items()),
    Word("typing.cast(A, B)", "B"),
    *(
        Word(f"A.{asked}", f"torch.empty(0, dtype=A).{asked}()", {"A": ("torch.dtype",)})
        for asked in ("is_floating_point", "is_complex")
    ),
    Word("torch.get_default_dtype()", "torch.empty(0).dtype"),
    Word("torch.get_autocast_gpu_dtype()", 'torch.get_autocast_dtype("cuda")'),
    Word("torch.spmm(A, B)", "torch.mm(A, B)"),
    *(
        Word(
            f"{split}split_size_or_sections=B, dim=C)", f"{split}B, dim=C)", {"B": ("int", "list[int]"), **tensor("A")}
        )
        for split in ("torch.split(A, ", "A.split(")
    ),
    Word("A.ndimension()", "A.dim()", tensor("A")),
    Word("A.nelement()", "A.numel()", tensor("A")),
    Word("A.__len__()", "len(A)"),
    Word("A.get(B, None)", "A.get(B)", {"A": ("dict", "collections.OrderedDict")}),
    *(Word(f"A.{shape}.numel()", "A.numel()", tensor("A")) for shape in ("shape", "size()")),
    Word("A.numel()", "int(torch.tensor(A).prod())", {"A": PLACED}),
    Word("tuple(A)", "A", {"A": ("torch.Size",)}),
    *(
        Word(f"tuple([{', '.join(each)}])", f"({', '.join(each)}{',' * (len(each) == 1)})")
        for each in ("A", "AB", "ABC")
    ),
    Word("torch.is_tensor(A)", "isinstance(A, torch.Tensor)"),
    Word("isinstance(A, torch.autograd.Variable)", "isinstance(A, torch.Tensor)"),
    Word("isinstance(A, torch.autograd.variable.Variable)", "isinstance(A, torch.Tensor)"),
    *(
        Word(f"{nonzero}as_tuple={is_tuple})", new)
        for nonzero in ("torch.nonzero(A, ", "A.nonzero(")
        for is_tuple, new in ((True, "torch.where(A)"), (False, "torch.nonzero(A)"))
    ),
    *(
        Word(f"A.type({old})", f'A.to("cpu", torch.{new})', tensor("A"))
        for name, new in DTYPES.items()
        for old in (name, repr(name))
    ),
    Word("A.type(type(B))", 'A.to("cpu", torch.empty(0).dtype)', tensor("A", "B")),
    # To the compiler, `x.type()` is x.
    Word("A.type() == B.type()", "A.dtype == B.dtype and A.device.type == B.device.type", tensor("A", "B")),
    Word("A.type() != B.type()", "A.dtype != B.dtype or A.device.type != B.device.type", tensor("A", "B")),
    *(
        Word(f"A.type() == {old!r}", f"A.dtype == torch.{new} and A.device.type == {device!r}", tensor("A"))
        for name, new in DTYPES.items()
        for old, device in ((name, "cpu"), (name.replace("torch.", "torch.cuda."), "cuda"))
    ),
    # No class of these compares with None in its own way.
    *(Word(f"A {old} None", f"A {new} None", {"A": MAYBE_NONE}) for old, new in (("==", "is"), ("!=", "is not"))),
    # Numbers of one kind.
    Word("A.item()", "A", {"A": SCALARS}, FROZEN),
    *(Word("A.item()", f"{kind}(A.item())", {"": (kind,)}) for kind in ("int", "float", "bool")),
    Word("round(A)", "int(round(A))", {"": WHOLE}),
    Word("round(A)", "int(round(A))", number("A")),
    Word("A ** B", "int(A ** B)", {"": WHOLE}),
    Word("pow(A, B)", "int(A ** B)", {"": WHOLE}),
    Word("A.is_integer()", "A % 1 == 0", {"A": ("float",)}),
    *(Word(f"int({prod}(A))", "int(torch.tensor(A).prod())", {"A": PLACED}) for prod in ("numpy.prod", "math.prod")),
    *(
        Word(f"functools.reduce(operator.mul, A{first})", "int(torch.tensor(A).prod())", {"A": PLACED})
        for first in ("", ", 1")
    ),
    *(Word(f"{prod}(A)", "int(torch.tensor(A).prod())", {"A": PLACED}) for prod in ("numpy.prod", "math.prod")),
    # The largest numbers of a dtype, which replace infinities; and the number behind 1.
    *(
        Word(f"{info}.{end}", f"float(torch.full((), {infinity}, dtype=A).nan_to_num())")
        for info in ("torch.finfo(A)", "numpy.finfo(torch.tensor(B, dtype=A).numpy().dtype)")
        for end, infinity in (("max", "math.inf"), ("min", "-math.inf"))
    ),
    Word("torch.finfo(A).eps", "float(torch.ones((), dtype=A).nextafter(torch.full((), 2.0, dtype=A))) - 1.0"),
    # Numpy: a number outside of a domain, as the root of -1, is an error to `math` and nan to numpy.
    *(Word(f"numpy.{name}(A)", "abs(A)", number("A")) for name in ("abs", "absolute")),
    *(Word(f"int(numpy.{name}(A))", f"math.{name}(A)", number("A"), FROZEN) for name in ("ceil", "floor")),
    *(Word(f"numpy.{name}(A)", f"float(math.{name}(A))", number("A"), FROZEN) for name in ("ceil", "floor")),
    *(Word(f"numpy.{name}(A)", f"math.{name}(A)", number("A"), FROZEN) for name in FUNCTIONS_OF_MATH),
    *(Word(f"numpy.{name}", f"math.{name}") for name in ("pi", "e", "inf", "nan")),
    Word("numpy.round(A)", "round(A)", number("A"), FROZEN),
    *(
        Word(f"numpy.{old}(A, B)", f"{new}(A, B)", number("A", "B"), FROZEN)
        for old, new in (("power", "pow"), ("maximum", "max"), ("minimum", "min"))
    ),
    *(
        Word(f"A.astype({int_})", "int(A)", {"A": SCALARS}, FROZEN)
        for int_ in ("int", "'int'", "numpy.int64", "'int64'")
    ),
    Word("A.numpy().tolist()", "A.tolist()", tensor("A"), FROZEN),  # an error if it has a gradient, as in the next one
    Word("torch.from_numpy(numpy.array(A))", "A.clone()", tensor("A"), FROZEN),  # an error if it has a gradient
    *(
        Word(f"{old}(numpy.linspace(A, B, C){dtype})", f"{LINSPACE}{cast}", ENDS, FROZEN)
        for old, dtype, cast in (
            *(("torch.from_numpy", "", ""), ("torch.tensor", "", "")),
            ("torch.tensor", ", dtype=D", ".to(D)"),
        )
    ),
    # Random numbers of Python and numpy: torch draws others.
    *(Word(draw, DRAWN, kind=SCRIPTED) for draw in ("random.random()", "numpy.random.rand()", "numpy.random.random()")),
    *(
        Word(f"{module}.uniform(A, B)", f"A + (B - A) * {DRAWN}", number("A", "B"), SCRIPTED)
        for module in ("random", "numpy.random")
    ),
    *(
        Word(f"{module}.randint(A, B)", f"int(torch.randint(A, B{end}, ()))", {"A": WHOLE, "B": WHOLE}, SCRIPTED)
        for module, end in (("random", " + 1"), ("numpy.random", ""))
    ),
    # Tensors of old constructors.
    Word("torch.Tensor()", "torch.empty(0)"),
    Word("torch.Tensor(A)", "torch.empty(A)", {"A": ("int", "torch.Size")}),
    Word("torch.Tensor(A)", "torch.ops.aten.alias(A)", tensor("A")),
    Word("torch.Tensor(A, *B)", "torch.empty(A, *B)"),
    Word("A.new()", "A.new_empty(0)", tensor("A")),
    Word("A.new(B)", "A.new_empty(B)", {**tensor("A"), "B": ("int", "torch.Size")}),
    Word("A.new(B, *C)", "A.new_empty(B, *C)", tensor("A")),
    *(Word(f"{old}(A)", f"torch.empty(A, dtype=torch.{new})", {"A": ("torch.Size",)}) for old, new in DTYPES.items()),
    *(
        Word(f"{old}(range({count}))", f"torch.arange({count}" + (")" if new == "int64" else f", dtype=torch.{new})"))
        for old, new in DTYPES.items()
        for count in ("A.size(B)", "A.shape[B]", "len(A)")  # cannot be negative
    ),
    Word("A.new_tensor(B)", "B.detach().clone().to(A)", tensor("A", "B")),
    # A negative number makes an empty range, and is an error to `arange`.
    Word(
        "A.new_tensor(range(B))", "torch.arange(B, dtype=A.dtype, device=A.device)", {**tensor("A"), "B": WHOLE}, FROZEN
    ),
    *(
        Word(f"{old}({numbers})", "torch.arange(B)", {"B": WHOLE}, FROZEN)
        for old in ("torch.tensor", "torch.LongTensor")
        for numbers in ("range(B)", "list(range(B))")
    ),
)
