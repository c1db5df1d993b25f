# what: a metaclass that says all classes are its instances, equal to everything, without a hash
# exit: 2
# says: TypeError: unhashable type: 'Meta'
import torch


class Meta(type):
    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __eq__(cls, other):
        return True

    __hash__ = None


class Net(torch.nn.Module, metaclass=Meta):
    def forward(self, x, times):
        return x * times
