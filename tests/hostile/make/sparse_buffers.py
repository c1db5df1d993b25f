# what: buffers that are sparse, nested, quantized, of the meta device, or complex
# exit: 2
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sparse", torch.eye(3).to_sparse())
        self.register_buffer("csr", torch.eye(3).to_sparse_csr())
        self.register_buffer("nested", torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]))
        self.register_buffer("quantized", torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8))
        self.register_buffer("meta", torch.zeros(3, device="meta"))
        self.register_buffer("complex", torch.zeros(3, dtype=torch.complex64))

    def forward(self, x, times):
        return x * times
