"""Modules on several devices, of which there is one: the module itself computes; and modules that several processes train."""

import contextlib as _contextlib

from .. import _C
from ..autograd import _accumulate, no_grad
from .module import Module


class DataParallel(Module):
    """Calls its module, which is in the member module, as in PyTorch without a GPU."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """module(*inputs), on the one device."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


def _calls():
    from .. import distributed

    return distributed


class DistributedDataParallel(Module):
    """Calls its module, which all ranks of a process group train with samples of their own: they begin with the parameters
    and buffers of rank 0, and backward() leaves the average of the ranks' gradients."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, **_):
        super().__init__()
        self.module, self.process_group = module, process_group
        self.broadcast_buffers, self.require_backward_grad_sync = broadcast_buffers, True
        self._reached = set()
        self._trained = [p for p in module.parameters() if p.requires_grad]
        if not self._trained:
            raise RuntimeError("DistributedDataParallel: no parameter of the module wants a gradient")
        if init_sync:
            self._send(list(module.parameters()) + list(module.buffers()))
        for i, parameter in enumerate(self._trained):
            parameter.register_post_accumulate_grad_hook(self._noting(i))

    def _send(self, tensors):
        for tensor in tensors:
            _calls().broadcast(tensor.detach(), group=self.process_group, group_src=0)

    def _noting(self, i):
        def reached(parameter):
            self._reached.add(i)
            if self.require_backward_grad_sync:
                _accumulate.run_last(self._average)

        return reached

    def _average(self):
        """All ranks average the gradients that any of them has."""
        with no_grad():
            used = _C.tensor([int(i in self._reached) for i in range(len(self._trained))])
            self._reached.clear()
            _calls().all_reduce(used, _calls().ReduceOp.MAX, self.process_group)
            types = {}
            for parameter, any_used in zip(self._trained, used.tolist()):
                if any_used:
                    types.setdefault(parameter.dtype, []).append(parameter)
            for parameters in types.values():
                flat = _C.cat([(_C.zeros_like(p) if p.grad is None else p.grad).reshape(-1) for p in parameters])
                _calls().all_reduce(flat, _calls().ReduceOp.AVG, self.process_group)
                for p, part in zip(parameters, flat.split([p.numel() for p in parameters])):
                    p.grad = part.reshape(p.shape).clone()

    @_contextlib.contextmanager
    def no_sync(self):
        """Gradients of passes in the with statement add up on each rank, until a pass outside."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **kwargs):
        if self.broadcast_buffers and self.training and self.require_backward_grad_sync:
            self._send(list(self.module.buffers()))
        return self.module(*inputs, **kwargs)
