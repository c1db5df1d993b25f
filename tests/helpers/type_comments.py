"""Functions with a `# type:` comment in the header: comments that the compiler reads, and comments that stop it."""

READ = [
    "def f(x, n):\n    # type: (Tensor, int) -> Tensor\n    return x\n",
    "def f(x, n):\n    # a remark\n    # type:(Tensor, int) -> Tensor  # noqa\n    return x\n",
    "def f(\n    x,\n    n,\n    # type: (Tensor, int) -> Tensor\n):\n    return x\n",
    "def f(\n    x,  # type: Tensor\n    n,  # type: int\n):\n    # type: (...) -> Tensor\n    return x\n",
    "def f(\n    x,  # type: ignore\n    n,\n):\n    # type: (Tensor, int) -> Tensor\n    return x\n",
]
NOT_READ = [
    "def f(x, n):  # type: see below\n    return x\n",
    "def f(x, n):\n    # type: see below\n    return x\n",
    "def f(x, n):  # type: (Tensor, int) -> Tensor\n    return x\n",
    "def f(x, n):\n    #type: (Tensor, int) -> Tensor\n    return x\n",
    "def f(x, n):\n    #  type: (Tensor, int) -> Tensor\n    return x\n",
    "def f(\n    x,  # type: Tensor\n    n,  # type: int\n):\n    return x\n",
    "def f(\n    x,  # type: Tensor\n    n,  # type: int\n):  # type: (...) -> Tensor\n    return x\n",
    "def f(\n    x,  # type: Tensor\n    n,\n):\n    # type: (Tensor, int) -> Tensor\n    return x\n",
    "def d(f): return f\n@d  # type: d\ndef f(x, n):\n    return x\n",
]
