# what: a function whose names, module, defaults and annotations are odd
# exit: 3
# target: odd
import torch


def odd(x, times):
    return x * times


odd.__name__ = "\x1b[31m"
odd.__qualname__ = "::error\n<locals>.x"
odd.__module__ = None
odd.__doc__ = 3
odd.__annotations__ = {"x": object(), "\x1b": 3}
odd.__defaults__ = (object(),)
