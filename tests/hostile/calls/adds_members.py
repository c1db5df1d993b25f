# what: registers members while it is called
# exit: 3
import torch


class Net(torch.nn.Module):
    def forward(self, x, times):
        self.register_buffer(f"more{len(self._buffers)}", x.clone())
        self.add_module(f"inner{len(self._modules)}", torch.nn.Identity())
        del self.training
        return x * times
