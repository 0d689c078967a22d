"""Complex numbers: a spectrum, a filter, a set of Mandelbrot, and a fit by gradients of complex weights."""

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
time = torch.arange(64) / 64
signal = torch.exp(2j * torch.pi * 5 * time) + 0.5 * torch.exp(-2j * torch.pi * 9 * time)
spectrum = torch.fft.fft(signal)
peak = torch.zeros(64, dtype=torch.complex128)
peak[5] = 1
losses = spectrum.abs().topk(2).values.tolist()
losses.append((torch.fft.ifft(spectrum * peak) * 1j).imag.sum().item())
texts = [str(spectrum.abs().topk(2).indices.tolist())]


def escape(c, steps=20):
    z, count = torch.zeros_like(c), torch.zeros(c.shape, dtype=torch.int64)
    for _ in range(steps):
        z = z**2 + c
        inside = z.abs() < 2
        count += inside
        z = torch.where(inside, z, 2 + 0j)
    return count


real, imaginary = torch.meshgrid(torch.linspace(-2, 1, 6), torch.linspace(-1, 1, 5), indexing="xy")
texts.append(str(escape(torch.complex(real, imaginary)).tolist()))

x, wanted = torch.randn(20, 3, dtype=torch.complex128), torch.tensor([1 + 1j, 2 - 1j, -0.5j])
weights, y = torch.randn(3, dtype=torch.complex128, requires_grad=True), x @ wanted
for _ in range(30):
    error = x @ weights - y
    loss = (error * error.conj()).real.mean()
    (gradient,) = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        weights -= (0.3 + 0j) * gradient
    losses.append(loss.item())
losses += torch.view_as_real(weights.detach() / (1 - 1j)).flatten().tolist()
losses.append(complex(weights.sum()).imag)
matrix = torch.tensor([[1, 2j], [-2j, 3]])
texts.append(str(matrix.mH.equal(matrix)))
losses += torch.linalg.eigvalsh(matrix).tolist() + [torch.linalg.det(matrix * 1j).real.item()]
