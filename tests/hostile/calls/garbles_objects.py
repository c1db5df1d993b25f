# what: finds the tool's own objects among all that live, and garbles them
# exit: 2
import gc
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        result = x * times
        for each in gc.get_objects():
            if type(each).__module__.startswith("pdt_annotate") and hasattr(each, "__dict__"):
                for key in list(vars(each)):
                    vars(each)[key] = 3
        return result
