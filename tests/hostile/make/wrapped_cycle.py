# what: a function whose __wrapped__ is itself
# exit: 2
# target: odd
import torch


def odd(x, times):
    return x * times


odd.__wrapped__ = odd
