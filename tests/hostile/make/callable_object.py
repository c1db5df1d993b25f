# what: the target is an object with __call__, whose every attribute raises
# exit: 2
# target: odd
import torch


class Odd:
    def __call__(self, x, times):
        return x * times

    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")


odd = Odd()
