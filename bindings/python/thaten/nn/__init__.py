"""Networks: their functions are in nn.functional."""

from . import functional
