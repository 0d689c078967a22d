"""What scripts ask and set of libraries below: those of GPUs are not there, and what is set has no meaning here."""

from . import cuda, cudnn, mkl, mkldnn, mps
